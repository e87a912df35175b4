// SPDX-License-Identifier: Apache-2.0
// The kernel that follows a reduction: combines the rows of partial results, and the outcome with the
// reduction variables. One work-group per variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/parts.hpp>
#include <sycl/detail/reduction/range_kernel.hpp>
#include <sycl/glue/internal_kernel.hpp>
#include <sycl/kernel/group_functions/combine.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/nd_item.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class Part>
struct finish_part {
  Part part;
  typename Part::rules_type::value* variables;
  // Not 0: their old values do not count. A number, which pianolacc follows, with nothing behind it.
  std::uint64_t initialise;
};

template <class... Parts>
class reduction_finish : public pianola::glue::internal_kernel {
 public:
  static constexpr std::size_t variables = (std::size_t{0} + ... + Parts::cells);

  reduction_finish(std::size_t rows, unsigned char* memory,
                   const pack<finish_part<Parts>...>& parts)
      : rows_(rows), memory_(memory), parts_(parts) {}

  /// Finishes one variable on the calling thread.
  void run_block(std::size_t variable) const {
    run_block(variable, std::index_sequence_for<Parts...>());
  }

#if defined(__PIANOLACC__)
  void operator()(const nd_item<1>& it) const {
    if (!__pianola_is_device()) {
      if (it.get_local_linear_id() == 0) run_block(it.get_group_linear_id());
      return;
    }
    run_on_device(it.get_group(), std::index_sequence_for<Parts...>());
  }
#endif

 private:
  template <std::size_t... At>
  void run_block(std::size_t variable, std::index_sequence<At...>) const {
    std::size_t before = 0;
    (run_part(at<At>(parts_), variable, before), ...);
  }

  template <class Part>
  void run_part(const finish_part<Part>& p, std::size_t variable, std::size_t& before) const {
    const std::size_t index = variable - before;
    before += Part::cells;
    if (index >= Part::cells) return;  // of another part, or before this one: a huge number
    const column<Part> values{p.part.row(memory_, 0) + index};
    using cell = typename Part::cell;
    if (rows_ == 0)
      set(p, index, cell(p.part.rules.none()));
    else
      set(p, index, total_of<cell>(values, static_cast<std::uint32_t>(rows_), p.part.rules));
  }

  template <class Part>
  struct column {
    typename Part::cell* first;
    typename Part::cell& operator[](std::size_t row) const { return first[row * Part::cells]; }
  };

  template <class Part>
  static void set(const finish_part<Part>& p, std::size_t index, const typename Part::cell& total) {
    using rules = typename Part::rules_type;
    if (!rules::holds_value(total)) return;
    auto& variable = p.variables[index];
    using value = typename rules::value;
    variable = p.initialise != 0
                   ? rules::value_of(total)
                   : static_cast<value>(p.part.rules.op.function(variable, rules::value_of(total)));
  }

#if defined(__PIANOLACC__)
  template <std::size_t... At>
  PIANOLA_REDUCTION_INLINE void run_on_device(const group<1>& g, std::index_sequence<At...>) const {
    std::size_t before = 0;
    (run_part_on_device(at<At>(parts_), g, before), ...);
  }
  template <class Part>
  PIANOLA_REDUCTION_INLINE void run_part_on_device(const finish_part<Part>& p, const group<1>& g,
                                                   std::size_t& before) const {
    const std::size_t index = g.get_group_linear_id() - before;
    before += Part::cells;
    if (index >= Part::cells) return;
    const column<Part> values{p.part.row(memory_, 0) + index};
    typename Part::cell own(p.part.rules.none());
    for (std::size_t r = g.get_local_linear_id(); r < rows_; r += reduction_group_size)
      own = p.part.rules(own, values[r]);
    const typename Part::cell total = reduce_values(g, own, p.part.rules);
    if (g.leader()) set(p, index, total);
  }
#endif

  std::uint64_t rows_;
  unsigned char* memory_;
  pack<finish_part<Parts>...> parts_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
