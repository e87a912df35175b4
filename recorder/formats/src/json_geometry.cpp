// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/json_geometry.hpp"

#include <string>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

namespace pianola::formats {

model::point3 read_point(json_reader& json, std::uint64_t maximum) {
  model::point3 p;
  std::uint64_t count = 0;
  json.array([&](std::uint64_t i) {
    const std::uint64_t value = json.whole_number(maximum);
    if (i < 3) p.c[i] = value;
    if (i == 3) json.fail("a point has three coordinates, this one has more");
    ++count;
  });
  if (count != 3) json.fail(fmt::format("a point has three coordinates, this one has {}", count));
  return p;
}

namespace {

model::box read_any_box(json_reader& json) {
  static constexpr member members[] = {{"lo"}, {"hi"}};
  model::box b;
  json.object(members, [&](std::size_t i) { (i == 0 ? b.lo : b.hi) = read_point(json); });
  return b;
}

void require_elements(json_reader& json, const model::box& b) {
  if (b.empty()) json.fail(fmt::format("the box {} is empty", box_text(b, 3)));
}

}  // namespace

model::box read_box(json_reader& json) {
  const model::box b = read_any_box(json);
  require_elements(json, b);
  return b;
}

model::box read_needed(json_reader& json) {
  const model::box b = read_any_box(json);
  if (b != model::box()) require_elements(json, b);
  return b;
}

namespace {

model::box require_within(json_reader& json, const model::box& b, const model::box& within,
                          const char* what, std::uint64_t id) {
  if (!contains(within, b))
    json.fail(fmt::format("the box {} is not within {} {}, {}", box_text(b, 3), what, id,
                          box_text(within, 3)));
  return b;
}

}  // namespace

model::box read_box(json_reader& json, const model::box& within, const char* what,
                    std::uint64_t id) {
  return require_within(json, read_box(json), within, what, id);
}

model::box read_needed(json_reader& json, const model::box& within, const char* what,
                       std::uint64_t id) {
  return require_within(json, read_needed(json), within, what, id);
}

bool volume_fits(const model::extent3& e, std::uint64_t factor) noexcept {
  std::uint64_t product = factor == 0 ? 1 : factor;
  for (const std::uint64_t c : e.c) {
    const std::uint64_t f = c == 0 ? 1 : c;
    if (product > maximum_extent / f) return false;
    product *= f;
  }
  return true;
}

}  // namespace pianola::formats
