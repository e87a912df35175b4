// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <sycl/sycl.hpp>

#include "every_way/program.hpp"

namespace every_way {

// Who used memory last: there events make the order.
struct uses_of_memory {
  struct use {
    std::vector<sycl::event> written, read;
  };
  std::vector<use> of{memories};

  [[nodiscard]] std::vector<sycl::event> before(const step& s) const {
    std::vector<sycl::event> all = of[s.to].read;
    all.insert(all.end(), of[s.to].written.begin(), of[s.to].written.end());
    all.insert(all.end(), of[s.from].written.begin(), of[s.from].written.end());
    return all;
  }
  void note(const step& s, const sycl::event& e) {
    // The same command may be named by both.
    if (of[s.from].read.size() == 16) of[s.from].read.erase(of[s.from].read.begin());
    if (s.from != s.to) of[s.from].read.push_back(e);
    of[s.to] = {{e}, {}};
  }
  [[nodiscard]] std::vector<sycl::event> all() const {
    std::vector<sycl::event> events;
    for (const use& u : of) {
      events.insert(events.end(), u.written.begin(), u.written.end());
      events.insert(events.end(), u.read.begin(), u.read.end());
    }
    return events;
  }
  void note_all(const sycl::event& e) {
    for (use& u : of) u = {{e}, {}};
  }
};

}  // namespace every_way
