// SPDX-License-Identifier: Apache-2.0
// Who the calling work-item is, for functions that are not told (sycl_khr_work_item_queries and
// sycl_ext_oneapi_free_function_queries). Only in kernels over an nd_range of the same dimensions.
//
// In library-only mode, kernels that use these run every work-item on a fiber, which is slow, and the first work-item of a
// group must make a query if any other does: otherwise the kernel fails with exception (errc::kernel). In compiled
// mode the offset of the deprecated nd_range constructor is left out.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/sub_group.hpp>
#if defined(__PIANOLACC__)
#include <sycl/glue/intrinsics.hpp>
#else
#include <sycl/glue/launched_group.hpp>
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace khr {

template <int Dimensions>
inline sycl::nd_item<Dimensions> this_nd_item() {
#if defined(__PIANOLACC__)
  const auto local_x = __pianola_local_size_x();
  const range<3> local(__pianola_local_size_z(), __pianola_local_size_y(), local_x);
  const range<3> groups(__pianola_group_count_z(), __pianola_group_count_y(),
                        __pianola_group_count_x());
  const id<3> group(__pianola_group_id_z(), __pianola_group_id_y(), __pianola_group_id_x());
  const id<3> at(__pianola_local_id_z(), __pianola_local_id_y(), __pianola_local_id_x());
  if constexpr (Dimensions == 1)
    return sycl::detail::index_factory::make_nd_item<1>(
        range<1>(groups[2] * local[2]), range<1>(local[2]), id<1>(group[2]), id<1>(at[2]));
  else if constexpr (Dimensions == 2)
    return sycl::detail::index_factory::make_nd_item<2>(
        range<2>(groups[1] * local[1], groups[2] * local[2]), range<2>(local[1], local[2]),
        id<2>(group[1], group[2]), id<2>(at[1], at[2]));
  else
    return sycl::detail::index_factory::make_nd_item<3>(groups * local, local, group, at);
#else
  return pianola::glue::current_nd_item<Dimensions>();
#endif
}

template <int Dimensions>
inline sycl::group<Dimensions> this_group() {
  return this_nd_item<Dimensions>().get_group();
}

inline sycl::sub_group this_sub_group() {
#if defined(__PIANOLACC__)
  const std::uint32_t nx = __pianola_local_size_x(), ny = __pianola_local_size_y();
  const std::uint32_t item =
      (__pianola_local_id_z() * ny + __pianola_local_id_y()) * nx + __pianola_local_id_x();
  return sycl::detail::index_factory::make_sub_group(item, nx * ny * __pianola_local_size_z());
#else
  if (pianola::glue::current_group<3>() != nullptr) return this_nd_item<3>().get_sub_group();
  if (pianola::glue::current_group<2>() != nullptr) return this_nd_item<2>().get_sub_group();
  return this_nd_item<1>().get_sub_group();
#endif
}

}  // namespace khr

namespace ext {
namespace oneapi {
namespace this_work_item {

template <int Dimensions>
inline nd_item<Dimensions> get_nd_item() {
  return khr::this_nd_item<Dimensions>();
}
template <int Dimensions>
inline group<Dimensions> get_work_group() {
  return khr::this_group<Dimensions>();
}
inline sycl::sub_group get_sub_group() { return khr::this_sub_group(); }

}  // namespace this_work_item

/// The names that the functions had before.
namespace experimental {

template <int Dimensions>
inline sycl::nd_item<Dimensions> this_nd_item() {
  return khr::this_nd_item<Dimensions>();
}
template <int Dimensions>
inline sycl::group<Dimensions> this_group() {
  return khr::this_group<Dimensions>();
}
inline sycl::sub_group this_sub_group() { return khr::this_sub_group(); }

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
