// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/geometry.hpp>

namespace pianola::planner {

// More than this are too many to look at one by one.
inline constexpr std::size_t most_cells = std::size_t{1} << 26;

// A buffer cut into cells by the faces of all boxes that anyone mentions. For verify alone: it shares
// nothing with the maps of the passes.
class cell_grid {
 public:
  void add_faces(const model::box& b) {
    for (int d = 0; d < 3; ++d) {
      faces_[d].push_back(b.lo.c[d]);
      faces_[d].push_back(b.hi.c[d]);
    }
  }
  std::size_t fix() {
    std::size_t n = 1;
    for (auto& f : faces_) {
      std::sort(f.begin(), f.end());
      f.erase(std::unique(f.begin(), f.end()), f.end());
      const std::size_t cells = f.size() - 1;
      n = cells != 0 && n > most_cells / cells ? most_cells + 1 : n * cells;
    }
    return n;
  }
  [[nodiscard]] std::size_t size() const {
    return (faces_[0].size() - 1) * (faces_[1].size() - 1) * (faces_[2].size() - 1);
  }
  // f(cell) for every cell of a box whose faces were added.
  template <class F>
  void each(const model::box& b, F&& f) const {
    std::size_t from[3], to[3];
    for (int d = 0; d < 3; ++d) {
      from[d] = index(d, b.lo.c[d]);
      to[d] = index(d, b.hi.c[d]);
    }
    for (std::size_t i = from[0]; i < to[0]; ++i)
      for (std::size_t j = from[1]; j < to[1]; ++j)
        for (std::size_t k = from[2]; k < to[2]; ++k)
          f((i * (faces_[1].size() - 1) + j) * (faces_[2].size() - 1) + k);
  }
  [[nodiscard]] model::box where(std::size_t cell) const {
    const std::size_t n2 = faces_[2].size() - 1, n1 = faces_[1].size() - 1;
    const std::size_t at[3] = {cell / n2 / n1, cell / n2 % n1, cell % n2};
    model::box b;
    for (int d = 0; d < 3; ++d) {
      b.lo.c[d] = faces_[d][at[d]];
      b.hi.c[d] = faces_[d][at[d] + 1];
    }
    return b;
  }

 private:
  [[nodiscard]] std::size_t index(int d, std::uint64_t face) const {
    return static_cast<std::size_t>(std::lower_bound(faces_[d].begin(), faces_[d].end(), face) -
                                    faces_[d].begin());
  }
  std::array<std::vector<std::uint64_t>, 3> faces_;
};

}  // namespace pianola::planner
