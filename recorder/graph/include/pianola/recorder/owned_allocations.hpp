// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
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
    bool over = false;     // it has ended before everything that is recorded from now on
    bool kept =
        false;  // it was there when the recording began anew: nothing takes its room, freed or not
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
  // Commands are numbered anew, and all of them come after those before.
  void begin_anew() noexcept;
  // What was there when the recording began anew.
  [[nodiscard]] bool is_kept(std::uint64_t name) const noexcept;

 private:
  [[nodiscard]] entry* of_name(std::uint64_t name) noexcept;

  std::vector<entry> entries_;
  std::unordered_map<std::uint64_t, std::size_t> by_name_;
};

// The bytes that the commands of a graph allocate, numbered from 0 on without gaps: for files, where they say nothing of the
// process. What has bytes in common before has the same in common after.
class compact_places {
 public:
  explicit compact_places(model::array_view<const model::command> commands);
  // Of a number as allocate_command::place, which one of the commands has.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t place) const noexcept;

 private:
  // Ranges that do not meet, in order: where they begin before and after.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

}  // namespace pianola::recorder
