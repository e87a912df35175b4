// SPDX-License-Identifier: Apache-2.0
// What the kernels of a reduction share: for each of its reductions the rules, and where its partial
// results are in the memory between the kernel and the one that finishes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/invoke.hpp>
#include <sycl/kernel_handler.hpp>
#include <sycl/reducer.hpp>

#define PIANOLA_REDUCTION_INLINE inline __attribute__((always_inline))

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// One reduction of a kernel. Extent: 0 for one variable, else how many a span has. The partial results are
/// rows of one cell per variable.
template <class Rules, std::size_t Extent>
struct reduction_part {
  using rules_type = Rules;
  using cell = typename Rules::cell;
  using reducer_type = reducer<typename Rules::value, typename Rules::operation,
                               (Extent == 0 ? 0 : 1), Rules::has_identity>;
  static constexpr bool is_span = Extent != 0;
  static constexpr std::size_t cells = is_span ? Extent : 1;
  static constexpr std::size_t row_bytes = cells * sizeof(cell);

  Rules rules;
  std::uint64_t offset;  // bytes

  cell* row(unsigned char* memory, std::size_t index) const noexcept {
    return reinterpret_cast<cell*>(memory + offset) + index * cells;
  }
};

/// A tuple, but trivially copyable where its elements are: kernels are copied as bytes.
template <std::size_t At, class T>
struct indexed {
  T value;
};
template <class Indices, class... T>
struct indexed_pack;
template <std::size_t... At, class... T>
struct indexed_pack<std::index_sequence<At...>, T...> : indexed<At, T>... {
  using indices = std::index_sequence<At...>;
  static constexpr std::size_t count = sizeof...(T);
  constexpr explicit indexed_pack(const T&... values) : indexed<At, T>{values}... {}
};
template <class... T>
using pack = indexed_pack<std::index_sequence_for<T...>, T...>;

template <std::size_t At, class T>
PIANOLA_REDUCTION_INLINE constexpr const T& at(const indexed<At, T>& p) noexcept {
  return p.value;
}
template <std::size_t At, class T>
PIANOLA_REDUCTION_INLINE constexpr T& at(indexed<At, T>& p) noexcept {
  return p.value;
}

/// Reducers come by value and are lvalues here, as kernels want them.
template <class Kernel, class Item, class... Reducers>
PIANOLA_REDUCTION_INLINE void call_with_reducers(const Kernel& kernel, const Item& item,
                                                 Reducers... reducers) {
  kernel(static_cast<const pianola::glue::index_for<Kernel, Item, Reducers&...>&>(item),
         reducers...);
}
template <class Kernel, class Item, class... Reducers>
inline constexpr bool takes_reducers =
    std::is_invocable_v<const Kernel&, const pianola::glue::index_for<Kernel, Item, Reducers&...>&,
                        Reducers&...> ||
    std::is_invocable_v<const Kernel&,
                        const pianola::glue::index_for<Kernel, Item, Reducers&..., kernel_handler>&,
                        Reducers&..., kernel_handler>;

/// Cells of several lanes, which become vectors. Lanes of more than one: arithmetic values only.
template <class Part, std::size_t Lanes>
struct lane_cells {
  using cell = typename Part::cell;
  cell cells[Lanes];

  PIANOLA_REDUCTION_INLINE lane_cells(const Part& part, cell*) {
    for (std::size_t i = 0; i < Lanes; ++i) cells[i] = part.rules.none();
  }
  PIANOLA_REDUCTION_INLINE cell* of(std::size_t lane) { return cells + lane; }
  PIANOLA_REDUCTION_INLINE void finish(const Part& part, cell* row) {
    // Out of line, and given a copy: from the sight of neighbours in memory compilers learn to keep them in
    // vectors, from the sight of this tree they made pairs.
    cell copy[Lanes];
    for (std::size_t i = 0; i < Lanes; ++i) copy[i] = cells[i];
    total_of_lanes_in(part.rules, copy, row);
  }

 private:
  __attribute__((noinline)) static void total_of_lanes_in(const typename Part::rules_type& rules,
                                                          cell* lanes, cell* total) {
    for (std::size_t width = Lanes / 2; width > 0; width /= 2)
      for (std::size_t i = 0; i < width; ++i) lanes[i] = rules(lanes[i], lanes[i + width]);
    new (total) cell(lanes[0]);
  }
};
template <class Part>
struct lane_cells<Part, 1> {
  using cell = typename Part::cell;
  cell own;

  PIANOLA_REDUCTION_INLINE lane_cells(const Part& part, cell*) : own(part.rules.none()) {}
  PIANOLA_REDUCTION_INLINE cell* of(std::size_t) { return &own; }
  PIANOLA_REDUCTION_INLINE void finish(const Part&, cell* row) { new (row) cell(own); }
};
/// Variables of a span: too many for registers, in the row itself.
template <class Part>
struct row_cells {
  using cell = typename Part::cell;
  cell* row;

  PIANOLA_REDUCTION_INLINE row_cells(const Part& part, cell* at) : row(at) {
    for (std::size_t i = 0; i < Part::cells; ++i) new (row + i) cell(part.rules.none());
  }
  PIANOLA_REDUCTION_INLINE cell* of(std::size_t) { return row; }
  PIANOLA_REDUCTION_INLINE void finish(const Part&, cell*) {}
};

/// How many lanes a part can have.
template <class Part>
inline constexpr std::size_t lanes_of =
    !Part::is_span && Part::rules_type::has_identity && std::is_arithmetic_v<typename Part::cell>
        ? (sizeof(typename Part::cell) > 4 ? 8 : 16)
        : 1;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
