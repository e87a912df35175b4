// SPDX-License-Identifier: Apache-2.0
// Random kernels whose accesses are known, in parts on several devices, against the same kernels whole, one after the
// other, in one memory.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/split.hpp>
#include <pianola/planner/verify.hpp>

namespace {

using namespace pianola;
using model::box;

std::uint64_t mixed(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
  return h ^ (h >> 29);
}

// Kernels over grids of 4-byte elements. Owns what its commands refer to.
struct random_kernels {
  model::topology machine;
  std::vector<model::buffer_info> buffers;
  std::vector<model::command> commands;
  std::deque<std::vector<model::requirement>> requirements;
  std::deque<std::vector<model::footprint>> footprints;
  std::deque<std::vector<model::affine_access>> accesses;
  std::deque<std::vector<model::device_id>> candidates;

  explicit random_kernels(std::uint64_t seed) : random_(seed) {
    const bool linked = chance(2);
    for (std::uint16_t m = 0; m < 4; ++m) {
      machine.memories.push_back({"memory", 0});
      machine.devices.push_back({"device", "test", model::memory_id(m), 8});
      if (chance(3))
        machine.devices.back().speed.operations = 1e8 * static_cast<double>(1 + any(4));
    }
    for (std::uint16_t a = 0; a < 4; ++a)
      for (std::uint16_t b = 0; b < 4; ++b)
        if (a != b && (linked || a == 0 || b == 0))
          machine.links.push_back({model::memory_id(a), model::memory_id(b), 1e10, 1e-5});
    rows_ = 4 + any(9);
    columns_ = 3 + any(4);
    const std::uint64_t count = 1 + any(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      model::buffer_info info;
      info.element_size = 4;
      info.dimensions = 2;
      const model::extent3 page{
          {1, chance(3) ? 1 + any(rows_) : 0, chance(6) ? 1 + any(columns_) : 0}};
      info.grid = model::page_grid({{1, rows_, columns_}}, page);
      buffers.push_back(info);
    }
    const std::uint64_t kernels = 1 + any(5);
    for (std::uint64_t i = 0; i < kernels; ++i) add_kernel();
  }

 private:
  std::uint64_t any(std::uint64_t below) { return random_() % below; }
  bool chance(std::uint64_t one_in) { return any(one_in) == 0; }

  void add_kernel() {
    model::kernel_command k;
    const bool interior = chance(2);
    k.geometry.dimensions = 2;
    k.geometry.global = interior ? model::extent3{{1, rows_ - 2, columns_ - 2}}
                                 : model::extent3{{1, rows_, columns_}};
    std::vector<model::requirement>& needed = requirements.emplace_back();
    std::vector<model::footprint>& known = footprints.emplace_back();
    for (std::uint32_t b = 0; b < buffers.size(); ++b) {
      if (chance(3)) continue;
      model::requirement r;
      r.buffer = model::buffer_id(b);
      r.elements = box::of(buffers[b].grid.range());
      std::vector<model::affine_access>& list = accesses.emplace_back();
      const bool in_place = chance(3);
      const bool writes = in_place || chance(2);
      model::footprint f;
      f.requirement = static_cast<std::uint32_t>(needed.size());
      if (writes) {
        r.mode = in_place ? model::access_mode::read_write : model::access_mode::write;
        list.push_back(access(k.geometry.global, interior ? 1 : 0, interior ? 1 : 0, true));
        if (in_place) {
          list.push_back(list.back());
          list.back().written = false;
          list.back().read = true;
          // What the neighbour writes: such a kernel stays whole.
          if (interior && chance(2))
            list.back().start += chance(2) ? list.back().stride[1] : -list.back().stride[1];
        }
        if (chance(3)) list.front().ids.lo[1] = 1;
        if (chance(6)) list.front().stride[1] = 0;  // all rows write one
        f.writes_all = true;
      } else {
        r.mode = model::access_mode::read;
        for (std::uint64_t i = 0; i < 1 + any(4); ++i)
          list.push_back(
              access(k.geometry.global, interior ? any(3) : 0, interior ? any(3) : 0, false));
        if (chance(5)) read_whole_row(list.front());
      }
      f.accesses = list;
      needed.push_back(r);
      if (writes || !chance(6)) known.push_back(f);
    }
    k.footprints = known;
    model::command c;
    c.payload = k;
    c.requirements = needed;
    std::vector<model::device_id>& where = candidates.emplace_back();
    for (std::uint16_t d = 0; d < 4; ++d)
      if (!chance(4)) where.push_back(model::device_id(d));
    if (where.empty()) where.push_back(model::device_id(0));
    c.device = where[any(where.size())];
    c.candidates = where;
    commands.push_back(c);
  }

  model::affine_access access(const model::extent3& space, std::uint64_t row, std::uint64_t column,
                              bool written) {
    model::affine_access a;
    a.ids = box::of(space);
    a.start = static_cast<std::int64_t>(4 * (row * columns_ + column));
    a.stride[1] = static_cast<std::int64_t>(4 * columns_);
    a.stride[2] = 4;
    a.length = 4;
    a.read = !written;
    a.written = written;
    return a;
  }
  void read_whole_row(model::affine_access& a) {
    a.start = 0;
    a.stride[2] = 0;
    a.loops[0] = {4, columns_};
  }

  std::mt19937_64 random_;
  std::uint64_t rows_ = 0, columns_ = 0;
};

using contents = std::vector<std::uint64_t>;  // of a buffer in a memory, by element

// Every value that is written tells who wrote it, and all that the work-item read.
void run(const model::command& c, std::uint64_t name, const model::box& units,
         const model::kernel_command& known, std::vector<contents>& memory) {
  const std::vector<contents> before = memory;
  const auto& footprints = known.footprints;
  const auto for_each = [&](const model::affine_access& a, const std::uint64_t(&id)[3],
                            auto&& see) {
    for (int d = 0; d < 3; ++d)
      if (id[d] < a.ids.lo[static_cast<std::size_t>(d)] ||
          id[d] >= a.ids.hi[static_cast<std::size_t>(d)])
        return;
    for (std::uint64_t k = 0; k < a.loops[0].count; ++k) {
      std::int64_t at = a.start + static_cast<std::int64_t>(k) * a.loops[0].stride;
      for (int d = 0; d < 3; ++d) at += a.stride[d] * static_cast<std::int64_t>(id[d]);
      see(static_cast<std::size_t>(at / 4));
    }
  };
  for (std::uint64_t z = units.lo[0]; z < units.hi[0]; ++z)
    for (std::uint64_t y = units.lo[1]; y < units.hi[1]; ++y)
      for (std::uint64_t x = units.lo[2]; x < units.hi[2]; ++x) {
        const std::uint64_t id[3] = {z, y, x};
        std::uint64_t value = mixed(mixed(mixed(name, z), y), x);
        for (const model::footprint& f : footprints)
          for (const model::affine_access& a : f.accesses)
            if (a.read)
              for_each(a, id, [&](std::size_t e) {
                value = mixed(value, before[c.requirements[f.requirement].buffer.value()][e]);
              });
        for (const model::footprint& f : footprints)
          for (const model::affine_access& a : f.accesses)
            if (a.written)
              for_each(a, id, [&](std::size_t e) {
                memory[c.requirements[f.requirement].buffer.value()][e] =
                    mixed(value, f.requirement);
              });
      }
}

template <class F>
void for_each_element(const box& b, const model::extent3& range, F&& f) {
  for (std::uint64_t z = b.lo[0]; z < b.hi[0]; ++z)
    for (std::uint64_t y = b.lo[1]; y < b.hi[1]; ++y)
      for (std::uint64_t x = b.lo[2]; x < b.hi[2]; ++x)
        f(static_cast<std::size_t>((z * range[1] + y) * range[2] + x));
}

RC_GTEST_PROP(SplitKernels, give_the_bytes_of_whole_ones, (std::uint64_t seed)) {
  const random_kernels g(seed);
  const auto split = planner::split_kernels(g.commands, g.buffers, g.machine);
  RC_TAG(split ? "cut" : "whole");
  if (!split) return;
  const planner::plan p = planner::make_plan(split->commands, split->buffers, g.machine);
  if (const auto wrong = planner::verify(split->commands, split->buffers, g.machine, p))
    RC_FAIL(wrong->reason);

  std::vector<contents> reference;
  for (std::size_t b = 0; b < g.buffers.size(); ++b) {
    contents& c = reference.emplace_back(volume(g.buffers[b].grid.range()));
    for (std::size_t e = 0; e < c.size(); ++e) c[e] = mixed(1000 + b, e);
  }
  // What is not valid somewhere is garbage there, another in each memory.
  std::vector<std::vector<contents>> memories(g.machine.memories.size());
  for (std::size_t m = 0; m < memories.size(); ++m)
    for (const contents& c : reference) memories[m].emplace_back(c.size(), 0xbad0000 + m);
  for (const planner::validity_entry& e : p.contract)
    for (std::size_t m = 0; m < memories.size(); ++m)
      if (e.memories.contains(model::memory_id(static_cast<std::uint16_t>(m))))
        for_each_element(e.elements, g.buffers[e.buffer.value()].grid.range(), [&](std::size_t i) {
          memories[m][e.buffer.value()][i] = reference[e.buffer.value()][i];
        });

  for (int replay = 0; replay < 2; ++replay) {
    for (std::size_t i = 0; i < g.commands.size(); ++i) {
      const auto& k = std::get<model::kernel_command>(g.commands[i].payload);
      run(g.commands[i], i, k.geometry.launched(), k, reference);
    }
    for (const planner::step& s : p.steps) {
      if (const auto* t = std::get_if<planner::transfer_step>(&s.action)) {
        for_each_element(t->elements, g.buffers[t->buffer.value()].grid.range(),
                         [&](std::size_t i) {
                           memories[t->to.value()][t->buffer.value()][i] =
                               memories[t->from.value()][t->buffer.value()][i];
                         });
        continue;
      }
      const auto& e = std::get<planner::execute_step>(s.action);
      const std::uint32_t whole = split->part_of[e.command.value()];
      const auto& part =
          std::get<model::kernel_command>(split->commands[e.command.value()].payload);
      run(g.commands[whole], whole, part.geometry.launched(),
          std::get<model::kernel_command>(g.commands[whole].payload),
          memories[g.machine.memory_of(e.device).value()]);
    }
    for (const planner::validity_entry& e : p.exit)
      for (std::size_t m = 0; m < memories.size(); ++m)
        if (e.memories.contains(model::memory_id(static_cast<std::uint16_t>(m))))
          for_each_element(
              e.elements, g.buffers[e.buffer.value()].grid.range(), [&](std::size_t i) {
                RC_ASSERT(memories[m][e.buffer.value()][i] == reference[e.buffer.value()][i]);
              });
  }
}

// -- what says that parts are right ------------------------------------------------------------------

// By element, which of a buffer's a part reads and writes through any requirement of it.
struct touched_by_part {
  std::vector<bool> read, written;
};

std::vector<touched_by_part> elements_touched(const random_kernels& g, const model::command& whole,
                                              const model::box& units) {
  std::vector<touched_by_part> touched;
  for (const model::buffer_info& b : g.buffers) {
    const std::size_t n = volume(b.grid.range());
    touched.push_back({std::vector<bool>(n), std::vector<bool>(n)});
  }
  const auto& k = std::get<model::kernel_command>(whole.payload);
  for (std::uint32_t i = 0; i < whole.requirements.size(); ++i) {
    const model::requirement& r = whole.requirements[i];
    bool known = false;
    for (const model::footprint& f : k.footprints) known = known || f.requirement == i;
    if (!known)
      for_each_element(r.elements, g.buffers[r.buffer.value()].grid.range(),
                       [&](std::size_t e) { touched[r.buffer.value()].read[e] = true; });
  }
  for (const model::footprint& f : k.footprints)
    for (const model::affine_access& a : f.accesses) {
      touched_by_part& t = touched[whole.requirements[f.requirement].buffer.value()];
      for_each_element(units, k.geometry.global, [&](std::size_t i) {
        const model::extent3& space = k.geometry.global;
        const std::uint64_t id[3] = {i / space[2] / space[1], i / space[2] % space[1],
                                     i % space[2]};
        for (int d = 0; d < 3; ++d)
          if (id[d] < a.ids.lo[static_cast<std::size_t>(d)] ||
              id[d] >= a.ids.hi[static_cast<std::size_t>(d)])
            return;
        for (std::uint64_t round = 0; round < a.loops[0].count; ++round) {
          std::int64_t at = a.start + static_cast<std::int64_t>(round) * a.loops[0].stride;
          for (int d = 0; d < 3; ++d) at += a.stride[d] * static_cast<std::int64_t>(id[d]);
          if (a.read) t.read[static_cast<std::size_t>(at / 4)] = true;
          if (a.written) t.written[static_cast<std::size_t>(at / 4)] = true;
        }
      });
    }
  return touched;
}

// Whether a part lacks something of what it touches, or says that it is new and is wrong.
bool lacks_something(const random_kernels& g, const model::command& whole,
                     const model::command& part) {
  const auto& k = std::get<model::kernel_command>(part.payload);
  const std::vector<touched_by_part> touched = elements_touched(g, whole, k.geometry.launched());
  const auto& known = std::get<model::kernel_command>(whole.payload).footprints;
  for (std::size_t b = 0; b < g.buffers.size(); ++b) {
    const model::extent3 range = g.buffers[b].grid.range();
    std::vector<bool> readable(volume(range)), writable(volume(range)), fresh(volume(range));
    bool asked_for = false;
    for (const model::requirement& r : whole.requirements)
      asked_for = asked_for || (r.buffer.value() == b && r.no_init);
    for (const model::requirement& r : part.requirements)
      if (r.buffer.value() == b)
        for_each_element(r.elements, range, [&](std::size_t i) {
          readable[i] = readable[i] || !r.no_init || asked_for;
          writable[i] = writable[i] || writes(r.mode);
          fresh[i] = fresh[i] || (r.no_init && !asked_for);
        });
    bool all_writes_certain = true;
    for (const model::footprint& f : known)
      if (whole.requirements[f.requirement].buffer.value() == b)
        all_writes_certain = all_writes_certain && f.writes_all;
    for (std::size_t i = 0; i < readable.size(); ++i) {
      if (touched[b].read[i] && !readable[i]) return true;
      if (touched[b].written[i] && !writable[i]) return true;
      if (fresh[i] && (touched[b].read[i] || !touched[b].written[i] || !all_writes_certain))
        return true;
    }
  }
  return false;
}

RC_GTEST_PROP(SplitKernels, that_are_wrong_are_told_from_right_ones, (std::uint64_t seed)) {
  const random_kernels g(seed);
  const auto split = planner::split_kernels(g.commands, g.buffers, g.machine);
  RC_TAG(split ? "cut" : "whole");
  if (!split) return;
  const auto complaint = [&](const planner::split_graph& parts) -> std::string {
    const auto wrong = planner::verify_parts(g.commands, g.buffers, parts);
    return wrong ? wrong->reason : "";
  };
  if (const std::string text = complaint(*split); !text.empty()) RC_FAIL(text);

  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i < split->commands.size(); ++i)
    if (std::get<model::kernel_command>(split->commands[i].payload).geometry.part != nullptr)
      parts.push_back(i);
  const std::size_t at = parts[below(parts.size())];
  const model::command& whole = g.commands[split->part_of[at]];

  // Units: one row less, one more, or somebody else's.
  planner::split_graph changed = *split;
  auto& kernel = std::get<model::kernel_command>(changed.commands[at].payload);
  model::box units = *kernel.geometry.part;
  const std::size_t d = below(3);
  const bool at_end = below(2) == 0;
  const std::uint64_t before = units.count();
  if (below(2) == 0) {
    ++units.lo[d];
  } else if (at_end || units.lo[d] == 0) {
    ++units.hi[d];
  } else {
    --units.lo[d];
  }
  RC_ASSERT(units.empty() || units.count() != before);
  kernel.geometry.part = &units;
  RC_ASSERT(!complaint(changed).empty());

  // What it needs: smaller, of another mode, or new.
  changed = *split;
  std::vector<model::requirement> needs(split->commands[at].requirements.begin(),
                                        split->commands[at].requirements.end());
  model::requirement& r = needs[below(needs.size())];
  const std::size_t kind = below(4), dimension = below(3);
  if (kind == 0) ++r.elements.lo[dimension];
  if (kind == 1) --r.elements.hi[dimension];
  if (kind == 2) r.mode = model::access_mode::read;
  if (kind == 3) r.no_init = true;
  if (r.elements.empty()) r.elements = {};
  changed.commands[at].requirements = needs;
  const bool wrong = lacks_something(g, whole, changed.commands[at]);
  RC_TAG(wrong ? "lacks something" : "has enough");
  const std::string text = complaint(changed);
  if (text.empty() == wrong) RC_FAIL(wrong ? "nothing was said" : text);

  // Order.
  changed = *split;
  std::vector<std::uint64_t> after(split->commands[at].after.begin(),
                                   split->commands[at].after.end());
  if (at > 0 && after.empty()) {
    after.push_back(0);
  } else if (!after.empty()) {
    after.pop_back();
  } else {
    return;
  }
  changed.commands[at].after = after;
  RC_ASSERT(!complaint(changed).empty());
}

}  // namespace
