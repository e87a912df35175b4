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
      if ((e.memories >> m & 1) != 0)
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
        if ((e.memories >> m & 1) != 0)
          for_each_element(
              e.elements, g.buffers[e.buffer.value()].grid.range(), [&](std::size_t i) {
                RC_ASSERT(memories[m][e.buffer.value()][i] == reference[e.buffer.value()][i]);
              });
  }
}

}  // namespace
