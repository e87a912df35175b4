// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tiled {

struct area {
  std::size_t top;
  std::size_t bottom;
  std::size_t left;
  std::size_t right;
};

/// An image cut into square tiles, numbered row by row; those at the right and at the bottom may be smaller.
struct tiling {
  std::size_t height;
  std::size_t width;
  std::size_t tile;

  std::size_t rows() const { return (height + tile - 1) / tile; }
  std::size_t columns() const { return (width + tile - 1) / tile; }
  std::size_t count() const { return rows() * columns(); }

  std::size_t top(std::size_t t) const { return t / columns() * tile; }
  std::size_t left(std::size_t t) const { return t % columns() * tile; }
  std::size_t bottom(std::size_t t) const { return std::min(height, top(t) + tile); }
  std::size_t right(std::size_t t) const { return std::min(width, left(t) + tile); }

  area with_halo(std::size_t t, std::size_t radius) const {
    return {top(t) < radius ? 0 : top(t) - radius, std::min(height, bottom(t) + radius),
            left(t) < radius ? 0 : left(t) - radius, std::min(width, right(t) + radius)};
  }
};

/// Where a kernel finds the neighbours of an element: it counts elements from the corner of its tile, and what it reads
/// from the corner of the tile with its halo. Positions beyond the border of the image repeat the border.
class neighbours {
 public:
  neighbours(const tiling& t, std::size_t tile, std::size_t radius)
      : top_(t.top(tile)),
        left_(t.left(tile)),
        halo_(t.with_halo(tile, radius)),
        radius_(radius),
        last_row_(t.height - 1),
        last_column_(t.width - 1) {}

  /// Steps go from 0 to twice the radius; the middle one is the element itself.
  std::size_t row(std::size_t at, std::size_t step) const {
    return moved(top_ + at, step, last_row_) - halo_.top;
  }
  std::size_t column(std::size_t at, std::size_t step) const {
    return moved(left_ + at, step, last_column_) - halo_.left;
  }

 private:
  std::size_t moved(std::size_t at, std::size_t step, std::size_t last) const {
    const std::size_t to = at + step < radius_ ? 0 : at + step - radius_;
    return to < last ? to : last;
  }

  std::size_t top_;
  std::size_t left_;
  area halo_;
  std::size_t radius_;
  std::size_t last_row_;
  std::size_t last_column_;
};

/// Which tile of one buffer is up to date in which memory, to say how many pages a stage must transfer at least. This
/// is the obvious computation: every tile that a memory reads and does not have counts once.
class copies {
 public:
  /// `groups`: a number for each memory, the same for those that copy to each other directly. Copies between groups go
  /// through memory 0.
  copies(const tiling& t, const std::vector<std::size_t>& groups)
      : tiles_(t), groups_(groups), valid_(groups.size(), std::vector<bool>(t.count())) {}

  void fill(std::size_t memory) { valid_[memory].assign(tiles_.count(), true); }

  void write(std::size_t memory, std::size_t tile) {
    for (std::size_t m = 0; m < valid_.size(); ++m) valid_[m][tile] = m == memory;
  }

  /// Reads a tile with its halo; returns the number of pages that must be transferred for it.
  std::size_t read(std::size_t memory, std::size_t tile, std::size_t radius) {
    const area halo = tiles_.with_halo(tile, radius);
    std::size_t missing = 0;
    for (std::size_t y = halo.top / tiles_.tile; y <= (halo.bottom - 1) / tiles_.tile; ++y)
      for (std::size_t x = halo.left / tiles_.tile; x <= (halo.right - 1) / tiles_.tile; ++x) {
        const std::size_t page = y * tiles_.columns() + x;
        if (valid_[memory][page]) continue;
        ++missing;
        valid_[memory][page] = true;
        if (memory == 0 || valid_[0][page] || is_near(memory, page)) continue;
        ++missing;
        valid_[0][page] = true;
      }
    return missing;
  }

 private:
  bool is_near(std::size_t memory, std::size_t page) const {
    for (std::size_t m = 1; m < valid_.size(); ++m)
      if (m != memory && groups_[m] == groups_[memory] && valid_[m][page]) return true;
    return false;
  }

  tiling tiles_;
  std::vector<std::size_t> groups_;
  std::vector<std::vector<bool>> valid_;
};

}  // namespace tiled
