// SPDX-License-Identifier: Apache-2.0
// Copies of memory that the driver has not locked: it makes them before the call returns, and after all that is in front
// of them in the stream.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

template <class F>
bool comes_true(F&& done) {
  const auto begin = std::chrono::steady_clock::now();
  while (!done()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

class pageable_copies : public testing::Test {
 protected:
  explicit pageable_copies(const fake_setup& setup = {}) : rig(setup) {
    rig.driver->patient_copies = true;
  }

  gpu::stream stream_of(executors::lane& l) {
    executors::native_request request;
    request.what = model::native_kind::queue;
    request.where = &l;
    void* handle = nullptr;
    EXPECT_TRUE(rig.backend->native_handle(request, handle).ok());
    return {handle};
  }
  executors::resolved_copy down(void* to, const void* from, std::uint64_t bytes) {
    auto c = copy_of(to, from, bytes);
    c.from = rig.memory_of(0);
    c.to = model::host_memory;
    return c;
  }

  gpu_rig rig;
};

// The driver returns from launches of graphs when such copies in them are done.
class pageable_copies_in_graphs : public pageable_copies {
 protected:
  pageable_copies_in_graphs() : pageable_copies(waiting()) {}
  static fake_setup waiting() {
    fake_setup setup;
    setup.can.graphs_wait_for_copies = true;
    return setup;
  }
};

TEST_F(pageable_copies, do_not_keep_the_thread_that_submits_them) {
  auto* const data = static_cast<int*>(rig.allocate(400));
  std::vector<int> out(100, 0);
  // A stream of the program's, in which something waits for what the submitting thread will do.
  gpu::stream native;
  ASSERT_EQ(rig.driver->make_stream(0, native), gpu::success);
  executors::lane* l = nullptr;
  ASSERT_TRUE(rig.backend->adopt_lane(0, native.native, l).ok());
  rig.driver->hold(native, true);
  std::atomic<bool> submitted{false};
  std::thread program([&] {
    rig.submit(*l, fill_of(data, 7, 100));
    rig.submit(*l, down(out.data(), data, 400));
    rig.submit(*l, fill_of(data, 8, 100));
    submitted = true;
    rig.driver->hold(native, false);
  });
  EXPECT_TRUE(comes_true([&] { return submitted.load(); }));
  rig.driver->hold(native, false);
  program.join();
  rig.wait(*l);
  EXPECT_EQ(out, std::vector<int>(100, 7));
  EXPECT_EQ(data[99], 8);
  host::team::instance().wait(l->completion(), 3);
  rig.expect_clean = false;  // the stream is the program's
}

TEST_F(pageable_copies, do_not_keep_other_lanes) {
  auto* const data = static_cast<int*>(rig.allocate(400));
  std::vector<int> out(100, 0);
  auto &a = rig.lane(), &b = rig.lane(), &c = rig.lane();
  rig.driver->hold(stream_of(a), true);
  rig.submit(a, fill_of(data, 7, 100));
  rig.submit(a, down(out.data(), data, 400));
  ASSERT_TRUE(comes_true([&] { return rig.driver->calls("copy") == 1; }));
  executors::progress host;
  bool ran = false;
  rig.submit(b, rig.call([&] { ran = true; }), 0, {{&host, 1}});
  host.finish(1);
  EXPECT_TRUE(comes_true([&] { return b.completion().reached(1); }));
  EXPECT_TRUE(ran);
  // What waits for what is in front of the copy is told to the driver; what waits for the copy is not yet.
  bool after = false;
  rig.submit(c, rig.call([&] { after = out[0] == 7; }), 0, {rig.at(a, 2)});
  rig.submit(b, rig.call([] {}), 0, {rig.at(a, 1)});
  EXPECT_FALSE(a.completion().reached(1));
  rig.driver->hold(stream_of(a), false);
  rig.wait(c);
  rig.wait(b);
  rig.wait(a);
  EXPECT_TRUE(after);
  EXPECT_EQ(out, std::vector<int>(100, 7));
}

TEST_F(pageable_copies, of_graphs_that_are_run_step_by_step_do_not_either) {
  auto* const data = static_cast<int*>(rig.allocate(400));
  std::vector<int> out(100, 0);
  plan p(rig);
  p.add(down(out.data(), data, 400), {p.add(fill_of(data, 7, 100))});
  const auto g = p.make();
  auto &a = rig.lane(), &b = rig.lane();
  attention() = true;
  rig.driver->hold(stream_of(a), true);
  rig.launch(a, *g);
  ASSERT_TRUE(comes_true([&] { return rig.driver->calls("copy") == 1; }));
  rig.submit(b, rig.call([] {}));
  EXPECT_TRUE(comes_true([&] { return b.completion().reached(1); }));
  rig.driver->hold(stream_of(a), false);
  rig.wait(a);
  EXPECT_EQ(out, std::vector<int>(100, 7));
}

TEST_F(pageable_copies_in_graphs, keep_neither_the_thread_that_launches_them_nor_other_lanes) {
  auto* const data = static_cast<int*>(rig.allocate(400));
  std::vector<int> out(100, 0);
  plan p(rig);
  p.add(down(out.data(), data, 400), {p.add(fill_of(data, 7, 100))});
  const auto g = p.make();
  auto &a = rig.lane(), &b = rig.lane(), &c = rig.lane();
  rig.driver->hold(stream_of(a), true);
  std::atomic<bool> submitted{false};
  std::thread program([&] {
    rig.launch(a, *g);
    rig.launch(a, *g);
    rig.submit(a, fill_of(data, 8, 100));
    submitted = true;
  });
  EXPECT_TRUE(comes_true([&] { return submitted.load(); }));
  EXPECT_TRUE(comes_true([&] { return rig.driver->calls("launch_graph") == 1; }));
  bool after = false;
  rig.submit(b, rig.call([] {}));
  rig.submit(c, rig.call([&] { after = out[0] == 7; }), 0, {rig.at(a, 1)});
  EXPECT_TRUE(comes_true([&] { return b.completion().reached(1); }));
  EXPECT_FALSE(a.completion().reached(1));
  rig.driver->hold(stream_of(a), false);
  program.join();
  rig.wait(a);
  rig.wait(c);
  EXPECT_TRUE(after);
  EXPECT_EQ(out, std::vector<int>(100, 7));
  EXPECT_EQ(data[99], 8);
}

TEST_F(pageable_copies_in_graphs, of_memory_that_is_locked_are_launched_at_once) {
  auto* const data = rig.allocate(400);
  void* locked = nullptr;
  ASSERT_TRUE(rig.backend->allocate(0, executors::memory_kind::host, 400, 0, locked).ok());
  plan p(rig);
  p.add(down(locked, data, 400));
  const auto g = p.make();
  auto& a = rig.lane();
  rig.launch(a, *g);
  EXPECT_EQ(rig.backend->counters().deferred, 0U);
  rig.wait(a);
  rig.backend->deallocate(0, executors::memory_kind::host, locked);
}

TEST_F(pageable_copies, of_memory_that_is_locked_in_part_are_made_in_parts) {
  constexpr std::size_t page = 4096, all = 6 * page;
  alignas(page) static unsigned char memory[all], back[all];
  for (std::size_t i = 0; i < all; ++i) memory[i] = static_cast<unsigned char>(i * 7 + i / 251);
  auto* const data = static_cast<unsigned char*>(rig.allocate(all));
  auto& a = rig.lane();
  rig.driver->locks_pages = true;
  EXPECT_FALSE(rig.backend->lock_pages(0, memory + 1000, page)) << "it has no whole page";
  ASSERT_TRUE(rig.backend->lock_pages(0, memory + 1000, 3 * page));
  ASSERT_TRUE(rig.backend->lock_pages(0, back, all));
  EXPECT_EQ(rig.driver->locked(), 2U);
  const auto up = [&](std::size_t at, std::size_t bytes) {
    auto c = copy_of(data + at, memory + at, bytes);
    c.from = model::host_memory;
    c.to = rig.memory_of(0);
    return c;
  };
  // What is locked, what is beside it, and what lies across.
  rig.submit(a, up(0, 1000));
  rig.submit(a, up(1000, 3 * page));
  auto rows = up(1000 + 3 * page, 0);
  rows.width = 1000;
  rows.height = 3;
  rows.depth = 2;
  rows.source_row_pitch = rows.destination_row_pitch = 1000;
  rows.source_slice_pitch = rows.destination_slice_pitch = 3000;
  rig.submit(a, rows);
  auto across = up(0, 900);
  across.height = across.depth = 2;
  across.source_row_pitch = across.destination_row_pitch = 1000;
  across.source_slice_pitch = across.destination_slice_pitch = page;
  rig.submit(a, across);
  rig.submit(a, down(back, data, all));
  rig.wait(a);
  EXPECT_TRUE(std::equal(back, back + 1000 + 3 * page + 6000, memory));
  // In graphs, too.
  std::fill(back, back + all, 0);
  plan p(rig);
  p.add(down(back, data, all), {p.add(up(0, all))});
  const auto g = p.make();
  for (const fake_node& n : nodes_of(rig, *g)) {
    if (n.what != fake_node::kind::copy || n.copy.from >= 0) continue;
    const auto first = static_cast<const unsigned char*>(n.copy.box.source) - memory;
    const bool inside = first >= 4096 && first < 3 * 4096;
    EXPECT_LE(n.copy.box.width, inside ? 2 * page : all);
  }
  rig.launch(a, *g);
  rig.wait(a);
  EXPECT_TRUE(std::equal(back, back + all, memory));
  rig.backend->unlock_pages(0, memory + 1000);
  rig.backend->unlock_pages(0, back);
  EXPECT_EQ(rig.driver->locked(), 0U);
}

TEST_F(pageable_copies, are_not_those_of_memory_that_is_locked) {
  auto* const data = rig.allocate(400);
  void* locked = nullptr;
  ASSERT_TRUE(rig.backend->allocate(0, executors::memory_kind::host, 800, 0, locked).ok());
  auto& a = rig.lane();
  rig.submit(a, down(locked, data, 400));
  auto* const half = static_cast<char*>(locked) + 400;
  rig.submit(a, down(half, data, 400));
  rig.wait(a);
  EXPECT_EQ(rig.backend->counters().deferred, 0U);
  auto beyond = down(locked, data, 100);
  beyond.height = 4;
  beyond.source_row_pitch = 100;
  beyond.destination_row_pitch = 200;
  rig.submit(a, beyond);
  EXPECT_EQ(rig.backend->counters().deferred, 0U) << "just inside";
  rig.wait(a);
  rig.backend->deallocate(0, executors::memory_kind::host, locked);
  std::vector<int> ordinary(100);
  rig.submit(a, down(ordinary.data(), data, 400));
  rig.wait(a);
  EXPECT_EQ(rig.backend->counters().deferred, 1U);
}

TEST_F(pageable_copies, keep_the_order_of_everything_around_them) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    constexpr int lanes = 3, steps = 60;
    std::vector<executors::lane*> all;
    std::vector<int*> data;
    for (int i = 0; i < lanes; ++i) {
      all.push_back(&rig.lane());
      data.push_back(static_cast<int*>(rig.allocate(64)));
    }
    std::vector<std::vector<int>> out(steps, std::vector<int>(16, -1));
    std::vector<int> expected(steps, -1), now(lanes, -1);
    std::vector<std::uint64_t> last(lanes, 0);
    for (int i = 0; i < steps; ++i) {
      const unsigned l = random() % lanes;
      // Of another lane's memory, after that lane's last step.
      const unsigned of = random() % lanes;
      std::vector<executors::lane_position> waits;
      if (of != l && last[of] != 0) waits.push_back(rig.at(*all[of], last[of]));
      if (random() % 2 == 0 || now[of] < 0) {
        now[l] = i;
        last[l] = rig.submit(*all[l], fill_of(data[l], i, 16));
      } else {
        expected[static_cast<std::size_t>(i)] = now[of];
        last[l] = rig.submit(*all[l], down(out[static_cast<std::size_t>(i)].data(), data[of], 64),
                             0, waits);
        // What fills that memory next does so after the copy.
        if (of != l)
          last[of] = rig.submit(*all[of], rig.call([] {}), 0, {rig.at(*all[l], last[l])});
      }
      if (random() % 8 == 0) rig.wait(*all[random() % lanes]);
    }
    for (executors::lane* l : all) rig.wait(*l);
    for (std::size_t i = 0; i < steps; ++i)
      EXPECT_EQ(out[i], std::vector<int>(16, expected[i])) << i;
  }
}

}  // namespace
}  // namespace pianola::test
