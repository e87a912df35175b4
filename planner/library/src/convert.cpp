// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <fmt/format.h>

#include <pianola/formats/json_geometry.hpp>

#include "guard.hpp"

namespace pianola::planning::detail {

model::point3 to_model(const extent& e, std::uint64_t fill) noexcept {
  model::point3 p{{fill, fill, fill}};
  for (std::size_t i = 0; i < e.size(); ++i) p.c[3 - e.size() + i] = e[i];
  return p;
}

extent from_model(const model::point3& p, unsigned dimensions) noexcept {
  if (dimensions == 1) return {p.c[2]};
  if (dimensions == 2) return {p.c[1], p.c[2]};
  return {p.c[0], p.c[1], p.c[2]};
}

model::box to_model(const box& b) noexcept { return {to_model(b.begin, 0), to_model(b.end, 1)}; }

box from_model(const model::box& b, unsigned dimensions) noexcept {
  return {from_model(b.lo, dimensions), from_model(b.hi, dimensions)};
}

model::buffer_info to_model(const buffer_description& b) {
  const std::string name = fmt::format("buffer '{}': ", b.name);
  if (b.range.empty()) refuse(name + "the range is missing; give one to three numbers of elements");
  if (b.element_size == 0) refuse(name + "an element has at least 1 byte");
  if (!b.page.empty() && b.page.size() != b.range.size())
    refuse(fmt::format("{}a page needs as many dimensions as the range, which has {}", name,
                       b.range.size()));
  model::buffer_info info;
  const model::extent3 range = to_model(b.range, 1);
  if (!formats::volume_fits(range, b.element_size))
    refuse(name + "the buffer would be larger than 2^62 bytes");
  for (std::size_t i = 0; i < b.range.size(); ++i) {
    if (b.range[i] == 0) refuse(name + "a range has at least 1 element in each dimension");
    if (!b.page.empty() && (b.page[i] == 0 || b.page[i] > b.range[i]))
      refuse(name +
             "a page has at least 1 element in each dimension, and at most as many as the range");
  }
  info.grid =
      b.page.empty() ? model::page_grid(range) : model::page_grid(range, to_model(b.page, 1));
  info.element_size = b.element_size;
  info.dimensions = static_cast<std::uint8_t>(b.range.size());
  info.temporary = b.temporary;
  info.evictable = b.evictable;
  return info;
}

buffer_description from_model(const model::buffer_info& b, const char* name) {
  buffer_description d;
  d.name = name;
  d.range = from_model(b.grid.range(), b.dimensions);
  d.element_size = b.element_size;
  if (!b.grid.single_page()) d.page = from_model(b.grid.page(), b.dimensions);
  d.temporary = b.temporary;
  d.evictable = b.evictable;
  return d;
}

}  // namespace pianola::planning::detail
