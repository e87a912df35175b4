// SPDX-License-Identifier: Apache-2.0
// What is wrong with accesses to USM, against all pairs of commands and all paths.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bitset>
#include <pianola/planner/check/check.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <vector>

namespace pianola::planner {
namespace {

constexpr std::size_t most_commands = 64;
constexpr std::int64_t bytes = 16,
                       around =
                           3;  // of an allocation; that are looked at in front of it and behind it

struct usm_program {
  recorder::command_graph graph;
  std::vector<std::bitset<most_commands>> behind;  // index: command; what it comes after
};

// `exact_only`: else some accesses are not known exactly.
void fill(usm_program& p, bool exact_only) {
  model::usm_allocation device;
  device.bytes = bytes;
  for (std::uint32_t a = 0; a < 2; ++a) {
    p.graph.add_allocation(device);
    if (*rc::gen::inRange(0, 2) == 0) p.graph.set_life(a, 0, *rc::gen::inRange(0, 40));
  }
  const auto commands = *rc::gen::inRange<std::uint32_t>(1, 40);
  const int density = *rc::gen::inRange(1, 8);
  for (std::uint32_t c = 0; c < commands; ++c) {
    std::vector<std::uint64_t> after;
    auto& behind = p.behind.emplace_back();
    for (std::uint32_t b = 0; b < c; ++b)
      if (*rc::gen::inRange(0, 10) < density && c - b < 4) {
        after.push_back(b);
        behind |= p.behind[b];
        behind.set(b);
      }
    model::command command;
    command.device = model::device_id(0);
    command.after = after;
    if (*rc::gen::inRange(0, 8) == 0) command.payload = model::host_access_command();
    p.graph.append(command);
    for (int n = *rc::gen::inRange(0, 3); n != 0; --n) {
      model::usm_access a;
      a.command = model::command_id(c);
      a.allocation = *rc::gen::inRange<std::uint32_t>(0, 2);
      const bool leaves = *rc::gen::inRange(0, 4) == 0;
      const std::int64_t low = leaves ? -around : 0, high = leaves ? bytes + around : bytes;
      a.begin = *rc::gen::inRange<std::int64_t>(low, high);
      a.end = *rc::gen::inRange<std::int64_t>(a.begin + 1, high + 1);
      a.written = *rc::gen::inRange(0, 3) == 0;
      a.read = !a.written || *rc::gen::arbitrary<bool>();
      a.exact = exact_only || *rc::gen::arbitrary<bool>();
      p.graph.add_usm_access(a);
    }
  }
}

struct byte_use {
  bool read = false, written = false;
};
byte_use use_of(const usm_program& p, std::uint32_t command, std::uint32_t allocation,
                std::int64_t byte, bool exact_only) {
  byte_use u;
  for (const model::usm_access& a : p.graph.usm_accesses()) {
    if (a.command.value() != command || a.allocation != allocation || byte < a.begin ||
        byte >= a.end || (exact_only && !a.exact))
      continue;
    u.read = u.read || a.read;
    u.written = u.written || a.written;
  }
  return u;
}
bool race(const usm_program& p, std::uint32_t first, std::uint32_t second, std::uint32_t allocation,
          std::int64_t byte, bool exact_only) {
  if (first >= second || p.behind[second].test(first)) return false;
  const byte_use a = use_of(p, first, allocation, byte, exact_only),
                 b = use_of(p, second, allocation, byte, exact_only);
  return (a.written && (b.read || b.written)) || (b.written && a.read);
}

void expect_races(const usm_program& p, const std::vector<finding>& found, bool exact_only) {
  const auto commands = static_cast<std::uint32_t>(p.graph.size());
  for (const finding& f : found) {
    if (f.what != finding::kind::race) continue;
    RC_ASSERT(f.begin < f.end);
    for (std::int64_t b = f.begin; b < f.end; ++b)
      RC_ASSERT(race(p, f.first.value(), f.second.value(), f.allocation, b, f.certain));
  }
  for (std::uint32_t a = 0; a < 2; ++a)
    for (std::int64_t b = 0; b < bytes; ++b) {
      bool any = false;
      for (std::uint32_t j = 0; j < commands && !any; ++j)
        for (std::uint32_t i = 0; i < j && !any; ++i) any = race(p, i, j, a, b, exact_only);
      const bool told = std::any_of(found.begin(), found.end(), [&](const finding& f) {
        return f.what == finding::kind::race && f.allocation == a &&
               race(p, f.first.value(), f.second.value(), a, b, exact_only);
      });
      RC_ASSERT(told == any);
    }
}

// The first bytes of the ones that `touched` tells of, one behind the other.
template <class Touched>
std::pair<std::int64_t, std::int64_t> first_bytes(std::int64_t begin, std::int64_t end,
                                                  const Touched& touched) {
  while (begin < end && !touched(begin)) ++begin;
  std::int64_t last = begin;
  while (last < end && touched(last)) ++last;
  return {begin, last};
}

// By command and allocation, in front of it and behind it, what is read and what is written there.
void expect_uses_outside(const usm_program& p, const std::vector<finding>& found, bool exact_only) {
  std::size_t told = 0;
  for (std::uint32_t c = 0; c < p.graph.size(); ++c)
    for (std::uint32_t a = 0; a < 2; ++a)
      for (const bool behind : {false, true})
        for (const bool writes : {false, true}) {
          const auto touched = [&](std::int64_t byte) {
            const auto all = p.graph.usm_accesses();
            return std::any_of(all.begin(), all.end(), [&](const model::usm_access& u) {
              return u.command.value() == c && u.allocation == a && u.written == writes &&
                     byte >= u.begin && byte < u.end && (u.exact || !exact_only);
            });
          };
          const auto expected = behind ? first_bytes(bytes, bytes + around, touched)
                                       : first_bytes(-around, 0, touched);
          if (expected.first == expected.second) continue;
          ++told;
          RC_ASSERT(std::any_of(found.begin(), found.end(), [&](const finding& f) {
            return f.what == finding::kind::out_of_bounds && f.first.value() == c &&
                   f.allocation == a && f.first_writes == writes &&
                   (f.certain && !exact_only ? (f.begin >= bytes) == behind
                                             : std::pair(f.begin, f.end) == expected);
          }));
        }
  RC_ASSERT(told == static_cast<std::size_t>(std::count_if(
                        found.begin(), found.end(),
                        [](const finding& f) { return f.what == finding::kind::out_of_bounds; })));
}

void expect_uses_of_freed(const usm_program& p, const std::vector<finding>& found) {
  for (const model::usm_access& a : p.graph.usm_accesses()) {
    if (a.end <= 0 || a.begin >= bytes) continue;  // it touches none of it
    const std::uint64_t freed = p.graph.allocations()[a.allocation].freed;
    const std::uint32_t c = a.command.value();
    bool after = false, in_use = false;
    if (freed != model::usm_allocation::never && a.exact) {
      after = c >= freed;
      in_use = !after;
      // Waits of the host come one after the other only where the program says so; the last one is what counts.
      for (std::uint32_t h = std::min<std::uint64_t>(freed, p.graph.size()); h-- != 0;)
        if (p.graph.command(model::command_id(h)).payload.index() ==
            model::command_payload(model::host_access_command()).index()) {
          in_use = in_use && h != c && !p.behind[h].test(c);
          break;
        }
    }
    const auto told = [&](finding::kind k) {
      return std::any_of(found.begin(), found.end(), [&](const finding& f) {
        return f.what == k && f.first == a.command && f.allocation == a.allocation && f.certain;
      });
    };
    if (after) RC_ASSERT(told(finding::kind::use_after_free));
    if (in_use) RC_ASSERT(told(finding::kind::freed_in_use));
    if (freed == model::usm_allocation::never) {
      RC_ASSERT(!told(finding::kind::use_after_free));
      RC_ASSERT(!told(finding::kind::freed_in_use));
    }
  }
}

// A kernel of which is not listed what it does may write to whatever there is when it comes.
TEST(UsmCheck, knows_that_nothing_was_written_to_memory_that_was_not_there_yet) {
  for (const std::uint64_t allocated : {0, 1}) {
    recorder::command_graph graph;
    model::usm_allocation device;
    device.bytes = bytes;
    graph.add_allocation(device);
    graph.set_life(0, allocated, model::usm_allocation::never);
    model::command kernel, copy;
    kernel.device = copy.device = model::device_id(0);
    kernel.payload = model::kernel_command{};
    copy.payload = model::copy_command{};
    graph.append(kernel);
    graph.append(copy);
    model::usm_access read;
    read.command = model::command_id(1);
    read.end = bytes;
    read.read = read.exact = true;
    graph.add_usm_access(read);
    const std::vector<finding> found = check(graph_view(graph), graph.usm_accesses());
    ASSERT_EQ(found.size(), allocated == 0 ? 0U : 1U);
    if (allocated == 1) {
      EXPECT_EQ(found[0].what, finding::kind::never_written);
    }
  }
}

// Rows of a fill, one by one.
RC_GTEST_PROP(UsmCheck, finds_copies_and_fills_that_leave_their_allocation, ()) {
  recorder::command_graph graph;
  model::usm_allocation device;
  const auto size = *rc::gen::inRange<std::int64_t>(1, 200);
  device.bytes = static_cast<std::uint64_t>(size);
  graph.add_allocation(device);
  model::fill_command fill;
  fill.width = *rc::gen::inRange<std::uint64_t>(0, 12);
  fill.height = *rc::gen::inRange<std::uint64_t>(1, 5);
  fill.depth = *rc::gen::inRange<std::uint64_t>(1, 5);
  fill.destination.byte_offset = *rc::gen::inRange<std::uint64_t>(0, device.bytes);
  fill.destination.row_pitch = fill.width + *rc::gen::inRange<std::uint64_t>(0, 4);
  fill.destination.slice_pitch =
      fill.destination.row_pitch * fill.height + *rc::gen::inRange<std::uint64_t>(0, 4);
  model::command command;
  command.device = model::device_id(0);
  command.payload = fill;
  const model::command_id id = graph.append(command);
  graph.set_allocations(id, std::vector<std::uint32_t>{0});
  std::vector<bool> touched(1000, false);
  for (std::uint64_t z = 0; z < fill.depth; ++z)
    for (std::uint64_t y = 0; y < fill.height; ++y)
      for (std::uint64_t x = 0; x < fill.width; ++x)
        touched.at(fill.destination.byte_offset +
                   z * (fill.depth == 1 ? 0 : fill.destination.slice_pitch) +
                   y * fill.destination.row_pitch + x) = true;
  const auto [begin, end] = first_bytes(
      size, 1000, [&](std::int64_t b) -> bool { return touched[static_cast<std::size_t>(b)]; });
  const std::vector<finding> found = check(graph_view(graph), graph.usm_accesses());
  RC_ASSERT(found.size() == (begin < end ? 1U : 0U));
  if (found.empty()) return;
  RC_ASSERT(found[0].what == finding::kind::out_of_bounds);
  RC_ASSERT(found[0].begin == begin);
  RC_ASSERT(found[0].end == end);
  RC_ASSERT(found[0].first_writes);
}

RC_GTEST_PROP(UsmCheck, finds_each_byte_that_commands_race_for_and_nothing_else, ()) {
  usm_program p;
  fill(p, true);
  const std::vector<finding> found = check(graph_view(p.graph), p.graph.usm_accesses());
  for (const finding& f : found) RC_ASSERT(f.certain);
  expect_races(p, found, true);
  expect_uses_outside(p, found, true);
  expect_uses_of_freed(p, found);
}

RC_GTEST_PROP(UsmCheck, suspects_each_byte_that_commands_may_race_for, ()) {
  usm_program p;
  fill(p, false);
  const auto certain = check(graph_view(p.graph), p.graph.usm_accesses());
  expect_races(p, certain, true);
  expect_uses_outside(p, certain, true);
  expect_uses_of_freed(p, certain);
  const auto all = check(graph_view(p.graph), p.graph.usm_accesses(), {true});
  expect_races(p, all, false);
  expect_uses_outside(p, all, false);
  for (const finding& f : certain)
    RC_ASSERT(std::any_of(all.begin(), all.end(), [&](const finding& g) {
      return g.certain && g.what == f.what && g.first == f.first && g.second == f.second;
    }));
}

}  // namespace
}  // namespace pianola::planner
