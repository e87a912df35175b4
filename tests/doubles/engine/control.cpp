// SPDX-License-Identifier: Apache-2.0
// What tests ask and tell.
#include <dlfcn.h>

#include <set>

#include "engine.hpp"

namespace pianola::test::drivers {

/// Functions of the control table: each takes the mutex.
struct control_functions {
  static engine& e() { return engine::instance(); }

  static bool known(const std::string& name) {
    static const std::set<std::string> work = {"any", "kernel", "copy", "fill"};
    if (work.count(name) != 0) return true;
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&known), &info) == 0) return false;
    void* self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (self == nullptr) return false;
    const bool found = dlsym(self, name.c_str()) != nullptr;
    dlclose(self);
    return found;
  }
  static bool fail(const char* name, std::uint64_t n, int code) {
    if (!known(name)) return false;
    const lock held(e().mutex_);
    auto& x = std::string(name) == "any" ? e().any_ : e().entries_[name];
    x.fail_at = n;
    x.code = code;
    return true;
  }
  static std::uint64_t calls(const char* name) {
    const lock held(e().mutex_);
    if (std::string(name) == "any") return e().any_.calls;
    const auto it = e().entries_.find(name);
    return it == e().entries_.end() ? 0 : it->second.calls;
  }
  static std::uint64_t all_calls() {
    const lock held(e().mutex_);
    std::uint64_t n = 0;
    for (const auto& [name, x] : e().entries_) n += x.calls;
    return n;
  }
  static std::uint64_t copied_bytes(copied direction) {
    const lock held(e().mutex_);
    return e().copies_[static_cast<std::size_t>(direction)].bytes;
  }
  static std::uint64_t copies(copied direction) {
    const lock held(e().mutex_);
    return e().copies_[static_cast<std::size_t>(direction)].count;
  }
  static std::uint64_t kernels() {
    const lock held(e().mutex_);
    return e().kernels_;
  }
  static std::size_t live(const char* kind) {
    const lock held(e().mutex_);
    if (std::string(kind) == "locked memory") return e().memory_->adopted();
    return std::string(kind) == "allocation" ? e().allocations_ : e().handles.count(kind);
  }
  static std::uint64_t violations() {
    const lock held(e().mutex_);
    return e().violations_;
  }
  static const char* last_violation() {
    const lock held(e().mutex_);
    return e().last_violation_.c_str();
  }
  static void reset() {
    const lock held(e().mutex_);
    e().entries_.clear();
    e().any_ = {};
    for (auto& c : e().copies_) c = {};
    e().kernels_ = 0;
    e().violations_ = 0;
    e().last_violation_.clear();
  }
  static void set_strict(bool strict) {
    const lock held(e().mutex_);
    e().strict_ = strict;
  }
  static void set_seed(std::uint64_t seed) {
    const lock held(e().mutex_);
    e().scheduler_.set_seed(seed);
  }
  static void hold(bool on) {
    const lock held(e().mutex_);
    e().scheduler_.hold(on);
  }
  static void set_late_records(bool late) {
    const lock held(e().mutex_);
    e().late_records_ = late;
  }
  static void set_late_waits(bool late) {
    const lock held(e().mutex_);
    e().late_waits_ = late;
  }
  static void set_patient_copies(bool patient) {
    const lock held(e().mutex_);
    e().patient_copies_ = patient;
  }
  static void linger(const char* name, unsigned milliseconds) {
    const lock held(e().mutex_);
    e().entries_[name].linger = milliseconds;
  }
  static bool lingers() {
    const lock held(e().mutex_);
    return e().lingering_ != 0;
  }
  static bool idle() {
    const lock held(e().mutex_);
    for (const auto& c : e().all_contexts_)
      if (c->outstanding != 0) return false;
    return true;
  }
};

const driver_control& engine::control() {
  using f = control_functions;
  static constexpr driver_control table = {1,
                                           f::fail,
                                           f::calls,
                                           f::all_calls,
                                           f::copied_bytes,
                                           f::copies,
                                           f::kernels,
                                           f::live,
                                           f::violations,
                                           f::last_violation,
                                           f::reset,
                                           f::set_strict,
                                           f::set_seed,
                                           f::hold,
                                           f::idle,
                                           f::set_late_records,
                                           f::set_late_waits,
                                           f::set_patient_copies,
                                           f::linger,
                                           f::lingers};
  return table;
}

}  // namespace pianola::test::drivers

extern "C" {
__attribute__((visibility("default"))) const pianola::test::driver_control*
pianola_test_driver_control() {
  return &pianola::test::drivers::engine::instance().control();
}
__attribute__((visibility("default"))) const char* pianola_test_driver_architecture() {
  return pianola::test::drivers::engine::instance().architecture().c_str();
}
}
