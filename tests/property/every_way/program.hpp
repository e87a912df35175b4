// SPDX-License-Identifier: Apache-2.0
// A random program: what it does, to which of the buffers and allocations that stand for its places.
#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace every_way {

using word = std::uint32_t;
using numbers = std::vector<word>;

inline constexpr std::size_t buffers = 4, in_parameters = 2, memories = 3, group = 8;

enum class task : std::uint8_t {
  update,      // of a range of elements
  overwrite,   // without a look at what was there
  part,        // of a sub-buffer
  square,      // as a buffer of two dimensions
  pairs,       // as a buffer of 64-bit words
  groups,      // by work-groups with local memory
  redirected,  // of another buffer in each iteration
  sized,       // as many elements as a kernel has computed
  copy,
  fill,
  on_host,
  failing,  // a host task that throws; what it should have written is overwritten
  memory,   // of the program, by pointers
  memory_fill,
  memory_copy,
  to_memory,  // from a buffer
  scratch,    // memory that commands allocate and free
  barrier,
  repeat,
  loop,
  branch,
  count
};
inline constexpr const char* names[] = {
    "update",      "overwrite", "part",    "square",  "pairs",   "groups", "redirected",
    "sized",       "copy",      "fill",    "on_host", "failing", "memory", "memory_fill",
    "memory_copy", "to_memory", "scratch", "barrier", "repeat",  "loop",   "branch"};

struct step;
using block = std::vector<step>;
struct step {
  task what = task::update;
  std::size_t to = 0, from = 0;      // places of buffers, or of memory
  std::size_t data = 0;              // place of a buffer, where `to` is one of memory
  std::size_t first = 0, count = 1;  // elements
  word seed = 0;
  bool varies = false;  // its seed is another one in each iteration
  std::size_t queue = 0;
  block inner;

  [[nodiscard]] bool in_memory() const {
    return what == task::memory || what == task::memory_fill || what == task::memory_copy ||
           what == task::to_memory;
  }
  [[nodiscard]] bool is_control() const { return what >= task::repeat; }
  // Where `redirected` works.
  [[nodiscard]] std::size_t place(std::size_t iteration) const {
    return (to + (varies ? iteration : 0)) % buffers;
  }
  [[nodiscard]] word salt(std::size_t iteration) const {
    return varies ? seed + static_cast<word>(iteration) * 977U : seed;
  }
};

inline std::ostream& operator<<(std::ostream& out, const step& s) {
  out << names[static_cast<std::size_t>(s.what)] << ' ' << s.to << '[' << s.first << ", "
      << s.first + s.count << ") from " << s.from << " with " << s.data << " seed " << s.seed
      << (s.varies ? " varying" : "") << " on " << s.queue;
  for (const step& i : s.inner) out << " { " << i << " }";
  return out;
}

// What the host does to an element behind a leg.
struct share {
  std::size_t buffer, element;
  word add;
};
struct leg {
  block steps;
  share after;
};

enum class way : std::uint8_t { eager, captured, updated, recorded_anew, cut, rebound, count };
inline constexpr const char* ways[] = {"eager",         "captured", "updated",
                                       "recorded anew", "cut",      "rebound"};

// Which buffer and which memory stand for each place.
struct binding {
  std::vector<std::size_t> data, memory;
};

}  // namespace every_way
