// SPDX-License-Identifier: Apache-2.0
// Memory that commands allocate and free, in queues and in graphs (sycl_ext_oneapi_async_memory_alloc).
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using sycl::errc;
using sycl::usm::alloc;

constexpr std::size_t n = 256;

void fill(sycl::queue& q, int* p, int first) {
  q.parallel_for(n, [=](sycl::id<1> i) { p[i] = first + static_cast<int>(i[0]); });
}

bool counts_from(const std::vector<int>& x, int first) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != first + static_cast<int>(i)) return false;
  return true;
}

class async_alloc : public ::testing::Test {
 protected:
  int* take(std::size_t count = n) {
    return static_cast<int*>(exp::async_malloc(q, alloc::device, count * sizeof(int)));
  }
  int* take(const exp::memory_pool& pool, std::size_t count = n) {
    return static_cast<int*>(exp::async_malloc_from_pool(q, count * sizeof(int), pool));
  }
  sycl::queue q{sycl::property::queue::in_order{}};
  std::vector<int> out = std::vector<int>(n);
};

TEST_F(async_alloc, memory_is_there_between_its_two_commands) {
  EXPECT_TRUE(q.get_device().has(sycl::aspect::ext_oneapi_async_memory_alloc));
  for (int i = 0; i < 50; ++i) {
    int* const p = take();
    ASSERT_NE(p, nullptr);
    fill(q, p, i);
    q.memcpy(out.data(), p, n * sizeof(int));
    exp::async_free(q, p);
    q.wait();
    ASSERT_TRUE(counts_from(out, i)) << i;
  }
}

TEST_F(async_alloc, every_kind_of_memory_is_what_its_pointer_says_until_it_is_freed) {
  for (const alloc kind : {alloc::host, alloc::device, alloc::shared}) {
    int* const p = static_cast<int*>(exp::async_malloc(q, kind, n * sizeof(int)));
    EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), kind);
    EXPECT_EQ(sycl::get_pointer_type(p + n - 1, q.get_context()), kind);
    fill(q, p, 3);
    q.memcpy(out.data(), p, n * sizeof(int)).wait();
    EXPECT_TRUE(counts_from(out, 3));
    exp::async_free(q, p);
    EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), alloc::unknown);
  }
  q.wait();
}

TEST_F(async_alloc, handlers_and_events_order_an_out_of_order_queue) {
  sycl::queue any;
  int* p = nullptr;
  const sycl::event there = any.submit(
      [&](sycl::handler& h) { p = static_cast<int*>(exp::async_malloc(h, alloc::device, 400)); });
  const sycl::event filled = any.submit([&](sycl::handler& h) {
    h.depends_on(there);
    int* const v = p;
    h.parallel_for(100, [=](sycl::id<1> i) { v[i] = static_cast<int>(i[0]); });
  });
  std::vector<int> x(100);
  const sycl::event copied = any.submit([&](sycl::handler& h) {
    h.depends_on(filled);
    h.memcpy(x.data(), p, 400);
  });
  any.submit([&](sycl::handler& h) {
       h.depends_on(copied);
       exp::async_free(h, p);
     })
      .wait();
  EXPECT_TRUE(counts_from(x, 0));
}

TEST_F(async_alloc, nothing_is_allocated_for_no_bytes_and_null_may_be_freed) {
  EXPECT_EQ(exp::async_malloc(q, alloc::device, 0), nullptr);
  exp::async_free(q, nullptr);
  q.wait();
}

TEST_F(async_alloc, a_pool_uses_memory_again_and_gives_back_what_is_over_its_threshold) {
  exp::memory_pool pool(q, alloc::device, exp::properties{exp::initial_threshold{0}});
  int* const first = take(pool);
  EXPECT_EQ(pool.get_used_size_current(), n * sizeof(int));
  EXPECT_EQ(pool.get_reserved_size_current(), n * sizeof(int));
  exp::async_free(q, first);
  EXPECT_EQ(pool.get_used_size_current(), 0U);
  // In order, so nothing has to be waited for.
  EXPECT_EQ(take(pool), first);
  exp::async_free(q, first);
  q.wait();
  EXPECT_EQ(pool.get_reserved_size_current(), 0U);
  EXPECT_EQ(pool.get_reserved_size_high(), n * sizeof(int));
  pool.reset_reserved_size_high();
  EXPECT_EQ(pool.get_reserved_size_high(), 0U);

  pool.increase_threshold_to(2 * n * sizeof(int));
  pool.increase_threshold_to(1);
  EXPECT_EQ(pool.get_threshold(), 2 * n * sizeof(int));
  EXPECT_EQ(error_code_of([&] { pool.set_new_threshold(1); }), errc::invalid);
  int* const a = take(pool);
  int* const b = take(pool);
  EXPECT_NE(a, b);
  exp::async_free(q, a);
  exp::async_free(q, b);
  q.wait();
  EXPECT_EQ(pool.get_reserved_size_current(), 2 * n * sizeof(int));
  EXPECT_EQ(pool.get_used_size_current(), 0U);
}

TEST_F(async_alloc, a_loop_needs_no_more_than_one_round) {
  exp::memory_pool pool(q, alloc::device);
  for (int i = 0; i < 500; ++i) {
    int* const a = take(pool);
    int* const b = take(pool, 10 * n);
    fill(q, a, i);
    q.memcpy(b, a, n * sizeof(int));
    exp::async_free(q, a);
    exp::async_free(q, b);
  }
  q.wait();
  EXPECT_EQ(pool.get_reserved_size_high(), 11 * n * sizeof(int));
  EXPECT_EQ(pool.get_used_size_current(), 0U);
  EXPECT_EQ(pool.get_reserved_size_current(), 0U);
}

TEST_F(async_alloc, a_full_pool_says_so_and_works_on) {
  exp::memory_pool pool(q, alloc::device, exp::properties{exp::maximum_size{n * sizeof(int)}});
  EXPECT_EQ(error_code_of([&] { take(pool, n + 1); }), errc::memory_allocation);
  int* const p = take(pool);
  EXPECT_EQ(error_code_of([&] { take(pool, 1); }), errc::memory_allocation);
  exp::async_free(q, p);
  int* const small = take(pool, 1);
  EXPECT_EQ(small, p);
  exp::async_free(q, small);
  q.wait();
}

TEST_F(async_alloc, memory_that_is_exhausted_is_reported_and_leaves_nothing_behind) {
  EXPECT_EQ(error_code_of([&] { (void)exp::async_malloc(q, alloc::device, std::size_t{1} << 60); }),
            errc::memory_allocation);
  int* const p = take();
  fill(q, p, 9);
  q.memcpy(out.data(), p, n * sizeof(int));
  exp::async_free(q, p);
  q.wait();
  EXPECT_TRUE(counts_from(out, 9));
}

TEST_F(async_alloc, what_is_still_in_use_is_given_to_nobody_before_that_ends) {
  sycl::queue any;
  exp::memory_pool pool(any, alloc::device, exp::properties{exp::maximum_size{64}});
  std::atomic<bool> open{false}, early{false};
  std::atomic<bool> passed{false};
  void* first = nullptr;
  const sycl::event there =
      any.submit([&](sycl::handler& h) { first = exp::async_malloc_from_pool(h, 64, pool); });
  const sycl::event used = any.submit([&](sycl::handler& h) {
    h.depends_on(there);
    h.host_task([&] {
      while (!open.load()) std::this_thread::yield();
      passed = true;
    });
  });
  any.submit([&](sycl::handler& h) {
    h.depends_on(used);
    exp::async_free(h, first);
  });
  // The pool has nothing else: the command waits for the one above.
  void* second = nullptr;
  const sycl::event again =
      any.submit([&](sycl::handler& h) { second = exp::async_malloc_from_pool(h, 64, pool); });
  EXPECT_EQ(second, first);
  any.submit([&](sycl::handler& h) {
    h.depends_on(again);
    h.host_task([&] { early = !passed.load(); });
  });
  // Enough for it to begin if nothing held it. Not by waiting: that would help with the task that waits for us.
  for (int i = 0; i < 50 && !early.load(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  open = true;
  any.wait();
  EXPECT_FALSE(early.load());
  exp::async_free(any, second);
  any.wait();
}

TEST_F(async_alloc, memory_of_a_zeroing_pool_is_zero_each_time) {
  for (const alloc kind : {alloc::device, alloc::shared, alloc::host}) {
    exp::memory_pool pool(q, kind, exp::properties{exp::zero_init{}, exp::read_only{}});
    for (int round = 0; round < 3; ++round) {
      int* const p = take(pool);
      q.memcpy(out.data(), p, n * sizeof(int));
      fill(q, p, 1);
      exp::async_free(q, p);
      q.wait();
      EXPECT_EQ(out, std::vector<int>(n, 0));
    }
  }
}

TEST_F(async_alloc, pools_know_what_they_were_made_of) {
  exp::memory_pool pool(q.get_context(), q.get_device(), alloc::shared,
                        exp::properties{exp::maximum_size{4096}, exp::initial_threshold{100}});
  EXPECT_EQ(pool.get_context(), q.get_context());
  EXPECT_EQ(pool.get_device(), q.get_device());
  EXPECT_EQ(pool.get_alloc_kind(), alloc::shared);
  EXPECT_EQ(pool.get_threshold(), 100U);
  EXPECT_TRUE(pool.has_property<exp::maximum_size>());
  EXPECT_TRUE(pool.has_property<exp::initial_threshold>());
  EXPECT_FALSE(pool.has_property<exp::zero_init>());
  EXPECT_EQ(pool.get_property<exp::maximum_size>().get_maximum_size(), 4096U);
  EXPECT_EQ(error_code_of([&] { (void)pool.get_property<exp::zero_init>(); }), errc::invalid);
  const exp::memory_pool copy = pool;
  EXPECT_EQ(copy, pool);
  const auto shared = [&] {
    return q.get_context().ext_oneapi_get_default_memory_pool(q.get_device(), alloc::device);
  };
  EXPECT_EQ(shared(), shared());
  EXPECT_EQ(std::hash<exp::memory_pool>()(shared()), std::hash<exp::memory_pool>()(shared()));
  EXPECT_NE(shared(), pool);
  EXPECT_EQ(error_code_of([&] { exp::memory_pool(q, alloc::unknown); }), errc::invalid);
}

TEST_F(async_alloc, a_pool_may_end_before_its_memory) {
  int* p = nullptr;
  {
    exp::memory_pool pool(q, alloc::device);
    p = take(pool);
    fill(q, p, 4);
  }
  q.memcpy(out.data(), p, n * sizeof(int));
  exp::async_free(q, p);
  q.wait();
  EXPECT_TRUE(counts_from(out, 4));
}

TEST_F(async_alloc, what_was_not_allocated_or_was_freed_is_refused) {
  int on_stack = 0;
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, &on_stack); }), errc::invalid);
  int* const usm = sycl::malloc_device<int>(4, q);
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, usm); }), errc::invalid);
  sycl::free(usm, q);
  int* const p = take();
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, p + 1); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { sycl::free(p, q); }), errc::invalid);
  exp::async_free(q, p);
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, p); }), errc::invalid);
  q.wait();
}

TEST_F(async_alloc, memory_stays_in_its_context) {
  const sycl::context other(q.get_device());
  sycl::queue elsewhere(other, q.get_device());
  int* const p = take();
  EXPECT_EQ(error_code_of([&] { exp::async_free(elsewhere, p); }), errc::invalid);
  exp::async_free(q, p);
  exp::memory_pool pool(other, q.get_device(), alloc::device);
  EXPECT_EQ(error_code_of([&] { take(pool); }), errc::invalid);
  EXPECT_NE(other.ext_oneapi_get_default_memory_pool(q.get_device(), alloc::device),
            q.get_context().ext_oneapi_get_default_memory_pool(q.get_device(), alloc::device));
  q.wait();
}

TEST_F(async_alloc, a_command_group_that_fails_has_neither_allocated_nor_freed) {
  exp::memory_pool pool(q, alloc::device);
  EXPECT_THROW(q.submit([&](sycl::handler& h) {
    (void)exp::async_malloc_from_pool(h, 64, pool);
    throw 1;
  }),
               int);
  EXPECT_EQ(pool.get_used_size_current(), 0U);
  int* const p = take(pool);
  EXPECT_THROW(q.submit([&](sycl::handler& h) {
    exp::async_free(h, p);
    throw 1;
  }),
               int);
  EXPECT_EQ(pool.get_used_size_current(), n * sizeof(int));
  exp::async_free(q, p);
  q.wait();
}

// ---- graphs --------------------------------------------------------------------------------------

TEST_F(async_alloc, a_recorded_allocation_is_the_graphs_own_in_every_replay) {
  exp::command_graph g(q);
  g.begin_recording(q);
  int* const p = take();
  fill(q, p, 5);
  q.memcpy(out.data(), p, n * sizeof(int));
  exp::async_free(q, p);
  g.end_recording(q);

  const auto nodes = g.get_nodes();
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].get_type(), exp::node_type::async_malloc);
  EXPECT_EQ(nodes[3].get_type(), exp::node_type::async_free);
  EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), alloc::device);
  const auto made = g.finalize();
  EXPECT_EQ(made.get_required_mem_size(), n * sizeof(int));
  for (int i = 0; i < 3; ++i) {
    out.assign(n, 0);
    q.ext_oneapi_graph(made);
    q.wait();
    EXPECT_TRUE(counts_from(out, 5));
  }
}

TEST_F(async_alloc, allocations_whose_lives_follow_each_other_share_storage) {
  exp::command_graph g(q);
  g.begin_recording(q);
  int* const a = take(4 * n);
  q.memset(a, 1, 4 * n * sizeof(int));
  exp::async_free(q, a);
  int* const b = take();  // both fit where a was
  int* const c = take();
  fill(q, b, 10);
  fill(q, c, 20);
  std::vector<int> other(n);
  q.memcpy(out.data(), b, n * sizeof(int));
  q.memcpy(other.data(), c, n * sizeof(int));
  exp::async_free(q, b);
  exp::async_free(q, c);
  g.end_recording(q);
  EXPECT_TRUE(b == a || c == a);
  EXPECT_NE(b, c);
  const auto made = g.finalize();
  EXPECT_EQ(made.get_required_mem_size(), 4 * n * sizeof(int));
  const auto use = sycl::ext::pianola::get_memory_use(made, q.get_device());
  EXPECT_EQ(use.shared, 4 * n * sizeof(int));
  EXPECT_EQ(use.saved(), 2 * n * sizeof(int));
  for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(made);
  q.wait();
  EXPECT_TRUE(counts_from(out, 10));
  EXPECT_TRUE(counts_from(other, 20));
}

// Small ones. Real drivers of CUDA have pages of 2 MiB, the test double has small ones.
bool has_pages(const sycl::device& d) {
  static constexpr const char* double_of_cuda = "PIANOLA_CUDA_DRIVER";
  return d.get_backend() != sycl::backend::ext_oneapi_hip &&
         (d.get_backend() != sycl::backend::ext_oneapi_cuda ||
          std::getenv(double_of_cuda) != nullptr);
}

// Where memory can grow where it is, nothing is left between larger and larger ones.
TEST_F(async_alloc, larger_and_larger_allocations_share_storage_where_memory_has_pages) {
  if (!has_pages(q.get_device())) GTEST_SKIP() << "the device's memory grows by blocks";
  exp::command_graph g(q);
  g.begin_recording(q);
  int* last = nullptr;
  for (std::size_t i = 1; i <= 64; ++i) {
    last = take(i * n);
    q.memset(last, 1, i * n * sizeof(int));
    if (i == 64) {
      fill(q, last, 3);
      q.memcpy(out.data(), last, n * sizeof(int));
    }
    exp::async_free(q, last);
  }
  g.end_recording(q);
  const auto made = g.finalize();
  EXPECT_EQ(made.get_required_mem_size(), 64 * n * sizeof(int));
  for (int i = 0; i < 2; ++i) q.ext_oneapi_graph(made);
  q.wait();
  EXPECT_TRUE(counts_from(out, 3));
}

// Large allocations get their bytes when all lives are known: no more of them than are there at the same time.
class large_allocations : public async_alloc {
 protected:
  struct living {
    int* pointer;
    std::size_t count;
    int first;
  };
  // Records a random sequence of lives. What each allocation held at its end goes to `checks`.
  void record(exp::command_graph<exp::graph_state::modifiable>& g, std::minstd_rand& random) {
    g.begin_recording(q);
    for (int i = 0; i < 120; ++i) {
      if (!alive.empty() && random() % 100 < (alive.size() > 8 ? 80U : 40U)) {
        end(random() % alive.size());
        continue;
      }
      living l{nullptr, (17 + random() % 200) * 1024, static_cast<int>(random() % 1000)};
      l.pointer = take(l.count);
      int* const p = l.pointer;
      const int first = l.first;
      q.parallel_for(l.count, [=](sycl::id<1> j) { p[j] = first + static_cast<int>(j[0]); });
      now += l.count * sizeof(int);
      most = std::max(most, now);
      sum += l.count * sizeof(int);
      alive.push_back(l);
    }
    g.end_recording(q);
  }
  void end(std::size_t which) {
    const living l = alive[which];
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(which));
    checks.push_back({std::vector<int>(l.count), l.first});
    q.memcpy(checks.back().held.data(), l.pointer, l.count * sizeof(int));
    exp::async_free(q, l.pointer);
    now -= l.count * sizeof(int);
  }
  void replay_and_check(exp::command_graph<exp::graph_state::executable> made, std::size_t ends) {
    for (int i = 0; i < 2; ++i) {
      for (check& c : checks) std::fill(c.held.begin(), c.held.end(), -1);
      q.ext_oneapi_graph(made);
      q.wait();
      for (std::size_t k = 0; k < ends; ++k)
        ASSERT_TRUE(counts_from(checks[k].held, checks[k].first)) << k;
    }
  }

  struct check {
    std::vector<int> held;
    int first;
  };
  std::vector<living> alive;
  std::deque<check> checks;
  std::size_t now = 0, most = 0, sum = 0;
};

TEST_F(large_allocations, share_all_that_their_lives_allow_where_memory_has_pages) {
  if (!has_pages(q.get_device()))
    GTEST_SKIP() << "the addresses of the device's memory are its bytes";
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::minstd_rand random(seed);
    alive.clear();
    checks.clear();
    now = most = sum = 0;
    exp::command_graph g(q);
    record(g, random);
    const auto made = g.finalize();
    EXPECT_GE(made.get_required_mem_size(), most);
    EXPECT_LE(made.get_required_mem_size(), most + most / 20);
    const auto use = sycl::ext::pianola::get_memory_use(made, q.get_device());
    EXPECT_LE(use.shared, made.get_required_mem_size());
    EXPECT_GE(use.saved(), sum - made.get_required_mem_size());
    EXPECT_GT(sum, 2 * most);
    replay_and_check(made, checks.size());
  }
}

TEST_F(large_allocations, of_a_graph_that_goes_on_keep_their_bytes) {
  std::minstd_rand random(7);
  exp::command_graph g(q);
  record(g, random);
  const std::size_t ends = checks.size();
  const auto first = g.finalize();
  record(g, random);
  g.begin_recording(q);
  while (!alive.empty()) end(0);
  g.end_recording(q);
  const auto second = g.finalize();
  EXPECT_LE(second.get_required_mem_size(), sum + sum / 16);
  replay_and_check(second, checks.size());
  replay_and_check(first, ends);
  replay_and_check(second, checks.size());
}

// As programs do that become daemons.
TEST_F(large_allocations, leave_files_alone_that_have_the_number_of_theirs) {
  if (q.get_device().get_info<sycl::info::device::device_type>() != sycl::info::device_type::cpu)
    GTEST_SKIP() << "the addresses of the device's memory are its bytes";
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const int saved = dup(fileno(file));
  {
    // The lowest number that is free is the one that the graph's pages get.
    const int theirs = dup(fileno(file));
    close(theirs);
    exp::command_graph g(q);
    g.begin_recording(q);
    int* const p = take(100 * 1024);
    q.memset(p, 1, 100);
    exp::async_free(q, p);
    g.end_recording(q);
    ASSERT_EQ(dup2(saved, theirs), theirs);
    EXPECT_EQ(error_code_of([&] { (void)g.finalize(); }), errc::memory_allocation);
    close(theirs);
  }
  struct stat s{};
  ASSERT_EQ(fstat(saved, &s), 0);
  EXPECT_EQ(s.st_size, 0);
  close(saved);
  std::fclose(file);
}

TEST_F(large_allocations,
       that_the_device_has_no_room_for_at_once_are_refused_when_all_lives_are_known) {
  if (!has_pages(q.get_device()))
    GTEST_SKIP() << "the addresses of the device's memory are its bytes";
  const std::size_t most = q.get_device().get_info<sycl::info::device::global_mem_size>();
  exp::command_graph g(q);
  g.begin_recording(q);
  int* const first = take(most / 5 * 3 / sizeof(int));
  int* const second = take(most / 5 * 3 / sizeof(int));
  q.memset(first, 1, 4);
  q.memset(second, 1, 4);
  exp::async_free(q, first);
  exp::async_free(q, second);
  g.end_recording(q);
  try {
    (void)g.finalize();
    ADD_FAILURE() << "there is room for both";
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), errc::memory_allocation);
    EXPECT_NE(std::string(e.what()).find("at the same time"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("free them earlier"), std::string::npos) << e.what();
  }
}

TEST_F(large_allocations, beyond_the_machine_are_refused) {
  exp::command_graph g(q);
  g.begin_recording(q);
  EXPECT_EQ(error_code_of([&] { (void)exp::async_malloc(q, alloc::device, std::size_t{1} << 60); }),
            errc::memory_allocation);
  g.end_recording(q);
}

TEST_F(async_alloc, allocations_that_nothing_orders_have_storage_of_their_own) {
  exp::command_graph g(q);
  int *a = nullptr, *b = nullptr, *c = nullptr;
  const auto take_in = [&](int*& p) {
    return [&](sycl::handler& h) {
      p = static_cast<int*>(exp::async_malloc(h, alloc::device, n * sizeof(int)));
    };
  };
  const auto after = [](const exp::node& x) {
    return sycl::property_list{exp::property::node::depends_on(x)};
  };
  const exp::node born = g.add(take_in(a));
  const exp::node died = g.add([&](sycl::handler& h) { exp::async_free(h, a); }, after(born));
  const exp::node apart = g.add(take_in(b));
  const exp::node later = g.add(take_in(c), after(died));
  EXPECT_NE(a, b);
  EXPECT_EQ(a, c);
  EXPECT_EQ(apart.get_type(), exp::node_type::async_malloc);
  EXPECT_EQ(died.get_type(), exp::node_type::async_free);
  EXPECT_EQ(later.get_predecessors().size(), 1U);
  EXPECT_EQ(g.finalize().get_required_mem_size(), 2 * n * sizeof(int));
}

TEST_F(async_alloc, depends_on_counts_before_the_allocation) {
  exp::command_graph g(q);
  sycl::queue any;
  g.begin_recording(any);
  void *a = nullptr, *b = nullptr;
  const auto born =
      any.submit([&](sycl::handler& h) { a = exp::async_malloc(h, alloc::device, 64); });
  const auto died = any.submit([&](sycl::handler& h) {
    h.depends_on(born);
    exp::async_free(h, a);
  });
  any.submit([&](sycl::handler& h) {
    h.depends_on(died);
    b = exp::async_malloc(h, alloc::device, 64);
  });
  g.end_recording(any);
  EXPECT_EQ(a, b);
}

TEST_F(async_alloc, a_graph_keeps_what_no_node_frees_and_its_end_frees_it) {
  int* p = nullptr;
  {
    exp::command_graph g(q);
    g.begin_recording(q);
    p = take();
    fill(q, p, 7);
    g.end_recording(q);
    const auto made = g.finalize();
    q.ext_oneapi_graph(made);
    q.memcpy(out.data(), p, n * sizeof(int)).wait();
    EXPECT_TRUE(counts_from(out, 7));
    EXPECT_EQ(error_code_of([&] { exp::async_free(q, p); }), errc::invalid);
  }
  EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), alloc::unknown);
}

TEST_F(async_alloc, many_graphs_leave_no_memory_behind) {
  for (int i = 0; i < 100; ++i) {
    int* p = nullptr;
    {
      exp::command_graph g(q);
      g.begin_recording(q);
      p = take(1 << 16);
      q.memset(p, i, 1 << 16);
      exp::async_free(q, p);
      g.end_recording(q);
      const auto made = g.finalize();
      q.ext_oneapi_graph(made);
      EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), alloc::device);
    }
    // Its last replay was waited for.
    ASSERT_EQ(sycl::get_pointer_type(p, q.get_context()), alloc::unknown) << i;
  }
}

TEST_F(async_alloc, mistakes_in_a_graph_are_found) {
  exp::command_graph g(q);
  int* const eager = take();
  g.begin_recording(q);
  int* const p = take();
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, eager); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, p + 1); }), errc::invalid);
  exp::async_free(q, p);
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, p); }), errc::invalid);
  g.end_recording(q);
  EXPECT_EQ(g.get_nodes().size(), 2U);
  EXPECT_EQ(error_code_of([&] { exp::async_free(q, p); }), errc::invalid);
  exp::async_free(q, eager);
  q.wait();
  EXPECT_EQ(error_code_of([&] {
              exp::dynamic_command_group(
                  g, {[](sycl::handler& h) { (void)exp::async_malloc(h, alloc::device, 4); }});
            }),
            errc::invalid);
}

TEST_F(async_alloc, use_outside_of_its_life_is_found_when_the_graph_is_finalized) {
  const auto refused = [&](const exp::command_graph<exp::graph_state::modifiable>& g) {
    try {
      (void)g.finalize();
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), errc::invalid);
      return std::string(e.what());
    }
    return std::string();
  };
  {
    exp::command_graph g(q);
    g.begin_recording(q);
    int* const p = take();
    exp::async_free(q, p);
    q.memset(p, 0, 4);
    g.end_recording(q);
    EXPECT_NE(refused(g).find("has freed it"), std::string::npos) << refused(g);
  }
  const auto after = [](const exp::node& x) {
    return sycl::property_list{exp::property::node::depends_on(x)};
  };
  int* p = nullptr;
  const auto allocate = [&](sycl::handler& h) {
    p = static_cast<int*>(exp::async_malloc(h, alloc::device, n * sizeof(int)));
  };
  {
    exp::command_graph g(q);
    (void)g.add(allocate);
    (void)g.add([&](sycl::handler& h) { h.memset(p, 0, 4); });
    EXPECT_NE(refused(g).find("without coming after"), std::string::npos);
  }
  {
    exp::command_graph g(q);
    const exp::node born = g.add(allocate);
    (void)g.add([&](sycl::handler& h) { exp::async_free(h, p); }, after(born));
    (void)g.add([&](sycl::handler& h) { h.memcpy(out.data(), p, 4); }, after(born));
    EXPECT_NE(refused(g), "");
  }
  {
    exp::command_graph g(q);
    (void)g.add(allocate);
    (void)g.add([&](sycl::handler& h) { exp::async_free(h, p); });
    EXPECT_NE(refused(g).find("without coming after"), std::string::npos);
  }
}

TEST_F(async_alloc, replays_of_graphs_with_the_same_memory_take_turns) {
  exp::command_graph g(q);
  g.begin_recording(q);
  int* const p = take();
  fill(q, p, 1);
  q.parallel_for(n, [=](sycl::id<1> i) { p[i] += 1; });
  q.memcpy(out.data(), p, n * sizeof(int));
  exp::async_free(q, p);
  g.end_recording(q);
  const auto one = g.finalize(), two = g.finalize();
  sycl::queue any, other;
  for (int i = 0; i < 20; ++i) {
    any.ext_oneapi_graph(one);
    other.ext_oneapi_graph(two);
  }
  any.wait();
  other.wait();
  EXPECT_TRUE(counts_from(out, 2));
}

TEST_F(async_alloc, nested_graphs_bring_their_memory_along) {
  exp::command_graph inner(q);
  inner.begin_recording(q);
  int* const p = take();
  fill(q, p, 1);
  q.parallel_for(n, [=](sycl::id<1> i) { p[i] *= 2; });
  q.memcpy(out.data(), p, n * sizeof(int));
  exp::async_free(q, p);
  inner.end_recording(q);
  exp::command_graph outer(q);
  {
    const auto made = inner.finalize();
    const exp::node a = outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(made); });
    const exp::node b = outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(made); });
    EXPECT_EQ(b.get_predecessors().size(), 1U);  // they have the same memory
    EXPECT_EQ(error_code_of(
                  [&] { (void)inner.add([&](sycl::handler& h) { h.ext_oneapi_graph(made); }); }),
              errc::invalid);
    EXPECT_EQ(a.get_type(), exp::node_type::subgraph);
  }
  const auto whole = outer.finalize();
  EXPECT_EQ(whole.get_required_mem_size(), n * sizeof(int));
  EXPECT_EQ(sycl::ext::pianola::get_memory_use(whole, q.get_device()).saved(), 0U);
  q.ext_oneapi_graph(whole);
  q.ext_oneapi_graph(whole);
  q.wait();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 2 * (1 + static_cast<int>(i)));
}

TEST_F(async_alloc, a_graphs_memory_can_be_zero_in_every_replay) {
  exp::memory_pool pool(q, alloc::device, exp::properties{exp::zero_init{}});
  exp::command_graph g(q);
  g.begin_recording(q);
  int* const p = take(pool);
  q.parallel_for(n, [=](sycl::id<1> i) { p[i] += 1 + static_cast<int>(i[0]); });
  q.memcpy(out.data(), p, n * sizeof(int));
  exp::async_free(q, p);
  g.end_recording(q);
  EXPECT_EQ(pool.get_reserved_size_current(), 0U);  // the graph has its own
  const auto made = g.finalize();
  for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(made);
  q.wait();
  EXPECT_TRUE(counts_from(out, 1));
}

TEST_F(async_alloc, a_graph_can_be_updated_from_one_with_other_memory) {
  exp::memory_pool pool(q, alloc::device, exp::properties{exp::zero_init{}});
  const auto record = [&](int first) {
    exp::command_graph g(q);
    g.begin_recording(q);
    int* const p = take(pool);
    q.parallel_for(n, [=](sycl::id<1> i) { p[i] += first + static_cast<int>(i[0]); });
    q.memcpy(out.data(), p, n * sizeof(int));
    exp::async_free(q, p);
    g.end_recording(q);
    return g;
  };
  auto made = record(1).finalize({exp::property::graph::updatable()});
  q.ext_oneapi_graph(made);
  for (int i = 2; i < 5; ++i) {
    made.update(record(i));
    q.ext_oneapi_graph(made);
    q.wait();
    EXPECT_TRUE(counts_from(out, i));
  }
}

TEST_F(async_alloc, pictures_show_where_memory_comes_and_goes) {
  exp::command_graph g(q);
  g.begin_recording(q);
  exp::async_free(q, take());
  g.end_recording(q);
  const std::string path =
      ::testing::TempDir() + "pianola_async_alloc_test_" + std::to_string(::getpid()) + ".dot";
  g.print_graph(path);
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_NE(text.str().find("async_malloc"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("async_free"), std::string::npos);
  EXPECT_NE(text.str().find("1 KiB at 0 B"), std::string::npos);
  std::remove(path.c_str());
}

}  // namespace
