// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <pianola/gpu/driver.hpp>

#include "library.hpp"

namespace pianola::hip {

// HIP's runtime as the driver that graphics processors' backends work with. HIP has no contexts: a thread has a
// current device. A call leaves the calling thread with the device that it had.
class hip_driver final : public gpu::driver {
 public:
  struct opened {
    std::unique_ptr<hip_driver> driver;  // null: see `reason`
    std::string reason;
    bool user_fault = false;  // the options make no sense
  };
  // `options`: ordinals as HIP counts them, "0+2"; nothing: all devices.
  [[nodiscard]] static opened open(std::string_view options);

  [[nodiscard]] std::string_view backend_name() const noexcept override { return "hip"; }
  [[nodiscard]] const std::vector<gpu::device_description>& devices() const noexcept override {
    return descriptions_;
  }
  [[nodiscard]] const gpu::capabilities& can() const noexcept override { return can_; }
  [[nodiscard]] executors::status explain(gpu::code, std::string_view doing) const override;
  [[nodiscard]] bool is_fatal(gpu::code) const noexcept override;
  [[nodiscard]] int suitability(std::uint32_t device,
                                std::string_view architecture) const noexcept override;

  gpu::code allocate_device(std::uint32_t device, std::size_t bytes, void*& out) noexcept override;
  gpu::code free_device(std::uint32_t device, void*) noexcept override;
  gpu::code allocate_host(std::uint32_t device, std::size_t bytes, void*& out) noexcept override;
  gpu::code free_host(std::uint32_t device, void*) noexcept override;
  gpu::code allocate_managed(std::uint32_t device, std::size_t bytes, void*& out) noexcept override;
  gpu::code free_managed(std::uint32_t device, void*) noexcept override;

  gpu::code free_memory(std::uint32_t device, std::size_t& bytes) noexcept override;
  bool lock_pages(std::uint32_t device, void* start, std::size_t bytes) noexcept override;
  void unlock_pages(std::uint32_t device, void* start) noexcept override;

  gpu::code make_stream(std::uint32_t device, gpu::stream& out) noexcept override;
  void destroy(std::uint32_t device, gpu::stream) noexcept override;
  gpu::code device_of(gpu::stream, std::uint32_t& device) noexcept override;
  void forget(std::uint32_t device, gpu::stream) noexcept override;
  gpu::code make_event(std::uint32_t device, bool with_time, gpu::event& out) noexcept override;
  void destroy(std::uint32_t device, gpu::event) noexcept override;
  gpu::code record(std::uint32_t device, gpu::stream, gpu::event) noexcept override;
  gpu::code wait(std::uint32_t device, gpu::stream, gpu::event) noexcept override;
  gpu::event_state query(gpu::event, gpu::code& why) noexcept override;
  gpu::code synchronize(gpu::event) noexcept override;
  gpu::code elapsed(gpu::event from, gpu::event to, float& milliseconds) noexcept override;

  gpu::code copy(gpu::stream, const gpu::copy_operation&) noexcept override;
  gpu::code fill(gpu::stream, const gpu::fill_operation&) noexcept override;
  gpu::code launch(gpu::stream, const gpu::kernel_launch&) noexcept override;

  gpu::code load(std::uint32_t device, const void* bytes, std::size_t size, gpu::module& out,
                 std::string& log) noexcept override;
  void unload(std::uint32_t device, gpu::module) noexcept override;
  gpu::code find(std::uint32_t device, gpu::module, const char* symbol, gpu::kernel& out,
                 gpu::kernel_limits&) noexcept override;
  gpu::code find_variable(std::uint32_t device, gpu::module, const char* symbol,
                          void*& out) noexcept override;
  gpu::code allow_local_memory(std::uint32_t device, gpu::kernel,
                               std::uint32_t bytes) noexcept override;
  [[nodiscard]] bool wrong_image(gpu::code) const noexcept override;
  std::uint32_t preferred_group_size(std::uint32_t device, gpu::kernel) noexcept override;
  std::uint32_t resident_groups(std::uint32_t device, gpu::kernel, std::uint32_t group_size,
                                std::uint32_t local_bytes) noexcept override;

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
  [[nodiscard]] bool reaches_in_graphs(std::uint32_t device, std::uint32_t other) noexcept override;
  gpu::code add_child(gpu::graph, model::array_view<const gpu::node> after, gpu::graph child,
                      gpu::node& out) noexcept override;
  gpu::code begin_capture(std::uint32_t device, gpu::stream) noexcept override;
  gpu::code end_capture(std::uint32_t device, gpu::stream, gpu::graph& out) noexcept override;
  gpu::code add_record(gpu::graph, model::array_view<const gpu::node> after, std::uint32_t device,
                       gpu::event, gpu::node& out) noexcept override;
  gpu::code add_wait(gpu::graph, model::array_view<const gpu::node> after, std::uint32_t device,
                     gpu::event, gpu::node& out) noexcept override;
  gpu::code set_recorded(gpu::executable, gpu::node, std::uint32_t device,
                         gpu::event) noexcept override;
  gpu::code set_awaited(gpu::executable, gpu::node, std::uint32_t device,
                        gpu::event) noexcept override;
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
  [[nodiscard]] bool refused_update(gpu::code) const noexcept override;

  gpu::code run_on(std::uint32_t device, void (*function)(void*), void* argument) noexcept override;
  [[nodiscard]] int native_device(std::uint32_t device) const noexcept override;
  [[nodiscard]] void* native_context(std::uint32_t) const noexcept override { return nullptr; }

 private:
  // The calling thread's current device while this lives, if code() is success.
  class on_device;
  class beside_captures;

  // A fill of several rows in a graph: the node that others wait for is the last of a chain.
  struct fill_chain {
    handle graph = nullptr;
    std::vector<handle> nodes;  // the last one is the key
    std::uint64_t rows = 1;     // other rows may want copy nodes of the other kind
  };

  explicit hip_driver(library loaded) : library_(std::move(loaded)) {}
  // Steps of open(). Those that return a text return what is wrong; empty: nothing.
  [[nodiscard]] std::string describe(int ordinal, gpu::device_description& out) const;
  void find_peers();
  void find_capabilities();
  void enable_peers(std::uint32_t device) noexcept;
  gpu::code copy_rows(gpu::stream, const gpu::copy_operation&) noexcept;
  gpu::code add_node(gpu::graph, model::array_view<const gpu::node> after,
                     const gpu::copy_operation&, gpu::node& out) noexcept;
  // What a node that is added after `after` is to wait for; see fan_out.
  gpu::code waits_of(gpu::graph, model::array_view<const gpu::node> after,
                     std::vector<handle>& out) noexcept;
  // Adds a node by the runtime's function for that.
  template <class... Types, class... Values>
  gpu::code add_behind(gpu::graph, model::array_view<const gpu::node> after, gpu::node& out,
                       result (*add)(handle*, handle, const handle*, std::size_t, Types...),
                       Values... values) noexcept;
  // Where an event is recorded that is reached when everything in the stream is: in the stream itself, or beside it, if it
  // is the program's. Who asks for an event makes runtimes look at the stream that it was recorded in, which the program
  // may have destroyed, or have captured, since; some would spoil the capture then. The device is the current one.
  gpu::code stream_for_events(std::uint32_t device, gpu::stream, handle& out) noexcept;
  void forget_launches_in(handle stream) noexcept;
  // The nodes of the fill that `last` is the last one of, in order.
  [[nodiscard]] fill_chain chain_of(handle last) const;

  library library_;
  std::vector<gpu::device_description> descriptions_;
  std::vector<int> ordinals_;
  mutable std::mutex mutex_;
  std::vector<bool> in_use_;                      // devices whose peers have been enabled
  std::vector<std::vector<bool>> reaches_;        // [device][other]: access has been enabled
  std::unordered_map<handle, fill_chain> fills_;  // by the last node
  // Of a graph. Some runtimes up to 7.2 start a node that waits for one alone too early, if that one has as many that wait
  // for it already as the runtime has queues; one that waits for two nodes they do not. So it waits for the beginning, too.
  struct fan_out {
    handle beginning = nullptr;  // does nothing, and waits for nothing; made when it is needed
    std::unordered_map<handle, std::uint32_t> waiting;  // by node
  };
  std::unordered_map<handle, fan_out> fan_outs_;  // by graph
  // A stream of our own in which everything waits for what is in one of the program's.
  struct companion {
    gpu::stream own;
    handle reached = nullptr;  // recorded in the program's; nobody asks for it
  };
  std::unordered_map<handle, companion> companions_;  // by the program's stream
  std::unordered_set<handle> own_streams_;
  std::unordered_set<handle> timed_events_;
  // Reached when the last launch of an executable graph has ended; see destroy().
  struct end_of_launches {
    std::uint32_t device = 0;
    handle event = nullptr;
    handle in = nullptr;  // of our own
  };
  std::unordered_map<handle, end_of_launches> launches_;
  gpu::capabilities can_;
};

// Makes the device current and, at the end, the thread's former one.
class hip_driver::on_device {
 public:
  on_device(const hip_driver& driver, std::uint32_t device) noexcept : call_(driver.library_.call) {
    const int wanted = driver.ordinals_[device];
    code_ = call_.hipGetDevice(&former_);
    if (code_ != success) return;
    if (former_ == wanted) {
      former_ = -1;
      return;
    }
    code_ = call_.hipSetDevice(wanted);
  }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
  ~on_device() {
    if (former_ >= 0) (void)call_.hipSetDevice(former_);
  }
  [[nodiscard]] result code() const noexcept { return code_; }

 private:
  const functions& call_;
  result code_ = success;
  int former_ = -1;
};

// The thread's calls are none of what the program captures while this lives: by default runtimes refuse all threads what
// no node of a graph can do, such as allocating memory or asking for an event, while it has a stream captured, which then
// is lost.
class hip_driver::beside_captures {
 public:
  explicit beside_captures(const hip_driver& driver) noexcept
      : exchange_(driver.library_.call.hipThreadExchangeStreamCaptureMode) {
    if (exchange_ != nullptr && exchange_(&mode_) != success) exchange_ = nullptr;
  }
  beside_captures(const beside_captures&) = delete;
  beside_captures& operator=(const beside_captures&) = delete;
  ~beside_captures() {
    if (exchange_ != nullptr) (void)exchange_(&mode_);
  }

 private:
  result (*exchange_)(capture_mode*);
  capture_mode mode_ = capture_relaxed;  // then what it was
};

}  // namespace pianola::hip
