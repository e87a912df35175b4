// SPDX-License-Identifier: Apache-2.0
// Filling in the model's commands from pointers and ranges. Nothing here is a template of the user's
// types, so that it is compiled once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <pianola/model/command.hpp>
#include <pianola/model/kernel.hpp>

#include <sycl/detail/buffer/view.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/kernel/nd_range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

[[noreturn]] inline void refuse_second_command() {
  throw_error(errc::invalid,
              "handler: this command group already has a command; submit one group per command");
}

inline pianola::model::memory_operand to_operand(void* pointer, const char* what) {
  if (pointer == nullptr) throw_error(errc::invalid, std::string(what) + " is a null pointer");
  // The runtime finds out what memory it points into.
  pianola::model::memory_operand o;
  o.pointer = pointer;
  return o;
}

inline void set_copy(pianola::model::copy_command& command, void* destination, const void* source,
                     std::size_t bytes) {
  command.source = to_operand(const_cast<void*>(source), "memcpy: the source");
  command.destination = to_operand(destination, "memcpy: the destination");
  command.width = bytes;
}

/// Extent of a local range that is to be chosen here.
inline constexpr std::size_t automatic_extent = ~std::size_t{0};

template <int Dimensions>
range<Dimensions> choose_local(const range<Dimensions>& global) {
  range<Dimensions> local = global;
  std::size_t left = 256;
  for (int d = Dimensions - 1; d >= 0; --d) {
    std::size_t size = global.get(d) < left ? global.get(d) : left;
    while (size > 1 && global.get(d) % size != 0) --size;
    local[d] = size == 0 ? 1 : size;
    left /= local[d];
  }
  return local;
}

template <int Dimensions>
void set_geometry(pianola::model::launch_geometry& geometry, const nd_range<Dimensions>& extent) {
  const range<Dimensions> global = extent.get_global_range();
  range<Dimensions> local = extent.get_local_range().get(0) == automatic_extent
                                ? choose_local(global)
                                : extent.get_local_range();
  // No work-items at all (SYCL 2020, 4.9.4.2.2): programs that compute their group size from a count of zero get zero.
  if (global.size() == 0)
    for (int d = 0; d < Dimensions; ++d)
      if (global.get(d) == 0 && local.get(d) == 0) local[d] = 1;
  for (int d = 0; d < Dimensions; ++d)
    if (local.get(d) == 0 || global.get(d) % local.get(d) != 0)
      throw_error(errc::nd_range, "parallel_for: the local range " + to_text(local) +
                                      " does not divide the global range " + to_text(global) +
                                      " in dimension " + std::to_string(d));
  geometry.grouped = true;
  geometry.global = to_extent3(global);
  geometry.local = to_extent3(local);
  geometry.offset = to_box(extent.get_offset(), range<Dimensions>()).lo;
}
template <int Dimensions>
pianola::model::launch_geometry geometry_of(const nd_range<Dimensions>& extent) {
  pianola::model::launch_geometry geometry;
  geometry.dimensions = Dimensions;
  set_geometry(geometry, extent);
  return geometry;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
