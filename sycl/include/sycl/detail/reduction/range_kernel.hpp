// SPDX-License-Identifier: Apache-2.0
// The kernel of a reduction over a range. The range, in row-major order, is cut into blocks, each of
// which leaves one row of partial results. How it is cut depends on nothing but the range, and the order
// of operations on nothing but that: the CPU gives the same bits in every run and in both compile modes.
//
// A block is a work-group: on the CPU one loop, on devices shared by the work-items of the group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/parts.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/glue/kernel_arguments.hpp>
#include <sycl/glue/kernel_launcher_range.hpp>
#include <sycl/glue/kernel_requirements.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/nd_item.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
// Not every kernel can be vectorised; that is no news to the user.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

inline constexpr std::size_t reduction_group_size = 128;

#if defined(__PIANOLACC__)
/// A device's work-item keeps a few cells to itself; more of them are shared by the group, in the row.
template <class Part>
struct device_cells {
  using cell = typename Part::cell;
  static constexpr bool is_private = Part::row_bytes <= 128;
  static constexpr std::size_t count = is_private ? Part::cells : 1;
  alignas(cell) unsigned char own[count * sizeof(cell)];
  cell* row;

  PIANOLA_REDUCTION_INLINE device_cells(const Part& part, cell* row_of_group, std::size_t rank,
                                        std::size_t items)
      : row(row_of_group) {
    if constexpr (is_private) {
      for (std::size_t i = 0; i < count; ++i) new (first() + i) cell(part.rules.none());
    } else {
      for (std::size_t i = rank; i < Part::cells; i += items) new (row + i) cell(part.rules.none());
    }
  }
  PIANOLA_REDUCTION_INLINE cell* first() {
    if constexpr (is_private)
      return reinterpret_cast<cell*>(own);
    else
      return row;
  }
  PIANOLA_REDUCTION_INLINE void finish(const Part& part, const group<1>& g) {
    if constexpr (is_private) {
      for (std::size_t i = 0; i < count; ++i) {
        const cell total = reduce_values(g, first()[i], part.rules);
        if (g.leader()) new (row + i) cell(total);
      }
    }
  }
};
template <class Part>
inline constexpr bool groups_can_share =
    device_cells<Part>::is_private || can_share_cell<typename Part::rules_type>;
#endif

template <int Dimensions, class Kernel, class... Parts>
class range_reduction : public pianola::glue::chooses_work_groups {
  static constexpr std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }
  static constexpr std::size_t lanes() {
    std::size_t n = 16;
    ((n = smaller(n, lanes_of<Parts>)), ...);
    return n;
  }
  static constexpr std::size_t Lanes = lanes();

  template <class Part>
  using host_cells = std::conditional_t<Part::is_span, row_cells<Part>,
                                        lane_cells<Part, Part::is_span ? std::size_t{1} : Lanes>>;

 public:
  static constexpr std::size_t most_blocks = 2048;

  /// Blocks of equal cost on every machine; small ones only where there are few work-items.
  static constexpr std::size_t blocks_for(std::size_t count) {
    const std::size_t by_size = count / 64 < 64 ? smaller(count, 64) : count / 64;
    return smaller(by_size, most_blocks);
  }

  range_reduction(const Kernel& kernel, const range<Dimensions>& extent, std::size_t blocks,
                  unsigned char* memory, const pack<Parts...>& parts)
      : kernel_(kernel),
        extent_(extent),
        each_(extent.size() / blocks),
        more_(extent.size() % blocks),
        memory_(memory),
        parts_(parts) {}

  properties_of_kernel_t<Kernel> get(
      ext::oneapi::experimental::properties_tag) const;  // asked for its type only

  /// Runs the items of one block on the calling thread.
  void run_block(std::size_t block) const { run_block(block, std::index_sequence_for<Parts...>()); }

#if defined(__PIANOLACC__)
  /// The group's number is the block's.
  void operator()(const nd_item<1>& it) const {
    constexpr bool shared = (groups_can_share<Parts> && ...);
    if (!__pianola_is_device() || !shared) {
      if (it.get_local_linear_id() == 0) run_block(it.get_group_linear_id());
      return;
    }
    if constexpr (shared) run_on_device(it, std::index_sequence_for<Parts...>());
  }
#endif

 private:
  struct bounds {
    std::size_t first, last;
  };
  bounds bounds_of(std::size_t block) const {
    const std::size_t first = first_of(block);
    return {first, first + each_ + (block < more_ ? 1 : 0)};
  }
  std::size_t first_of(std::size_t block) const {
    return block * each_ + (block < more_ ? block : more_);
  }

  PIANOLA_REDUCTION_INLINE item<Dimensions, false> item_at(std::size_t row, std::size_t k) const {
    if constexpr (Dimensions == 1)
      return index_factory::make_item<1, false>(extent_, id<1>(k));
    else if constexpr (Dimensions == 2)
      return index_factory::make_item<2, false>(extent_, id<2>(row, k));
    else
      return index_factory::make_item<3, false>(
          extent_, id<3>(row / extent_.get(1), row % extent_.get(1), k));
  }

  template <class Cells, std::size_t... At>
  PIANOLA_REDUCTION_INLINE void call(const Kernel& kernel, const item<Dimensions, false>& it,
                                     Cells& cells, std::size_t lane,
                                     std::index_sequence<At...>) const {
    call_with_reducers(kernel, it,
                       reducer_access::make<typename Parts::reducer_type>(
                           at<At>(parts_).rules, at<At>(cells).of(lane), false)...);
  }

  template <class Indices>
  struct all_cells;
  template <std::size_t... At>
  struct all_cells<std::index_sequence<At...>> : indexed<At, host_cells<Parts>>... {
    PIANOLA_REDUCTION_INLINE all_cells(const pack<Parts...>& parts, unsigned char* memory,
                                       std::size_t row)
        : indexed<At, host_cells<Parts>>{
              host_cells<Parts>(at<At>(parts), at<At>(parts).row(memory, row))}... {}
  };

  template <std::size_t... At>
  void run_block(std::size_t block, std::index_sequence<At...> all) const {
    const pianola::glue::loop_kernel<Kernel> kernel = kernel_;
    all_cells<std::index_sequence<At...>> cells(parts_, memory_, block);
    bounds b = bounds_of(block);
    bool use_lanes = Lanes > 1;
#if defined(__PIANOLACC__)
    if (__pianola_is_device()) use_lanes = false;
#endif
    const std::size_t width = extent_.get(Dimensions - 1);
    while (b.first < b.last) {
      const std::size_t row = Dimensions == 1 ? 0 : b.first / width;
      std::size_t k = Dimensions == 1 ? b.first : b.first % width;
      const std::size_t end = Dimensions == 1 ? b.last : smaller(k + (b.last - b.first), width);
      b.first += end - k;
      if (use_lanes) {
        for (; k + Lanes <= end; k += Lanes) {
          PIANOLA_INDEPENDENT_ITEMS
          for (std::size_t lane = 0; lane < Lanes; ++lane)
            call(kernel, item_at(row, k + lane), cells, lane, all);
        }
      }
      for (std::size_t lane = 0; k < end; ++k, ++lane)
        call(kernel, item_at(row, k), cells, use_lanes ? lane : 0, all);
    }
    (at<At>(cells).finish(at<At>(parts_), at<At>(parts_).row(memory_, block)), ...);
  }

#if defined(__PIANOLACC__)
  template <std::size_t... At>
  void run_on_device(const nd_item<1>& it, std::index_sequence<At...>) const {
    const group<1> g = it.get_group();
    run_on_device(
        g, std::index_sequence<At...>(),
        device_cells<Parts>(at<At>(parts_), at<At>(parts_).row(memory_, g.get_group_linear_id()),
                            g.get_local_linear_id(), reduction_group_size)...);
  }
  template <std::size_t... At>
  PIANOLA_REDUCTION_INLINE void run_on_device(const group<1>& g, std::index_sequence<At...>,
                                              device_cells<Parts>... cells) const {
    if constexpr (!(device_cells<Parts>::is_private && ...)) join_group();
    const std::size_t block = g.get_group_linear_id();
    const std::size_t first = first_of(block), most = each_ + 1;
    for (std::size_t n = g.get_local_linear_id(); n < most; n += reduction_group_size) {
      // Only the first blocks have so many. The loop's bound is that of all blocks, which pianolacc follows.
      if (n == each_ && block >= more_) continue;
      const std::size_t i = first + n;
      std::size_t row = 0, k = i;
      if constexpr (Dimensions > 1) {
        row = i / extent_.get(Dimensions - 1);
        k = i % extent_.get(Dimensions - 1);
      }
      call_with_reducers(kernel_, item_at(row, k),
                         reducer_access::make<typename Parts::reducer_type>(
                             at<At>(parts_).rules, cells.first(), !cells.is_private)...);
    }
    (cells.finish(at<At>(parts_), g), ...);
  }
#endif

  Kernel kernel_;
  range<Dimensions> extent_;
  // Items of a block; so many of the first blocks have one more. Divided once, as pianolacc does not follow divisions to
  // what a block touches.
  std::uint64_t each_, more_;
  unsigned char* memory_;
  pack<Parts...> parts_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace pianola::glue {
inline namespace PIANOLA_SYCL_VERSION {

/// Kernels that run a whole work-group themselves on the CPU. Devices call them per work-item.
struct group_loop_shape {
  static constexpr int kind = 2;
  static constexpr int dimensions = 1;
  using index = sycl::nd_item<1>;
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry&, const model::box& part,
                  const model::group_resources&) {
    for (std::size_t k = part.lo[2]; k < part.hi[2]; ++k) kernel.run_block(k);
  }
};

}  // namespace PIANOLA_SYCL_VERSION

}  // namespace pianola::glue

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
