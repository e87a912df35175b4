// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <pianola/model/requirement.hpp>
#include <pianola/runtime/ids.hpp>

namespace pianola::runtime {

class process;

// What buffers are called when sequences of commands are compared. A living buffer has one name; one that is new takes the
// name of the last one of its shape that has ended, so that a program that makes its buffers anew in each repetition repeats
// itself in names. Guarded by the lock of capturing.
class buffer_names {
 public:
  static constexpr std::uint64_t none = 0;

  // Takes the runtime's lock where the buffer is new.
  [[nodiscard]] std::uint64_t name_of(process& rt, buffer_key key) {
    const seen& lately = lately_[key.value() % lately_.size()];
    return lately.key == key.value() ? lately.name : look_up(rt, key);
  }
  // `none` if it has no name.
  [[nodiscard]] std::uint64_t find(buffer_key key) const noexcept {
    const auto known = names_.find(key.value());
    return known == names_.end() ? none : known->second.name;
  }
  void ends(buffer_key key);

 private:
  static constexpr std::size_t most_free = 4096;

  struct entry {
    std::uint64_t name;
    std::uint64_t shape;
  };
  struct seen {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint64_t name = none;
  };
  std::uint64_t look_up(process& rt, buffer_key key);

  std::array<seen, 64> lately_;  // most commands use the same buffers as those before
  std::unordered_map<std::uint64_t, entry> names_;
  std::vector<entry> free_;  // the last one that has ended comes last
  std::uint64_t next_ = none;
};

}  // namespace pianola::runtime
