// SPDX-License-Identifier: Apache-2.0
// What kernels touch: shapes that programs have.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <pianola/model/kernel.hpp>
#include <pianola/planner/footprints.hpp>
#include <vector>

namespace pianola::planner {
namespace {

using model::affine_access;
using model::box;
using kind = model::index_factor::kind;

box make_box(std::uint64_t y0, std::uint64_t x0, std::uint64_t y1, std::uint64_t x1) {
  return {{{0, y0, x0}}, {{1, y1, x1}}};
}

constexpr std::uint64_t rows = 8, columns = 6, element = 4;

// 8 rows of 6 elements of 4 bytes.
model::buffer_info grid_buffer() {
  model::buffer_info b;
  b.grid = model::page_grid({{1, rows, columns}}, {{1, 1, columns}});
  b.element_size = element;
  b.dimensions = 2;
  return b;
}

affine_access at_own_place(bool read, bool written) {
  affine_access a;
  a.stride[1] = columns * element;
  a.stride[2] = element;
  a.length = element;
  a.ids = make_box(0, 0, rows, columns);
  a.read = read;
  a.written = written;
  return a;
}

// Reads itself and its neighbours, writes itself; inside of the grid only.
std::vector<affine_access> stencil() {
  const box inside = make_box(1, 1, rows - 1, columns - 1);
  affine_access middle = at_own_place(true, false);
  middle.start = -static_cast<std::int64_t>(element);
  middle.length = 3 * element;
  affine_access up = at_own_place(true, false), down = up;
  up.start = -static_cast<std::int64_t>(columns * element);
  down.start = columns * element;
  affine_access written = at_own_place(false, true);
  std::vector<affine_access> all{middle, up, down, written};
  for (affine_access& a : all) a.ids = inside;
  return all;
}

TEST(Footprints, of_a_part_of_a_stencil_are_its_rows_and_a_halo) {
  const std::vector<affine_access> all = stencil();
  model::footprint f;
  f.writes_all = true;
  f.accesses = all;
  const touched_elements t = elements_touched(f, make_box(2, 0, 4, columns), grid_buffer());
  EXPECT_TRUE(t.exact);
  EXPECT_EQ(t.written, std::vector<box>{make_box(2, 1, 4, columns - 1)});
  EXPECT_EQ(t.overwritten, t.written);
  const std::vector<box> read{make_box(1, 1, 5, columns - 1), make_box(2, 0, 4, 1),
                              make_box(2, columns - 1, 4, columns)};
  EXPECT_EQ(t.read, read);
}

TEST(Footprints, of_a_row_that_a_loop_goes_along_are_the_row) {
  affine_access a;
  a.stride[2] = columns * element;
  a.length = element;
  a.loops[0] = {element, columns};
  a.ids = make_box(0, 0, 1, rows);
  a.read = true;
  model::footprint f;
  f.accesses = {&a, 1};
  const touched_elements t = elements_touched(f, make_box(0, 3, 1, 5), grid_buffer());
  EXPECT_TRUE(t.exact);
  EXPECT_EQ(t.read, std::vector<box>{make_box(3, 0, 5, columns)});
  EXPECT_TRUE(t.written.empty());
}

TEST(Footprints, of_a_column_are_the_column) {
  affine_access a;
  a.stride[2] = element;
  a.length = element;
  a.loops[0] = {columns * element, rows};
  a.ids = make_box(0, 0, 1, columns);
  a.read = true;
  model::footprint f;
  f.accesses = {&a, 1};
  EXPECT_EQ(elements_touched(f, make_box(0, 1, 1, 3), grid_buffer()).read,
            std::vector<box>{make_box(0, 1, rows, 3)});
}

TEST(Footprints, of_one_item_in_each_group_are_told_by_groups) {
  affine_access a;  // group g writes element g
  a.group_stride[2] = element;
  a.length = element;
  a.ids = make_box(0, 0, 1, 24);
  a.locals = make_box(0, 0, 1, 1);
  a.written = true;
  model::footprint f;
  f.group = {{1, 1, 4}};
  f.writes_all = true;
  f.accesses = {&a, 1};
  model::buffer_info sums;
  sums.grid = model::page_grid(model::extent3{{1, 1, 6}});
  sums.element_size = element;
  const touched_elements t = elements_touched(f, make_box(0, 8, 1, 16), sums);
  EXPECT_TRUE(t.exact);
  EXPECT_EQ(t.overwritten, std::vector<box>{make_box(0, 2, 1, 4)});
}

TEST(Footprints, that_are_not_certain_overwrite_nothing) {
  const affine_access a = at_own_place(false, true);
  model::footprint f;
  f.accesses = {&a, 1};
  const touched_elements t = elements_touched(f, a.ids, grid_buffer());
  EXPECT_EQ(t.written, std::vector<box>{a.ids});
  EXPECT_TRUE(t.overwritten.empty());
}

// ---- requirements --------------------------------------------------------------------------------

model::requirement everything(model::access_mode mode) {
  model::requirement r;
  r.buffer = model::buffer_id(0);
  r.mode = mode;
  r.elements = make_box(0, 0, rows, columns);
  return r;
}

bool narrow(const model::footprint& f, model::requirement& r) {
  return narrow_requirement(elements_touched(f, make_box(0, 0, rows, columns), grid_buffer()), r);
}

TEST(NarrowRequirement, names_what_is_touched) {
  affine_access a = at_own_place(true, false);
  a.ids = make_box(2, 0, 4, columns);
  model::footprint f;
  f.accesses = {&a, 1};
  model::requirement r = everything(model::access_mode::read);
  EXPECT_TRUE(narrow(f, r));
  EXPECT_EQ(r.elements, a.ids);
  EXPECT_EQ(r.mode, model::access_mode::read);
}

TEST(NarrowRequirement, of_what_is_overwritten_needs_no_old_contents) {
  const affine_access a = at_own_place(false, true);
  model::footprint f;
  f.writes_all = true;
  f.accesses = {&a, 1};
  for (const model::access_mode mode :
       {model::access_mode::write, model::access_mode::read_write}) {
    model::requirement r = everything(mode);
    EXPECT_TRUE(narrow(f, r));
    EXPECT_TRUE(r.no_init);
    EXPECT_EQ(r.mode, model::access_mode::write);
  }
}

TEST(NarrowRequirement, of_what_may_stay_needs_them) {
  affine_access even = at_own_place(false, true);
  even.stride[2] = 2 * element;
  even.ids = make_box(0, 0, rows, columns / 2);
  model::footprint f;
  f.writes_all = true;
  f.accesses = {&even, 1};
  model::requirement r = everything(model::access_mode::write);
  EXPECT_TRUE(narrow(f, r));
  EXPECT_FALSE(r.no_init);
  EXPECT_EQ(r.elements, make_box(0, 0, rows, columns - 1));
}

TEST(NarrowRequirement, of_what_is_read_as_well_needs_them) {
  const affine_access both = at_own_place(true, true);
  model::footprint f;
  f.writes_all = true;
  f.accesses = {&both, 1};
  model::requirement r = everything(model::access_mode::read_write);
  EXPECT_FALSE(narrow(f, r));
  EXPECT_FALSE(r.no_init);
}

TEST(NarrowRequirement, of_which_nothing_is_touched_stays) {
  model::footprint f;
  f.writes_all = true;
  model::requirement r = everything(model::access_mode::read_write);
  EXPECT_FALSE(narrow(f, r));
  EXPECT_EQ(r.elements, make_box(0, 0, rows, columns));
}

TEST(NarrowRequirement, keeps_to_the_range_that_the_accessor_names) {
  const affine_access a = at_own_place(true, false);
  model::footprint f;
  f.accesses = {&a, 1};
  model::requirement r = everything(model::access_mode::read);
  r.elements = make_box(1, 0, 3, columns);
  EXPECT_FALSE(narrow(f, r));
  EXPECT_EQ(r.elements, make_box(1, 0, 3, columns));
}

// ---- several boxes -------------------------------------------------------------------------------

// Rows are pages.
std::vector<model::requirement> narrowed(const std::vector<affine_access>& all, bool writes_all,
                                         model::requirement r) {
  model::footprint f;
  f.writes_all = writes_all;
  f.accesses = all;
  std::vector<model::requirement> further;
  narrow_requirement(elements_touched(f, make_box(0, 0, rows, columns), grid_buffer()),
                     grid_buffer().grid, r, further);
  further.insert(further.begin(), r);
  return further;
}

affine_access on_rows(std::uint64_t from, std::uint64_t to, bool read, bool written) {
  affine_access a = at_own_place(read, written);
  a.ids = make_box(from, 0, to, columns);
  return a;
}

TEST(NarrowRequirement, of_rows_that_are_far_apart_becomes_several) {
  const auto r = narrowed({on_rows(1, 2, true, false), on_rows(6, 7, true, false)}, false,
                          everything(model::access_mode::read));
  ASSERT_EQ(r.size(), 2U);
  EXPECT_EQ(r[0].elements, make_box(1, 0, 2, columns));
  EXPECT_EQ(r[1].elements, make_box(6, 0, 7, columns));
  EXPECT_EQ(r[1].buffer, r[0].buffer);
}

TEST(NarrowRequirement, has_a_mode_of_its_own_for_each_box) {
  const auto r = narrowed({on_rows(0, 1, true, false), on_rows(7, 8, false, true)}, true,
                          everything(model::access_mode::read_write));
  ASSERT_EQ(r.size(), 2U);
  EXPECT_EQ(r[0].mode, model::access_mode::read);
  EXPECT_EQ(r[1].mode, model::access_mode::write);
  EXPECT_TRUE(r[1].no_init);
  EXPECT_EQ(r[1].elements, make_box(7, 0, 8, columns));
}

TEST(NarrowRequirement, stays_one_where_that_is_hardly_more) {
  // Five of eight rows.
  EXPECT_EQ(narrowed({on_rows(0, 3, true, false), on_rows(6, 8, true, false)}, false,
                     everything(model::access_mode::read))
                .size(),
            1U);
  // Columns: each page is touched.
  affine_access columns_apart = at_own_place(true, false), last = columns_apart;
  columns_apart.ids = make_box(0, 0, rows, 1);
  last.ids = make_box(0, columns - 1, rows, columns);
  EXPECT_EQ(narrowed({columns_apart, last}, false, everything(model::access_mode::read)).size(),
            1U);
}

TEST(NarrowRequirement, keeps_to_what_the_accessor_names_in_each_box) {
  model::requirement named = everything(model::access_mode::read);
  named.elements = make_box(0, 1, rows, 3);
  const auto r = narrowed({on_rows(0, 1, true, false), on_rows(7, 8, true, false)}, false, named);
  ASSERT_EQ(r.size(), 2U);
  EXPECT_EQ(r[0].elements, make_box(0, 1, 1, 3));
  EXPECT_EQ(r[1].elements, make_box(7, 1, 8, 3));
}

// ---- facts ---------------------------------------------------------------------------------------

struct function_object {
  std::uint64_t pointer = 0;
  std::uint64_t n = 0;
  std::int32_t count = 0;
};

// p[i] for 0 < i < n - 1, as `i != 0 && i < n - 1` of unsigned numbers.
struct inner_write {
  function_object object;
  model::index_term id{element, {{kind::id, 2}}};
  model::index_term index{1, {{kind::id, 2}}};
  model::index_term last[2] = {{1, {{kind::unsigned64, 8}}}, {-1, {}}};
  model::access_condition conditions[2];
  model::counted_access access;
  model::argument_use use;
  model::kernel_facts facts;
  model::kernel_descriptor descriptor;
  model::argument_slot slot;
  model::kernel_command command;
  model::arena storage;

  inner_write() {
    conditions[0].what = model::access_condition::kind::different;
    conditions[0].a = {&index, 1};
    conditions[1].what = model::access_condition::kind::below;
    conditions[1].a = {&index, 1};
    conditions[1].b = last;
    access.written = access.certain = true;
    access.length = element;
    access.start = {&id, 1};
    access.conditions = conditions;
    use.written = use.listed = true;
    use.accesses = {&access, 1};
    facts.uses = {&use, 1};
    facts.only_uses = true;
    descriptor.facts = &facts;
    command.kernel = &descriptor;
    command.geometry.global = {{1, 1, 10}};
    command.arguments.bytes = &object;
    command.arguments.size = sizeof object;
    command.slots = {&slot, 1};
  }
  model::array_view<const model::footprint> resolve() {
    return resolve_footprints(command, 1, storage);
  }
};

TEST(ResolveFootprints, conditions_leave_out_work_items) {
  inner_write k;
  k.object.n = 8;
  const auto all = k.resolve();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].writes_all);
  ASSERT_EQ(all[0].accesses.size(), 1U);
  EXPECT_EQ(all[0].accesses[0].ids, make_box(0, 1, 1, 7));
}

TEST(ResolveFootprints, a_bound_that_is_a_huge_number_leaves_out_nobody) {
  inner_write k;
  k.object.n = 0;  // n - 1
  const auto all = k.resolve();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].writes_all);
  EXPECT_EQ(all[0].accesses[0].ids, make_box(0, 1, 1, 10));
}

TEST(ResolveFootprints, an_accessor_of_a_sub_buffer_starts_where_that_does) {
  inner_write k;
  k.object.n = 8;
  k.slot.byte_offset = 64;
  EXPECT_EQ(k.resolve()[0].accesses[0].start, 64);
}

TEST(ResolveFootprints, what_is_not_listed_has_no_footprint) {
  inner_write k;
  k.use.listed = false;
  EXPECT_TRUE(k.resolve().empty());
}

TEST(ResolveFootprints, numbers_of_32_bits_that_do_not_fit_leave_nothing_known) {
  inner_write k;
  k.object.n = 8;
  k.access.narrow = true;
  EXPECT_EQ(k.resolve().size(), 1U);
  k.id.coefficient = std::int64_t{1} << 30;
  EXPECT_TRUE(k.resolve().empty());
}

TEST(ResolveFootprints, groups_of_a_range_are_nobodys_business) {
  inner_write k;
  k.object.n = 8;
  k.id.factors[0] = {kind::group, 2};
  EXPECT_TRUE(k.resolve().empty());
  k.command.geometry.grouped = true;
  k.command.geometry.local = {{1, 1, 5}};
  EXPECT_EQ(k.resolve().size(), 1U);
}

TEST(ResolveFootprints, a_loop_that_makes_no_round_touches_nothing) {
  inner_write k;
  k.object.n = 8;
  const model::index_term count{1, {{kind::signed32, 16}}}, stride{40, {}};
  model::counted_loop loop;
  loop.count = {&count, 1};
  loop.stride = {&stride, 1};
  k.access.loops = {&loop, 1};
  EXPECT_TRUE(k.resolve()[0].accesses.empty());
  k.object.count = 3;
  EXPECT_EQ(k.resolve()[0].accesses[0].loops[0].count, 3U);
  k.object.count = -1;  // who counts down to 0 from there takes long
  EXPECT_TRUE(k.resolve().empty());
  loop.least = 0;
  EXPECT_TRUE(k.resolve()[0].accesses.empty());
}

}  // namespace
}  // namespace pianola::planner
