// SPDX-License-Identifier: Apache-2.0
// How indices of a buffer object become elements of the storage behind it. A sub-buffer or a
// reinterpreted buffer is a view: a range of bytes of that storage with a shape of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <pianola/model/geometry.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <int Dimensions>
constexpr pianola::model::extent3 to_extent3(const range<Dimensions>& r) {
  pianola::model::extent3 e{{1, 1, 1}};
  for (int d = 0; d < Dimensions; ++d) e[static_cast<std::size_t>(3 - Dimensions + d)] = r.get(d);
  return e;
}

template <int Dimensions>
constexpr pianola::model::box to_box(const id<Dimensions>& offset, const range<Dimensions>& r) {
  pianola::model::box b{{}, {{1, 1, 1}}};
  for (int d = 0; d < Dimensions; ++d) {
    const auto at = static_cast<std::size_t>(3 - Dimensions + d);
    b.lo[at] = offset.get(d);
    b.hi[at] = offset.get(d) + r.get(d);
  }
  return b;
}

template <class Vector>
std::string to_text(const Vector& v) {
  std::string text = "{";
  for (int d = 0; d < Vector::dimensions; ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(v.get(d));
  return text + "}";
}

/// Not inlined: every accessor's check stays short.
template <int Dimensions>
[[noreturn, gnu::noinline, gnu::cold]] void refuse_outside(const char* who, int dimension,
                                                           const id<Dimensions>& offset,
                                                           const range<Dimensions>& extent,
                                                           const range<Dimensions>& whole) {
  throw_error(errc::invalid, std::string(who) + ": out of the buffer's range in dimension " +
                                 std::to_string(dimension) + ": offset " + to_text(offset) +
                                 ", range " + to_text(extent) + ", buffer range " + to_text(whole));
}

/// Throws exception (errc::invalid) if offset + extent leaves `whole`.
template <int Dimensions>
void check_inside(const char* who, const id<Dimensions>& offset, const range<Dimensions>& extent,
                  const range<Dimensions>& whole) {
  for (int d = 0; d < Dimensions; ++d)
    if (offset.get(d) > whole.get(d) || extent.get(d) > whole.get(d) - offset.get(d))
      refuse_outside(who, d, offset, extent, whole);
}

struct buffer_view {
  std::uint64_t byte_offset = 0;
  // Same element size, and positions differ by a constant: boxes are translated, not covered.
  bool direct = true;
  // Names this view for placeholders; 0: the whole buffer as it was constructed.
  std::uint32_t index = 0;
};

struct storage_shape {
  pianola::model::extent3 range;
  std::uint32_t element_size = 1;
};

/// As storage_box, of a view that is not the whole storage, and elements that are some.
constexpr pianola::model::box storage_box_of_part(const storage_shape& storage,
                                                  const buffer_view& view,
                                                  const pianola::model::extent3& view_range,
                                                  std::uint64_t view_element_size,
                                                  const pianola::model::box& elements) {
  using pianola::model::box, pianola::model::point3;
  if (view.direct) {
    const std::uint64_t first = view.byte_offset / storage.element_size;
    const std::uint64_t row = storage.range[2], plane = storage.range[1] * row;
    const point3 origin{{first / plane, first % plane / row, first % row}};
    box moved = elements;
    for (int d = 0; d < 3; ++d) {
      moved.lo.c[d] += origin.c[d];
      moved.hi.c[d] += origin.c[d];
    }
    return moved;
  }
  const auto linear = [&](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    return (i * view_range[1] + j) * view_range[2] + k;
  };
  const std::uint64_t first_byte =
      view.byte_offset + linear(elements.lo[0], elements.lo[1], elements.lo[2]) * view_element_size;
  const std::uint64_t end_byte =
      view.byte_offset +
      (linear(elements.hi[0] - 1, elements.hi[1] - 1, elements.hi[2] - 1) + 1) * view_element_size;
  return pianola::model::covering_box(storage.range, first_byte / storage.element_size,
                                      (end_byte + storage.element_size - 1) / storage.element_size);
}

/// The elements of the storage that a box of the view touches: exactly them for a direct view,
/// else the smallest box around them.
constexpr pianola::model::box storage_box(const storage_shape& storage, const buffer_view& view,
                                          const pianola::model::extent3& view_range,
                                          std::uint64_t view_element_size,
                                          const pianola::model::box& elements) {
  if (elements.empty()) return {};
  if (view.direct && view.byte_offset == 0) return elements;
  return storage_box_of_part(storage, view, view_range, view_element_size, elements);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
