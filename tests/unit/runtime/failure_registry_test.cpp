// SPDX-License-Identifier: Apache-2.0
// What failures cost, counted in entries that are looked at, and that the registry agrees with a plain list.
#include "data/failure_registry.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/test/all_devices.hpp>

#include "data/held_accesses.hpp"
#include "process.hpp"

namespace pianola::test {
namespace {

using model::box;
using runtime::failure_registry;

box row_of(std::uint64_t from, std::uint64_t to) { return {{{0, 0, from}}, {{1, 1, to}}}; }

class failure_registry_costs : public ::testing::Test {
 protected:
  static constexpr std::uint64_t commands = 2000;
  const std::exception_ptr cause = std::make_exception_ptr(std::runtime_error("first"));
  failure_registry registry;
  // As a command that depends on a failure, and would have written the box, adds it.
  void skip(std::uint32_t buffer, const box& b, std::uint64_t step) {
    registry.add({model::buffer_id(buffer), 1, b, cause, false, model::step_id(step),
                  model::memory_set(model::host_memory), failure_registry::everywhere});
  }
  const failure_registry::entry* seen(std::uint32_t buffer, const box& b, std::uint64_t step) {
    return registry.find(model::buffer_id(buffer), 1, b, model::host_memory, model::step_id(step));
  }
};

TEST_F(failure_registry_costs, grow_with_the_commands_behind_one_failure_that_touch_the_same_data) {
  for (std::uint64_t i = 1; i <= commands; ++i) {
    skip(0, row_of(0, 100), i);
    ASSERT_NE(seen(0, row_of(0, 100), 0), nullptr);
  }
  EXPECT_EQ(registry.size(), 1U);
  EXPECT_LE(registry.looked_at(), 4 * commands);
  EXPECT_GE(registry.looked_at(), commands);
  EXPECT_EQ(seen(0, row_of(0, 100), commands), nullptr);
  EXPECT_NE(seen(0, row_of(0, 100), commands - 1), nullptr);
  registry.retire_below(model::step_id(commands));
  EXPECT_TRUE(registry.empty());
}

TEST_F(failure_registry_costs,
       grow_with_the_commands_behind_one_failure_that_touch_data_of_their_own) {
  for (std::uint64_t i = 0; i < commands; ++i) {
    skip(0, row_of(10 * i, 10 * i + 10), commands);
    skip(static_cast<std::uint32_t>(1 + i), row_of(0, 10), commands);
    ASSERT_NE(seen(0, row_of(10 * i + 3, 10 * i + 4), 0), nullptr);
    ASSERT_EQ(seen(0, row_of(10 * i + 10, 10 * i + 11), 0), nullptr);
  }
  EXPECT_EQ(registry.size(), 2 * commands);
  for (std::uint64_t i = 0; i < commands; ++i)
    registry.clear(model::buffer_id(0), 1, row_of(10 * i, 10 * i + 10));
  EXPECT_EQ(registry.size(), commands);
  registry.retire_below(model::step_id(commands));
  EXPECT_TRUE(registry.empty());
  EXPECT_LE(registry.looked_at(), 16 * commands);
  EXPECT_GE(registry.looked_at(), commands);
}

// Every element of one buffer: the entries that cover it, in the order in which they came.
class plain_list {
 public:
  void add(const failure_registry::entry& e) { all_.push_back(e); }
  void clear(const box& b) {
    std::vector<failure_registry::entry> left;
    for (const auto& e : all_)
      for_each_difference(e.elements, b, [&](const box& rest) {
        left.push_back(e);
        left.back().elements = rest;
      });
    all_ = left;
  }
  void end(model::step_id next) {
    for (auto& e : all_)
      if (e.poisoned) {
        e.poisoned = false;
        e.known_at = next;
      }
  }
  void retire(model::step_id step) {
    all_.erase(std::remove_if(all_.begin(), all_.end(),
                              [&](const auto& e) { return !e.poisoned && e.known_at <= step; }),
               all_.end());
  }
  bool fails(const box& b, model::memory_id m, model::step_id step) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& e) {
      return overlap(e.elements, b) && (e.poisoned || step < e.known_at) &&
             (e.affected == failure_registry::everywhere || e.affected == m);
    });
  }

 private:
  std::vector<failure_registry::entry> all_;
};

TEST(failure_registry_agrees, with_a_plain_list) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const std::exception_ptr causes[] = {std::make_exception_ptr(1), std::make_exception_ptr(2)};
  for (int round = 0; round < 30; ++round) {
    failure_registry registry;
    plain_list plain;
    std::uint64_t now = 1;
    const auto some_box = [&] {
      box b;
      for (int d = 0; d < 3; ++d) {
        b.lo.c[d] = pick(6);
        b.hi.c[d] = b.lo.c[d] + 1 + pick(3);
      }
      return b;
    };
    for (int i = 0; i < 200; ++i) {
      const box b = some_box();
      switch (pick(8)) {
        case 0:
          registry.clear(model::buffer_id(3), 2, b);
          plain.clear(b);
          break;
        case 1:
          if (pick(10) == 0) {
            registry.end_buffer(model::buffer_id(3), 2, model::step_id(now));
            plain.end(model::step_id(now));
          }
          break;
        case 2: {
          const model::step_id step(now - std::min<std::uint64_t>(now, 3 + pick(20)));
          registry.retire_below(step);
          plain.retire(step);
          break;
        }
        default: {
          const std::uint64_t where = pick(3);
          const failure_registry::entry e{
              model::buffer_id(3),
              2,
              b,
              causes[pick(2)],
              pick(3) == 0,
              model::step_id(now),
              model::memory_set(model::host_memory),
              where == 2 ? failure_registry::everywhere
                         : model::memory_id(static_cast<std::uint16_t>(where))};
          registry.add(e);
          plain.add(e);
        }
      }
      now += pick(3);
      for (int k = 0; k < 5; ++k) {
        const box asked = some_box();
        const model::memory_id memory(static_cast<std::uint16_t>(pick(2)));
        const model::step_id step(now - std::min<std::uint64_t>(now, pick(30)));
        ASSERT_EQ(registry.find(model::buffer_id(3), 2, asked, memory, step) != nullptr,
                  plain.fails(asked, memory, step));
        ASSERT_EQ(registry.find(model::buffer_id(3), 1, asked, memory, step), nullptr);
      }
    }
  }
}

// The whole runtime: not run, reported once, and without a look at each other.
TEST(failures_of_many_commands, cost_in_proportion_to_them) {
  std::vector<std::string> errors;
  for (auto& q : queues_on_all_devices({}, &errors)) {
    constexpr int commands = 2000;
    sycl::buffer<int> b(16);
    std::atomic<bool> go{false};
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write_host_task);
      h.host_task([a, &go] {
        static_cast<void>(a);
        while (!go) std::this_thread::yield();
        throw std::runtime_error("the first one");
      });
    });
    for (int i = 0; i < commands; ++i)
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.single_task([=] { a[0] = 1; });
      });
    runtime::process& rt = runtime::process::instance();
    std::uint64_t before = 0;
    {
      const std::lock_guard lock(rt.mutex);
      before = rt.failures.looked_at();
    }
    go = true;
    q.wait_and_throw();
    EXPECT_EQ(errors, std::vector<std::string>{"the first one"});
    errors.clear();
    const std::lock_guard lock(rt.mutex);
    EXPECT_LE(rt.failures.looked_at() - before, 32U * commands);
    EXPECT_GE(rt.failures.looked_at() - before, 1U * commands);
  }
}

// Against a plain map, in random order: an access is over when it has ended and each around it is over. Those in
// the way of something are so until then.
TEST(held_accesses, are_those_that_are_not_over) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  struct access {
    std::uint32_t mark;
    std::thread::id thread;
    bool ended;
    bool in_the_way;
    std::set<std::uint32_t> outers;
  };
  runtime::held_accesses held;
  std::map<std::uint32_t, access> plain;
  for (int i = 0; i < 5000; ++i) {
    const auto lane = static_cast<std::uint32_t>(random() % 300);
    if (plain.count(lane) == 0 && random() % 3 != 0) {
      held.make_room(lane + 1);
      runtime::held_accesses::entry e;
      e.lane = model::lane_id(lane);
      const auto mark = static_cast<std::uint32_t>(i);
      e.buffer = model::buffer_id(mark);
      if (random() % 2 != 0) e.thread = std::this_thread::get_id();
      held.add(e);
      access& added = plain[lane] = {mark, e.thread, false, false, {}};
      for (unsigned inside = random() % 3; inside != 0 && plain.size() > 3; --inside) {
        const auto outer =
            std::next(plain.begin(), static_cast<std::ptrdiff_t>(random() % plain.size()));
        if (outer->first == lane || !added.outers.insert(outer->first).second) continue;
        held.put_inside(e.lane, model::lane_id(outer->first));
      }
    } else if (plain.count(lane) != 0 && !plain[lane].ended) {
      plain[lane].ended = true;
      std::set<std::uint32_t> expected;
      for (bool more = true; more;) {
        more = false;
        for (auto it = plain.begin(); it != plain.end();) {
          if (!it->second.ended || !it->second.outers.empty()) {
            ++it;
            continue;
          }
          expected.insert(it->first);
          for (auto& other : plain) other.second.outers.erase(it->first);
          it = plain.erase(it);
          more = true;
        }
      }
      std::set<std::uint32_t> over;
      held.end(model::lane_id(lane), [&](model::lane_id l) { over.insert(l.value()); });
      ASSERT_EQ(over, expected);
    }
    const auto blocked = static_cast<std::uint32_t>(random() % 320);
    held.put_in_the_way(model::lane_id(blocked));
    if (plain.count(blocked) != 0) plain[blocked].in_the_way = true;
    for (const std::thread::id thread : {std::thread::id(), std::this_thread::get_id()}) {
      std::set<std::uint32_t> expected, found;
      for (const auto& [of, a] : plain)
        if (a.in_the_way && a.thread == thread) expected.insert(of);
      EXPECT_FALSE(held.any_in_the_way(thread, [&](const runtime::held_accesses::entry& e) {
        found.insert(e.lane.value());
        return false;
      }));
      ASSERT_EQ(found, expected);
    }
    ASSERT_EQ(held.any(), !plain.empty());
  }
  for (std::uint32_t lane = 0; lane < 320; ++lane) {
    const runtime::held_accesses::entry* e = held.find(model::lane_id(lane));
    ASSERT_EQ(e != nullptr, plain.count(lane) != 0) << lane;
    if (e != nullptr) {
      EXPECT_EQ(plain[lane].mark, e->buffer.value());
    }
  }
  // One that nobody has added, as where a buffer ends.
  int told = 0;
  held.end(model::lane_id(1000), [&](model::lane_id) { ++told; });
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace pianola::test
