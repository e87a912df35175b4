// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <pianola/model/ids.hpp>

namespace pianola::recorder {

// Memory that the commands of a graph allocate and free, and when: which allocations may share their room.
class owned_allocations {
 public:
  struct entry {
    std::uint64_t name;  // of all graphs, the only one
    void* pointer;
    std::uint64_t bytes;
    unsigned pool;             // those of one pool may share room
    model::command_id born{};  // invalid: not recorded yet
    model::command_id died{};
    bool dropped = false;  // its command was never recorded
  };

  void add(std::uint64_t name, void* pointer, std::uint64_t bytes, unsigned pool) {
    by_name_[name] = entries_.size();
    entries_.push_back({name, pointer, bytes, pool});
  }
  // Which of the pool, in the order of `add`, are over when a command begins that comes after the commands marked in
  // `past`.
  [[nodiscard]] std::vector<char> over_by(const std::vector<char>& past, unsigned pool) const;
  // The allocation that lives there now; null if there is none. `freed`: there was one.
  [[nodiscard]] const entry* find(const void* pointer, bool& freed) const noexcept;

  // The command that makes it, or ends it, has been recorded. False if there is no such allocation to make, or to end.
  [[nodiscard]] bool begin(std::uint64_t name, model::command_id by) noexcept;
  [[nodiscard]] bool end(std::uint64_t name, model::command_id by) noexcept;
  // The command that should have made it will not be recorded.
  void drop(std::uint64_t name) noexcept;

 private:
  [[nodiscard]] entry* of_name(std::uint64_t name) noexcept;

  std::vector<entry> entries_;
  std::unordered_map<std::uint64_t, std::size_t> by_name_;
};

}  // namespace pianola::recorder
