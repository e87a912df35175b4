// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/gpu/driver.hpp>

#include "library.hpp"

namespace pianola::cuda {

// CUDA's driver API as the driver that graphics processors' backends work with. Devices are used through their
// primary contexts, as CUDA's own runtime does, so memory and streams may be exchanged with code that uses
// either; a context is made when its device is first used. A call leaves the calling thread with the context
// that it had, unless it had none.
class cuda_driver final : public gpu::driver {
 public:
  struct opened {
    std::unique_ptr<cuda_driver> driver;  // null: see `reason`
    std::string reason;
    int user_fault = 0;  // 1: the options make no sense; 2: a variable of the environment
  };
  // `options`: ordinals as CUDA counts them, "0+2"; nothing: all devices.
  [[nodiscard]] static opened open(std::string_view options);

  [[nodiscard]] std::string_view backend_name() const noexcept override { return "cuda"; }
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

  [[nodiscard]] std::size_t page_bytes(std::uint32_t device) noexcept override;
  gpu::code make_page(std::uint32_t device, std::uint64_t& out) noexcept override;
  void destroy_page(std::uint32_t device, std::uint64_t page) noexcept override;
  gpu::code reserve_addresses(std::uint32_t device, std::size_t bytes,
                              void*& out) noexcept override;
  void release_addresses(std::uint32_t device, void*, std::size_t bytes) noexcept override;
  gpu::code map_page(std::uint32_t device, void* at, std::uint64_t page) noexcept override;
  gpu::code allow_access(std::uint32_t device, void* at, std::size_t bytes) noexcept override;
  void unmap_pages(std::uint32_t device, void* at, std::size_t bytes) noexcept override;

  gpu::code free_memory(std::uint32_t device, std::size_t& bytes) noexcept override;
  bool lock_pages(std::uint32_t device, void* start, std::size_t bytes) noexcept override;
  void unlock_pages(std::uint32_t device, void* start) noexcept override;

  [[nodiscard]] bool has_texture(std::uint32_t device, const void* texels,
                                 const model::texture_description&) const noexcept override;
  gpu::code make_texture(std::uint32_t device, void* texels, const model::texture_description&,
                         std::uint64_t& out) noexcept override;
  void destroy_texture(std::uint32_t device, std::uint64_t texture) noexcept override;

  gpu::code make_stream(std::uint32_t device, gpu::stream& out) noexcept override;
  void destroy(std::uint32_t device, gpu::stream) noexcept override;
  gpu::code device_of(gpu::stream, std::uint32_t& device) noexcept override;
  gpu::code make_event(std::uint32_t device, bool with_time, gpu::event& out) noexcept override;
  void destroy(std::uint32_t device, gpu::event) noexcept override;
  gpu::code record(std::uint32_t device, gpu::stream, gpu::event) noexcept override;
  gpu::code wait(std::uint32_t device, gpu::stream, gpu::event) noexcept override;
  gpu::event_state query(gpu::event, gpu::code& why) noexcept override;
  gpu::code synchronize(gpu::event) noexcept override;
  gpu::code elapsed(gpu::event from, gpu::event to, float& milliseconds) noexcept override;
  void print_output(gpu::event) noexcept override;

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
  [[nodiscard]] bool dependent_launch(std::uint32_t device,
                                      std::string_view image) const noexcept override;
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
  [[nodiscard]] bool sets_conditions(std::uint32_t device) noexcept override;
  gpu::code make_condition(gpu::graph, std::uint32_t device, gpu::condition& out) noexcept override;
  gpu::code add_setting(gpu::graph, model::array_view<const gpu::node> after,
                        const gpu::condition_setting&, gpu::node& out) noexcept override;
  gpu::code add_conditional(gpu::graph, model::array_view<const gpu::node> after,
                            std::uint32_t device, gpu::condition, gpu::conditional,
                            std::vector<gpu::graph>& bodies, gpu::node& out) noexcept override;
  gpu::code begin_capture(std::uint32_t device, gpu::stream) noexcept override;
  gpu::code end_capture(std::uint32_t device, gpu::stream, gpu::graph& out) noexcept override;
  gpu::code begin_capture_into(std::uint32_t device, gpu::stream, gpu::graph,
                               model::array_view<const gpu::node> after) noexcept override;
  gpu::code end_capture_into(std::uint32_t device, gpu::stream,
                             std::vector<gpu::node>& ends) noexcept override;
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
  // Makes the context if the device has not been used before.
  [[nodiscard]] void* native_context(std::uint32_t device) const noexcept override;

 private:
  // Of textures over pitch-linear memory. All 0: there are none.
  struct texture_limits {
    std::uint32_t alignment = 0, pitch_alignment = 0;
    std::uint32_t width = 0, height = 0, pitch = 0;
  };
  struct device_state {
    ordinal native = 0;
    std::atomic<handle> context{nullptr};
    int least_priority = 0, greatest_priority = 0;
    int capability = 0;  // 90
    texture_limits textures;
    std::atomic<std::size_t> page_bytes{SIZE_MAX};  // 0: there are none; SIZE_MAX: nobody has asked
    std::vector<bool> reaches;  // memory of these devices directly; of who holds contexts_mutex_
    // The kernel that gives conditions their numbers; null: there is none, or nobody has asked yet.
    std::atomic<handle> sets_conditions{nullptr};
    bool looked_for_it = false;  // of who holds conditions_mutex_
  };
  // The device's context is the calling thread's while this lives, if code() is success.
  class in_context;
  class beside_captures;

  explicit cuda_driver(library loaded) : library_(std::move(loaded)) {}
  [[nodiscard]] texture_limits ask_for_texture_limits(ordinal native) const noexcept;
  // Steps of open(). Those that return a text return what is wrong; empty: nothing.
  [[nodiscard]] std::string add_device(int number, int version, bool textures);
  [[nodiscard]] std::string describe(ordinal native, int version, gpu::device_description& out,
                                     int& capability) const;
  void find_peers();
  void find_capabilities(int version, bool conditional);
  result enter(std::uint32_t device, handle& context) const noexcept;
  // The device's, made if need be; null where that fails.
  handle context_of(std::uint32_t device) const noexcept;
  // One that has a context already, the first if none has.
  std::uint32_t device_in_use() const noexcept;

  library library_;
  std::vector<gpu::device_description> descriptions_;
  // Contexts live as long as the process: they are shared with whoever else uses CUDA in it.
  mutable std::vector<std::unique_ptr<device_state>> states_;
  mutable std::mutex contexts_mutex_;  // for making them
  std::mutex conditions_mutex_;
  gpu::capabilities can_;
};

// Sets the context and, at the end, the thread's former one.
class cuda_driver::in_context {
 public:
  in_context(const cuda_driver& driver, std::uint32_t device) noexcept
      : call_(driver.library_.call) {
    handle wanted = nullptr;
    code_ = driver.enter(device, wanted);
    if (code_ != success) return;
    if (call_.cuCtxGetCurrent(&former_) != success) former_ = nullptr;
    if (former_ == wanted) {
      former_ = nullptr;
      return;
    }
    code_ = call_.cuCtxSetCurrent(wanted);
    // Without one CUDA's runtime takes that of device 0: that one may stay, and later calls find it there.
    leaves_none_ = former_ == nullptr && driver.states_[device]->native != 0;
  }
  in_context(const in_context&) = delete;
  in_context& operator=(const in_context&) = delete;
  ~in_context() {
    if (former_ != nullptr || leaves_none_) (void)call_.cuCtxSetCurrent(former_);
  }
  [[nodiscard]] result code() const noexcept { return code_; }

 private:
  const functions& call_;
  result code_ = success;
  handle former_ = nullptr;
  bool leaves_none_ = false;
};

// The same for calls that do what no node of a graph can, such as allocating memory, asking for an event or making the
// context. While the program has a stream captured, the driver refuses those to all threads by default, and the capture is
// lost; but nothing that is done here is part of it.
class cuda_driver::beside_captures {
 public:
  beside_captures(const cuda_driver& driver, std::uint32_t device) noexcept
      : exchange_(driver.library_.call.cuThreadExchangeStreamCaptureMode),
        exchanged_(exchange_ != nullptr && exchange_(&mode_) == success),
        here_(driver, device) {}
  beside_captures(const beside_captures&) = delete;
  beside_captures& operator=(const beside_captures&) = delete;
  ~beside_captures() {
    if (exchanged_) (void)exchange_(&mode_);
  }
  [[nodiscard]] result code() const noexcept { return here_.code(); }

 private:
  result (*exchange_)(unsigned*);
  unsigned mode_ = capture_relaxed;  // then what it was
  bool exchanged_;
  in_context here_;
};

}  // namespace pianola::cuda
