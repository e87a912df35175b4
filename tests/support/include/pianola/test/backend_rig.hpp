// SPDX-License-Identifier: Apache-2.0
// What the conformance suite needs of a backend: one instance per process, an observer that tells the
// test what it heard, steps with contexts, and bytes into and out of device memory.
#pragma once
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/host/team.hpp>
#include <pianola/openmp/openmp_backend.hpp>
#include <pianola/test/driver_control.hpp>

#include "kernel_images.hpp"

namespace pianola::test {

// What the observer heard of steps, by the number in their contexts.
class heard {
 public:
  struct entry {
    int admitted = 0;
    int failed = 0;
    int entered = 0;
    int started = 0;
    int finished = 0;
    std::string error;
  };
  // Decides on steps while attention is raised; null: all may run.
  std::function<bool(std::uint64_t)> admit;

  [[nodiscard]] entry of(std::uint64_t id) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto it = entries_.find(id);
    return it == entries_.end() ? entry{} : it->second;
  }
  template <class F>
  void note(std::uint64_t id, F&& f) {
    std::lock_guard<std::mutex> lock(mutex_);
    f(entries_[id]);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, entry> entries_;
};

// The context of every step of the suite; more bytes may follow.
struct step_tag {
  heard* log = nullptr;
  std::uint64_t id = 0;
  [[nodiscard]] model::array_view<const std::byte> bytes() const noexcept {
    return {reinterpret_cast<const std::byte*>(this), sizeof *this};
  }
};

inline std::atomic<bool>& attention() {
  static std::atomic<bool> flag{false};
  return flag;
}

inline const executors::step_observer& suite_observer() {
  static const executors::step_observer observer = [] {
    executors::step_observer o;
    o.admit = [](const void* c) {
      const auto& t = *static_cast<const step_tag*>(c);
      t.log->note(t.id, [](heard::entry& e) { ++e.admitted; });
      return !t.log->admit || t.log->admit(t.id);
    };
    o.failed = [](const void* c, std::exception_ptr error) {
      const auto& t = *static_cast<const step_tag*>(c);
      std::string text = "unknown";
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& e) {
        text = e.what();
      } catch (...) {
      }
      t.log->note(t.id, [&](heard::entry& e) {
        ++e.failed;
        e.error = text;
      });
    };
    o.entering = [](const void* c) {
      const auto& t = *static_cast<const step_tag*>(c);
      t.log->note(t.id, [](heard::entry& e) { ++e.entered; });
    };
    o.started = [](const void* c) {
      const auto& t = *static_cast<const step_tag*>(c);
      t.log->note(t.id, [](heard::entry& e) { e.started = 1 + e.finished; });
    };
    o.finished = [](const void* c) {
      const auto& t = *static_cast<const step_tag*>(c);
      t.log->note(t.id, [](heard::entry& e) { e.finished += e.started == 1 + e.finished; });
    };
    o.attention = &attention();
    return o;
  }();
  return observer;
}

inline const executors::runtime_services& suite_services() {
  static const executors::runtime_services services = [] {
    executors::runtime_services s;
    s.observer = &suite_observer();
    s.find_kernel = &kernel_images::find_kernel;
    s.find_images = &kernel_images::find_images;
    return s;
  }();
  return services;
}

// The test double of its driver, for a backend that has one: from the folder that PIANOLA_TEST_DRIVERS names.
// Every rule that the backend breaks aborts the test.
inline std::string driver_double(const std::string& backend) {
  if (backend != "cuda" && backend != "hip") return {};
  return std::string(PIANOLA_TEST_DRIVERS) +
         (backend == "cuda" ? "/libcuda.so.1" : "/libamdhip64.so.5");
}

// Set by who has devices: tests that are for the double of a driver then run on what the machine has.
inline bool real_drivers() { return std::getenv("PIANOLA_TEST_REAL_DRIVERS") != nullptr; }

inline void use_driver_double(const std::string& backend) {
  if (real_drivers()) return;
  setenv("PIANOLA_TEST_DRIVER_DEVICES", "3", 0);
  setenv("PIANOLA_TEST_DRIVER_STRICT", "1", 0);
  setenv(backend == "cuda" ? "PIANOLA_CUDA_DRIVER" : "PIANOLA_HIP_RUNTIME",
         driver_double(backend).c_str(), 1);
}

// Of the double that the backend has loaded; null if it is on none.
inline const driver_control* control_of(const std::string& backend) {
  const std::string path = driver_double(backend);
  if (path.empty()) return nullptr;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : driver_control_of(library);
}

// Backends live as long as the process, as they do in the runtime.
inline executors::backend& backend_named(const std::string& name) {
  static std::mutex mutex;
  // Not destroyed at exit: it is what still refers to them then.
  static auto& made = *new std::map<std::string, executors::backend*>();
  std::lock_guard<std::mutex> lock(mutex);
  executors::backend*& b = made[name];
  if (b != nullptr) return *b;
  executors::backend_factory factory = openmp::factory();
  const char* options = "";
  if (name != "openmp") {
    // Beside the runtime's library, as the runtime looks for it.
    Dl_info info{};
    void* symbol = dlsym(RTLD_DEFAULT, "_ZN7pianola6openmp7factoryEv");
    if (symbol == nullptr || dladdr(symbol, &info) == 0) throw std::runtime_error("no libpianola");
    std::string path = info.dli_fname;
    path = path.substr(0, path.rfind('/')) + "/pianola/libpianola-" + name + ".so";
    if (!driver_double(name).empty()) use_driver_double(name);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    factory = *static_cast<const executors::backend_factory*>(dlsym(library, "pianola_backend_v1"));
    if (name == "simulated") options = "3";
  }
  char reason[512] = "";
  int fault = 0;
  b = factory.create(options, &suite_services(), reason, sizeof reason, &fault);
  if (b == nullptr) throw std::runtime_error(reason);
  std::vector<model::memory_id> memories;
  for (std::uint16_t i = 0; i < b->devices().size(); ++i)
    memories.push_back(name == "openmp" ? model::host_memory
                                        : model::memory_id(static_cast<std::uint16_t>(i + 1)));
  b->set_memories(memories);
  return *b;
}

// One test's view of a backend: fresh lanes on it, a log of its own, memory that goes with it.
class rig {
 public:
  explicit rig(const std::string& name) : backend_(backend_named(name)) { attention() = false; }
  rig(const rig&) = delete;
  rig& operator=(const rig&) = delete;
  ~rig() {
    for (const auto& [lane, position] : used_)
      host::team::instance().wait(lane->completion(), position);
    attention() = false;
    for (const auto& a : allocations_) backend_.deallocate(a.device, a.kind, a.pointer);
  }

  [[nodiscard]] executors::backend& backend() noexcept { return backend_; }
  [[nodiscard]] model::memory_id memory_of(std::uint32_t device) const {
    return backend_.devices()[device].memory;
  }

  executors::lane& lane(std::uint32_t device = 0) {
    executors::lane* l = nullptr;
    const auto s = backend_.make_lane(device, l);
    if (!s.ok()) throw std::runtime_error(s.reason);
    return *l;
  }

  void* allocate(std::size_t bytes, std::uint32_t device = 0,
                 executors::memory_kind kind = executors::memory_kind::device) {
    void* p = nullptr;
    const auto s = backend_.allocate(device, kind, bytes, 0, p);
    if (!s.ok()) throw std::runtime_error(s.reason);
    allocations_.push_back({p, device, kind});
    return p;
  }

  heard log;
  [[nodiscard]] step_tag tag(std::uint64_t id) noexcept { return {&log, id}; }

  // Returns the position of the step in its lane.
  std::uint64_t submit(executors::lane& l, executors::resolved_action action, std::uint64_t id = 0,
                       const std::vector<executors::lane_position>& waits = {},
                       bool timed = false) {
    executors::step_submission s;
    s.action = std::move(action);
    s.waits = waits;
    const step_tag t = tag(id);
    s.context = t.bytes();
    s.timed = timed;
    return submit_raw(l, s);
  }
  std::uint64_t submit_raw(executors::lane& l, const executors::step_submission& s) {
    const auto status = backend_.submit(l, s);
    if (!status.ok()) throw std::runtime_error(status.reason);
    return count(l);
  }
  std::uint64_t launch(executors::lane& l, executors::native_graph& g, std::uint64_t id = 0,
                       const std::vector<executors::lane_position>& waits = {},
                       const std::vector<executors::lane_position>& begun = {}) {
    executors::step_submission s;
    s.waits = waits;
    s.begun = begun;
    const step_tag t = tag(id);
    s.context = t.bytes();
    const auto status = backend_.launch(l, g, s);
    if (!status.ok()) throw std::runtime_error(status.reason);
    return count(l);
  }
  void wait(executors::lane& l, std::uint64_t position) {
    host::team::instance().wait(l.completion(), position);
  }
  void wait(executors::lane& l) {
    std::uint64_t position = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      position = used_[&l];
    }
    wait(l, position);
  }

  // Whole bytes, through copy steps.
  void upload(void* to, const void* from, std::size_t bytes, std::uint32_t device = 0) {
    copy(to, memory_of(device), from, model::host_memory, bytes, device);
  }
  void download(void* to, const void* from, std::size_t bytes, std::uint32_t device = 0) {
    copy(to, model::host_memory, from, memory_of(device), bytes, device);
  }

 private:
  struct allocation {
    void* pointer;
    std::uint32_t device;
    executors::memory_kind kind;
  };
  std::uint64_t count(executors::lane& l) {
    std::lock_guard<std::mutex> lock(mutex_);
    return ++used_[&l];
  }
  void copy(void* to, model::memory_id to_memory, const void* from, model::memory_id from_memory,
            std::size_t bytes, std::uint32_t device) {
    executors::resolved_copy c;
    c.destination = to;
    c.source = from;
    c.to = to_memory;
    c.from = from_memory;
    c.width = bytes;
    executors::lane& l = lane(device);
    wait(l, submit(l, c));
  }

  executors::backend& backend_;
  std::mutex mutex_;
  std::map<executors::lane*, std::uint64_t> used_;
  std::vector<allocation> allocations_;
};

// True once `done()` is; gives up after much longer than anything here takes.
template <class F>
[[nodiscard]] bool eventually(F&& done) {
  const auto begin = std::chrono::steady_clock::now();
  while (!done()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace pianola::test
