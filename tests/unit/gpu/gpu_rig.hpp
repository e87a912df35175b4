// SPDX-License-Identifier: Apache-2.0
// A backend on the fake driver, an observer that remembers, and steps to submit.
#pragma once
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <pianola/gpu/gpu_backend.hpp>
#include <pianola/host/clock.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>

#include "fake_driver.hpp"

namespace pianola::test {

struct step_history {
  int admitted = 0;
  int entered = 0;
  int failed = 0;
  int timed = 0;
  std::uint64_t started = 0;
  std::uint64_t ended = 0;
  std::string error;
};

// What the observer was told, by the number in the steps' contexts.
class step_log {
 public:
  std::function<bool(std::uint64_t)> admit;  // null: all may run
  [[nodiscard]] step_history of(std::uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    return steps_[id];
  }
  template <class F>
  void note(std::uint64_t id, F&& f) {
    std::lock_guard<std::mutex> lock(mutex_);
    f(steps_[id]);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, step_history> steps_;
};

struct step_tag {
  step_log* log = nullptr;
  std::uint64_t id = 0;
};

inline std::atomic<bool>& attention() {
  static std::atomic<bool> flag{false};
  return flag;
}

// Whether the calling thread is inside of a call that must not call out.
inline bool& inside_submission() {
  static thread_local bool inside = false;
  return inside;
}
inline void expect_outside() {
  if (inside_submission()) throw std::logic_error("called out of a submission");
}

const executors::runtime_services& test_services();
// The kernel is found by services under this id, with these images; the default suits the fake device.
void register_kernel(model::kernel_id id, const char* symbol,
                     const std::vector<std::string>& architectures = {"fake_1"},
                     std::uint32_t flags = 0);
const pianola_image_set& image_set_of(model::kernel_id id);

class gpu_rig {
 public:
  explicit gpu_rig(const fake_setup& setup = {});
  ~gpu_rig();
  gpu_rig(const gpu_rig&) = delete;
  gpu_rig& operator=(const gpu_rig&) = delete;

  std::shared_ptr<fake_tally> tally;
  fake_driver* driver = nullptr;  // while the backend lives
  std::unique_ptr<gpu::gpu_backend> backend;
  step_log log;
  // The backend leaves nothing behind and breaks no rule of the driver; looked at when the rig ends.
  bool expect_clean = true;

  [[nodiscard]] executors::lane& lane(std::uint32_t device = 0);
  // Positions count from one.
  std::uint64_t submit(executors::lane& l, executors::resolved_action action, std::uint64_t id = 0,
                       const std::vector<executors::lane_position>& waits = {}, bool timed = false);
  executors::status try_submit(executors::lane& l, executors::resolved_action action,
                               std::uint64_t id = 0,
                               const std::vector<executors::lane_position>& waits = {},
                               bool timed = false);
  std::uint64_t launch(executors::lane& l, executors::native_graph& g, std::uint64_t id = 0,
                       const std::vector<executors::lane_position>& waits = {}, bool timed = false);
  void wait(executors::lane& l, std::uint64_t position) {
    host::team::instance().wait(l.completion(), position);
  }
  void wait(executors::lane& l) { wait(l, positions_[&l]); }
  [[nodiscard]] static executors::lane_position at(executors::lane& l, std::uint64_t position) {
    return {&l.completion(), position};
  }

  // A kernel of one work-item that calls the function, on whatever thread runs the stream.
  [[nodiscard]] executors::resolved_kernel call(std::function<void()> f);
  // A kernel that was registered as `symbol`.
  template <class Functor>
  [[nodiscard]] executors::resolved_kernel kernel(const char* symbol, const Functor& functor,
                                                  const model::launch_geometry& geometry) {
    auto& bytes = kept_.emplace_back(sizeof(Functor));
    std::memcpy(bytes.data(), &functor, sizeof functor);
    executors::resolved_kernel k;
    k.kernel = &descriptor(symbol);
    k.geometry = geometry;
    k.arguments = {bytes.data(), sizeof(Functor), alignof(Functor), nullptr};
    return k;
  }
  // Adds a kernel to the driver and makes it known.
  void add_kernel(const char* symbol, fake_kernel k,
                  const std::vector<std::string>& architectures = {"fake_1"});
  // Adds an entry point for parts to a kernel that was added.
  void add_part(const std::string& symbol, fake_kernel k);
  [[nodiscard]] const model::kernel_descriptor& descriptor(const std::string& symbol);
  [[nodiscard]] model::memory_id memory_of(std::uint32_t device) const {
    return backend->devices()[device].memory;
  }
  [[nodiscard]] void* allocate(std::size_t bytes, std::uint32_t device = 0);
  [[nodiscard]] model::array_view<const std::byte> tag(std::uint64_t id);

 private:
  std::deque<std::vector<std::byte>> kept_;
  std::deque<std::function<void()>> functions_;
  std::deque<step_tag> tags_;
  std::map<std::string, std::unique_ptr<model::kernel_descriptor>> descriptors_;
  std::map<executors::lane*, std::uint64_t> positions_;
  std::vector<std::pair<void*, std::uint32_t>> allocations_;
};

}  // namespace pianola::test
