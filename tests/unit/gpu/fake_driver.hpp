// SPDX-License-Identifier: Apache-2.0
// A driver inside of the test: streams are queues that the test, or a thread, takes from; kernels are functions of
// the test; any call can be made to fail.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <pianola/abi/launch.h>
#include <pianola/gpu/driver.hpp>

namespace pianola::test {

// One work-item of a kernel that runs.
struct fake_item {
  std::uint64_t id[3];     // in the grid; without the offset
  std::uint32_t local[3];  // in the group
  std::uint32_t local_size[3];
};
struct fake_kernel {
  std::size_t functor_bytes = 0;
  std::function<void(const void* functor, const pianola_launch&, const fake_item&)> body;
  // Instead of `body`, of an entry point for parts.
  std::function<void(const void* functor, const pianola_part_launch&, const fake_item&)> part;
  gpu::kernel_limits limits;
  std::uint32_t preferred_group_size = 64;
  std::uint32_t allowed_local_bytes = 0;  // dynamic ones, once it has been found
};

// What outlives the driver: how much of what it made is left.
struct fake_tally {
  std::mutex mutex;
  std::map<std::string, long> live;
  std::vector<std::string> violations;
  [[nodiscard]] long live_objects() {
    std::lock_guard<std::mutex> lock(mutex);
    long n = 0;
    for (const auto& [what, count] : live) n += count;
    return n;
  }
};

enum class fake_pace : unsigned char {
  by_hand,   // nothing moves but by advance()
  by_thread  // a thread takes from the streams in random order
};

struct fake_setup {
  fake_pace pace = fake_pace::by_thread;
  std::uint32_t devices = 1;
  std::uint32_t seed = 1;
  gpu::capabilities can{true, true, true, true, false, true, true, true};
  bool answers_at_exit = false;
  std::uint64_t max_local_bytes = 48U
                                  << 10;  // of a group; more than 48 KiB a kernel must be allowed
  bool reaches_in_graphs = true;          // devices each other's memory
};

struct fake_node {
  enum class kind { kernel, copy, fill, empty, child } what = kind::empty;
  std::vector<std::size_t> after;
  int priority = 0;
  std::uint32_t device = 0;
  bool overlapping = false;
  gpu::copy_operation copy;
  gpu::fill_operation fill;
  std::function<void()> work;
};
// The nodes of a graph, as they are now, in the order in which they were made.
using fake_nodes = std::vector<fake_node>;

class fake_driver : public gpu::driver {
 public:
  static constexpr gpu::code out_of_memory = 2;
  static constexpr gpu::code deinitialised = 4;
  static constexpr gpu::code invalid = 1;
  static constexpr gpu::code illegal_address = 700;
  static constexpr gpu::code no_binary = 209;
  static constexpr gpu::code not_found = 500;
  static constexpr gpu::code refused = 910;

  explicit fake_driver(const fake_setup& setup = {});
  ~fake_driver() override;

  std::shared_ptr<fake_tally> tally = std::make_shared<fake_tally>();
  std::map<std::string, fake_kernel> kernels;  // by symbol
  bool refuse_node_updates = false;
  bool refuse_graph_updates = false;
  // Kernels of every image may overlap those in front of them; in graphs, too.
  bool overlaps = false;
  bool refuse_overlapping_graphs = false;
  bool textures = false;  // of every description
  // Copies from and to memory of the host that is not the driver's return when they are done.
  bool patient_copies = false;
  // There are pages to lock.
  bool locks_pages = false;
  [[nodiscard]] std::size_t locked() const { return locked_.size(); }

  // by_hand: runs at most `n` operations; false if nothing could run.
  bool advance(std::size_t n = SIZE_MAX);
  // From now on a thread takes from the streams.
  void go();
  // Nothing is taken from the streams until it is called with false.
  void hold(bool);
  // The same of one stream.
  void hold(gpu::stream, bool);
  // The nth call from now of this entry point fails; 1 is the next.
  void fail(const std::string& entry, unsigned nth, gpu::code);
  // Something that runs has gone wrong: nothing works any more.
  void break_device(std::uint32_t device, gpu::code);
  [[nodiscard]] std::uint64_t calls(const std::string& entry);
  [[nodiscard]] fake_nodes nodes_of(gpu::graph);
  [[nodiscard]] std::size_t queued();

  std::string_view backend_name() const noexcept override { return "fake"; }
  const std::vector<gpu::device_description>& devices() const noexcept override { return devices_; }
  const gpu::capabilities& can() const noexcept override { return setup_.can; }
  executors::status explain(gpu::code, std::string_view doing) const override;
  bool is_fatal(gpu::code c) const noexcept override {
    return c == illegal_address || c == deinitialised;
  }
  int suitability(std::uint32_t device, std::string_view architecture) const noexcept override;
  bool dependent_launch(std::uint32_t, std::string_view) const noexcept override {
    return overlaps;
  }
  bool wrong_image(gpu::code c) const noexcept override { return c == no_binary || c == not_found; }
  bool reaches_in_graphs(std::uint32_t device, std::uint32_t other) noexcept override {
    return setup_.reaches_in_graphs || device == other;
  }

  gpu::code allocate_device(std::uint32_t, std::size_t bytes, void*& out) noexcept override;
  gpu::code free_device(std::uint32_t, void*) noexcept override;
  gpu::code allocate_host(std::uint32_t, std::size_t bytes, void*& out) noexcept override;
  gpu::code free_host(std::uint32_t, void*) noexcept override;
  gpu::code allocate_managed(std::uint32_t, std::size_t bytes, void*& out) noexcept override;
  gpu::code free_managed(std::uint32_t, void*) noexcept override;
  gpu::code free_memory(std::uint32_t, std::size_t& bytes) noexcept override;

  bool has_texture(std::uint32_t, const void*,
                   const model::texture_description&) const noexcept override {
    return textures;
  }
  gpu::code make_texture(std::uint32_t, void*, const model::texture_description&,
                         std::uint64_t& out) noexcept override;
  void destroy_texture(std::uint32_t, std::uint64_t) noexcept override;

  bool lock_pages(std::uint32_t, void* start, std::size_t bytes) noexcept override;
  void unlock_pages(std::uint32_t, void* start) noexcept override;
  gpu::code make_stream(std::uint32_t, gpu::stream& out) noexcept override;
  void destroy(std::uint32_t, gpu::stream) noexcept override;
  gpu::code make_event(std::uint32_t, bool with_time, gpu::event& out) noexcept override;
  void destroy(std::uint32_t, gpu::event) noexcept override;
  gpu::code record(std::uint32_t, gpu::stream, gpu::event) noexcept override;
  gpu::code wait(std::uint32_t, gpu::stream, gpu::event) noexcept override;
  gpu::event_state query(gpu::event, gpu::code& why) noexcept override;
  gpu::code synchronize(gpu::event) noexcept override;
  gpu::code elapsed(gpu::event from, gpu::event to, float& milliseconds) noexcept override;
  void print_output(gpu::event e) noexcept override;

  gpu::code copy(gpu::stream, const gpu::copy_operation&) noexcept override;
  gpu::code fill(gpu::stream, const gpu::fill_operation&) noexcept override;
  gpu::code launch(gpu::stream, const gpu::kernel_launch&) noexcept override;

  gpu::code load(std::uint32_t, const void* bytes, std::size_t size, gpu::module& out,
                 std::string& log) noexcept override;
  void unload(std::uint32_t, gpu::module) noexcept override;
  gpu::code find(std::uint32_t, gpu::module, const char* symbol, gpu::kernel& out,
                 gpu::kernel_limits&) noexcept override;
  // Images have none.
  gpu::code find_variable(std::uint32_t, gpu::module, const char*, void*& out) noexcept override {
    out = nullptr;
    return gpu::success;
  }
  gpu::code allow_local_memory(std::uint32_t, gpu::kernel, std::uint32_t bytes) noexcept override;
  std::uint32_t preferred_group_size(std::uint32_t, gpu::kernel k) noexcept override {
    return static_cast<fake_kernel*>(k.native)->preferred_group_size;
  }

  gpu::code make_graph(gpu::graph& out) noexcept override;
  void destroy(gpu::graph) noexcept override;
  gpu::code add_kernel(gpu::graph, model::array_view<const gpu::node> after,
                       const gpu::kernel_launch&, gpu::node& out) noexcept override;
  gpu::code add_copy(gpu::graph, model::array_view<const gpu::node> after,
                     const gpu::copy_operation&, gpu::node& out) noexcept override;
  gpu::code add_fill(gpu::graph, model::array_view<const gpu::node> after,
                     const gpu::fill_operation&, gpu::node& out) noexcept override;
  gpu::code add_empty(gpu::graph, model::array_view<const gpu::node> after,
                      gpu::node& out) noexcept override;
  gpu::code add_child(gpu::graph, model::array_view<const gpu::node> after, gpu::graph child,
                      gpu::node& out) noexcept override;
  gpu::code instantiate(gpu::graph, std::uint32_t device, gpu::executable& out) noexcept override;
  void destroy(gpu::executable) noexcept override;
  gpu::code upload(gpu::executable, std::uint32_t device, gpu::stream) noexcept override;
  gpu::code launch(gpu::executable, std::uint32_t device, gpu::stream) noexcept override;
  gpu::code update_kernel(gpu::executable, gpu::node, const gpu::kernel_launch&) noexcept override;
  gpu::code update_copy(gpu::executable, gpu::node, const gpu::copy_operation&) noexcept override;
  gpu::code update_fill(gpu::executable, gpu::node, const gpu::fill_operation&) noexcept override;
  gpu::code set_kernel(gpu::node, const gpu::kernel_launch&) noexcept override;
  gpu::code set_copy(gpu::graph, gpu::node, const gpu::copy_operation&) noexcept override;
  gpu::code set_fill(gpu::node, const gpu::fill_operation&) noexcept override;
  gpu::code update(gpu::executable, gpu::graph) noexcept override;
  bool refused_update(gpu::code c) const noexcept override { return c == refused; }

  int native_device(std::uint32_t device) const noexcept override {
    return static_cast<int>(device) + 100;
  }
  void* native_context(std::uint32_t) const noexcept override { return nullptr; }
  bool answers_at_exit() const noexcept override { return setup_.answers_at_exit; }

 private:
  struct fake_event;
  struct operation;
  struct fake_stream;
  struct fake_graph;
  struct placed_node;
  struct fake_executable;

  // Memory of the host that is not the driver's.
  [[nodiscard]] bool pageable(const gpu::copy_operation&) const;
  void check_pages(const gpu::copy_operation&);
  std::map<std::uintptr_t, std::size_t> locked_;  // bytes, by start
  gpu::code enter(const char* entry, std::int64_t device);
  template <class T>
  void keep(T* object) {
    others_[object] = [](void* p) { delete static_cast<T*>(p); };
  }
  void end(void* object);
  void made(const char* what, long n);
  void complain(const std::string& what);
  std::function<void()> work_of(const gpu::kernel_launch&);
  bool takes(const gpu::kernel_launch&);
  static std::function<void()> work_of(const gpu::copy_operation&);
  static std::function<void()> work_of(const gpu::fill_operation&);
  gpu::code add(gpu::graph, model::array_view<const gpu::node> after, fake_node, gpu::node& out);
  gpu::code set(fake_node& to, fake_node from);
  fake_node node_of(const gpu::kernel_launch&);
  static fake_node node_of(const gpu::copy_operation&);
  static fake_node node_of(const gpu::fill_operation&);
  gpu::code allocate(const char* entry, std::size_t bytes, void*& out);
  gpu::code free_it(const char* entry, void*);
  void run_nodes(const fake_nodes&);
  bool run_one();
  void run();

  const fake_setup setup_;
  std::vector<gpu::device_description> devices_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937 random_;
  std::vector<fake_stream*> streams_;
  std::set<void*> events_;
  std::set<void*> memory_;
  // What is left when the driver ends, though nobody destroyed it: a process that ends leaves it so.
  std::map<void*, void (*)(void*)> others_;
  std::map<std::string, std::uint64_t> calls_;
  std::set<std::uint64_t> textures_;
  std::uint64_t textures_made_ = 0;
  struct fault {
    unsigned countdown;
    gpu::code what;
  };
  std::map<std::string, fault> faults_;
  std::map<std::uint32_t, gpu::code> broken_;
  bool held_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pianola::test
