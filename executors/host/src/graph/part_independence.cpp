// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/part_independence.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include <pianola/model/kernel_facts.hpp>
#include <pianola/planner/index_values.hpp>

namespace pianola::host {

namespace {

using planner::magnitude;
using planner::wide;

// Work-item id touches [start + sum of stride * id, plus length), with id from 0 to extent - 1.
struct footprint {
  wide start = 0;
  wide stride[3] = {0, 0, 0};
  wide length = 0;
};

std::optional<footprint> footprint_of(const model::argument_use& use,
                                      const executors::resolved_kernel& k) {
  if (use.unknown || !use.element_wise) return std::nullopt;
  std::uintptr_t pointer = 0;
  if (std::size_t{use.offset} + sizeof pointer > k.arguments.size) return std::nullopt;
  std::memcpy(&pointer, static_cast<const unsigned char*>(k.arguments.bytes) + use.offset,
              sizeof pointer);
  const auto position =
      planner::value_of(use.terms, {k.arguments.bytes, k.arguments.size, k.geometry});
  if (!position) return std::nullopt;
  const wide largest = position->largest + use.element_bytes;
  if (use.narrow && (position->is_negative_somewhere || largest >= planner::narrow_limit))
    return std::nullopt;
  if (largest >= planner::address_limit) return std::nullopt;
  if (std::any_of(position->per_group, position->per_group + 3, [](wide n) { return n != 0; }))
    return std::nullopt;
  footprint f;
  f.start = wide{pointer} + position->constant;
  f.length = use.element_bytes;
  std::copy(position->per_id, position->per_id + 3, f.stride);
  return f;
}

struct interval {
  wide low, high;
};

// The ids of the launch's work-items; of none where a range has none.
model::box ids_of(const executors::resolved_kernel& k) {
  return k.geometry.ids_of(k.geometry.launched());
}

interval reach(const footprint& f, const model::box& ids) {
  interval i{f.start, f.start + f.length};
  for (std::size_t d = 0; d < 3; ++d) {
    const wide first = f.stride[d] * wide{ids.lo[d]};
    const wide last = f.stride[d] * (wide{ids.hi[d]} - 1);
    i.low += std::min(first, last);
    i.high += std::max(first, last);
  }
  return i;
}

// Whether intervals of this length at different ids have nothing in common.
bool apart(const footprint& f, wide length, const model::extent3& global) {
  std::size_t order[3] = {0, 1, 2};
  std::sort(order, order + 3, [&](std::size_t a, std::size_t b) {
    return magnitude(f.stride[a]) < magnitude(f.stride[b]);
  });
  wide covered = length;
  for (const std::size_t d : order) {
    if (global[d] <= 1) continue;
    if (magnitude(f.stride[d]) < covered) return false;
    covered += magnitude(f.stride[d]) * (wide{global[d]} - 1);
  }
  return true;
}

bool touches(const model::argument_use& use) { return use.unknown || use.read || use.written; }

bool are_independent(const model::argument_use& x, const executors::resolved_kernel& a,
                     const model::argument_use& y, const executors::resolved_kernel& b) {
  if (!touches(x) || !touches(y)) return true;
  if (!x.unknown && !y.unknown && !x.written && !y.written) return true;
  const auto f = footprint_of(x, a), g = footprint_of(y, b);
  if (!f || !g) return false;
  const model::box ids = ids_of(a);
  const interval i = reach(*f, ids), j = reach(*g, ids);
  if (i.high <= j.low || j.high <= i.low) return true;
  if (!std::equal(f->stride, f->stride + 3, g->stride)) return false;
  // Each work-item stays within one interval that holds both of its own.
  const wide low = std::min(f->start, g->start);
  const wide high = std::max(f->start + f->length, g->start + g->length);
  return apart(*f, high - low, ids.extent());
}

bool same_space(const model::launch_geometry& a, const model::launch_geometry& b) {
  return a.global == b.global && a.grouped == b.grouped && (!a.grouped || a.local == b.local) &&
         a.launched() == b.launched();
}

}  // namespace

bool parts_are_independent(const executors::resolved_kernel& a,
                           const executors::resolved_kernel& b) noexcept {
  const model::kernel_facts* x = a.kernel->facts;
  const model::kernel_facts* y = b.kernel->facts;
  if (x == nullptr || y == nullptr || !x->only_uses || !y->only_uses) return false;
  if (!same_space(a.geometry, b.geometry) || a.geometry.launched().empty()) return false;
  return std::all_of(x->uses.begin(), x->uses.end(), [&](const model::argument_use& u) {
    return std::all_of(y->uses.begin(), y->uses.end(),
                       [&](const model::argument_use& v) { return are_independent(u, a, v, b); });
  });
}

void append_touched_bytes(const executors::resolved_kernel& kernel, std::vector<byte_range>& out) {
  if (kernel.kernel->facts == nullptr) return;
  for (const model::argument_use& use : kernel.kernel->facts->uses) {
    if (!touches(use)) continue;
    const auto f = footprint_of(use, kernel);
    if (!f) continue;
    const interval i = reach(*f, ids_of(kernel));
    if (i.low >= 0 && i.high <= wide{UINT64_MAX})
      out.push_back({static_cast<std::uint64_t>(i.low), static_cast<std::uint64_t>(i.high)});
  }
}

}  // namespace pianola::host
