// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// Words in page-locked memory, each 0, to which kernels write what is beyond the bound of their range:
// model::kernel_descriptor::read_range. Used again and again.
class range_words {
 public:
  range_words(driver& d, std::uint32_t device) noexcept : driver_(d), device_(device) {}
  range_words(const range_words&) = delete;
  range_words& operator=(const range_words&) = delete;

  code take(std::uint64_t*& out);
  // No kernel that knows of it is under way.
  void give(std::uint64_t*) noexcept;
  void free_all() noexcept;

  // What was written there, which is forgotten.
  [[nodiscard]] static std::uint64_t read(std::uint64_t* word) noexcept {
    return std::atomic_ref<std::uint64_t>(*word).exchange(0);
  }

 private:
  driver& driver_;
  std::uint32_t device_;
  std::mutex mutex_;
  std::vector<std::uint64_t*> blocks_;
  std::vector<std::uint64_t*> free_;
};

}  // namespace pianola::gpu
