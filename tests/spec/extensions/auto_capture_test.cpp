// SPDX-License-Identifier: Apache-2.0
// Queues that capture by themselves what they are given again and again.
#include <unistd.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using captures = pia::property::queue::auto_capture;

class auto_capture : public testing::Test {
 protected:
  void SetUp() override { pia::reset_auto_capture_statistics(); }
  [[nodiscard]] static pia::auto_capture_statistics counted() {
    return pia::get_auto_capture_statistics();
  }
  static constexpr std::size_t n = 64;
};

class in_order : public auto_capture {
 protected:
  sycl::queue q{sycl::property_list{sycl::property::queue::in_order{}, captures{}}};
};

// x = 2 * y + 1, and the other way round.
struct ping_pong {
  explicit ping_pong(std::size_t n) : a(n), b(n) {
    sycl::host_accessor x(a, sycl::write_only, sycl::no_init);
    sycl::host_accessor y(b, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] = static_cast<std::uint32_t>(i);
  }
  sycl::event step(sycl::queue& q) {
    const sycl::event e = q.submit([&](sycl::handler& h) {
      sycl::accessor from(a, h, sycl::read_only);
      sycl::accessor to(b, h, sycl::write_only);
      h.parallel_for(a.get_range(), [=](sycl::id<1> i) { to[i] = 2 * from[i] + 1; });
    });
    std::swap(a, b);
    return e;
  }
  [[nodiscard]] std::uint32_t value(std::size_t i) {
    return sycl::host_accessor(a, sycl::read_only)[i];
  }
  static std::uint32_t expected(std::uint32_t x, int steps) {
    for (int i = 0; i < steps; ++i) x = 2 * x + 1;
    return x;
  }

  sycl::buffer<std::uint32_t> a, b;
};

TEST_F(in_order, a_loop_over_buffers_is_replayed) {
  ping_pong p(n);
  for (int i = 0; i < 100; ++i) p.step(q);
  EXPECT_EQ(counted().sequences, 1U);
  EXPECT_GE(counted().replays, 4U);
  EXPECT_GE(counted().replayed_commands, 64U);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(p.value(i), ping_pong::expected(static_cast<std::uint32_t>(i), 100));
}

// 16 steps become one replay, and the program waits behind 40.
TEST_F(in_order, what_a_wait_leaves_of_a_sequence_again_and_again_is_replayed) {
  ping_pong p(n);
  constexpr int runs = 20, steps = 40;
  std::uint32_t plus = 0;
  sycl::buffer<std::uint32_t> sum{1};
  sycl::host_accessor{sum, sycl::write_only, sycl::no_init}[0] = 0;
  const auto run = [&] {
    for (int i = 0; i < steps; i += 2) {
      p.step(q);
      ++plus;
      q.submit([&](sycl::handler& h) {
        sycl::accessor s(sum, h);
        h.single_task([=] { s[0] += plus; });
      });
    }
    q.wait();
  };
  for (int i = 0; i < runs; ++i) run();
  pia::reset_auto_capture_statistics();
  for (int i = 0; i < runs; ++i) run();
  // But for what a busy machine makes late.
  EXPECT_LT(counted().flushed_commands, std::uint64_t{runs} * (steps % 16));
  EXPECT_GT(counted().replayed_commands, std::uint64_t{runs} * (steps - steps % 16));
  EXPECT_EQ(sycl::host_accessor(sum, sycl::read_only)[0], plus * (plus + 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(p.value(i), ping_pong::expected(static_cast<std::uint32_t>(i), runs * steps));
}

// Runs `step` until a queue that captures has long known what repeats itself.
template <class Step>
void repeat(const Step& step) {
  for (int i = 1; i <= 40; ++i) step(i);
}

// The second command waits for what the program does when it has seen the end of the first.
void see_the_first_of_two(sycl::queue q, sycl::queue other) {
  auto* const x = sycl::malloc_shared<int>(2, q);
  x[0] = x[1] = 0;
  repeat([&](int i) {
    std::atomic<bool> seen{false};
    // Between the commands it would part them.
    const sycl::event gate = other.submit([&](sycl::handler& h) {
      h.host_task([&] {
        while (!seen) std::this_thread::yield();
      });
    });
    const sycl::event first = q.single_task([=] { x[0] += 1; });
    const sycl::event second = q.submit([&](sycl::handler& h) {
      h.depends_on({first, gate});
      h.single_task([=] { x[1] += x[0]; });
    });
    sycl::event(first).wait();
    EXPECT_EQ(x[0], i);
    seen = true;
    sycl::event(second).wait();
    EXPECT_EQ(x[1], i * (i + 1) / 2);
  });
  sycl::free(x, q);
}

TEST_F(auto_capture, a_command_does_not_wait_for_what_only_a_later_one_needs) {
  sycl::queue q(sycl::property_list{captures{}});
  const sycl::queue in_order(sycl::property_list{sycl::property::queue::in_order{}, captures{}});
  see_the_first_of_two(q, sycl::queue(q.get_context(), q.get_device()));
  see_the_first_of_two(in_order, q);
  see_the_first_of_two(q, q);
}

TEST_F(auto_capture, a_command_does_not_wait_for_a_host_accessor_of_a_later_one) {
  sycl::queue q{sycl::property_list{captures{}}};
  auto* const x = sycl::malloc_shared<int>(1, q);
  *x = 0;
  sycl::buffer<int> b(sycl::range<1>(1));
  repeat([&](int i) {
    sycl::event first;
    {
      const sycl::host_accessor held(b);
      held[0] = i;
      first = q.single_task([=] { *x += 1; });
      q.submit([&](sycl::handler& h) {
        const sycl::accessor a(b, h);
        h.single_task([=] { a[0] *= 2; });
      });
      first.wait();
      EXPECT_EQ(*x, i);
    }
    EXPECT_EQ(sycl::host_accessor(b)[0], 2 * i);
  });
  sycl::free(x, q);
}

TEST_F(in_order, host_tasks_may_submit_to_it_and_wait_while_the_program_does) {
  sycl::queue other(q.get_context(), q.get_device());
  auto* const x = sycl::malloc_shared<int>(3, q);
  x[0] = x[1] = x[2] = 0;
  repeat([&](int) {
    other.submit([&](sycl::handler& h) {
      h.host_task([&] {
        q.single_task([=] { x[0] += 1; });
        q.single_task([=] { x[1] += 1; }).wait();
      });
    });
    q.single_task([=] { x[2] += 1; });
  });
  other.wait();
  q.wait();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(x[i], 40) << i;
  sycl::free(x, q);
}

TEST_F(in_order, a_loop_that_waits_each_time_is_replayed_up_to_its_wait) {
  ping_pong p(n);
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 4; ++k) p.step(q);
    q.wait();
  }
  EXPECT_GE(counted().replays, 25U);
  EXPECT_EQ(p.value(5), ping_pong::expected(5, 160));
}

TEST_F(in_order, a_loop_whose_host_looks_each_time_is_replayed) {
  ping_pong p(n);
  for (int i = 1; i <= 40; ++i) {
    for (int k = 0; k < 6; ++k) p.step(q);
    ASSERT_EQ(p.value(7), ping_pong::expected(7, 6 * i)) << i;
  }
  EXPECT_GE(counted().replays, 25U);
}

TEST_F(in_order, memory_and_values_may_be_others_each_time) {
  auto* const x = sycl::malloc_shared<std::uint32_t>(4 * n, q);
  for (std::size_t i = 0; i < 4 * n; ++i) x[i] = 0;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    std::uint32_t* const part = x + i % 4 * n;
    q.parallel_for(n, [=](sycl::id<1> k) { part[k] += i; });
    q.parallel_for(n, [=](sycl::id<1> k) { part[k] = 3 * part[k] + i; });
    if (i % 32 == 31) q.wait();  // so that one graph is free for other values
  }
  q.wait();
  EXPECT_GT(counted().replays, 3U);
  EXPECT_GT(counted().changed_commands, 10U);
  for (std::uint32_t part = 0; part < 4; ++part) {
    sum = 0;
    for (std::uint32_t i = part; i < 200; i += 4) sum = 3 * (sum + i) + i;
    EXPECT_EQ(x[part * n + 3], sum);
  }
  sycl::free(x, q);
}

TEST_F(in_order, index_spaces_may_be_others_each_time) {
  auto* const x = sycl::malloc_shared<std::uint32_t>(n, q);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0;
  std::vector<std::uint32_t> expected(n, 0);
  for (std::size_t i = 0; i < 100; ++i) {
    const std::size_t range = 1 + i * 7 % n;
    q.parallel_for(range, [=](sycl::id<1> k) { x[k] += 1; });
    for (std::size_t k = 0; k < range; ++k) expected[k] += 1;
  }
  q.wait();
  EXPECT_GT(counted().replays, 0U);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(x[i], expected[i]) << i;
  sycl::free(x, q);
}

// One kernel, of which one thing after the other is another one for once, at any place of what is repeated.
TEST_F(auto_capture, whatever_a_command_asks_for_may_be_another_for_once) {
  struct asked {
    std::size_t buffer, from, count, items, group;
    std::uint32_t value;
  };
  sycl::queue q{sycl::property_list{captures{}}};
  std::vector<sycl::buffer<std::uint32_t>> data(2, sycl::buffer<std::uint32_t>(n));
  std::vector<std::vector<std::uint32_t>> expected(2, std::vector<std::uint32_t>(n));
  for (std::size_t b = 0; b < 2; ++b) {
    data[b] = sycl::buffer<std::uint32_t>(n);
    sycl::host_accessor x(data[b], sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < n; ++i) x[i] = expected[b][i] = static_cast<std::uint32_t>(i + b);
  }
  const auto run = [&](const asked& a) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(data[a.buffer], h, sycl::range<1>(a.count), sycl::id<1>(a.from));
      h.parallel_for(sycl::nd_range<1>(a.items, a.group), [=, value = a.value](sycl::nd_item<1> i) {
        auto& here = x[i.get_global_id()];
        here = 3 * here + value + static_cast<std::uint32_t>(i.get_local_range(0));
      });
    });
    for (std::size_t i = 0; i < a.items; ++i) {
      std::uint32_t& here = expected[a.buffer][a.from + i];
      here = 3 * here + a.value + static_cast<std::uint32_t>(a.group);
    }
  };
  std::vector<asked> body;
  for (std::uint32_t i = 0; i < 20; ++i) body.push_back({i % 2, i, 32, 16, 4, 7 * i});
  for (int i = 0; i < 8; ++i)
    for (const asked& a : body) run(a);
  for (std::size_t thing = 0; thing < 6; ++thing)
    for (std::size_t place = 0; place < body.size(); place += 3) {
      for (std::size_t i = 0; i < body.size(); ++i) {
        asked a = body[i];
        if (i == place) {
          a.buffer ^= thing == 0 ? 1U : 0U;
          a.from += thing == 1 ? 8 : 0;
          a.count -= thing == 2 ? 8 : 0;
          a.items += thing == 3 ? 8 : 0;
          a.group *= thing == 4 ? 2 : 1;
          a.value += thing == 5 ? 1 : 0;
        }
        run(a);
      }
      for (int i = 0; i < 2; ++i)
        for (const asked& a : body) run(a);
    }
  q.wait();
  EXPECT_GT(counted().replays, 20U);
  for (std::size_t b = 0; b < 2; ++b) {
    const sycl::host_accessor x(data[b], sycl::read_only);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(x[i], expected[b][i]) << b << ' ' << i;
  }
}

// Raw accessors hold nothing that tells their buffer.
TEST_F(auto_capture, the_buffer_of_a_raw_accessor_may_be_another_for_once) {
  using raw = sycl::accessor<std::uint32_t, 1, sycl::access_mode::read_write, sycl::target::device,
                             sycl::accessor_variant::raw>;
  sycl::queue q{sycl::property_list{captures{}}};
  std::vector<sycl::buffer<std::uint32_t>> data;
  std::uint32_t expected[2] = {1, 2};
  for (const std::uint32_t first : expected) {
    data.emplace_back(1);
    sycl::host_accessor(data.back(), sycl::write_only, sycl::no_init)[0] = first;
  }
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::size_t b = i > 200 && i % 37 == 0 ? 1 : 0;
    q.submit([&](sycl::handler& h) {
      raw x(data[b], h);
      h.single_task([=] { x[0] = 3 * x[0] + 1; });
    });
    expected[b] = 3 * expected[b] + 1;
  }
  EXPECT_GT(counted().replays, 0U);
  for (std::size_t b = 0; b < 2; ++b)
    EXPECT_EQ(sycl::host_accessor(data[b], sycl::read_only)[0], expected[b]);
}

// What does not repeat itself is not searched for long, but for signs that something begins to.
TEST_F(auto_capture, a_loop_that_begins_late_is_replayed_soon) {
  sycl::queue q{sycl::property_list{sycl::property::queue::in_order{}, captures{}}};
  auto* const x = sycl::malloc_shared<std::uint32_t>(n, q);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0;
  std::uint64_t state = 1;
  for (int i = 0; i < 17'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    // Of another size each time, and so of another shape.
    q.memset(x, static_cast<int>(state >> 40 & 1), 1 + (state >> 33) % (4 * n));
  }
  ASSERT_EQ(counted().replays, 0U);
  ping_pong p(n);
  int steps = 0;
  while (steps < 1000 && counted().replays == 0) {
    p.step(q);
    p.step(q);
    steps += 2;
    // Each of another size, the same ones in each repetition.
    for (std::size_t i = 1; i <= 10; ++i) q.memset(x, 1, i);
  }
  EXPECT_GT(counted().replays, 0U);
  EXPECT_LT(steps, 60);
  EXPECT_EQ(p.value(5), ping_pong::expected(5, steps));
  q.wait();
  sycl::free(x, q);
}

TEST_F(in_order, loops_of_a_few_commands_are_known_when_they_have_come_three_times) {
  sycl::buffer<int> all[3] = {sycl::buffer<int>{1}, sycl::buffer<int>{1}, sycl::buffer<int>{1}};
  for (const std::size_t commands : {1U, 2U, 3U, 5U}) {
    sycl::queue own{sycl::property_list{sycl::property::queue::in_order{}, captures{}}};
    const std::uint64_t before = counted().sequences;
    for (int round = 0; round < 3; ++round)
      for (std::size_t i = 0; i < commands; ++i)
        own.submit([&](sycl::handler& h) {
          sycl::accessor a(all[i % 3], h);
          h.parallel_for(sycl::range<1>(1), [=](sycl::id<1>) { a[0] += 1; });
        });
    EXPECT_EQ(counted().sequences, before + 1) << commands;
    own.wait();
  }
}

// A sanitizer's shadow grows by itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t margin = ~std::size_t{0} / 2;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::size_t margin = ~std::size_t{0} / 2;
#else
constexpr std::size_t margin = std::size_t{16} << 20;
#endif
#else
constexpr std::size_t margin = std::size_t{16} << 20;
#endif

// A program that goes from one loop to the next one: what is known of the loops before is given up.
TEST_F(in_order, what_is_known_of_loops_is_bounded) {
  constexpr std::size_t bytes = 16384;
  auto* const x = sycl::malloc_shared<std::uint32_t>(1 + bytes / sizeof(std::uint32_t), q);
  x[0] = 0;
  const auto resident = [] {
    long pages = 0, there = 0;
    std::FILE* const f = std::fopen("/proc/self/statm", "r");
    if (f == nullptr || std::fscanf(f, "%ld %ld", &pages, &there) != 2) there = 0;
    if (f != nullptr) std::fclose(f);
    return static_cast<std::size_t>(there) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  };
  std::uint32_t expected = 0;
  // Each of `loops` has commands of its own: how much is set is part of their shapes.
  const auto run = [&](std::size_t first, std::size_t loops, std::size_t commands) {
    for (std::size_t loop = first; loop < first + loops; ++loop) {
      for (std::uint32_t round = 0; round < 6; ++round)
        for (std::size_t i = 0; i < commands; ++i) {
          q.memset(x + 1, static_cast<int>(round), 1 + (loop * commands + i) % bytes);
          q.single_task([=] { x[0] += 1; });
          expected += 1;
        }
      q.wait();
    }
  };
  // Twelve loops of 8 commands: more than eight sequences. Four of 2600: more than 8192 commands.
  // What was given up is captured again.
  const auto run_again = [&](std::size_t first, std::size_t loops, std::size_t commands) {
    run(first, loops, commands);
    const std::uint64_t sequences = counted().sequences;
    run(first, loops, commands);
    EXPECT_GT(counted().sequences, sequences) << loops;
  };
  run_again(0, 12, 4);
  EXPECT_GT(counted().sequences, 8U);
  EXPECT_GT(counted().replays, 8U);
  // Drivers' doubles are slow, and so are sanitizers: nothing is held back for long.
  const bool is_slow = q.get_backend() == sycl::backend::cuda ||
                       q.get_backend() == sycl::backend::hip || margin > std::size_t{1} << 40;
  const auto run_long_ones = [&] {
    if (!is_slow) run_again(3, 4, 1300);
  };
  // Twice, as sequences get more graphs while others run.
  run_long_ones();
  run_long_ones();
  EXPECT_EQ(x[0], expected);
  const std::size_t before = resident();
  for (std::size_t again = 0; again < (is_slow ? 2U : 12U); ++again) run(again, 12, 4);
  run_long_ones();
  EXPECT_EQ(x[0], expected);
  EXPECT_LE(resident(), before + margin);
  sycl::free(x, q);
}

TEST_F(in_order, copies_and_fills_are_captured) {
  auto* const x = sycl::malloc_device<std::uint32_t>(n, q);
  std::vector<std::uint32_t> seen(n);
  std::uint32_t sum = 0;
  auto* const y = sycl::malloc_shared<std::uint32_t>(1, q);
  *y = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    q.fill(x, i, n);
    q.single_task([=] { *y += x[5]; });
    q.memcpy(seen.data(), x, n * sizeof(std::uint32_t));
    sum += i;
  }
  q.wait();
  EXPECT_GT(counted().replays, 3U);
  EXPECT_EQ(*y, sum);
  EXPECT_EQ(seen[n - 1], 99U);
  sycl::free(x, q);
  sycl::free(y, q);
}

TEST_F(auto_capture, events_of_single_commands_are_those_of_single_commands) {
  sycl::queue q{sycl::property_list{captures{}}};
  auto* const x = sycl::malloc_shared<std::uint32_t>(2, q);
  x[0] = x[1] = 0;
  sycl::event last;
  std::vector<sycl::event> all;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const sycl::event a = q.single_task(last, [=] { x[0] = 2 * x[0] + i; });
    last = q.single_task(a, [=] { x[1] += x[0]; });
    all.push_back(last);
    if (i == 70) {
      sycl::event(a).wait();
      EXPECT_EQ(a.get_info<sycl::info::event::command_execution_status>(),
                sycl::info::event_command_status::complete);
    }
  }
  EXPECT_GT(counted().replays, 2U);
  EXPECT_NE(all[98], all[99]);
  sycl::queue other(q.get_context(), q.get_device());
  other.single_task(last, [=] { x[0] += 1000; }).wait();
  std::uint32_t expected[2] = {0, 0};
  for (std::uint32_t i = 0; i < 100; ++i) {
    expected[0] = 2 * expected[0] + i;
    expected[1] += expected[0];
  }
  EXPECT_EQ(x[0], expected[0] + 1000);
  EXPECT_EQ(x[1], expected[1]);
  for (sycl::event& e : all)
    EXPECT_EQ(e.get_info<sycl::info::event::command_execution_status>(),
              sycl::info::event_command_status::complete);
  sycl::free(x, q);
}

TEST_F(auto_capture, commands_held_back_are_submitted_when_others_use_their_data) {
  sycl::queue q{sycl::property_list{captures{}}};
  sycl::queue other(q.get_context(), q.get_device());
  ping_pong p(n);
  for (int i = 0; i < 50; ++i) p.step(q);
  ASSERT_GT(counted().replays, 0U);
  for (int i = 0; i < 5; ++i) p.step(q);  // not as many as are replayed together
  p.step(other);
  for (int i = 0; i < 3; ++i) p.step(q);
  EXPECT_EQ(p.value(9), ping_pong::expected(9, 59));
}

TEST_F(auto_capture, a_queue_that_ends_submits_what_it_has_held_back) {
  ping_pong p(n);
  {
    sycl::queue q{sycl::property_list{captures{}}};
    for (int i = 0; i < 53; ++i) p.step(q);
    ASSERT_GT(counted().replays, 0U);
  }
  EXPECT_EQ(p.value(9), ping_pong::expected(9, 53));
}

TEST_F(auto_capture, buffers_that_end_are_written_back) {
  sycl::queue q{sycl::property_list{captures{}}};
  std::vector<std::uint32_t> data(n, 0);
  for (int round = 0; round < 3; ++round) {
    sycl::buffer<std::uint32_t> x(data);
    for (int i = 0; i < 45; ++i)
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(x, h);
        h.parallel_for(n, [=](sycl::id<1> k) { a[k] += 1; });
      });
  }
  EXPECT_GT(counted().replays, 0U);
  EXPECT_EQ(data, std::vector<std::uint32_t>(n, 3 * 45));
}

TEST_F(auto_capture, buffers_may_be_made_anew_in_each_repetition) {
  sycl::queue q{sycl::property_list{captures{}}};
  sycl::buffer<std::uint32_t> sum{n};
  {
    sycl::host_accessor s(sum, sycl::write_only, sycl::no_init);
    for (std::size_t k = 0; k < n; ++k) s[k] = 0;
  }
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    sycl::buffer<std::uint32_t> x{n}, y{n};
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h, sycl::write_only, sycl::no_init);
      h.parallel_for(n, [=](sycl::id<1> k) { a[k] = i; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h, sycl::read_only);
      sycl::accessor b(y, h, sycl::write_only, sycl::no_init);
      h.parallel_for(n, [=](sycl::id<1> k) { b[k] = 2 * a[k] + 1; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor b(y, h, sycl::read_only);
      sycl::accessor s(sum, h);
      h.parallel_for(n, [=](sycl::id<1> k) { s[k] = 3 * s[k] + b[k]; });
    });
    expected = 3 * expected + 2 * i + 1;
    if (i % 4 == 3) q.wait();  // so that one graph is free for other buffers
  }
  EXPECT_EQ(counted().sequences, 1U);
  EXPECT_GE(counted().replays, 30U);
  sycl::host_accessor s(sum, sycl::read_only);
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(s[k], expected) << k;
}

TEST_F(auto_capture, events_have_the_times_of_their_commands) {
  sycl::queue q{sycl::property_list{captures{}, sycl::property::queue::in_order{},
                                    sycl::property::queue::enable_profiling{}}};
  ping_pong p(4096);
  std::vector<sycl::event> events;
  for (int i = 0; i < 120; ++i) {
    events.push_back(p.step(q));
    if (i % 32 == 31) q.wait();
  }
  q.wait();
  EXPECT_GT(counted().replays, 0U);
  EXPECT_GT(counted().flushes + counted().replays, 1U);
  namespace times = sycl::info::event_profiling;
  // Each its own, and not those of the whole replay. Kernels that go piece by piece overlap.
  std::uint64_t last_start = 0, last_end = 0;
  for (const sycl::event& e : events) {
    const auto submitted = e.get_profiling_info<times::command_submit>();
    const auto started = e.get_profiling_info<times::command_start>();
    const auto ended = e.get_profiling_info<times::command_end>();
    EXPECT_LE(submitted, started);
    EXPECT_LT(started, ended);
    EXPECT_LT(last_start, started);
    EXPECT_LT(last_end, ended);
    last_start = started;
    last_end = ended;
  }
  EXPECT_EQ(p.value(5), ping_pong::expected(5, 120));
}

TEST_F(auto_capture, what_is_held_back_too_long_is_submitted) {
  sycl::queue q{sycl::property_list{captures{}}};
  auto* const x = sycl::malloc_shared<std::atomic<std::uint32_t>>(1, q);
  *x = 0;
  const auto step = [&] { q.submit([&](sycl::handler& h) { h.single_task([=] { *x += 1; }); }); };
  for (int i = 0; i < 100; ++i) step();
  ASSERT_GT(counted().replays, 0U);
  q.wait();
  step();  // nobody asks for it
  while (*x != 101) std::this_thread::yield();
  sycl::free(x, q);
}

TEST_F(auto_capture, a_launch_that_makes_no_sense_is_refused_when_it_is_submitted) {
  sycl::queue q{sycl::property_list{captures{}}};
  auto* const x = sycl::malloc_shared<std::uint32_t>(n, q);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0;
  const auto step = [&](std::size_t local) {
    q.parallel_for(sycl::nd_range<1>(n, local),
                   [=](sycl::nd_item<1> i) { x[i.get_global_id()] += 1; });
  };
  for (int i = 0; i < 60; ++i) {
    step(8);
    q.ext_oneapi_submit_barrier();
  }
  EXPECT_GT(counted().replays, 0U);
  EXPECT_EQ(error_code_of([&] { step(7); }), sycl::errc::nd_range);
  step(4);
  q.wait();
  EXPECT_EQ(x[n - 1], 61U);
  sycl::free(x, q);
}

TEST_F(auto_capture, barriers_order_what_is_replayed_and_what_is_not) {
  sycl::queue q{sycl::property_list{captures{}}};
  auto* const x = sycl::malloc_shared<std::uint32_t>(1, q);
  *x = 1;
  std::uint32_t expected = 1;
  const auto step = [&](std::uint32_t i) {
    q.single_task([=] {
      const std::uint32_t before = *x;
      std::uint32_t volatile spun = 0;
      for (std::uint32_t k = 0; k < 5000; ++k) spun = k;
      *x = 3 * before + i + spun - spun;
    });
    q.ext_oneapi_submit_barrier();
    expected = 3 * expected + i;
  };
  for (std::uint32_t round = 0; round < 20; ++round) {
    // Not as many as are replayed together.
    for (std::uint32_t i = 0; i < 53; ++i) step(i);
    q.wait();
    ASSERT_EQ(*x, expected) << round;
    // By itself, so that the next ones are not held back.
    q.single_task([=] { x[0] += 0; });
    q.ext_oneapi_submit_barrier();
  }
  EXPECT_GT(counted().replays, 20U);
  q.wait();
  sycl::free(x, q);
}

TEST_F(auto_capture, queues_without_it_do_not_capture) {
  for (const auto& properties : {sycl::property_list{}, sycl::property_list{captures{false}}}) {
    sycl::queue q{properties};
    ping_pong p(n);
    for (int i = 0; i < 60; ++i) p.step(q);
    EXPECT_EQ(p.value(3), ping_pong::expected(3, 60));
  }
  EXPECT_EQ(counted().sequences, 0U);
  pia::set_auto_capture(true);
  {
    sycl::queue q;
    ping_pong p(n);
    for (int i = 0; i < 60; ++i) p.step(q);
  }
  pia::set_auto_capture(false);
  EXPECT_EQ(counted().sequences, 1U);
}

TEST_F(auto_capture, a_queue_records_what_comes_after_what_it_has_held_back) {
  sycl::queue q{sycl::property_list{captures{}}};
  ping_pong p(n);
  for (int i = 0; i < 53; ++i) p.step(q);
  exp::command_graph graph(q);
  graph.begin_recording(q);
  p.step(q);
  p.step(q);
  graph.end_recording();
  auto both = graph.finalize();
  q.ext_oneapi_graph(both);
  for (int i = 0; i < 4; ++i) p.step(q);
  q.ext_oneapi_graph(both);
  EXPECT_EQ(sycl::host_accessor(p.a)[1], ping_pong::expected(1, 53 + 2 + 4 + 2));
}

// Whether the host's tasks have finished does not matter where all comes after them anyway.
void run_host_tasks_between(sycl::queue q, std::size_t n) {
  ping_pong p(n);
  std::vector<std::uint32_t> seen;
  for (int i = 0; i < 30; ++i) {
    for (int k = 0; k < 4; ++k) p.step(q);
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(p.a, h, sycl::read_only_host_task);
      h.host_task([=, &seen] { seen.push_back(x[2]); });
    });
  }
  q.wait();
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], ping_pong::expected(2, 4 * (i + 1)));
}

TEST_F(in_order, host_tasks_run_between_what_was_captured) {
  run_host_tasks_between(q, n);
  EXPECT_GT(counted().replays, 15U);
}

TEST_F(auto_capture, host_tasks_run_between_commands_that_do_not_all_wait_for_them) {
  run_host_tasks_between(sycl::queue(sycl::property_list{captures{}}), n);
}

TEST_F(auto_capture, threads_share_a_queue) {
  sycl::queue q{sycl::property_list{captures{}}};
  const auto work = [&](std::uint32_t& result) {
    ping_pong p(n);
    for (int i = 0; i < 300; ++i) {
      p.step(q);
      if (i % 50 == 49) q.wait();
    }
    result = p.value(11);
  };
  std::uint32_t one = 0, two = 0;
  std::thread other([&] { work(two); });
  work(one);
  other.join();
  EXPECT_EQ(one, ping_pong::expected(11, 300));
  EXPECT_EQ(two, ping_pong::expected(11, 300));
}

}  // namespace
