// SPDX-License-Identifier: Apache-2.0
// Local memory of recorded kernels whose size changes with the graph (dynamic_local_accessor, dynamic_work_group_memory).
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using exp::property::graph::updatable;

class dynamic_local_memory : public ::testing::Test {
 protected:
  ~dynamic_local_memory() override {
    q.wait();
    sycl::free(sums, q);
  }
  // What each work-item has added up.
  int replayed(const exp::command_graph<exp::graph_state::executable>& g) {
    for (std::size_t i = 0; i < count; ++i) sums[i] = 0;
    q.ext_oneapi_graph(g).wait();
    for (std::size_t i = 1; i < count; ++i) EXPECT_EQ(sums[i], sums[0]) << i;
    return sums[0];
  }

  static constexpr std::size_t count = 64;
  sycl::queue q;
  int* sums = sycl::malloc_shared<int>(count, q);
};

// Every work-item adds up what all of its group have left in the memory.
template <class Memory>
auto adding(const Memory& memory, int* sums, std::size_t group, int weight = 1) {
  return [=](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(64, group), [=](sycl::nd_item<1> item) {
      const auto local = memory.get();
      local[item.get_local_id(0)] = weight;
      sycl::group_barrier(item.get_group());
      for (std::size_t i = 0; i < item.get_local_range(0); ++i)
        sums[item.get_global_id(0)] += local[i];
    });
  };
}

TEST_F(dynamic_local_memory, grows_and_shrinks_with_its_kernel) {
  exp::command_graph g(q);
  exp::dynamic_local_accessor<int, 1> memory(g, 4);
  auto node = g.add(adding(memory, sums, 4));
  auto exec = g.finalize({updatable()});
  EXPECT_EQ(replayed(exec), 4);
  for (const std::size_t size : {32, 8, 64}) {
    memory.update(size);
    node.update_nd_range(sycl::nd_range<1>(count, size));
    exec.update(node);
    EXPECT_EQ(replayed(exec), static_cast<int>(size));
  }
}

TEST_F(dynamic_local_memory, of_several_kinds_has_room_of_its_own_each) {
  exp::command_graph g(q);
  exp::dynamic_local_accessor<char, 1> bytes(4);
  exp::dynamic_local_accessor<double, 2> table(sycl::range<2>(4, 2));
  exp::dynamic_work_group_memory<int[]> row(4);
  auto node = g.add([&, sums = sums](sycl::handler& h) {
    sycl::local_accessor<int, 1> fixed(3, h);
    h.parallel_for(sycl::nd_range<1>(count, 4), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_local_id(0), n = item.get_local_range(0);
      bytes.get()[i] = 1;
      table.get()[sycl::id<2>(i, 0)] = 10;
      table.get()[sycl::id<2>(i, 1)] = 100;
      row.get()[i] = 1000;
      fixed[i % 3] = 10000;
      sycl::group_barrier(item.get_group());
      int sum = fixed[0] + fixed[1] + fixed[2];
      for (std::size_t k = 0; k < n; ++k)
        sum += bytes.get()[k] + row.get()[k] +
               static_cast<int>(table.get()[sycl::id<2>(k, 0)] + table.get()[k][1]);
      sums[item.get_global_id(0)] = sum;
    });
  });
  auto exec = g.finalize({updatable()});
  EXPECT_EQ(replayed(exec), 30000 + 4 * 1111);
  bytes.update(16);
  table.update(sycl::range<2>(16, 2));
  row.update(16);
  node.update_nd_range(sycl::nd_range<1>(count, 16));
  exec.update(node);
  EXPECT_EQ(replayed(exec), 30000 + 16 * 1111);
}

TEST_F(dynamic_local_memory, reaches_command_groups_that_are_not_active_and_whole_updates) {
  exp::command_graph g(q);
  exp::dynamic_work_group_memory<int[]> memory(g, 4);
  exp::dynamic_command_group groups(g, {adding(memory, sums, 4), adding(memory, sums, 16, 2)});
  auto node = g.add(groups);
  auto exec = g.finalize({updatable()});
  memory.update(16);
  groups.set_active_index(1);
  exec.update(node);
  EXPECT_EQ(replayed(exec), 32);
  groups.set_active_index(0);
  exec.update(g);
  EXPECT_EQ(replayed(exec), 4);
}

// What a kernel has captured may be older than an update, or a copy of what was updated.
TEST_F(dynamic_local_memory, has_its_latest_size_in_whatever_is_added_later) {
  exp::dynamic_local_accessor<int, 1> memory(4), same(memory);
  exp::dynamic_work_group_memory<int[]> row(4);
  const auto sizes = [&, sums = sums](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) {
      // All of it is there.
      const auto local = memory.get();
      for (std::size_t i = 0; i < local.size(); ++i) local[i] = row.get()[0];
      if (item.get_local_id(0) == 0) sums[0] = static_cast<int>(local.size());
    });
  };
  exp::command_graph before(q), after(q);
  before.add(sizes);
  same.update(2000);
  row.update(8);
  after.add(sizes);
  after.begin_recording(q);
  q.submit(sizes);
  after.end_recording();
  for (auto* g : {&before, &after}) {
    sums[0] = 0;
    q.ext_oneapi_graph(g->finalize()).wait();
    EXPECT_EQ(sums[0], 2000);
  }
  exp::dynamic_local_accessor<int, 1> other(4);
  EXPECT_TRUE(memory == same);
  EXPECT_TRUE(memory != other);
  using hash = std::hash<exp::dynamic_local_accessor<int, 1>>;
  EXPECT_EQ(hash()(memory), hash()(same));
  EXPECT_NE(hash()(memory), hash()(other));
}

TEST_F(dynamic_local_memory, may_be_recorded_from_a_queue) {
  exp::command_graph g(q);
  exp::dynamic_local_accessor<int, 1> memory(8);
  g.begin_recording(q);
  q.submit(adding(memory, sums, 8));
  g.end_recording();
  EXPECT_EQ(replayed(g.finalize()), 8);
}

TEST_F(dynamic_local_memory, that_cannot_be_is_refused) {
  exp::command_graph g(q), other(q);
  exp::dynamic_local_accessor<int, 1> memory(g, 4);
  EXPECT_EQ(error_code_of([&] { other.add(adding(memory, sums, 4)); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.submit(adding(memory, sums, 4)); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] {
              g.add([&, sums = sums](sycl::handler& h) {
                h.parallel_for(8, [=](sycl::id<1> i) { sums[i] = memory.get()[0]; });
              });
            }),
            sycl::errc::kernel_argument);
  auto node = g.add(adding(memory, sums, 4));
  auto exec = g.finalize({updatable()});
  const std::size_t more =
      q.get_device().get_info<sycl::info::device::local_mem_size>() / sizeof(int) + 1;
  EXPECT_EQ(error_code_of([&] { memory.update(more); }), sycl::errc::memory_allocation);
  EXPECT_EQ(error_code_of([&] { memory.update(static_cast<std::size_t>(-1)); }),
            sycl::errc::memory_allocation);
  exec.update(node);
  EXPECT_EQ(replayed(exec), 4);
}

}  // namespace
