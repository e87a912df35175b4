// SPDX-License-Identifier: Apache-2.0
// Kernels in parts: where they are cut, what each part needs, and what moves between devices then.
#include <deque>
#include <map>
#include <numeric>

#include <pianola/planner/split.hpp>
#include <pianola/planner/verify.hpp>

#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

// A graph of kernels over square grids of floats whose accesses are known, put together in few words.
class Splitting : public ::testing::Test {
 protected:
  static constexpr std::uint64_t n = 64, row_bytes = 4 * n;

  Splitting() {
    machine = four_devices();
    for (model::device_description& d : machine.devices) d.speed = {1e-9, 1e15, 1e9, 1e-6};
    for (std::uint16_t d = 0; d < 4; ++d) everywhere.push_back(model::device_id(d));
  }

  model::buffer_id grid(std::uint64_t page_rows = 0) {
    buffers.push_back(plane(n, n, page_rows, page_rows == 0 ? 0 : n));
    return model::buffer_id(static_cast<std::uint32_t>(buffers.size() - 1));
  }
  // At `rows` and `columns` from the work-item's own place.
  model::affine_access touch(int rows, int columns, bool written = false) const {
    model::affine_access a;
    a.start = rows * static_cast<std::int64_t>(row_bytes) + columns * 4;
    a.stride[1] = row_bytes;
    a.stride[2] = 4;
    a.length = 4;
    a.ids = model::box::of(space);
    a.read = !written;
    a.written = written;
    return a;
  }
  struct use {
    model::buffer_id buffer;
    access_mode mode;
    std::vector<model::affine_access> accesses;  // none: nothing is known
  };
  model::command& kernel(std::vector<use> uses) {
    model::kernel_command k;
    k.geometry.global = space;
    k.geometry.dimensions = 2;
    std::vector<model::requirement>& needed = requirements.emplace_back();
    std::vector<model::footprint>& known = footprints.emplace_back();
    for (use& u : uses) {
      const model::buffer_info& info = buffers[u.buffer.value()];
      needed.push_back(needs(u.buffer, u.mode, box::of(info.grid.range())));
      if (u.accesses.empty()) continue;
      model::footprint f;
      f.requirement = static_cast<std::uint32_t>(needed.size() - 1);
      f.writes_all = true;
      f.accesses = accesses.emplace_back(std::move(u.accesses));
      known.push_back(f);
    }
    k.footprints = known;
    model::command& c = commands.emplace_back();
    c.payload = k;
    c.requirements = needed;
    c.device = device1;
    c.candidates = everywhere;
    return c;
  }
  void relax(model::buffer_id from, model::buffer_id to) {
    space = {{1, n - 2, n - 2}};
    kernel({{from,
             access_mode::read,
             {touch(0, 1), touch(1, 0), touch(1, 1), touch(1, 2), touch(2, 1)}},
            {to, access_mode::write, {touch(1, 1, true)}}});
  }

  planner::split_graph split() {
    auto made = planner::split_kernels(commands, buffers, machine);
    EXPECT_TRUE(made.has_value()) << "no kernel is cut";
    return made ? *made : planner::split_graph{};
  }

  model::topology machine;
  std::vector<model::device_id> everywhere;
  model::extent3 space{{1, n, n}};
  std::vector<model::buffer_info> buffers;
  std::vector<model::command> commands;
  std::deque<std::vector<model::requirement>> requirements;
  std::deque<std::vector<model::footprint>> footprints;
  std::deque<std::vector<model::affine_access>> accesses;
};

const model::kernel_command& kernel_of(const model::command& c) {
  return std::get<model::kernel_command>(c.payload);
}

TEST_F(Splitting, cuts_rows_into_a_part_for_each_device) {
  const auto a = grid(), b = grid();
  kernel({{a, access_mode::read, {touch(0, 0)}}, {b, access_mode::write, {touch(0, 0, true)}}});
  const planner::split_graph s = split();
  ASSERT_EQ(s.commands.size(), 4U);
  for (std::uint64_t p = 0; p < 4; ++p) {
    const model::command& c = s.commands[p];
    EXPECT_EQ(c.device, everywhere[p]);
    EXPECT_EQ(kernel_of(c).geometry.launched(), (box{{{0, 16 * p, 0}}, {{1, 16 * (p + 1), n}}}));
    ASSERT_EQ(c.requirements.size(), 2U);
    EXPECT_EQ(c.requirements[0].elements, (box{{{0, 16 * p, 0}}, {{1, 16 * (p + 1), n}}}));
    EXPECT_EQ(c.requirements[1].mode, access_mode::write);
    EXPECT_TRUE(c.requirements[1].no_init) << "each element is written, and none is read";
  }
}

TEST_F(Splitting, a_faster_device_gets_more) {
  machine.devices[2].speed.operations *= 3;
  const auto a = grid();
  kernel({{a, access_mode::read_write, {touch(0, 0), touch(0, 0, true)}}});
  const planner::split_graph s = split();
  ASSERT_EQ(s.commands.size(), 4U);
  std::uint64_t rows[4] = {};
  for (const model::command& c : s.commands)
    rows[c.device.value()] += kernel_of(c).geometry.launched().extent()[1];
  EXPECT_NEAR(static_cast<double>(rows[2]), 3.0 * static_cast<double>(rows[1]), 3.0);
  EXPECT_EQ(rows[0] + rows[1] + rows[2] + rows[3], n);
}

TEST_F(Splitting, only_halo_rows_move_from_step_to_step) {
  const auto a = grid(), b = grid();
  relax(a, b);
  relax(b, a);
  const planner::split_graph s = split();
  ASSERT_EQ(s.commands.size(), 8U);
  const planner::plan p = planner::make_plan(s.commands, s.buffers, machine);
  EXPECT_FALSE(planner::verify(s.commands, s.buffers, machine, p).has_value());
  std::uint64_t bytes = 0, transfers = 0;
  for (const planner::step& step : p.steps)
    if (const auto* t = std::get_if<transfer_step>(&step.action)) {
      ++transfers;
      bytes += 4 * t->elements.count();
      EXPECT_EQ(t->elements.extent()[1], 1U) << "a single row";
    }
  // Three borders, a row in each direction, two steps.
  EXPECT_EQ(transfers, 12U);
  EXPECT_LE(bytes, 12 * row_bytes);
  EXPECT_GE(bytes, 12 * (row_bytes - 8));
}

TEST_F(Splitting, kernels_over_other_ranges_of_the_same_rows_are_cut_at_the_same_rows) {
  const auto a = grid(), b = grid();
  relax(a, b);
  space = {{1, n, n}};
  kernel({{b, access_mode::read, {touch(0, 0)}}, {a, access_mode::write, {touch(0, 0, true)}}});
  const planner::split_graph s = split();
  ASSERT_EQ(s.commands.size(), 8U);
  for (std::size_t part = 0; part + 1 < 4; ++part)
    EXPECT_EQ(kernel_of(s.commands[part]).geometry.launched().hi[1] + 1,
              kernel_of(s.commands[4 + part]).geometry.launched().hi[1]);
}

TEST_F(Splitting, what_comes_after_a_kernel_comes_after_all_of_its_parts) {
  const auto a = grid();
  kernel({{a, access_mode::read_write, {touch(0, 0), touch(0, 0, true)}}});
  model::command last;
  last.payload = model::empty_command{};
  last.device = cpu;
  const std::uint64_t first = 0;
  last.after = {&first, 1};
  commands.push_back(last);
  const planner::split_graph s = split();
  ASSERT_EQ(s.commands.size(), 5U);
  EXPECT_EQ(std::vector<std::uint64_t>(s.commands[4].after.begin(), s.commands[4].after.end()),
            (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST_F(Splitting, pages_that_the_program_chose_stay) {
  const auto a = grid(8), b = grid();
  kernel({{a, access_mode::read, {touch(0, 0)}}, {b, access_mode::write, {touch(0, 0, true)}}});
  const planner::split_graph s = split();
  EXPECT_EQ(s.buffers[0].grid.page(), (model::extent3{{1, 8, n}}));
  EXPECT_EQ(s.buffers[1].grid.page(), (model::extent3{{1, 16, n}}));
}

TEST_F(Splitting, leaves_kernels_whole_whose_parts_would_meet) {
  const auto a = grid(), b = grid();
  // All work-items write the same element.
  model::affine_access same = touch(0, 0, true);
  same.stride[1] = same.stride[2] = 0;
  kernel({{b, access_mode::write, {same}}});
  // A part reads what its neighbour writes.
  kernel({{a, access_mode::read_write, {touch(0, 0, true), touch(1, 0)}}});
  // Nobody knows what is written.
  kernel({{a, access_mode::write, {}}});
  EXPECT_FALSE(planner::split_kernels(commands, buffers, machine).has_value());
}

TEST_F(Splitting, leaves_kernels_whole_that_run_on_one_device) {
  const auto a = grid();
  kernel({{a, access_mode::read_write, {touch(0, 0), touch(0, 0, true)}}}).candidates = {};
  EXPECT_FALSE(planner::split_kernels(commands, buffers, machine).has_value());
}

TEST_F(Splitting, what_nobody_knows_of_is_read_whole_by_each_part) {
  const auto a = grid(), b = grid();
  kernel({{a, access_mode::read, {}}, {b, access_mode::write, {touch(0, 0, true)}}});
  const planner::split_graph s = split();
  for (const model::command& c : s.commands)
    EXPECT_EQ(c.requirements[0].elements, box::of({{1, n, n}}));
}

// Parts by hand, each of which may touch all of both buffers.
TEST_F(Splitting, parts_that_touch_what_another_one_writes_are_told) {
  const auto a = grid(), b = grid();
  space = {{1, n - 1, n}};
  const auto complaint = [&](std::vector<model::affine_access> written,
                             std::vector<model::affine_access> read) {
    commands.clear();
    const model::command whole = kernel({{a, access_mode::read, std::move(read)},
                                         {b, access_mode::read_write, std::move(written)}});
    planner::split_graph s;
    s.buffers = buffers;
    const box units[] = {{{{0, 0, 0}}, {{1, 20, n}}}, {{{0, 20, 0}}, {{1, n - 1, n}}}};
    for (const box& u : units) {
      model::command& part = s.commands.emplace_back(whole);
      std::get<model::kernel_command>(part.payload).geometry.part = &u;
      s.part_of.push_back(0);
    }
    const auto wrong = planner::verify_parts(commands, buffers, s);
    return wrong ? wrong->reason : std::string();
  };
  EXPECT_EQ(complaint({touch(0, 0, true)}, {touch(0, 0), touch(1, 0)}), "");
  EXPECT_EQ(
      complaint({touch(0, 0, true), touch(1, 0, true)}, {touch(0, 0)}),
      "the kernels in parts: command 0: part 0 writes element {0, 20, 0} of buffer 1, which part 1 "
      "touches, too");
  model::affine_access row_above = touch(0, 0, true);
  row_above.read = true;
  EXPECT_EQ(
      complaint({row_above, touch(1, 0)}, {touch(0, 0)}),
      "the kernels in parts: command 0: part 1 writes element {0, 20, 0} of buffer 1, which part 0 "
      "touches, too");
}

// As a file may say it.
TEST_F(Splitting, parts_that_touch_an_empty_buffer_are_told) {
  const auto a = grid();
  space = {{1, 2, n}};
  kernel({{a, access_mode::read_write, {touch(0, 0, true)}}});
  buffers[0] = plane(0, 0, 0, 0);
  planner::split_graph s;
  s.buffers = buffers;
  const box units[] = {{{{0, 0, 0}}, {{1, 1, n}}}, {{{0, 1, 0}}, {{1, 2, n}}}};
  for (const box& u : units) {
    model::command& part = s.commands.emplace_back(commands[0]);
    std::get<model::kernel_command>(part.payload).geometry.part = &u;
    s.part_of.push_back(0);
  }
  const auto wrong = planner::verify_parts(commands, buffers, s);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(
      wrong->reason,
      "the kernels in parts: command 0: part 0 writes element {0, 0, 0} of buffer 0, which it "
      "does not need");
}

TEST_F(Splitting, parts_of_huge_kernels_are_verified_in_a_moment) {
  constexpr std::uint64_t side = 1 << 20;
  buffers.assign(2, plane(side, side, 0, 0));
  space = {{1, side, side}};
  std::vector<model::affine_access> read{touch(0, 0)}, written{touch(0, 0, true)};
  for (auto* list : {&read, &written}) list->front().stride[1] = 4 * side;
  kernel({{model::buffer_id(0), access_mode::read, read},
          {model::buffer_id(1), access_mode::write, written}});
  planner::split_graph s = split();
  ASSERT_EQ(s.commands.size(), 4U);
  EXPECT_FALSE(planner::verify_parts(commands, buffers, s).has_value());
  std::vector<model::requirement> needs(s.commands[2].requirements.begin(),
                                        s.commands[2].requirements.end());
  --needs[0].elements.hi[1];
  s.commands[2].requirements = needs;
  const auto wrong = planner::verify_parts(commands, buffers, s);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(
      wrong->reason,
      "the kernels in parts: command 0: part 2 reads element {0, 786431, 0} of buffer 0, which "
      "it does not need");
}

}  // namespace
}  // namespace pianola::test
