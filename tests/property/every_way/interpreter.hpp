// SPDX-License-Identifier: Apache-2.0
// What a program leaves, one command after the other.
#pragma once
#include <cstddef>
#include <vector>

#include "every_way/program.hpp"

namespace every_way {

class data_of_all {
 public:
  std::size_t length = 0;
  std::vector<numbers> buffer, memory;
  numbers victim;
  std::size_t errors = 0;

  void run(const block& b, const binding& at, std::size_t iteration) {
    for (const step& s : b) run(s, at, iteration);
  }

 private:
  void run(const step& s, const binding& at, std::size_t iteration);
  void run_in_memory(const step& s, const binding& at, word salt);
};

}  // namespace every_way
