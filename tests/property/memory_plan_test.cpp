// SPDX-License-Identifier: Apache-2.0
// Plans for memories that are too small: held against verify, run on blocks that buffers really share, and held against
// the fewest bytes that could have been moved and the least room that could have done.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;

constexpr std::uint32_t element_bytes = 64;

std::uint64_t rounded(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

// Some buffers are temporary, some evictable. The first command that uses a temporary one writes all of it.
struct memory_scenario {
  test::scenario s;

  memory_scenario(const test::sketch& sketch, std::uint32_t kinds) : s(test::build(sketch)) {
    for (std::size_t b = 0; b < s.buffers.size(); ++b) {
      s.buffers[b].element_size = element_bytes;
      const std::uint32_t kind = kinds >> 2 * b & 3;
      s.buffers[b].temporary = kind == 1;
      s.buffers[b].evictable = kind >= 2;
      if (kind == 1) s.initialised[b] = false;
    }
    std::vector<bool> begun(s.buffers.size());
    test::command_list commands;
    for (const model::command& c : s.commands.all()) {
      std::vector<model::requirement> requirements;
      std::vector<bool> here(s.buffers.size());
      for (model::requirement r : c.requirements) {
        const std::uint32_t b = r.buffer.value();
        if (s.buffers[b].temporary && !begun[b]) {
          if (here[b]) continue;
          here[b] = true;
          r.mode = model::access_mode::write;
          r.no_init = true;
          r.memory = {};
          r.elements = model::box::of(s.buffers[b].grid.range());
        }
        requirements.push_back(r);
      }
      for (std::size_t b = 0; b < here.size(); ++b) begun[b] = begun[b] || here[b];
      commands.add(c.device, std::move(requirements), {c.after.begin(), c.after.end()}, c.payload);
    }
    s.commands = std::move(commands);
  }

  [[nodiscard]] model::memory_id memory_of(const model::command& c, model::device_id d,
                                           const model::requirement& r) const {
    if (r.memory.valid()) return r.memory;
    return std::holds_alternative<model::host_access_command>(c.payload) ? model::host_memory
                                                                         : s.machine.memory_of(d);
  }
};

// Memories in which the buffers of slots lie in one block each.
class sharing_machine {
 public:
  sharing_machine(const memory_scenario& m, const planner::plan& p) : m_(m), plan_(p) {
    for (std::size_t k = 0; k < m.s.machine.memories.size(); ++k) {
      own_.emplace_back();
      blocks_.emplace_back();
      for (const planner::memory_use& use : p.memories)
        if (use.memory.value() == k)
          blocks_[k].assign(use.block / element_bytes, test::mix(k, 0xbad));
      for (std::size_t b = 0; b < m.s.buffers.size(); ++b) {
        own_[k].push_back(test::initial_contents(m.s, b));
        if (m.s.initialised[b] && k != 0)
          for (std::size_t i = 0; i < own_[k][b].size(); ++i)
            own_[k][b][i] = test::mix(test::mix(k, 0xbad), i);
      }
    }
    // The prologue of the first replay.
    for (const planner::validity_entry& e : p.contract)
      for (std::size_t k = 0; k < own_.size(); ++k)
        if (e.memories.contains(model::memory_id(static_cast<std::uint16_t>(k))))
          own_[k][e.buffer.value()] = own_[0][e.buffer.value()];
  }

  // Where a step finds a buffer's elements.
  [[nodiscard]] std::uint64_t* at(model::buffer_id b, model::memory_id m, std::size_t step) {
    if (const planner::storage_slot* s = plan_.slot_of(b, m, step))
      return blocks_[m.value()].data() + s->offset / element_bytes;
    return own_[m.value()][b.value()].data();
  }

  void replay(std::uint64_t first_id, std::uint64_t seed) {
    test::in_random_order(plan_, seed, [&](std::size_t i) { run(i, first_id); });
  }
  [[nodiscard]] const test::contents& own(std::size_t memory, std::size_t b) const {
    return own_[memory][b];
  }

 private:
  void run(std::size_t i, std::uint64_t first_id) {
    if (const auto* t = std::get_if<planner::transfer_step>(&plan_.steps[i].action)) {
      const std::uint64_t* from = at(t->buffer, t->from, i);
      std::uint64_t* to = at(t->buffer, t->to, i);
      test::for_each_element(m_.s.buffers[t->buffer.value()].grid.range(), t->elements,
                             [&](std::size_t e) { to[e] = from[e]; });
      return;
    }
    const auto& e = std::get<planner::execute_step>(plan_.steps[i].action);
    const model::command& c = m_.s.commands[e.command.value()];
    // The command runs on copies, which go back to where it has written.
    std::vector<test::contents> copies;
    copies.reserve(c.requirements.size());
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t> known;
    test::run_command(
        m_.s, c, first_id + e.command.value(), [&](const model::requirement& r) -> test::contents& {
          const model::memory_id m = m_.memory_of(c, e.device, r);
          const auto [place, fresh] =
              known.try_emplace({m.value(), r.buffer.value()}, copies.size());
          if (fresh) {
            const std::uint64_t* from = at(r.buffer, m, i);
            copies.emplace_back(from,
                                from + model::volume(m_.s.buffers[r.buffer.value()].grid.range()));
          }
          return copies[place->second];
        });
    for (const model::requirement& r : c.requirements) {
      if (!model::writes(r.mode)) continue;
      const model::memory_id m = m_.memory_of(c, e.device, r);
      const auto found = known.find({m.value(), r.buffer.value()});
      if (found == known.end()) continue;
      std::uint64_t* to = at(r.buffer, m, i);
      test::for_each_element(m_.s.buffers[r.buffer.value()].grid.range(), r.elements,
                             [&](std::size_t k) { to[k] = copies[found->second][k]; });
    }
  }

  const memory_scenario& m_;
  const planner::plan& plan_;
  std::vector<std::vector<test::contents>> own_;  // index: memory, buffer
  std::vector<std::vector<std::uint64_t>> blocks_;
};

void computes_what_a_sequential_machine_does(const memory_scenario& m, const planner::plan& p,
                                             std::uint64_t seed) {
  test::sequential_machine sequential(m.s);
  sharing_machine machine(m, p);
  for (std::uint64_t replay = 0; replay < 2; ++replay) {
    for (std::size_t c = 0; c < m.s.commands.size(); ++c)
      sequential.run(m.s.commands[c], 1000 * replay + c);
    machine.replay(1000 * replay, seed + replay);
    for (const planner::validity_entry& e : p.exit)
      for (std::size_t k = 0; k < m.s.machine.memories.size(); ++k) {
        if (!e.memories.contains(model::memory_id(static_cast<std::uint16_t>(k)))) continue;
        test::for_each_element(m.s.buffers[e.buffer.value()].grid.range(), e.elements,
                               [&](std::size_t i) {
                                 RC_ASSERT(machine.own(k, e.buffer.value())[i] ==
                                           sequential.buffer(e.buffer.value())[i]);
                               });
      }
  }
}

RC_GTEST_PROP(MemoryPlans, share_the_storage_of_temporary_buffers_and_compute_the_same,
              (const test::sketch& sketch, std::uint32_t kinds, std::uint64_t seed)) {
  const memory_scenario m(sketch, kinds);
  const planner::plan p = planner::make_plan(m.s.commands.all(), m.s.buffers, m.s.machine);
  const auto violation = planner::verify(m.s.commands.all(), m.s.buffers, m.s.machine, p);
  if (violation) RC_FAIL(violation->reason);
  computes_what_a_sequential_machine_does(m, p, seed);
}

// Bytes that every order and every plan needs at some time in a memory: all that may not leave, and for one command
// what it works on.
std::uint64_t least(const memory_scenario& m, model::memory_id memory) {
  std::uint64_t fixed = 0, most = 0;
  std::set<std::uint32_t> counted;
  for (const model::command& c : m.s.commands.all()) {
    std::set<std::uint32_t> here;
    for (const model::requirement& r : c.requirements)
      if (m.memory_of(c, c.device, r) == memory) here.insert(r.buffer.value());
    std::uint64_t now = 0;
    for (const std::uint32_t b : here) {
      const model::buffer_info& info = m.s.buffers[b];
      if (info.temporary || info.evictable)
        now += rounded(info.bytes());
      else if (counted.insert(b).second)
        fixed += info.bytes();
    }
    most = std::max(most, now);
  }
  return fixed + most;
}

RC_GTEST_PROP(MemoryPlans, fit_a_budget_by_eviction_and_compute_the_same,
              (const test::sketch& sketch, std::uint32_t kinds, std::uint64_t seed)) {
  memory_scenario m(sketch, kinds);
  const planner::plan free = planner::make_plan(m.s.commands.all(), m.s.buffers, m.s.machine);
  bool tight = false, impossible = false;
  for (const planner::memory_use& use : free.memories) {
    if (use.memory == model::host_memory) continue;
    const std::uint64_t needed = least(m, use.memory);
    // From just too little to just enough.
    const std::uint64_t from = needed == 0 ? 0 : needed - 1;
    const auto budget =
        from + *rc::gen::inRange<std::uint64_t>(0, use.peak > from ? use.peak - from + 256 : 256);
    m.s.machine.memories[use.memory.value()].bytes = std::max<std::uint64_t>(budget, 1);
    tight = tight || budget < use.peak;
  }
  std::optional<planner::plan> p;
  try {
    p = planner::make_plan(m.s.commands.all(), m.s.buffers, m.s.machine);
  } catch (const model::user_error& e) {
    RC_ASSERT(e.code() == model::error_code::memory_allocation);
    impossible = true;
  }
  RC_CLASSIFY(tight && !impossible);
  if (impossible) {
    // What is left beside what may not leave is cut to whole units of 256 bytes.
    RC_ASSERT(std::any_of(free.memories.begin(), free.memories.end(), [&](const auto& use) {
      const std::uint64_t budget = m.s.machine.memories[use.memory.value()].bytes;
      return use.memory != model::host_memory && budget < least(m, use.memory) + 256;
    }));
    return;
  }
  const auto violation = planner::verify(m.s.commands.all(), m.s.buffers, m.s.machine, *p);
  if (violation) RC_FAIL(violation->reason);
  for (const planner::memory_use& use : p->memories)
    RC_ASSERT(use.budget == 0 || use.peak <= use.budget);
  computes_what_a_sequential_machine_does(m, *p, seed);
}

// One device with little room for buffers, and what commands do to these one after the other.
struct paging_case {
  std::size_t buffers = 1, room = 1;  // in units of 256 bytes
  std::vector<std::size_t> sizes;     // index: buffer; likewise
  struct access {
    std::uint32_t buffer;
    int mode;  // 0: read, 1: read_write, 2: write no_init
  };
  std::vector<std::vector<access>> commands;
};

enum class sizes { equal, unequal };

paging_case any_paging_case(sizes how) {
  paging_case c;
  c.buffers = *rc::gen::inRange<std::size_t>(3, 7);
  std::size_t largest = 1, all = 0;
  for (std::size_t b = 0; b < c.buffers; ++b) {
    c.sizes.push_back(how == sizes::equal ? 1 : *test::number<std::size_t>(1, 5));
    largest = std::max(largest, c.sizes.back());
    all += c.sizes.back();
  }
  const std::size_t least = std::min(how == sizes::equal ? 2 : 2 * largest, all - 1);
  c.room = *rc::gen::inRange<std::size_t>(least, all);
  const auto n = *test::number<std::size_t>(4, 17);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<paging_case::access> used;
    std::size_t taken = 0;
    const auto count = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t k = 0; k < count; ++k) {
      const auto b = *test::number<std::uint32_t>(0, static_cast<std::uint32_t>(c.buffers));
      const int mode = *test::number<int>(0, 3);
      if (taken + c.sizes[b] > c.room ||
          std::any_of(used.begin(), used.end(), [&](const auto& a) { return a.buffer == b; }))
        continue;
      taken += c.sizes[b];
      used.push_back({b, mode});
    }
    if (!used.empty()) c.commands.push_back(used);
  }
  return c;
}

// The fewest units moved by anybody who knows the future, in this order of commands: all start on the host and end
// there. Where buffers lie does not count, only that they are not too much together. A state holds for each buffer whether it is on the device and whether it is newer there than on the host.
std::size_t fewest_moves(const paging_case& c) {
  using state = std::vector<unsigned char>;  // 0: on the host; 1: in both; 2: on the device alone
  std::map<state, std::size_t> now{{state(c.buffers, 0), 0}};
  const auto relax = [](std::map<state, std::size_t>& to, const state& s, std::size_t cost) {
    const auto [place, fresh] = to.try_emplace(s, cost);
    if (!fresh) place->second = std::min(place->second, cost);
  };
  // Who leaves without being written back is lost: allowed where the next access replaces it.
  const auto replaced_next = [&](std::size_t b, std::size_t from) {
    for (std::size_t i = from; i < c.commands.size(); ++i)
      for (const auto& a : c.commands[i])
        if (a.buffer == b) return a.mode == 2;
    return false;
  };
  for (std::size_t i = 0; i < c.commands.size(); ++i) {
    std::map<state, std::size_t> next;
    for (const auto& [s, cost] : now) {
      // Any of those that this command does not need may leave.
      std::vector<std::size_t> others;
      for (std::size_t b = 0; b < c.buffers; ++b)
        if (s[b] != 0 && std::none_of(c.commands[i].begin(), c.commands[i].end(),
                                      [&](const auto& a) { return a.buffer == b; }))
          others.push_back(b);
      for (std::size_t leave = 0; leave < std::size_t{1} << others.size(); ++leave) {
        state t = s;
        std::size_t moved = cost;
        for (std::size_t k = 0; k < others.size(); ++k)
          if ((leave >> k & 1) != 0) {
            if (t[others[k]] == 2 && !replaced_next(others[k], i)) moved += c.sizes[others[k]];
            t[others[k]] = 0;
          }
        for (const auto& a : c.commands[i]) {
          if (t[a.buffer] == 0 && a.mode != 2) moved += c.sizes[a.buffer];
          if (a.mode != 0)
            t[a.buffer] = 2;
          else if (t[a.buffer] == 0)
            t[a.buffer] = 1;
        }
        std::size_t taken = 0;
        for (std::size_t b = 0; b < c.buffers; ++b) taken += t[b] != 0 ? c.sizes[b] : 0;
        if (taken <= c.room) relax(next, t, moved);
      }
    }
    now.swap(next);
  }
  std::size_t best = ~std::size_t{0};
  for (const auto& [s, cost] : now) {
    std::size_t all = cost;
    for (std::size_t b = 0; b < c.buffers; ++b) all += s[b] == 2 ? c.sizes[b] : 0;
    best = std::min(best, all);
  }
  return best;
}

std::size_t moves_of_the_plan(const paging_case& c) {
  test::command_list commands;
  std::vector<model::buffer_info> buffers(c.buffers);
  for (std::size_t b = 0; b < c.buffers; ++b) {
    buffers[b].grid = model::page_grid(model::extent3{{1, 1, 64 * c.sizes[b]}});
    buffers[b].element_size = 4;
    buffers[b].evictable = true;
  }
  model::topology machine;
  machine.memories = {{"host", 0}, {"device", 256 * c.room}};
  machine.devices.push_back({"device", "test", model::memory_id(1), 4});
  machine.links = {{model::host_memory, model::memory_id(1), 1e10, 1e-5},
                   {model::memory_id(1), model::host_memory, 1e10, 1e-5}};
  for (const auto& used : c.commands) {
    std::vector<model::requirement> requirements;
    for (const auto& a : used) {
      model::requirement r;
      r.buffer = model::buffer_id(a.buffer);
      r.mode = a.mode == 0   ? model::access_mode::read
               : a.mode == 1 ? model::access_mode::read_write
                             : model::access_mode::write;
      r.no_init = a.mode == 2;
      r.elements = model::box::of(buffers[a.buffer].grid.range());
      requirements.push_back(r);
    }
    // One after the other: the fewest moves are those of this order.
    std::vector<std::uint64_t> after;
    if (commands.size() != 0) after.push_back(commands.size() - 1);
    commands.add(model::device_id(0), std::move(requirements), std::move(after));
  }
  const planner::plan p = planner::make_plan(commands.all(), buffers, machine);
  const auto violation = planner::verify(commands.all(), buffers, machine, p);
  if (violation) RC_FAIL(violation->reason);
  // With room for all nothing has to rest on the host.
  if (p.slots.empty()) return 0;
  std::size_t moved = 0;
  for (const planner::step& s : p.steps)
    if (const auto* t = std::get_if<planner::transfer_step>(&s.action))
      moved += t->elements.count() / 64;
  return moved;
}

std::size_t all_moves, all_fewest, all_unequal_moves, all_unequal_fewest;

// Buffers leave and come as a whole and lie somewhere, which the fewest units know nothing of.
RC_GTEST_PROP(MemoryPlans, of_unequal_buffers_move_little_more_than_anybody_who_knows_the_future,
              ()) {
  const paging_case c = any_paging_case(sizes::unequal);
  const std::size_t moved = moves_of_the_plan(c);
  if (moved == 0) return;
  const std::size_t fewest = fewest_moves(c);
  RC_ASSERT(moved >= fewest);
  all_unequal_moves += moved;
  all_unequal_fewest += fewest;
}

TEST(MemoryPlansTogether, of_unequal_buffers_move_within_a_fifth_of_the_fewest_bytes) {
  if (all_unequal_fewest == 0) GTEST_SKIP() << "needs the property before it";
  std::cout << "moved " << all_unequal_moves << " units, and the fewest are " << all_unequal_fewest
            << "\n";
  EXPECT_LE(all_unequal_moves * 10, all_unequal_fewest * 12);
}

RC_GTEST_PROP(MemoryPlans, move_hardly_more_than_anybody_who_knows_the_future, ()) {
  const paging_case c = any_paging_case(sizes::equal);
  const std::size_t moved = moves_of_the_plan(c);
  if (moved == 0) return;
  const std::size_t fewest = fewest_moves(c);
  RC_ASSERT(moved >= fewest);
  all_moves += moved;
  all_fewest += fewest;
  // A single small case may be unlucky.
  RC_ASSERT(moved <= fewest + fewest / 2 + 1);
}

TEST(MemoryPlansTogether, move_within_a_fifth_of_the_fewest_bytes) {
  if (all_fewest == 0) GTEST_SKIP() << "needs the property before it";
  std::cout << "moved " << all_moves << " buffers, and the fewest are " << all_fewest << "\n";
  RecordProperty("moved_per_fewest",
                 std::to_string(static_cast<double>(all_moves) / static_cast<double>(all_fewest)));
  EXPECT_LE(all_moves * 10, all_fewest * 12);
}

// Temporary buffers of a small graph: each written by one command and read by some later ones.
struct sharing_case {
  test::command_list commands;
  std::vector<model::buffer_info> buffers;
  std::vector<std::vector<std::uint32_t>> users;  // index: buffer
};

// The most bytes that are in use at once in any order of the commands.
std::uint64_t most_at_once(const sharing_case& c,
                           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  const auto n = static_cast<std::uint32_t>(c.commands.size());
  std::vector<std::uint32_t> order(n), place(n);
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t most = 0;
  do {
    for (std::uint32_t i = 0; i < n; ++i) place[order[i]] = i;
    if (std::any_of(edges.begin(), edges.end(),
                    [&](const auto& e) { return place[e.first] > place[e.second]; }))
      continue;
    for (std::uint32_t at = 0; at < n; ++at) {
      std::uint64_t now = 0;
      for (std::size_t b = 0; b < c.users.size(); ++b) {
        std::uint32_t first = n, last = 0;
        for (const std::uint32_t u : c.users[b]) {
          first = std::min(first, place[u]);
          last = std::max(last, place[u]);
        }
        if (first <= at && at <= last && !c.users[b].empty()) now += rounded(c.buffers[b].bytes());
      }
      most = std::max(most, now);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return most;
}

std::uint64_t all_blocks, all_bounds;

// A plan with temporary buffers that share storage adds to what all of them take together.
void share_storage_once() {
  sharing_case c;
  const auto n = *rc::gen::inRange<std::uint32_t>(2, 8);
  std::vector<std::vector<model::requirement>> requirements(n);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const auto temporaries = *test::number<std::size_t>(1, 9);
  for (std::size_t b = 0; b < temporaries; ++b) {
    model::buffer_info info;
    info.grid = model::page_grid(model::extent3{{1, 1, *test::number<std::uint64_t>(1, 9) * 64}});
    info.element_size = 4;
    info.temporary = true;
    c.buffers.push_back(info);
    c.users.emplace_back();
    const auto first = *test::number<std::uint32_t>(0, n);
    const auto last = std::min(n - 1, first + *test::number<std::uint32_t>(0, 3));
    for (std::uint32_t i = first; i <= last; ++i) {
      if (i != first && i != last && *test::number<int>(0, 2) == 0) continue;
      model::requirement r;
      r.buffer = model::buffer_id(static_cast<std::uint32_t>(b));
      r.mode = i == first ? model::access_mode::write : model::access_mode::read;
      r.no_init = i == first;
      r.elements = model::box::of(info.grid.range());
      requirements[i].push_back(r);
      c.users[b].push_back(i);
      if (i != first) edges.emplace_back(first, i);
    }
  }
  const bool in_order = *test::number<int>(0, 2) == 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<std::uint64_t> after;
    if (in_order && i != 0) {
      after.push_back(i - 1);
      edges.emplace_back(i - 1, i);
    }
    c.commands.add(model::device_id(0), requirements[i], after);
  }
  model::topology machine;
  machine.memories = {{"host", 0}, {"device", 0}};
  machine.devices.push_back({"device", "test", model::memory_id(1), 8});
  machine.links = {{model::host_memory, model::memory_id(1), 1e10, 1e-5},
                   {model::memory_id(1), model::host_memory, 1e10, 1e-5}};
  const planner::plan p = planner::make_plan(c.commands.all(), c.buffers, machine);
  const auto violation = planner::verify(c.commands.all(), c.buffers, machine, p);
  if (violation) RC_FAIL(violation->reason);
  std::uint64_t block = 0;
  for (const planner::memory_use& use : p.memories) block += use.block;
  all_blocks += block;
  all_bounds += most_at_once(c, edges);
}

// A hundred graphs come to 1.04 times as much on average, and at times to 1.07: more of them, so that chance does not tell.
RC_GTEST_PROP(MemoryPlans, take_hardly_more_room_than_is_in_use_at_once, ()) {
  for (int graphs = 0; graphs < 30; ++graphs) share_storage_once();
}

TEST(MemoryPlansTogether, take_within_a_twentieth_of_what_is_in_use_at_once) {
  if (all_bounds == 0) GTEST_SKIP() << "needs the property before it";
  std::cout << "blocks of " << all_blocks << " bytes, and " << all_bounds
            << " are in use at once\n";
  EXPECT_LE(all_blocks * 100, all_bounds * 105);
}

}  // namespace
