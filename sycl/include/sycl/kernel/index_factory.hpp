// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <int Dimensions, bool WithOffset>
class item;
template <int Dimensions>
class group;
template <int Dimensions>
class nd_item;
template <int Dimensions>
class h_item;
class sub_group;

namespace detail {

/// The only way to construct the index-space objects that a kernel receives: users cannot (their
/// constructors are private), launchers can. Every function merely copies its arguments, so it may
/// be called in an innermost loop: nothing is divided, nothing is checked. Each is defined in the
/// header of the class that it makes.
///
/// Contracts: ids lie inside their ranges; the local range divides the global range; `context` is
/// null or outlives the object (see pianola::glue::group_context).
struct index_factory {
  template <int Dimensions, bool WithOffset>
  static constexpr item<Dimensions, WithOffset> make_item(const range<Dimensions>& extent,
                                                          const id<Dimensions>& index);

  /// `index` includes `offset`, as item::get_id() returns it.
  template <int Dimensions, bool WithOffset>
  static constexpr item<Dimensions, WithOffset> make_item(const range<Dimensions>& extent,
                                                          const id<Dimensions>& index,
                                                          const id<Dimensions>& offset);

  template <int Dimensions>
  static constexpr group<Dimensions> make_group(
      const range<Dimensions>& global, const range<Dimensions>& local,
      const id<Dimensions>& group_id, const id<Dimensions>& local_id = id<Dimensions>(),
      const pianola::glue::group_context* context = nullptr);

  /// `offset` is that of the nd_range: it is added to global ids and to nothing else.
  template <int Dimensions>
  static constexpr nd_item<Dimensions> make_nd_item(
      const range<Dimensions>& global, const range<Dimensions>& local,
      const id<Dimensions>& group_id, const id<Dimensions>& local_id,
      const id<Dimensions>& offset = id<Dimensions>(),
      const pianola::glue::group_context* context = nullptr);

  /// `logical` is the range given to parallel_for_work_item, or the local range where none was
  /// given.
  template <int Dimensions>
  static constexpr h_item<Dimensions> make_h_item(const range<Dimensions>& global,
                                                  const range<Dimensions>& local,
                                                  const id<Dimensions>& group_id,
                                                  const range<Dimensions>& logical,
                                                  const id<Dimensions>& logical_id);

  /// Both arguments count work-items of the work-group, linearised.
  static sub_group make_sub_group(std::size_t local_linear_id, std::size_t local_linear_range,
                                  const pianola::glue::group_context* context = nullptr);

  /// Context of the work-group that a group, nd_item or sub_group belongs to; may be null.
  template <class Group>
  static constexpr const pianola::glue::group_context* context_of(const Group& g) {
    return g.context_;
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
