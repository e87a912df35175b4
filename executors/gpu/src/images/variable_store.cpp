// SPDX-License-Identifier: Apache-2.0
#include "images/variable_store.hpp"

#include <string>

#include <fmt/format.h>

namespace pianola::gpu {

using executors::status;

code variable_store::write(std::uint32_t device, void* to, const void* from,
                           std::size_t bytes) noexcept {
  stream s;
  event done;
  code c = driver_.make_stream(device, s);
  if (c != success) return c;
  if (c = driver_.make_event(device, false, done); c == success) {
    if (from != nullptr) {
      copy_operation copy;
      copy.box.destination = to;
      copy.box.source = from;
      copy.box.width = bytes;
      copy.to = static_cast<std::int32_t>(device);
      copy.device = device;
      c = driver_.copy(s, copy);
    } else {
      fill_operation fill;
      fill.destination = to;
      fill.width = fill.pitch = bytes;
      fill.device = device;
      c = driver_.fill(s, fill);
    }
    if (c == success) c = driver_.record(device, s, done);
    if (c == success) c = driver_.synchronize(done);
    driver_.destroy(device, done);
  }
  driver_.destroy(device, s);
  return c;
}

void variable_store::free(std::uint32_t device, void* memory) noexcept {
  // As for memory of the program: what is left at the end, or on a device that is lost, goes with the process.
  // Nothing: there was no room for it.
  if (memory != nullptr && !state_.gone() && !state_.closing() && state_.usable())
    driver_.free_device(device, memory);
}

status variable_store::find(std::uint32_t device, const executors::device_variable& variable,
                            void*& out) {
  if (!state_.usable()) return state_.why();
  const std::lock_guard<std::mutex> lock(mutex_);
  void*& known = variables_[{device, variable.address}];
  if (known == nullptr) {
    void* made = nullptr;
    if (const code c = driver_.allocate_device(device, variable.bytes, made); c != success)
      return driver_.explain(c, fmt::format("allocating a variable of {} bytes", variable.bytes));
    if (const code c = write(device, made, variable.initial, variable.bytes); c != success) {
      free(device, made);
      return driver_.explain(c, "giving a variable its first value");
    }
    known = made;
  }
  out = known;
  return {};
}

status variable_store::tell(std::uint32_t device, module loaded,
                            model::array_view<const pianola_variable> pointers) {
  for (const pianola_variable& p : pointers) {
    void* pointer = nullptr;
    if (const code c = driver_.find_variable(device, loaded, p.symbol, pointer); c != success)
      return driver_.explain(c, fmt::format("looking for '{}' in an image", p.symbol));
    // Images are of several kernels, and pointers that none of them uses are not there.
    if (pointer == nullptr) continue;
    const auto* variable =
        services_.find_variable == nullptr ? nullptr : services_.find_variable(p);
    if (variable == nullptr)
      return {model::error_code::kernel_not_supported,
              fmt::format(
                  "the variable of devices '{}' is used by a kernel, and no object file that is "
                  "loaded defines it; compile the file that does with pianolacc, for devices",
                  p.symbol)};
    void* address = nullptr;
    if (status s = find(device, *variable, address); !s.ok()) return s;
    if (const code c = write(device, pointer, &address, sizeof address); c != success)
      return driver_.explain(c, "telling an image where a variable is");
  }
  return {};
}

void variable_store::forget(const void* address) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto at = variables_.begin(); at != variables_.end();) {
    if (at->first.second != address) {
      ++at;
      continue;
    }
    free(at->first.first, at->second);
    at = variables_.erase(at);
  }
}

void variable_store::clear() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [of, memory] : variables_) free(of.first, memory);
  variables_.clear();
}

}  // namespace pianola::gpu
