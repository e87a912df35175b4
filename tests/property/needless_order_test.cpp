// SPDX-License-Identifier: Apache-2.0
// Order that a program asks for and nothing needs, against all pairs of commands, all paths and all bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bitset>
#include <vector>

#include <pianola/planner/command_edges.hpp>
#include <pianola/recorder/command_graph.hpp>

#include "../../planner/src/explain/needless_order.hpp"

namespace pianola::planner {
namespace {

constexpr std::size_t most = 24;
constexpr std::int64_t bytes = 8;
using relation = std::vector<std::bitset<most>>;  // index: command; what it comes after

struct ordered_program {
  recorder::command_graph graph;
  std::vector<bool> opaque;
};

void fill(ordered_program& p) {
  model::usm_allocation device;
  device.bytes = bytes;
  p.graph.add_allocation(device);
  p.graph.add_allocation(device);
  model::buffer_info info;
  info.grid = model::page_grid({{1, 1, 8}}, {{1, 1, 4}});
  p.graph.add_buffer(info);
  const auto count = *rc::gen::inRange<std::uint32_t>(2, most);
  const int density = *rc::gen::inRange(1, 6);
  for (std::uint32_t c = 0; c < count; ++c) {
    model::command command;
    command.device = model::device_id(0);
    const bool opaque = *rc::gen::inRange(0, 8) == 0;
    command.payload = model::kernel_command();
    if (opaque) command.payload = model::host_task_command();
    p.opaque.push_back(opaque);
    std::vector<std::uint64_t> after;
    for (std::uint32_t b = 0; b < c; ++b)
      if (c - b < 6 && *rc::gen::inRange(0, 10) < density) after.push_back(b);
    command.after = after;
    std::vector<model::requirement> requirements;
    if (*rc::gen::inRange(0, 3) == 0) {
      model::requirement r;
      r.buffer = model::buffer_id(0);
      r.mode = *rc::gen::arbitrary<bool>() ? model::access_mode::read : model::access_mode::write;
      r.elements.lo = {{0, 0, *rc::gen::inRange<std::uint64_t>(0, 8)}};
      r.elements.hi = {{1, 1, *rc::gen::inRange<std::uint64_t>(r.elements.lo[2] + 1, 9)}};
      requirements.push_back(r);
    }
    command.requirements = requirements;
    const model::command_id id = p.graph.append(command);
    // Of one that is named and not listed nothing is known.
    const bool named = !opaque && *rc::gen::inRange(0, 8) == 0;
    if (named) p.graph.set_allocations(id, std::vector<std::uint32_t>{1});
    const int accesses = *rc::gen::inRange(0, 2);
    // What names nothing works on something that has no name.
    if (!named && requirements.empty() && accesses == 0) p.opaque.back() = true;
    for (int n = accesses; n != 0; --n) {
      model::usm_access a;
      a.command = id;
      a.begin = *rc::gen::inRange<std::int64_t>(-2, bytes);
      a.end = *rc::gen::inRange<std::int64_t>(a.begin + 1, bytes + 2);
      a.written = *rc::gen::arbitrary<bool>();
      a.read = !a.written;
      a.exact = *rc::gen::arbitrary<bool>();
      p.graph.add_usm_access(a);
    }
  }
}

// What each command comes after, by way of others, too.
relation closure(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
                 std::size_t count) {
  relation all(count);
  for (const auto& [from, to] : edges) all[to].set(from);
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t b = 0; b < c; ++b)
      if (all[c].test(b)) all[c] |= all[b];
  return all;
}

enum : unsigned { reads = 1, writes_it = 2 };
unsigned use_of(const ordered_program& p, std::uint32_t c, std::int64_t byte, bool of_second) {
  unsigned how = 0;
  if (of_second) {
    const auto named = p.graph.allocations_of(model::command_id(c));
    return named.empty() || byte < 0 || byte >= bytes ? 0 : reads | writes_it;
  }
  for (const model::usm_access& a : p.graph.usm_accesses())
    if (a.command.value() == c && byte >= a.begin && byte < a.end)
      how |= a.written ? writes_it : reads;
  return how;
}

bool pages_meet(const ordered_program& p, std::uint32_t a, std::uint32_t b) {
  for (const auto& x : p.graph.command(model::command_id(a)).requirements)
    for (const auto& y : p.graph.command(model::command_id(b)).requirements)
      for (std::uint64_t page = 0; page < 2; ++page) {
        const auto touches = [&](const model::requirement& r) {
          return r.elements.lo[2] < 4 * page + 4 && r.elements.hi[2] > 4 * page;
        };
        if (touches(x) && touches(y) && (writes(x.mode) || writes(y.mode))) return true;
      }
  return false;
}
bool need_order(const ordered_program& p, std::uint32_t a, std::uint32_t b) {
  if (p.opaque[a] || p.opaque[b] || pages_meet(p, a, b)) return true;
  for (const bool second : {false, true})
    for (std::int64_t byte = -4; byte < bytes + 4; ++byte) {
      const unsigned x = use_of(p, a, byte, second), y = use_of(p, b, byte, second);
      if (x != 0 && y != 0 && ((x | y) & writes_it) != 0) return true;
    }
  return false;
}

relation order_of(const graph_view& graph, const order_change& change) {
  const changed_graph changed(graph, change);
  return closure(command_edges(changed.commands(), changed.buffers()), graph.commands().size());
}

RC_GTEST_PROP(NeedlessOrder, is_what_no_access_needs_and_nothing_else_goes_with_it, ()) {
  ordered_program p;
  fill(p);
  const graph_view graph(p.graph);
  const auto edges = command_edges(graph.commands(), graph.buffers());
  const auto count = static_cast<std::uint32_t>(graph.commands().size());
  const relation now = closure(edges, count);
  const needless_order needless(graph, edges);

  std::vector<std::pair<model::command_id, model::command_id>> expected;
  for (std::uint32_t b = 0; b < count; ++b)
    for (const std::uint64_t a : graph.commands()[b].after)
      if (!need_order(p, static_cast<std::uint32_t>(a), b))
        expected.emplace_back(model::command_id(static_cast<std::uint32_t>(a)),
                              model::command_id(b));
  RC_ASSERT(needless.pairs() == expected);

  std::vector<std::pair<model::command_id, model::command_id>> some;
  for (const auto& pair : expected)
    if (*rc::gen::arbitrary<bool>()) some.push_back(pair);
  if (!some.empty()) {
    const auto change = needless.without(some);
    RC_ASSERT(change.has_value());
    const relation then = order_of(graph, *change);
    bool fewer = false;
    for (std::uint32_t b = 0; b < count; ++b)
      for (std::uint32_t a = 0; a < b; ++a) {
        const bool goes =
            std::find(some.begin(), some.end(),
                      std::pair(model::command_id(a), model::command_id(b))) != some.end();
        if (!goes) RC_ASSERT(then[b].test(a) == now[b].test(a));
        fewer = fewer || then[b].test(a) != now[b].test(a);
      }
    RC_TAG(fewer);
  }

  const auto change = needless.only_needed();
  RC_ASSERT(change.has_value() == !expected.empty());
  if (!change) return;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> needed;
  for (std::uint32_t b = 0; b < count; ++b)
    for (std::uint32_t a = 0; a < b; ++a)
      if (now[b].test(a) && need_order(p, a, b)) needed.emplace_back(a, b);
  RC_ASSERT(order_of(graph, *change) == closure(needed, count));
}

}  // namespace
}  // namespace pianola::planner
