// SPDX-License-Identifier: Apache-2.0
// The kernel of a reduction over an nd_range: each work-group leaves one row of partial results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/parts.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/glue/kernel_launcher.hpp>
#include <sycl/glue/kernel_launcher_nd_range.hpp>
#include <sycl/kernel/group_functions/combine.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/nd_item.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <int Dimensions, class Kernel, class... Parts>
class nd_range_reduction {
 public:
  nd_range_reduction(const Kernel& kernel, unsigned char* memory, const pack<Parts...>& parts)
      : kernel_(kernel), memory_(memory), parts_(parts) {}

  properties_of_kernel_t<Kernel> get(
      ext::oneapi::experimental::properties_tag) const;  // asked for its type only

#if defined(__PIANOLACC__)
  void operator()(const nd_item<Dimensions>& it) const {
    run(it, std::index_sequence_for<Parts...>());
  }
#else
  /// Runs the groups of one part of the index space.
  void run_groups(const pianola::model::launch_geometry& geometry,
                  const pianola::model::box& groups,
                  const pianola::model::group_resources& resources) const;
#endif

 private:
#if defined(__PIANOLACC__)
  template <class Part>
  struct item_cells {
    using cell = typename Part::cell;
    alignas(cell) unsigned char bytes[Part::row_bytes];

    PIANOLA_REDUCTION_INLINE explicit item_cells(const Part& part) {
      for (std::size_t i = 0; i < Part::cells; ++i) new (first() + i) cell(part.rules.none());
    }
    PIANOLA_REDUCTION_INLINE cell* first() { return reinterpret_cast<cell*>(bytes); }
    PIANOLA_REDUCTION_INLINE void finish(const Part& part, const group<Dimensions>& g,
                                         unsigned char* memory) {
      cell* const row = part.row(memory, g.get_group_linear_id());
      for (std::size_t i = 0; i < Part::cells; ++i) {
        const cell total = reduce_values(g, first()[i], part.rules);
        if (g.leader()) new (row + i) cell(total);
      }
    }
  };

  template <std::size_t... At>
  PIANOLA_REDUCTION_INLINE void run(const nd_item<Dimensions>& it,
                                    std::index_sequence<At...> all) const {
    run(it, all, item_cells<Parts>(at<At>(parts_))...);
  }
  template <std::size_t... At>
  PIANOLA_REDUCTION_INLINE void run(const nd_item<Dimensions>& it, std::index_sequence<At...>,
                                    item_cells<Parts>... cells) const {
    call_with_reducers(kernel_, it,
                       reducer_access::make<typename Parts::reducer_type>(at<At>(parts_).rules,
                                                                          cells.first(), false)...);
    (cells.finish(at<At>(parts_), it.get_group(), memory_), ...);
  }
#else
  /// A cell for every work-item of a group and every variable.
  class group_cells {
   public:
    explicit group_cells(std::size_t items) : items_(items) {
      std::size_t bytes = 0, i = 0;
      ((offsets_[i++] = bytes, bytes += (items * Parts::row_bytes + 63) / 64 * 64), ...);
      bytes_ = static_cast<unsigned char*>(::operator new(bytes, std::align_val_t(64)));
    }
    group_cells(const group_cells&) = delete;
    group_cells& operator=(const group_cells&) = delete;
    ~group_cells() { ::operator delete(bytes_, std::align_val_t(64)); }

    template <std::size_t At, class Part>
    typename Part::cell* row(const Part&, std::size_t item) const {
      return reinterpret_cast<typename Part::cell*>(bytes_ + offsets_[At]) + item * Part::cells;
    }
    std::size_t items() const { return items_; }

   private:
    std::size_t items_;
    std::size_t offsets_[sizeof...(Parts)];
    unsigned char* bytes_;
  };

 public:
  /// What runs per work-item.
  struct collecting {
    const nd_range_reduction& reduction;
    const group_cells& cells;

    properties_of_kernel_t<Kernel> get(
        ext::oneapi::experimental::properties_tag) const;  // asked for its type only
    void operator()(const nd_item<Dimensions>& it) const {
      run(it, std::index_sequence_for<Parts...>());
    }
    template <std::size_t... At>
    PIANOLA_REDUCTION_INLINE void run(const nd_item<Dimensions>& it,
                                      std::index_sequence<At...>) const {
      const std::size_t rank = it.get_local_linear_id();
      call_with_reducers(reduction.kernel_, it,
                         reducer_access::make<typename Parts::reducer_type>(
                             at<At>(reduction.parts_).rules,
                             cleared(at<At>(reduction.parts_),
                                     cells.template row<At>(at<At>(reduction.parts_), rank)),
                             false)...);
    }
    template <class Part>
    static PIANOLA_REDUCTION_INLINE typename Part::cell* cleared(const Part& part,
                                                                 typename Part::cell* row) {
      for (std::size_t i = 0; i < Part::cells; ++i)
        new (row + i) typename Part::cell(part.rules.none());
      return row;
    }
  };

 private:
  template <class Part>
  struct column {
    typename Part::cell* first;
    typename Part::cell& operator[](std::size_t item) const { return first[item * Part::cells]; }
  };
  template <std::size_t At, class Part>
  void finish(const Part& part, const group_cells& cells, std::size_t group) const {
    for (std::size_t i = 0; i < Part::cells; ++i)
      new (part.row(memory_, group) + i) typename Part::cell(
          total_of<typename Part::cell>(column<Part>{cells.template row<At>(part, 0) + i},
                                        static_cast<std::uint32_t>(cells.items()), part.rules));
  }
  template <std::size_t... At>
  void finish_all(const group_cells& cells, std::size_t group, std::index_sequence<At...>) const {
    (finish<At>(at<At>(parts_), cells, group), ...);
  }
#endif

  Kernel kernel_;
  unsigned char* memory_;
  pack<Parts...> parts_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace pianola::glue {

inline namespace PIANOLA_SYCL_VERSION {

#if defined(__PIANOLACC__)
template <int Dimensions>
using nd_range_reduction_shape = nd_range_shape<Dimensions>;
#else
template <int Dimensions>
struct nd_range_reduction_shape {
  static constexpr int kind = 2;
  static constexpr int dimensions = Dimensions;
  using index = sycl::nd_item<Dimensions>;
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry& geometry,
                  const model::box& part, const model::group_resources& resources) {
    kernel.run_groups(geometry, part, resources);
  }
};
#endif

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace pianola::glue

#if !defined(__PIANOLACC__)
namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <int Dimensions, class Kernel, class... Parts>
void nd_range_reduction<Dimensions, Kernel, Parts...>::run_groups(
    const pianola::model::launch_geometry& geometry, const pianola::model::box& groups,
    const pianola::model::group_resources& resources) const {
  const group_cells cells(pianola::model::volume(geometry.local));
  const pianola::model::extent3 count = geometry.groups();
  const collecting kernel{*this, cells};
  pianola::model::box one;
  for (std::size_t i = groups.lo[0]; i < groups.hi[0]; ++i)
    for (std::size_t j = groups.lo[1]; j < groups.hi[1]; ++j)
      for (std::size_t k = groups.lo[2]; k < groups.hi[2]; ++k) {
        one.lo = {{i, j, k}};
        one.hi = {{i + 1, j + 1, k + 1}};
        pianola::glue::run_groups<Dimensions>(kernel, geometry, one, resources);
        finish_all(cells, (i * count[1] + j) * count[2] + k, std::index_sequence_for<Parts...>());
      }
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
#endif
