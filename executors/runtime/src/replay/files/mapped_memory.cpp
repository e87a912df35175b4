// SPDX-License-Identifier: Apache-2.0
#include "replay/files/mapped_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace pianola::runtime {

mapped_memory::mapped_memory() {
  // "begin-end rwxp offset ..." in lines, ascending.
  std::ifstream maps("/proc/self/maps");
  std::uint64_t begin = 0, end = 0;
  char dash = 0;
  std::string rights, rest;
  maps >> std::hex;
  while (maps >> begin >> dash >> end >> rights && std::getline(maps, rest))
    if (rights[0] == 'r') ranges_.push_back({begin, end});
}

bool mapped_memory::holds(std::uint64_t word) const noexcept {
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), word,
                                       [](std::uint64_t w, const range& r) { return w < r.begin; });
  return behind != ranges_.begin() && word < (behind - 1)->end;
}

}  // namespace pianola::runtime
