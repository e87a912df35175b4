// SPDX-License-Identifier: Apache-2.0
// What is wrong with accesses to USM, against all pairs of commands and all paths.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bitset>
#include <pianola/planner/check/check.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <variant>
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
    const int kind = *rc::gen::inRange(0, 16);
    if (kind < 2) command.payload = model::host_access_command();
    if (kind == 2) command.payload = model::kernel_command();
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

// Byte by byte, what has been written when a command reads.
void expect_reads_of_nothing(const usm_program& p, const std::vector<finding>& found) {
  for (std::uint32_t a = 0; a < 2; ++a) {
    const bool looked_at = p.graph.allocations()[a].allocated !=
                           model::usm_allocation::never;  // all of them from 0 on
    std::bitset<bytes> written;
    bool unknown = false;
    for (std::uint32_t c = 0; c < p.graph.size(); ++c) {
      std::bitset<bytes> read;
      bool listed = false;
      for (const model::usm_access& u : p.graph.usm_accesses()) {
        if (u.command.value() != c) continue;
        listed = true;
        if (u.allocation != a) continue;
        for (std::int64_t b = std::max<std::int64_t>(u.begin, 0); b < std::min(u.end, bytes); ++b) {
          const auto at = static_cast<std::size_t>(b);
          if (u.read && u.exact) read.set(at);
          if (u.written) written.set(at);
        }
      }
      read &= ~written;
      const bool expected = looked_at && !unknown && read.any();
      const auto f = std::find_if(found.begin(), found.end(), [&](const finding& g) {
        return g.what == finding::kind::never_written && g.certain && g.first.value() == c &&
               !g.buffer.valid() && g.allocation == a;
      });
      RC_ASSERT((f != found.end()) == expected);
      if (expected) {
        RC_ASSERT(static_cast<std::size_t>(f->begin) == read._Find_first());
        for (std::int64_t b = f->begin; b < f->end; ++b)
          RC_ASSERT(read.test(static_cast<std::size_t>(b)));
      }
      const bool kernel = std::holds_alternative<model::kernel_command>(
          p.graph.command(model::command_id(c)).payload);
      unknown = unknown || (kernel && !listed);
    }
  }
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
  expect_reads_of_nothing(p, found);
}

RC_GTEST_PROP(UsmCheck, suspects_each_byte_that_commands_may_race_for, ()) {
  usm_program p;
  fill(p, false);
  const auto certain = check(graph_view(p.graph), p.graph.usm_accesses());
  expect_races(p, certain, true);
  expect_uses_outside(p, certain, true);
  expect_uses_of_freed(p, certain);
  expect_reads_of_nothing(p, certain);
  const auto all = check(graph_view(p.graph), p.graph.usm_accesses(), {true});
  expect_races(p, all, false);
  expect_uses_outside(p, all, false);
  for (const finding& f : certain)
    RC_ASSERT(std::any_of(all.begin(), all.end(), [&](const finding& g) {
      return g.certain && g.what == f.what && g.first == f.first && g.second == f.second;
    }));
}

// ---- buffers --------------------------------------------------------------------------------------

model::topology host_and_device() {
  model::topology t;
  t.memories = {{"host", 1U << 20}, {"device", 1U << 20}};
  t.devices = {{"device", "simulated", model::memory_id(1)}};
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)})
    t.links.push_back({model::memory_id(static_cast<std::uint16_t>(from)),
                       model::memory_id(static_cast<std::uint16_t>(to))});
  return t;
}

model::box drawn_box(const model::extent3& range) {
  model::box b;
  for (std::size_t d = 0; d < 3; ++d) {
    b.lo[d] = *rc::gen::inRange<std::uint64_t>(0, range[d]);
    b.hi[d] = *rc::gen::inRange<std::uint64_t>(b.lo[d] + 1, range[d] + 1);
  }
  return b;
}

using byte_set = std::bitset<256>;

byte_set bytes_of(const model::box& b, const model::buffer_info& buffer) {
  byte_set all;
  const model::extent3 range = buffer.grid.range();
  for (std::uint64_t x = b.lo[0]; x < b.hi[0]; ++x)
    for (std::uint64_t y = b.lo[1]; y < b.hi[1]; ++y)
      for (std::uint64_t z = b.lo[2]; z < b.hi[2]; ++z)
        for (std::uint64_t i = 0; i < buffer.element_size; ++i)
          all.set(((x * range[1] + y) * range[2] + z) * buffer.element_size + i);
  return all;
}

// Of each command and buffer, which bytes are read that nothing has written: for certain, and perhaps.
struct reads_of_nothing {
  byte_set certain, suspected;
};

struct buffer_program {
  recorder::command_graph graph;
  std::vector<std::vector<reads_of_nothing>> expected;  // index: command, buffer
};

void fill(buffer_program& p) {
  std::vector<byte_set> written;
  for (int n = *rc::gen::inRange(1, 4); n != 0; --n) {
    model::buffer_info b;
    model::extent3 range;
    for (std::size_t d = 0; d < 3; ++d) range[d] = *rc::gen::inRange<std::uint64_t>(1, 5);
    b.grid = model::page_grid(range, range);
    b.dimensions = 3;
    b.element_size = *rc::gen::inRange<std::uint32_t>(1, 4);
    const int begin = *rc::gen::inRange(0, 4);
    b.temporary = begin == 0;
    const model::buffer_id id = p.graph.add_buffer(b);
    if (begin > 1) p.graph.set_unwritten(id);
    written.emplace_back();
    if (begin == 1) written.back().set();
  }
  for (std::uint32_t c = *rc::gen::inRange<std::uint32_t>(1, 20); c != 0; --c) {
    std::vector<reads_of_nothing> expected(written.size());
    model::command command;
    command.device = model::device_id(0);
    std::vector<model::requirement> requirements;
    const auto buffer = *rc::gen::inRange<std::size_t>(0, written.size());
    const model::buffer_id id(static_cast<std::uint32_t>(buffer));
    const model::buffer_info& info = p.graph.buffer(id);
    std::vector<model::buffer_read> listed;
    byte_set read, named, writes;
    model::requirement r;
    r.buffer = id;
    r.elements = drawn_box(info.grid.range());
    if (*rc::gen::inRange(0, 3) == 0) {
      r.mode = model::access_mode::read;
      r.memory = model::memory_id(1);
      model::copy_command copy;
      copy.source.requirement = 0;
      copy.source.memory = model::memory_id(1);
      copy.width = *rc::gen::inRange<std::uint64_t>(1, info.bytes() + 1);
      copy.source.byte_offset = *rc::gen::inRange<std::uint64_t>(0, info.bytes() - copy.width + 1);
      copy.height = *rc::gen::inRange<std::uint64_t>(1, 3);
      copy.source.row_pitch = *rc::gen::inRange<std::uint64_t>(copy.width, copy.width + 3);
      if (copy.source.byte_offset + copy.source.row_pitch + copy.width > info.bytes())
        copy.height = 1;
      for (std::uint64_t y = 0; y < copy.height; ++y)
        for (std::uint64_t i = 0; i < copy.width; ++i)
          read.set(copy.source.byte_offset + y * copy.source.row_pitch + i);
      command.payload = copy;
    } else {
      command.payload = model::kernel_command();
      r.mode = static_cast<model::access_mode>(*rc::gen::inRange(0, 3));
      for (int n = *rc::gen::inRange(0, 3); n != 0; --n) {
        model::buffer_read b{{}, id, 0, 0};
        b.begin = *rc::gen::inRange<std::uint64_t>(0, info.bytes());
        b.end = *rc::gen::inRange<std::uint64_t>(b.begin + 1, info.bytes() + 1);
        for (std::uint64_t i = b.begin; i < b.end; ++i) read.set(i);
        listed.push_back(b);
      }
    }
    if (r.mode == model::access_mode::read) named = bytes_of(r.elements, info);
    if (r.mode != model::access_mode::read) writes = bytes_of(r.elements, info);
    requirements.push_back(r);
    command.requirements = requirements;
    const model::command_id made = p.graph.append(command);
    for (model::buffer_read& b : listed) {
      b.command = made;
      p.graph.add_buffer_read(b);
    }
    expected[buffer].certain = read & ~(written[buffer] | writes);
    expected[buffer].suspected = (read | named) & ~written[buffer];
    written[buffer] |= writes;
    p.expected.push_back(std::move(expected));
  }
}

void expect(const buffer_program& p, const std::vector<finding>& found, bool suspicions) {
  for (std::uint32_t c = 0; c < p.expected.size(); ++c)
    for (std::uint32_t b = 0; b < p.expected[c].size(); ++b) {
      const reads_of_nothing& e = p.expected[c][b];
      const auto all = [&](const auto& f) { return f.first.value() == c && f.buffer.value() == b; };
      RC_ASSERT(std::count_if(found.begin(), found.end(), all) ==
                (e.certain.any() || (suspicions && e.suspected.any()) ? 1 : 0));
      const auto f = std::find_if(found.begin(), found.end(), all);
      if (f == found.end()) continue;
      RC_ASSERT(f->what == finding::kind::never_written);
      RC_ASSERT(f->certain == e.certain.any());
      const byte_set& of = f->certain ? e.certain : e.suspected;
      RC_ASSERT(static_cast<std::size_t>(f->begin) == of._Find_first());
      RC_ASSERT(f->begin < f->end);
      for (std::int64_t i = f->begin; i < f->end; ++i)
        RC_ASSERT(of.test(static_cast<std::size_t>(i)));
    }
}

RC_GTEST_PROP(BufferCheck, finds_each_read_of_what_nothing_has_written, ()) {
  buffer_program p;
  fill(p);
  for (const bool suspicions : {false, true}) {
    const graph_view view(p.graph);
    const std::vector<finding> found = check(view, p.graph.usm_accesses(), {suspicions});
    expect(p, found, suspicions);
    // Files tell all that it takes.
    const recorder::loaded_graph again =
        recorder::read_graph(recorder::to_json(p.graph, host_and_device()));
    const graph_view read(again.graph);
    RC_ASSERT(to_json(check(read, again.graph.usm_accesses(), {suspicions}), read, 0) ==
              to_json(found, view, 0));
  }
}

RC_GTEST_PROP(UsmCheck, finds_in_files_what_it_finds_in_graphs, ()) {
  usm_program p;
  fill(p, false);
  const recorder::loaded_graph again =
      recorder::read_graph(recorder::to_json(p.graph, host_and_device()));
  const graph_view view(p.graph), read(again.graph);
  RC_ASSERT(to_json(check(read, again.graph.usm_accesses(), {true}), read, 0) ==
            to_json(check(view, p.graph.usm_accesses(), {true}), view, 0));
}

}  // namespace
}  // namespace pianola::planner
