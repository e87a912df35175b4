// SPDX-License-Identifier: Apache-2.0
// A long stream of commands with three requirements each: two buffers are read, one is written.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

class command_stream {
 public:
  static constexpr std::uint32_t buffers = 1000;

  explicit command_stream(std::size_t count) : accesses_(count) {
    std::uint64_t state = 1;
    for (auto& a : accesses_) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto first = static_cast<std::uint32_t>((state >> 33) % buffers);
      a = {first, (first + 1) % buffers, (first + 2) % buffers};
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return accesses_.size(); }
  // Read, read, written: three different buffers.
  [[nodiscard]] const std::array<std::uint32_t, 3>& operator[](std::size_t i) const {
    return accesses_[i];
  }

 private:
  std::vector<std::array<std::uint32_t, 3>> accesses_;
};

}  // namespace bench
