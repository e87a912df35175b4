// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/src/library.hpp"
#include "hip/src/hip_api.hpp"

// What the library exports.
#define HIP_ENTRY extern "C" __attribute__((visibility("default"))) int

namespace pianola::hip_on_cuda {

using cuda::address;
using hip::handle;

// Errors of both have the same numbers as far as they are used here.
class shim {
 public:
  static shim& instance();

  [[nodiscard]] const cuda::functions& cu() const noexcept { return library_.call; }
  // Of what happened when the driver was loaded and asked for devices.
  [[nodiscard]] int state() const noexcept { return state_; }
  [[nodiscard]] int device_count() const noexcept { return static_cast<int>(devices_.size()); }
  [[nodiscard]] cuda::ordinal device(int number) const {
    return devices_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] bool is_device(int number) const noexcept {
    return number >= 0 && number < device_count();
  }
  // As images are called by: "sm_90", or what a test driver says.
  [[nodiscard]] std::string architecture(int number) const;
  // The primary context; null where it cannot be had.
  handle context(int number);
  // Of a device's context that has been made; negative for any other.
  int number_of(handle context);
  // Makes the context of the calling thread's device current.
  int enter();

  // HIP tells by itself which memory an address is of.
  void remember(address at, std::size_t bytes);
  void forget(address at);
  [[nodiscard]] bool is_on_device(const void* pointer);

 private:
  shim();
  cuda::library library_;
  int state_ = 0;
  std::vector<cuda::ordinal> devices_;
  std::mutex mutex_;
  std::vector<handle> contexts_;
  std::map<address, std::size_t> allocations_;
};

extern thread_local int current_device;

[[nodiscard]] inline address address_of(const void* pointer) noexcept {
  return reinterpret_cast<address>(pointer);
}
[[nodiscard]] cuda::memcpy_3d description_of(const hip::memcpy_3d& copy);

}  // namespace pianola::hip_on_cuda
