// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/ids.hpp>
#include <pianola/runtime/usm.hpp>

namespace pianola::runtime {

// The addresses that stand for memory of the program in recorded graphs. They are non-canonical, as cookies are, and never
// used again, so an entry stays: whoever finds one in the bytes of an old command knows what it stood for. Thread-safe.
class memory_parameters {
 public:
  struct parameter {
    std::uintptr_t begin = 0;  // 0: there is none
    std::size_t bytes = 0;
    usm_kind kind = usm_kind::unknown;
    model::device_id device;
    buffer_key
        buffer;  // valid: it stands for the host's storage of that buffer, which is a parameter
  };

  static memory_parameters& instance();
  [[nodiscard]] void* add(std::size_t bytes, usm_kind kind, model::device_id device,
                          buffer_key buffer = {});
  // The one that the address is in, or right behind.
  [[nodiscard]] parameter find(std::uintptr_t address) const noexcept;
  [[nodiscard]] parameter find(const void* pointer) const noexcept {
    return find(reinterpret_cast<std::uintptr_t>(pointer));
  }
  // Few programs have any.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> any_{false};
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, parameter> parameters_;
  std::uintptr_t next_;
  memory_parameters();
};

}  // namespace pianola::runtime
