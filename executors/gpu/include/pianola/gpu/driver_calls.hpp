// SPDX-License-Identifier: Apache-2.0
// What CUDA's driver and HIP's runtime do alike but for the names of their functions. HIP took CUDA's numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pianola/abi/launch.h>

#include "driver.hpp"

namespace pianola::gpu {

// What a code is for SYCL, and what can be done about it ("; make it smaller").
struct meaning {
  model::error_code code = model::error_code::runtime;
  const char* advice = "";
};

// Of the codes that are the same, and call for the same, with both.
[[nodiscard]] inline meaning common_meaning(code c) noexcept {
  using model::error_code;
  switch (c) {
    case 2:  // out of memory
      return {error_code::memory_allocation, "; the device has no memory left for this"};
    case 701:  // out of resources
      return {error_code::nd_range,
              "; the work-group takes more registers or local memory than there are: make it "
              "smaller"};
    case 710:
      return {error_code::runtime, "; an assertion in a kernel failed"};
    case 801:  // not supported
      return {error_code::feature_not_supported, ""};
    default:
      return {};
  }
}

// What a kernel can capture where all its parameters, with their padding, may be so large: pianola_launch comes behind.
[[nodiscard]] constexpr std::uint64_t left_for_captures(std::uint64_t parameters) noexcept {
  return (parameters - sizeof(pianola_launch)) / alignof(pianola_launch) * alignof(pianola_launch);
}

// driver::explain() of code `c`; `text` is the driver's own.
[[nodiscard]] inline executors::status explanation(const driver& d, const char* interface,
                                                   std::string_view doing, code c,
                                                   const std::string& text, const meaning& m) {
  if (c == success) return {};
  std::string all = std::string(interface) + ": " + std::string(doing) + ": " + text + m.advice;
  if (d.is_fatal(c)) all += "; the device cannot be used any more by this process: start a new one";
  return {m.code, std::move(all)};
}

// What a driver tells of one device. What it does not know of is what every device has that images are made for, or none
// of it.
template <class Attribute>
class device_attributes {
 public:
  using query = code (*)(int* value, Attribute what, int device);
  device_attributes(query ask, int device) noexcept : ask_(ask), device_(device) {}
  [[nodiscard]] std::uint32_t know(Attribute what, std::uint32_t otherwise) const noexcept {
    int value = 0;
    return ask_(&value, what, device_) == success ? static_cast<std::uint32_t>(value) : otherwise;
  }
  [[nodiscard]] bool has(Attribute what) const noexcept { return know(what, 0) != 0; }

 private:
  query ask_;
  int device_;
};

// Notes which devices reach which others directly: `ask(reachable, of, other)` is the driver's answer, by their places.
template <class Ask>
void find_peers(std::vector<device_description>& devices, Ask&& ask) {
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t j = 0; j < devices.size(); ++j) {
      int reachable = 0;
      if (i != j && ask(&reachable, i, j) != success) reachable = 0;
      devices[i].peers.push_back(reachable != 0);
    }
}

// Calls `f` while `Scope`, a device's context or the thread's current device, is entered; else says why it is not.
template <class Scope, class Driver, class... Parameters, class... Arguments>
code within(const Driver& d, std::uint32_t device, code (*f)(Parameters...),
            Arguments... arguments) noexcept {
  const Scope here(d, device);
  return here.code() != success ? here.code() : f(arguments...);
}

// driver::find(), in the device's scope.
template <class Attribute>
code find_kernel(code (*get)(void**, void*, const char*), code (*ask)(int*, Attribute, void*),
                 module from, const char* symbol, kernel& out, kernel_limits& limits) noexcept {
  void* found = nullptr;
  code answer = get(&found, from.native, symbol);
  const auto number = [&](Attribute what) {
    int value = 0;
    if (answer == success) answer = ask(&value, what, found);
    return static_cast<std::uint32_t>(value);
  };
  limits.max_group_size = number(Attribute::function_max_threads_per_block);
  limits.static_local_bytes = number(Attribute::function_shared_size_bytes);
  limits.private_bytes = number(Attribute::function_local_size_bytes);
  if (answer == success) out.native = found;
  return answer;
}

}  // namespace pianola::gpu
