// SPDX-License-Identifier: Apache-2.0
// What kernels touch, against every work-item, every round of every loop and every byte.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <pianola/model/kernel.hpp>
#include <pianola/planner/footprints.hpp>
#include <pianola/planner/operations.hpp>
#include <set>
#include <tuple>
#include <vector>

namespace pianola::planner {
namespace {

using model::affine_access;
using model::box;
using element = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

template <class F>
void for_each_point(const box& b, F&& f) {
  for (std::uint64_t z = b.lo[0]; z < b.hi[0]; ++z)
    for (std::uint64_t y = b.lo[1]; y < b.hi[1]; ++y)
      for (std::uint64_t x = b.lo[2]; x < b.hi[2]; ++x) f(model::point3{{z, y, x}});
}

// By the definition of affine_access, a work-item at a time. Calls f(byte).
template <class F>
void for_each_byte(const affine_access& a, const model::extent3& group, const box& ids, F&& f) {
  for_each_point(intersection(a.ids, ids), [&](const model::point3& id) {
    std::int64_t at = a.start;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::uint64_t local = id[d] % group[d];
      if (local < a.locals.lo[d] || local >= a.locals.hi[d]) return;
      at += a.stride[d] * static_cast<std::int64_t>(id[d]) +
            a.group_stride[d] * static_cast<std::int64_t>(id[d] / group[d]);
    }
    const std::function<void(int, std::int64_t)> rounds = [&](int loop, std::int64_t from) {
      if (loop == affine_access::max_loops) {
        for (std::uint64_t i = 0; i < a.length; ++i) f(from + static_cast<std::int64_t>(i));
        return;
      }
      for (std::uint64_t k = 0; k < a.loops[loop].count; ++k)
        rounds(loop + 1, from + a.loops[loop].stride * static_cast<std::int64_t>(k));
    };
    rounds(0, at);
  });
}

struct oracle {
  std::set<element> read, written, overwritten;
};

oracle ask_every_byte(const model::footprint& f, const box& ids, const model::buffer_info& buffer) {
  const std::int64_t size = static_cast<std::int64_t>(buffer.element_size);
  const auto bytes = static_cast<std::int64_t>(buffer.bytes());
  std::vector<bool> read(static_cast<std::size_t>(bytes)), written(read);
  for (const affine_access& a : f.accesses)
    for_each_byte(a, f.group, ids, [&](std::int64_t byte) {
      if (byte < 0 || byte >= bytes) return;
      if (a.read) read[static_cast<std::size_t>(byte)] = true;
      if (a.written) written[static_cast<std::size_t>(byte)] = true;
    });
  oracle o;
  const model::extent3 range = buffer.grid.range();
  for_each_point(box::of(range), [&](const model::point3& p) {
    const std::uint64_t at = ((p[0] * range[1] + p[1]) * range[2] + p[2]) * buffer.element_size;
    bool reads = false, writes = false, all = true;
    for (std::int64_t i = 0; i < size; ++i) {
      const auto byte = static_cast<std::size_t>(at + static_cast<std::uint64_t>(i));
      reads = reads || read[byte];
      writes = writes || written[byte];
      all = all && written[byte];
    }
    const element e(p[0], p[1], p[2]);
    if (reads) o.read.insert(e);
    if (writes) o.written.insert(e);
    if (all && f.writes_all) o.overwritten.insert(e);
  });
  return o;
}

std::set<element> elements_in(const std::vector<box>& boxes) {
  std::set<element> all;
  for (const box& b : boxes)
    for_each_point(b, [&](const model::point3& p) {
      RC_ASSERT(all.emplace(p[0], p[1], p[2]).second);  // disjoint
    });
  return all;
}

bool holds(const std::set<element>& all, const std::set<element>& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

std::uint64_t small(std::uint64_t low, std::uint64_t high) {
  return *rc::gen::inRange<std::uint64_t>(low, high + 1);
}
std::int64_t any_of(std::initializer_list<std::int64_t> all) {
  return *rc::gen::elementOf(std::vector<std::int64_t>(all));
}

struct random_case {
  model::buffer_info buffer;
  std::vector<affine_access> accesses;
  model::footprint footprint;
  model::extent3 global;
};

// What kernels do: strides are rows, planes and elements, loops and groups are small.
random_case any_case() {
  random_case c;
  const std::uint64_t dimensions = small(1, 3);
  c.buffer.dimensions = static_cast<std::uint8_t>(dimensions);
  c.buffer.element_size = static_cast<std::uint32_t>(any_of({1, 2, 3, 4}));
  const std::uint64_t most[] = {0, 24, 8, 5};
  model::extent3 range{{1, 1, 1}};
  for (std::size_t d = 3 - dimensions; d < 3; ++d) range[d] = small(1, most[dimensions]);
  c.buffer.grid = model::page_grid(range);
  const auto e = static_cast<std::int64_t>(c.buffer.element_size);
  const auto row = static_cast<std::int64_t>(range[2]) * e;
  const auto plane = static_cast<std::int64_t>(range[1]) * row;
  const bool grouped = small(0, 2) == 0;
  if (grouped)
    for (std::size_t d = 0; d < 3; ++d) c.footprint.group[d] = small(1, 3);
  c.global = {{1, 1, 1}};
  for (std::size_t d = 3 - small(1, 3); d < 3; ++d) c.global[d] = small(1, 5);
  for (std::size_t d = 0; d < 3; ++d) c.global[d] *= c.footprint.group[d];
  const auto stride = [&] {
    switch (small(0, 7)) {
      case 0:
        return std::int64_t{0};
      case 1:
        return any_of({-2, 2, 3}) * e;
      case 2:
        return any_of({-1, 2}) * row;
      case 3:
        return plane;
      case 4:
        return row + e;
      case 5:
        return row;
      case 6:
        return any_of({1, 2, 5});  // of other elements
      default:
        return e;
    }
  };
  const std::uint64_t count = small(1, 4);
  const std::uint64_t sizes[] = {1,
                                 2,
                                 static_cast<std::uint64_t>(e),
                                 static_cast<std::uint64_t>(e),
                                 static_cast<std::uint64_t>(3 * e),
                                 static_cast<std::uint64_t>(row)};
  for (std::uint64_t i = 0; i < count; ++i) {
    affine_access a;
    if (i > 0 && small(0, 1) == 0) {
      a = c.accesses.back();  // a neighbour of the one before
      a.start += any_of({-1, 1}) * static_cast<std::int64_t>(a.length);
    } else {
      a.start = any_of({-2, -1, 0, 0, 0, 1, 2, 3}) * e + any_of({0, 0, 1}) * row;
      for (std::size_t d = 0; d < 3; ++d) a.stride[d] = c.global[d] > 1 ? stride() : 0;
      a.length = sizes[small(0, 5)];
      for (auto& l : a.loops)
        if (small(0, 3) == 0) l = {stride(), small(0, 5)};
      a.ids = box::of(c.global);
      for (std::size_t d = 0; d < 3; ++d) {
        if (small(0, 3) == 0) a.ids.lo[d] = small(0, c.global[d]);
        if (small(0, 3) == 0) a.ids.hi[d] = small(0, c.global[d]);
        if (!grouped) continue;
        if (small(0, 2) == 0) {
          a.group_stride[d] = stride();
          if (small(0, 1) == 0)
            a.group_stride[d] -= a.stride[d] * static_cast<std::int64_t>(c.footprint.group[d]);
        }
        if (small(0, 3) == 0) a.locals.lo[d] = small(0, c.footprint.group[d] - 1);
        if (small(0, 3) == 0) a.locals.hi[d] = small(0, c.footprint.group[d]);
      }
    }
    const std::uint64_t what = small(0, 2);
    a.read = what != 0;
    a.written = what != 1;
    c.accesses.push_back(a);
  }
  c.footprint.writes_all = small(0, 3) != 0;
  c.footprint.accesses = c.accesses;
  return c;
}

RC_GTEST_PROP(Footprints, elements_touched_are_those_of_which_a_byte_is, ()) {
  const random_case c = any_case();
  box ids = box::of(c.global);
  if (small(0, 1) == 0)
    for (std::size_t d = 0; d < 3; ++d) {
      ids.lo[d] = small(0, c.global[d] - 1);
      ids.hi[d] = small(ids.lo[d], c.global[d]);
    }
  const touched_elements t = elements_touched(c.footprint, ids, c.buffer);
  const oracle o = ask_every_byte(c.footprint, ids, c.buffer);
  const std::set<element> read = elements_in(t.read), written = elements_in(t.written);
  const std::set<element> overwritten = elements_in(t.overwritten);
  RC_ASSERT(holds(read, o.read));
  RC_ASSERT(holds(written, o.written));
  RC_ASSERT(holds(o.overwritten, overwritten));
  RC_TAG(t.exact);
  if (!t.exact) return;
  RC_ASSERT(read == o.read);
  RC_ASSERT(written == o.written);
  // Elements that several accesses write a part of each are left out.
  if (c.buffer.element_size == 1) RC_ASSERT(overwritten == o.overwritten);
}

// What is needed holds what is touched, brings what is read, and forgets nothing that stays.
RC_GTEST_PROP(Footprints, needed_are_all_elements_that_are_touched, ()) {
  random_case c = any_case();
  model::extent3 range = c.buffer.grid.range(), page;
  range[range[0] > 1 ? 0 : range[1] > 1 ? 1 : 2] *= small(1, 8);
  for (std::size_t d = 0; d < 3; ++d) page[d] = small(0, 1) == 0 ? 1 : small(1, range[d]);
  c.buffer.grid = model::page_grid(range, page);
  // Some of them are far from the others.
  for (affine_access& a : c.accesses)
    if (small(0, 1) == 0)
      a.start += static_cast<std::int64_t>(small(0, volume(range)) * c.buffer.element_size);
  model::requirement whole;
  whole.mode = *rc::gen::element(model::access_mode::read, model::access_mode::write,
                                 model::access_mode::read_write);
  whole.no_init = whole.mode == model::access_mode::write && small(0, 3) == 0;
  for (affine_access& a : c.accesses) {
    if (whole.mode == model::access_mode::read) a.written = false;
    if (whole.no_init) a.read = false;
  }
  whole.elements = box::of(range);
  if (small(0, 2) == 0)
    for (std::size_t d = 0; d < 3; ++d) {
      whole.elements.lo[d] = small(0, range[d] - 1);
      whole.elements.hi[d] = small(whole.elements.lo[d] + 1, range[d]);
    }
  const box ids = box::of(c.global);
  std::vector<model::requirement> needed{whole}, further;
  narrow_requirement(elements_touched(c.footprint, ids, c.buffer), c.buffer.grid, needed[0],
                     further);
  needed.insert(needed.end(), further.begin(), further.end());
  RC_TAG(needed.size());
  for (std::size_t i = 0; i < needed.size(); ++i) {
    RC_ASSERT(contains(whole.elements, needed[i].elements));
    for (std::size_t k = 0; k < i; ++k)
      RC_ASSERT(!overlap(c.buffer.grid.pages_of(needed[i].elements),
                         c.buffer.grid.pages_of(needed[k].elements)));
  }
  const oracle o = ask_every_byte(c.footprint, ids, c.buffer);
  for_each_point(whole.elements, [&](const model::point3& p) {
    const element e(p[0], p[1], p[2]);
    const model::requirement* of = nullptr;
    for (const model::requirement& r : needed)
      if (contains(r.elements, box{p, {{p[0] + 1, p[1] + 1, p[2] + 1}}})) of = &r;
    if (o.read.count(e) != 0) RC_ASSERT(of != nullptr && of->needs_data());
    if (o.written.count(e) != 0) RC_ASSERT(of != nullptr && writes(of->mode));
    // What is not asked for is overwritten, or was of no use before.
    if (of != nullptr && of->no_init && !whole.no_init) RC_ASSERT(o.overwritten.count(e) != 0);
  });
}

RC_GTEST_PROP(Footprints, of_parts_are_those_of_the_whole, ()) {
  const random_case c = any_case();
  const auto whole = elements_in(elements_touched(c.footprint, box::of(c.global), c.buffer).read);
  std::set<element> together;
  const std::size_t d = small(0, 2);
  for (std::uint64_t at = 0; at < c.global[d]; at += c.footprint.group[d]) {
    box part = box::of(c.global);
    part.lo[d] = at;
    part.hi[d] = at + c.footprint.group[d];
    const auto read = elements_in(elements_touched(c.footprint, part, c.buffer).read);
    together.insert(read.begin(), read.end());
  }
  RC_ASSERT(holds(whole, ask_every_byte(c.footprint, box::of(c.global), c.buffer).read));
  RC_ASSERT(holds(together, ask_every_byte(c.footprint, box::of(c.global), c.buffer).read));
}

// ---- facts ---------------------------------------------------------------------------------------

// The function object: a pointer, four numbers of 64 bits, two of 32.
struct random_object {
  std::uint64_t pointer = 0;
  std::int64_t wide[4];
  std::int32_t narrow[2];
};

model::index_factor factor(model::index_factor::kind what, std::uint32_t where = 0) {
  return {what, where};
}

struct random_facts {
  random_object object{};
  model::launch_geometry geometry;
  std::vector<std::vector<model::index_term>> sums;
  std::vector<model::counted_loop> loops[4];
  std::vector<model::access_condition> conditions[4];
  std::vector<model::counted_access> accesses;
  model::argument_use use;
  model::kernel_facts facts;
};

model::index_factor a_number() {
  using kind = model::index_factor::kind;
  switch (small(0, 5)) {
    case 0:
      return factor(kind::global, static_cast<std::uint32_t>(small(0, 2)));
    case 1:
      return factor(kind::signed32, 40 + 4 * static_cast<std::uint32_t>(small(0, 1)));
    case 2:
      return factor(kind::local_size, static_cast<std::uint32_t>(small(0, 2)));
    case 3:
      return factor(kind::groups, static_cast<std::uint32_t>(small(0, 2)));
    default:
      return factor(kind::unsigned64, 8 + 8 * static_cast<std::uint32_t>(small(0, 3)));
  }
}

model::index_sum a_sum(random_facts& f, bool with_ids, std::uint64_t most) {
  using kind = model::index_factor::kind;
  std::vector<model::index_term> terms;
  for (std::uint64_t n = small(0, most); n > 0; --n) {
    model::index_term t;
    t.coefficient = any_of({-2, -1, 1, 1, 1, 2, 4});
    std::size_t at = 0;
    const auto d = static_cast<std::uint32_t>(small(0, 2));
    if (with_ids && small(0, 2) != 0) {
      if (small(0, 3) == 0 && f.geometry.grouped) {
        // The id within the group, perhaps.
        terms.push_back({-t.coefficient, {factor(kind::group, d), factor(kind::local_size, d)}});
        if (small(0, 1) == 0) continue;
      }
      t.factors[at++] = factor(kind::id, d);
    }
    if (small(0, 2) == 0) t.factors[at++] = a_number();
    terms.push_back(t);
  }
  f.sums.push_back(terms);
  return f.sums.back();
}

void make_facts(random_facts& f) {
  f.sums.reserve(200);
  f.geometry.grouped = small(0, 1) == 0;
  for (std::size_t d = 0; d < 3; ++d) {
    f.geometry.local[d] = f.geometry.grouped ? small(1, 3) : 1;
    f.geometry.global[d] = f.geometry.local[d] * small(1, 4);
    f.geometry.offset[d] = small(0, 2);
  }
  for (auto& n : f.object.wide) n = static_cast<std::int64_t>(small(0, 5));
  for (auto& n : f.object.narrow) n = static_cast<std::int32_t>(small(0, 5)) - 1;
  const std::uint64_t count = small(1, 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    model::counted_access a;
    a.read = small(0, 1) == 0;
    a.written = !a.read || small(0, 1) == 0;
    a.certain = small(0, 3) != 0;
    a.narrow = small(0, 3) == 0;
    if (a.read) a.reduction = static_cast<model::reduction_operation>(small(0, 13));
    a.length = static_cast<std::uint32_t>(small(1, 4));
    a.start = a_sum(f, true, 4);
    for (std::uint64_t n = small(0, 2); n > 0; --n) {
      model::counted_loop l;
      l.stride = a_sum(f, false, 1);
      l.count = a_sum(f, small(0, 3) == 0, 2);
      l.divisor = small(1, 3);
      if (small(0, 1) == 0) l.least = static_cast<std::int64_t>(small(0, 2)) - 1;
      l.plus = any_of({-1, 0, 0, 1});
      l.extra = static_cast<std::uint32_t>(small(0, 1));
      l.is_unsigned = small(0, 3) == 0;
      f.loops[i].push_back(l);
    }
    for (std::uint64_t n = small(0, 3); n > 0; --n) {
      model::access_condition c;
      c.what = static_cast<model::access_condition::kind>(small(0, 4));
      c.a = a_sum(f, true, 2);
      c.b = a_sum(f, small(0, 2) == 0, 2);
      f.conditions[i].push_back(c);
    }
    a.loops = f.loops[i];
    a.conditions = f.conditions[i];
    f.accesses.push_back(a);
  }
  f.use.listed = true;
  f.use.accesses = f.accesses;
  f.facts.uses = {&f.use, 1};
  f.facts.only_uses = true;
}

// As machines do: modulo 2^64.
std::uint64_t evaluate(const model::index_sum& sum, const random_facts& f,
                       const model::point3& id) {
  using kind = model::index_factor::kind;
  std::uint64_t value = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&f.object);
  for (const model::index_term& t : sum) {
    auto product = static_cast<std::uint64_t>(t.coefficient);
    for (const model::index_factor& x : t.factors) {
      std::uint64_t n = 1;
      std::int32_t s = 0;
      switch (x.what) {
        case kind::one:
          break;
        case kind::unsigned64:
          std::memcpy(&n, bytes + x.where, 8);
          break;
        case kind::signed32:
          std::memcpy(&s, bytes + x.where, 4);
          n = static_cast<std::uint64_t>(std::int64_t{s});
          break;
        case kind::unsigned32:
          std::memcpy(&s, bytes + x.where, 4);
          n = static_cast<std::uint32_t>(s);
          break;
        case kind::id:
          n = id[x.where];
          break;
        case kind::global:
          n = f.geometry.global[x.where];
          break;
        case kind::offset:
          n = f.geometry.offset[x.where];
          break;
        case kind::group:
          n = id[x.where] / f.geometry.local[x.where];
          break;
        case kind::local_size:
          n = f.geometry.local[x.where];
          break;
        case kind::groups:
          n = f.geometry.global[x.where] / f.geometry.local[x.where];
          break;
      }
      product *= n;
    }
    value += product;
  }
  return value;
}

bool is_met(const model::access_condition& c, const random_facts& f, const model::point3& id) {
  const std::uint64_t a = evaluate(c.a, f, id), b = evaluate(c.b, f, id);
  switch (c.what) {
    case model::access_condition::kind::at_least:
      return static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b);
    case model::access_condition::kind::greater:
      return static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b);
    case model::access_condition::kind::below:
      return a < b;
    case model::access_condition::kind::not_below:
      return a >= b;
    case model::access_condition::kind::different:
      return a != b;
  }
  return false;
}

// Calls f(byte) for what the work-item touches through the pointer.
template <class F>
void touch(const model::counted_access& a, const random_facts& facts, const model::point3& id,
           F&& f) {
  for (const model::access_condition& c : a.conditions)
    if (!is_met(c, facts, id)) return;
  const std::function<void(std::size_t, std::int64_t)> rounds = [&](std::size_t n,
                                                                    std::int64_t at) {
    if (n == a.loops.size()) {
      for (std::uint32_t i = 0; i < a.length; ++i) f(at + std::int64_t{i});
      return;
    }
    const model::counted_loop& l = a.loops[n];
    const auto sum = static_cast<std::int64_t>(evaluate(l.count, facts, id));
    const std::int64_t whole = std::max(sum, l.least) + l.plus;
    const auto divisor = static_cast<std::int64_t>(l.divisor);
    std::int64_t count = whole / divisor;
    if (whole % divisor < 0) --count;
    // Nothing is known then.
    if (count < 0 || (l.is_unsigned && sum < 0)) return;
    count += l.extra;
    const auto stride = static_cast<std::int64_t>(evaluate(l.stride, facts, id));
    for (std::int64_t k = 0; k < count; ++k) rounds(n + 1, at + k * stride);
  };
  rounds(0, static_cast<std::int64_t>(evaluate(a.start, facts, id)));
}

RC_GTEST_PROP(Footprints, resolved_facts_hold_every_byte_that_a_work_item_touches, ()) {
  random_facts f;
  make_facts(f);
  model::kernel_descriptor descriptor;
  descriptor.facts = &f.facts;
  model::kernel_command command;
  command.kernel = &descriptor;
  command.geometry = f.geometry;
  command.arguments.bytes = &f.object;
  command.arguments.size = sizeof f.object;
  model::argument_slot slot;
  slot.byte_offset = small(0, 1) * 16;
  command.slots = {&slot, 1};
  model::arena storage;
  const auto footprints = resolve_footprints(command, 1, storage);
  RC_TAG(footprints.size());
  if (footprints.empty()) return;
  RC_ASSERT(footprints.size() == 1U);
  const model::footprint& found = footprints[0];
  std::set<std::int64_t> read, written, said_read, said_written;
  const auto shift = static_cast<std::int64_t>(slot.byte_offset);
  bool certain = true;
  for (const model::counted_access& a : f.accesses) {
    certain = certain && (a.certain || !a.written);
    for_each_point(box::of(f.geometry.global), [&](const model::point3& id) {
      touch(a, f, id, [&](std::int64_t byte) {
        if (a.read) read.insert(byte + shift);
        if (a.written) written.insert(byte + shift);
      });
    });
  }
  for (const affine_access& a : found.accesses) {
    RC_ASSERT(std::any_of(f.accesses.begin(), f.accesses.end(), [&](const auto& from) {
      return from.reduction == a.reduction && from.read == a.read && from.length == a.length;
    }));
    RC_ASSERT(contains(box::of(f.geometry.global), a.ids));
    for_each_byte(a, found.group, a.ids, [&](std::int64_t byte) {
      if (a.read) said_read.insert(byte);
      if (a.written) said_written.insert(byte);
    });
  }
  const auto in = [](const std::set<std::int64_t>& all, const std::set<std::int64_t>& part) {
    return std::includes(all.begin(), all.end(), part.begin(), part.end());
  };
  RC_ASSERT(in(said_read, read));
  RC_ASSERT(in(said_written, written));
  if (found.writes_all) RC_ASSERT(said_written == written);
  RC_TAG(found.writes_all);
}

// Those of every work-item, in turn.
RC_GTEST_PROP(Footprints, operations_are_those_that_every_work_item_does, ()) {
  random_facts f;
  make_facts(f);
  std::vector<model::counted_operations> all;
  for (const model::counted_access& a : f.accesses) {
    model::counted_operations o;
    o.simple = static_cast<std::uint32_t>(small(0, 5));
    o.divisions = static_cast<std::uint32_t>(small(0, 2));
    o.functions = static_cast<std::uint32_t>(small(0, 2));
    o.narrow = a.narrow;
    o.loops = a.loops;
    o.conditions = a.conditions;
    all.push_back(o);
  }
  f.facts.operations = all;
  f.facts.operations_known = true;
  model::kernel_descriptor descriptor;
  descriptor.facts = &f.facts;
  model::kernel_command command;
  command.kernel = &descriptor;
  command.geometry = f.geometry;
  command.arguments.bytes = &f.object;
  command.arguments.size = sizeof f.object;
  const auto counted = count_operations(command);
  RC_TAG(counted.has_value());
  if (!counted) return;
  double simple = 0, divisions = 0, functions = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // A byte that is touched in each round.
    model::counted_access once = f.accesses[i];
    once.length = 1;
    double times = 0;
    for_each_point(box::of(f.geometry.global), [&](const model::point3& id) {
      touch(once, f, id, [&](std::int64_t) { ++times; });
    });
    simple += times * all[i].simple;
    divisions += times * all[i].divisions;
    functions += times * all[i].functions;
  }
  RC_ASSERT(counted->simple == simple);
  RC_ASSERT(counted->divisions == divisions);
  RC_ASSERT(counted->functions == functions);
}

}  // namespace
}  // namespace pianola::planner
