// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <pianola/model/geometry.hpp>

namespace pianola::planner::verification {

// Boxes of a buffer, each with a number, found by what they meet. Grows with the boxes that are in it,
// never with the buffer or with where their faces are. For verify alone: it shares nothing with the
// maps of the passes.
class box_index {
 public:
  struct entry {
    model::box where;
    std::uint32_t value = 0;
  };

  box_index();
  box_index(box_index&&) noexcept;
  box_index& operator=(box_index&&) noexcept;
  ~box_index();

  void add(const model::box& where, std::uint32_t value);
  [[nodiscard]] std::vector<entry> meeting(const model::box& where) const;
  // Takes away what is inside of the box; entries that stick out are cut, in at most six each. Returns those that it met,
  // as they were.
  std::vector<entry> cut_out(const model::box& hole);
  // The same, and adds the box: in one go where it is there already and meets no other.
  void replace(const model::box& where, std::uint32_t value);
  void clear();
  [[nodiscard]] std::size_t size() const noexcept;
  // A part of the box that no entry covers. Entries must not meet each other.
  [[nodiscard]] std::optional<model::box> gap(const model::box& where) const;

 private:
  struct tree;
  std::vector<entry> few_;  // as long as they are few
  std::unique_ptr<tree> many_;
};

}  // namespace pianola::planner::verification
