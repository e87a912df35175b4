// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace pianola::runtime {

// What of this process's address space can be read, as it was when the object was made.
class mapped_memory {
 public:
  mapped_memory();
  // Whether the word, taken for an address, leads there.
  [[nodiscard]] bool holds(std::uint64_t word) const noexcept;

 private:
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<range> ranges_;  // ascending
};

}  // namespace pianola::runtime
