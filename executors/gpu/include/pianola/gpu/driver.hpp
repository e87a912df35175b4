// SPDX-License-Identifier: Apache-2.0
// What the backends for graphics processors need of a vendor's driver, in the terms that CUDA and HIP have in
// common. One class per vendor implements it and does nothing but translate; everything that needs thought
// (lanes, completion, graphs, images) is above it and is the same for both.
//
// Nothing throws. Functions return the driver's own code, 0 for success; `explain` makes text of it. All may be
// called by any thread; a stream or a graph is used by one thread at a time. An event is recorded while nobody
// else uses it; other streams may be told to wait for it, and times be read from it, while a thread
// synchronises with it. Once `wait` has returned, the event may be recorded anew: the stream waits for what was
// recorded before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/model/texture.hpp>

namespace pianola::gpu {

using code = int;
inline constexpr code success = 0;

// Handles of the driver; null is none.
struct stream {
  void* native = nullptr;
};
struct event {
  void* native = nullptr;
};
struct module {
  void* native = nullptr;
};
struct kernel {
  void* native = nullptr;
};
struct graph {
  void* native = nullptr;
};
struct executable {
  void* native = nullptr;
};
struct node {
  void* native = nullptr;
};

struct device_description {
  model::device_properties properties;
  // The architecture that images are looked up by: "sm_90", "gfx90a", "pianola-sim".
  std::string architecture;
  std::uint64_t max_parameter_bytes = 4096;  // of one kernel, all parameters with their padding
  std::uint64_t max_dynamic_local_bytes = 48 << 10;
  std::uint32_t max_grid[3] = {65535, 65535, 0x7fffffff};  // [2] fastest (the driver's x)
  // devices[i] can be copied from and to directly.
  std::vector<bool> peers;
};

// What this driver can do, found out by looking functions up and by asking it.
struct capabilities {
  bool graph_upload = false;
  bool node_updates = false;         // parameters of single nodes of an executable graph
  bool whole_graph_updates = false;  // and they may be believed
  bool node_priorities = false;
  bool multi_dimensional_node_updates = false;  // copy nodes of two and three dimensions, too
  bool managed_memory = false;
  bool child_graphs = false;
  bool multi_device_graphs =
      false;  // nodes of one graph run on the devices that they were made for
  // Nodes that record events and that wait for them; executables can be given other events.
  bool event_nodes = false;
  // set_copy must not make one dimension of several, or several of one.
  bool copies_keep_dimensions = false;
  bool captures = false;              // what is put into a stream, as a graph
  bool captures_into_graphs = false;  // and as nodes of a graph that there is
  bool loops = false;    // conditional nodes: graphs that run while a number says so, or if it does
  bool choices = false;  // those that choose among several graphs, too
  // The launch of a graph with copies of memory of the host that is not locked returns when these are done.
  bool graphs_wait_for_copies = false;
  // Graphs may have chains of so many nodes; 0: of any number.
  std::uint32_t longest_chain = 0;
};

struct kernel_limits {
  std::uint32_t max_group_size = 1024;
  std::uint32_t static_local_bytes = 0;
  std::uint32_t private_bytes = 0;  // per work-item, in device memory: spilled
};

// Three numbers are in SYCL's order: [0] slowest, [2] fastest (the driver's x).
struct kernel_launch {
  kernel function;
  std::uint32_t device = 0;
  std::uint32_t groups[3] = {1, 1, 1};
  std::uint32_t group_size[3] = {1, 1, 1};
  std::uint32_t dynamic_local_bytes = 0;
  void** parameters = nullptr;  // copied by the driver
  int priority =
      0;  // of a node, 0 to -5: lower runs earlier; what the device does not have is brought to its range
  // It may start while the kernel in front of it in the stream, or the one node that it is added after, is at work.
  // Only where dependent_launch() says yes.
  bool overlapping = false;
};

// Which device's memory; negative: of the host.
inline constexpr std::int32_t on_host = -1;

struct copy_operation {
  executors::resolved_copy box;
  std::int32_t from = on_host;
  std::int32_t to = on_host;
  std::uint32_t device = 0;  // that makes the copy
};

// `count` rows of `width` elements of `element_bytes` (1, 2 or 4), `pitch` bytes from row to row.
struct fill_operation {
  void* destination = nullptr;
  std::uint32_t value = 0;
  std::uint32_t element_bytes = 1;
  std::uint64_t width = 0;
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0;
  std::uint32_t device = 0;
};

// A number in a graph's launch by which one conditional node of the graph decides.
struct condition {
  std::uint64_t native = 0;
};
enum class conditional : unsigned char {
  loop,    // runs its graph while the number is not zero
  branch,  // runs the first graph if it is not, the second one, if there is one, if it is
  choice   // runs the graph with that number, or none
};
// What a node gives a condition when it is run: the number in memory, but at most `limit`.
struct condition_setting {
  enum class source : std::uint32_t {
    number,     // as it is
    beginning,  // after `begin` has been written there
    countdown   // after it has become one less
  };
  condition what;
  std::uint32_t device = 0;
  source from = source::number;
  std::uint32_t bytes = 8;  // 1, 2, 4 or 8; of the latter two 8
  std::uint32_t limit = 1;
  void* number = nullptr;  // that the device reaches
  std::uint64_t begin = 0;
};

enum class event_state : unsigned char { reached, not_reached, broken };

class driver {
 public:
  virtual ~driver() = default;

  [[nodiscard]] virtual std::string_view backend_name() const noexcept = 0;  // "cuda", "hip"
  [[nodiscard]] virtual const std::vector<device_description>& devices() const noexcept = 0;
  [[nodiscard]] virtual const capabilities& can() const noexcept = 0;
  // "CUDA: cuLaunchKernel: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)": with
  // what was being done, the driver's own text and the number. Maps out of memory to memory_allocation, no
  // image for the device and parameters too large to kernel_not_supported and so on.
  [[nodiscard]] virtual executors::status explain(code, std::string_view doing) const = 0;
  // After this code nothing works on the device any more in this process.
  [[nodiscard]] virtual bool is_fatal(code) const noexcept = 0;
  // Order of the names of images that fit the device, best first: {"sm_90"}, then PTX "ptx:sm_90", "ptx:sm_80"...
  // Positive: fits, the larger the better; 0: does not.
  [[nodiscard]] virtual int suitability(std::uint32_t device,
                                        std::string_view architecture) const noexcept = 0;

  // Memory. Alignment is 256 bytes at least.
  virtual code allocate_device(std::uint32_t device, std::size_t bytes, void*& out) noexcept = 0;
  virtual code free_device(std::uint32_t device, void*) noexcept = 0;
  virtual code allocate_host(std::uint32_t device, std::size_t bytes,
                             void*& out) noexcept = 0;  // page-locked
  virtual code free_host(std::uint32_t device, void*) noexcept = 0;
  virtual code allocate_managed(std::uint32_t device, std::size_t bytes, void*& out) noexcept = 0;
  virtual code free_managed(std::uint32_t device, void*) noexcept = 0;

  // Memory in pages, which are put behind addresses one by one, each behind several if need be. Bytes of a page; 0: the driver
  // has none on the device, and none of the others is called.
  [[nodiscard]] virtual std::size_t page_bytes(std::uint32_t /*device*/) noexcept { return 0; }
  virtual code make_page(std::uint32_t /*device*/, std::uint64_t& /*out*/) noexcept {
    return success;
  }
  // No address is left that has it.
  virtual void destroy_page(std::uint32_t /*device*/, std::uint64_t /*page*/) noexcept {}
  virtual code reserve_addresses(std::uint32_t /*device*/, std::size_t /*bytes*/,
                                 void*& /*out*/) noexcept {
    return success;
  }
  // A whole reservation, with nothing behind it.
  virtual void release_addresses(std::uint32_t /*device*/, void*, std::size_t /*bytes*/) noexcept {}
  virtual code map_page(std::uint32_t /*device*/, void* /*at*/, std::uint64_t /*page*/) noexcept {
    return success;
  }
  // Lets the device, and those that reach its memory, use what has been put there.
  virtual code allow_access(std::uint32_t /*device*/, void* /*at*/,
                            std::size_t /*bytes*/) noexcept {
    return success;
  }
  virtual void unmap_pages(std::uint32_t /*device*/, void* /*at*/, std::size_t /*bytes*/) noexcept {
  }

  // What nobody uses now. Called only where the device's properties say that it is known.
  virtual code free_memory(std::uint32_t device, std::size_t& bytes) noexcept = 0;

  // Memory of the program's own, until it is unlocked. Refused where the driver has no such thing.
  virtual bool lock_pages(std::uint32_t /*device*/, void* /*start*/,
                          std::size_t /*bytes*/) noexcept {
    return false;
  }
  virtual void unlock_pages(std::uint32_t /*device*/, void* /*start*/) noexcept {}

  // Textures: texels in device memory that kernels sample through the hardware. Where the driver has none for a
  // description, or not for texels that lie there, kernels sample by themselves.
  [[nodiscard]] virtual bool has_texture(std::uint32_t /*device*/, const void* /*texels*/,
                                         const model::texture_description&) const noexcept {
    return false;
  }
  // Where has_texture() says yes. `out` is what the kernel gets.
  virtual code make_texture(std::uint32_t /*device*/, void* /*texels*/,
                            const model::texture_description&, std::uint64_t& /*out*/) noexcept {
    return success;
  }
  virtual void destroy_texture(std::uint32_t /*device*/, std::uint64_t /*texture*/) noexcept {}

  // Streams and events.
  virtual code make_stream(std::uint32_t device, stream& out) noexcept = 0;
  virtual void destroy(std::uint32_t device, stream) noexcept = 0;
  // Which device a stream that the program made is of; `untold` where the driver does not say, `elsewhere` where it is
  // of a device, or of a context of one, that is not used here.
  static constexpr std::uint32_t untold = 0xffffffff, elsewhere = 0xfffffffe;
  virtual code device_of(stream, std::uint32_t& device) noexcept {
    device = untold;
    return success;
  }
  // A stream that the program made is used no more.
  virtual void forget(std::uint32_t /*device*/, stream) noexcept {}
  virtual code make_event(std::uint32_t device, bool with_time, event& out) noexcept = 0;
  virtual void destroy(std::uint32_t device, event) noexcept = 0;
  virtual code record(std::uint32_t device, stream, event) noexcept = 0;
  virtual code wait(std::uint32_t device, stream, event) noexcept = 0;  // the stream waits
  virtual event_state query(event, code& why) noexcept = 0;
  virtual code synchronize(
      event) noexcept = 0;  // the calling thread waits, without burning the processor for long
  virtual code elapsed(event from, event to, float& milliseconds) noexcept = 0;
  // What kernels have printed comes out of the program: some drivers keep it until somebody waits, and asking whether an
  // event has been reached is no waiting. Called for events that have been reached, after the kernels.
  virtual void print_output(event) noexcept {}

  // Immediate work.
  virtual code copy(stream, const copy_operation&) noexcept = 0;
  virtual code fill(stream, const fill_operation&) noexcept = 0;
  virtual code launch(stream, const kernel_launch&) noexcept = 0;

  // Images. `log` gets what the driver's own compiler says where there is one (of PTX).
  virtual code load(std::uint32_t device, const void* bytes, std::size_t size, module& out,
                    std::string& log) noexcept = 0;
  virtual void unload(std::uint32_t device, module) noexcept = 0;
  virtual code find(std::uint32_t device, module, const char* symbol, kernel& out,
                    kernel_limits&) noexcept = 0;
  // Where the module has the variable with this name; null: it has none.
  virtual code find_variable(std::uint32_t device, module, const char* symbol,
                             void*& out) noexcept = 0;
  // Lets the kernel use so much dynamic local memory from now on, never less than before. Called once per kernel, with
  // the most that it can have: it is a setting of the kernel's, not of its launches.
  virtual code allow_local_memory(std::uint32_t device, kernel, std::uint32_t bytes) noexcept = 0;
  // load() or find() failed because of what the image is: another one that suits the device may do. Images of newer
  // compilers, say, which the driver does not read.
  [[nodiscard]] virtual bool wrong_image(code) const noexcept { return false; }
  // Whether kernels of an image of that name may overlap those in front of them: device and driver can, and the
  // image has the instructions with which kernels wait for others.
  [[nodiscard]] virtual bool dependent_launch(std::uint32_t /*device*/,
                                              std::string_view /*image*/) const noexcept {
    return false;
  }
  // A size of groups that fills the device, for kernels that leave the choice to us.
  virtual std::uint32_t preferred_group_size(std::uint32_t device, kernel) noexcept = 0;
  // How many groups of that size, each with so much dynamic local memory, one compute unit of the device runs at the same
  // time; 0: none, or the driver does not tell.
  virtual std::uint32_t resident_groups(std::uint32_t /*device*/, kernel,
                                        std::uint32_t /*group_size*/,
                                        std::uint32_t /*local_bytes*/) noexcept {
    return 0;
  }

  // Graphs, made node by node. Nodes of one graph may be of several devices.
  virtual code make_graph(graph& out) noexcept = 0;
  virtual void destroy(graph) noexcept = 0;
  virtual code add_kernel(graph, model::array_view<const node> after, const kernel_launch&,
                          node& out) noexcept = 0;
  virtual code add_copy(graph, model::array_view<const node> after, const copy_operation&,
                        node& out) noexcept = 0;
  virtual code add_fill(graph, model::array_view<const node> after, const fill_operation&,
                        node& out) noexcept = 0;
  virtual code add_empty(graph, model::array_view<const node> after, node& out) noexcept = 0;
  // Whether nodes of `device` may copy from and to the memory of `other`: outside of graphs the driver finds a way
  // wherever there is no direct one, inside it does not.
  [[nodiscard]] virtual bool reaches_in_graphs(std::uint32_t /*device*/,
                                               std::uint32_t /*other*/) noexcept {
    return true;
  }
  // A copy of `child`, as one node. Where can().child_graphs.
  virtual code add_child(graph, model::array_view<const node> /*after*/, graph /*child*/,
                         node& /*out*/) noexcept {
    return success;
  }
  // Where can().loops. Whether the device can have conditions set, found out the first time.
  [[nodiscard]] virtual bool sets_conditions(std::uint32_t /*device*/) noexcept { return false; }
  virtual code make_condition(graph, std::uint32_t /*device*/, condition& /*out*/) noexcept {
    return success;
  }
  virtual code add_setting(graph, model::array_view<const node> /*after*/, const condition_setting&,
                           node& /*out*/) noexcept {
    return success;
  }
  // `bodies` becomes graphs without nodes that the node has; nodes are added to them as to any other graph.
  virtual code add_conditional(graph, model::array_view<const node> /*after*/,
                               std::uint32_t /*device*/, condition, conditional,
                               std::vector<graph>& /*bodies*/, node& /*out*/) noexcept {
    return success;
  }
  // Where can().captures: what is put into the stream from now on, and into others that wait for it, becomes nodes of a graph
  // and does not run. The thread may do anything else with the driver meanwhile.
  virtual code begin_capture(std::uint32_t /*device*/, stream) noexcept { return success; }
  // The stream is again what it was. After a failure there is no graph.
  virtual code end_capture(std::uint32_t /*device*/, stream, graph& /*out*/) noexcept {
    return success;
  }
  // Where can().captures_into_graphs: the nodes are the graph's, and come after `after`. They may allocate memory, which no
  // child can. Nothing else is done with the graph meanwhile.
  virtual code begin_capture_into(std::uint32_t /*device*/, stream, graph,
                                  model::array_view<const node> /*after*/) noexcept {
    return success;
  }
  // `ends`: what comes after all of the nodes comes after these; without nodes they are `after`. After a failure nobody
  // knows whether there is a graph any more: it must not be used again, nor be destroyed.
  virtual code end_capture_into(std::uint32_t /*device*/, stream,
                                std::vector<node>& /*ends*/) noexcept {
    return success;
  }
  // Where can().event_nodes. Each launch records the event, as `record` does after everything that the node is added
  // after; or has what is added after the node wait, as `wait` does, for what was recorded before the launch.
  virtual code add_record(graph, model::array_view<const node> /*after*/, std::uint32_t /*device*/,
                          event, node& /*out*/) noexcept {
    return success;
  }
  virtual code add_wait(graph, model::array_view<const node> /*after*/, std::uint32_t /*device*/,
                        event, node& /*out*/) noexcept {
    return success;
  }
  // For the launches from now on; the graph's own nodes keep theirs.
  virtual code set_recorded(executable, node, std::uint32_t /*device*/, event) noexcept {
    return success;
  }
  virtual code set_awaited(executable, node, std::uint32_t /*device*/, event) noexcept {
    return success;
  }
  // For launches on a device; where can().multi_device_graphs, one that the graph has nodes of. Of a graph with conditional
  // nodes, or with nodes that allocate memory, there is one executable at a time.
  virtual code instantiate(graph, std::uint32_t device, executable& out) noexcept = 0;
  virtual void destroy(executable) noexcept = 0;
  virtual code upload(executable, std::uint32_t device,
                      stream) noexcept = 0;  // where can().graph_upload
  virtual code launch(executable, std::uint32_t device, stream) noexcept = 0;
  // Where can().node_updates. A code that `refused_update` knows: the change cannot be expressed so, nothing
  // has changed.
  virtual code update_kernel(executable, node, const kernel_launch&) noexcept = 0;
  virtual code update_copy(executable, node, const copy_operation&) noexcept = 0;
  virtual code update_fill(executable, node, const fill_operation&) noexcept = 0;
  // The same for nodes of the graph itself, so that another instantiation has them, too.
  virtual code set_kernel(node, const kernel_launch&) noexcept = 0;
  virtual code set_copy(graph, node, const copy_operation&) noexcept = 0;
  virtual code set_fill(node, const fill_operation&) noexcept = 0;
  virtual code update(executable, graph) noexcept = 0;  // where can().whole_graph_updates
  [[nodiscard]] virtual bool refused_update(code) const noexcept = 0;

  // For interoperation: the driver's own handles of a device (CUdevice, hipDevice_t as integers) and its context
  // (null where the vendor has none).
  [[nodiscard]] virtual int native_device(std::uint32_t device) const noexcept = 0;
  [[nodiscard]] virtual void* native_context(std::uint32_t device) const noexcept = 0;

  // Calls a function that uses the driver itself; meanwhile the device is the calling thread's current one, in the
  // vendor's way. Not called where that fails.
  virtual code run_on(std::uint32_t /*device*/, void (*function)(void*), void* argument) noexcept {
    function(argument);
    return success;
  }

  // While the process ends, after its exit handlers and destructors of static objects have begun: the driver
  // may still be called and returns codes at worst. False: it may crash then, and is left alone.
  [[nodiscard]] virtual bool answers_at_exit() const noexcept { return false; }
};

}  // namespace pianola::gpu
