// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::recorder {
namespace {

using model::access_mode;
using model::box;
using model::user_error;

model::buffer_info row(std::uint64_t elements, std::uint64_t page = 0) {
  model::buffer_info info;
  info.grid = model::page_grid({{1, 1, elements}}, {{1, 1, page}});
  info.element_size = 4;
  return info;
}

model::requirement needs(model::buffer_id b, std::uint64_t from, std::uint64_t to,
                         access_mode mode = access_mode::read_write) {
  model::requirement r;
  r.buffer = b;
  r.mode = mode;
  r.elements = {{{0, 0, from}}, {{1, 1, to}}};
  return r;
}

model::command on_device(std::uint16_t d) {
  model::command c;
  c.payload = model::kernel_command{};
  c.device = model::device_id(d);
  return c;
}

TEST(CommandGraph, takes_a_command_again_without_another_copy_of_what_it_refers_to) {
  command_graph g;
  const auto b = g.add_buffer(row(10));
  const model::requirement r = needs(b, 2, 5);
  auto c = on_device(1);
  c.requirements = {&r, 1};
  c.label = "step";
  const auto first = g.append(c);
  model::usm_allocation a;
  a.bytes = 8;
  const std::uint32_t used = g.add_allocation(a);
  g.set_allocations(first, {&used, 1});
  const std::uint64_t after = 0;
  const auto again = g.append_again(first, {&after, 1});
  EXPECT_EQ(again.value(), 1U);
  EXPECT_EQ(g.command(again).requirements.data(), g.command(first).requirements.data());
  EXPECT_EQ(g.command(again).label, g.command(first).label);
  EXPECT_EQ(g.command(again).device, g.command(first).device);
  EXPECT_EQ(g.command(again).after[0], 0U);
  EXPECT_TRUE(g.command(first).after.empty());
  EXPECT_EQ(g.allocations_of(again).size(), 1U);
  const std::uint64_t unknown = 2;
  EXPECT_THROW((void)g.append_again(first, {&unknown, 1}), user_error);
  // One of them may change alone.
  const model::requirement other = needs(b, 0, 1);
  c.requirements = {&other, 1};
  static_cast<void>(g.exchange(again, c));
  EXPECT_EQ(g.command(first).requirements[0].elements.lo.c[2], 2U);
  EXPECT_THROW((void)g.append_again(again, {}), model::internal_error);
  EXPECT_EQ(g.size(), 2U);
}

TEST(CommandGraph, keeps_commands_in_order_with_lists_of_its_own) {
  command_graph g;
  const auto b = g.add_buffer(row(10));
  model::command_id second;
  {
    std::vector<model::requirement> requirements{needs(b, 0, 10)};
    std::vector<std::uint64_t> after;
    std::string label = "first";
    auto c = on_device(0);
    c.requirements = requirements;
    c.label = label.c_str();
    EXPECT_EQ(g.append(c).value(), 0U);
    after.push_back(0);
    c.after = after;
    label = "later";
    second = g.append(c);
    requirements[0].elements.hi.c[2] = 3;
    after[0] = 7;
    label = "gone!";
  }
  EXPECT_EQ(second.value(), 1U);
  EXPECT_EQ(g.size(), 2U);
  EXPECT_EQ(g.command(second).requirements[0].elements.hi.c[2], 10U);
  EXPECT_EQ(g.command(second).after[0], 0U);
  EXPECT_STREQ(g.command(second).label, "later");
  EXPECT_STREQ(g.command(model::command_id(0)).label, "first");
}

TEST(CommandGraph, keeps_slots_and_large_patterns) {
  command_graph g;
  const auto b = g.add_buffer(row(10));
  const auto r = needs(b, 0, 10);
  std::vector<unsigned char> pattern(40, 5);
  {
    model::argument_slot slot;
    slot.offset = 24;
    auto c = on_device(0);
    c.requirements = {&r, 1};
    model::kernel_command k;
    k.slots = {&slot, 1};
    c.payload = k;
    g.append(c);
    model::host_task_command t;
    t.slots = {&slot, 1};
    c.payload = t;
    g.append(c);
    model::fill_command f;
    f.pattern_bytes = 40;
    f.large_pattern = pattern.data();
    c.payload = f;
    g.append(c);
    slot.offset = 0;
    pattern.assign(40, 0);
  }
  EXPECT_EQ(std::get<model::kernel_command>(g.commands()[0].payload).slots[0].offset, 24U);
  EXPECT_EQ(std::get<model::host_task_command>(g.commands()[1].payload).slots[0].offset, 24U);
  const auto& fill = std::get<model::fill_command>(g.commands()[2].payload);
  EXPECT_EQ(static_cast<const unsigned char*>(fill.large_pattern)[39], 5);
}

TEST(CommandGraph, names_buffers_densely_and_an_external_one_once) {
  command_graph g;
  EXPECT_EQ(g.add_buffer(row(1), 700, "u").value(), 0U);
  EXPECT_EQ(g.add_buffer(row(2)).value(), 1U);
  EXPECT_EQ(g.add_buffer(row(2)).value(), 2U);
  EXPECT_EQ(g.add_buffer(row(1), 700).value(), 0U);
  for (std::uint64_t e = 1000; e < 3000; ++e) g.add_buffer(row(e), e);
  for (std::uint64_t e = 1000; e < 3000; ++e) {
    const auto id = g.add_buffer(row(1), e);
    EXPECT_EQ(id.value(), 3 + e - 1000);
    EXPECT_EQ(g.external(id), e);
    EXPECT_EQ(g.buffer(id).grid.range().c[2], e);
  }
  EXPECT_STREQ(g.buffer_label(model::buffer_id(0)), "u");
  EXPECT_STREQ(g.buffer_label(model::buffer_id(1)), "");
  EXPECT_EQ(g.buffer_count(), 2003U);
}

TEST(CommandGraph, refuses_what_does_not_exist_and_stays_as_it_was) {
  command_graph g;
  const auto b = g.add_buffer(row(10));
  g.append(on_device(0));
  const auto hash = g.structural_hash();
  auto c = on_device(0);
  const std::uint64_t later = 1;
  c.after = {&later, 1};
  EXPECT_THROW(g.append(c), user_error);
  c.after = {};
  for (const auto& bad :
       {needs(model::buffer_id(1), 0, 1), needs(model::buffer_id(), 0, 1), needs(b, 5, 11)}) {
    c.requirements = {&bad, 1};
    EXPECT_THROW(g.append(c), user_error);
  }
  EXPECT_THROW(g.add_edge(model::command_id(0), model::command_id(0)), user_error);
  EXPECT_THROW(g.add_edge(model::command_id(0), model::command_id(1)), user_error);
  EXPECT_THROW(g.add_edge(model::command_id(), model::command_id(0)), user_error);
  EXPECT_EQ(g.size(), 1U);
  EXPECT_EQ(g.structural_hash(), hash);
}

TEST(CommandGraph, keeps_every_box_without_elements_as_the_same_one) {
  command_graph g;
  const auto b = g.add_buffer(row(10));
  auto c = on_device(0);
  for (const std::uint64_t at : {0, 5, 10}) {
    const auto nothing = needs(b, at, at);
    c.requirements = {&nothing, 1};
    g.append(c);
    EXPECT_EQ(g.commands()[g.size() - 1].requirements[0].elements, model::box()) << at;
  }
}

TEST(CommandGraph, adds_edges_forward_and_each_once) {
  command_graph g;
  const std::uint64_t first = 0;
  g.append(on_device(0));
  g.append(on_device(0));
  auto c = on_device(0);
  c.after = {&first, 1};
  g.append(c);
  g.add_edge(model::command_id(1), model::command_id(2));
  g.add_edge(model::command_id(1), model::command_id(2));
  g.add_edge(model::command_id(0), model::command_id(2));
  const auto after = g.command(model::command_id(2)).after;
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0], 0U);
  EXPECT_EQ(after[1], 1U);
  EXPECT_THROW(g.add_edge(model::command_id(2), model::command_id(1)), user_error);
}

struct counted {
  static int alive;
  std::string text;
  bool fail = false;
  explicit counted(std::string t) : text(std::move(t)) { ++alive; }
  counted(const counted& other) : text(other.text) {
    if (other.fail) throw std::runtime_error("no copy");
    ++alive;
  }
  ~counted() { --alive; }
};
int counted::alive = 0;

TEST(CommandGraph, owns_copies_of_function_objects_and_destroys_them) {
  static constexpr model::object_operations operations{
      [](void* to, const void* from) { ::new (to) counted(*static_cast<const counted*>(from)); },
      [](void* object) noexcept { static_cast<counted*>(object)->~counted(); }};
  {
    counted original("a text too long for the string to keep inside itself");
    command_graph g;
    model::argument_block block;
    block.bytes = &original;
    block.size = sizeof(counted);
    block.alignment = alignof(counted);
    block.operations = &operations;
    const auto copy = g.adopt_arguments(block);
    EXPECT_NE(copy.bytes, block.bytes);
    EXPECT_EQ(static_cast<counted*>(copy.bytes)->text, original.text);
    EXPECT_EQ(counted::alive, 2);
    original.fail = true;
    EXPECT_THROW(g.adopt_arguments(block), std::runtime_error);
    EXPECT_EQ(counted::alive, 2);
    command_graph moved(std::move(g));
    EXPECT_EQ(counted::alive, 2);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(CommandGraph, copies_plain_arguments_bytewise_and_aligned) {
  command_graph g;
  struct alignas(64) plain {
    int value;
  } p{42};
  model::argument_block block;
  block.bytes = &p;
  block.size = sizeof(p);
  block.alignment = alignof(plain);
  for (int i = 0; i < 100; ++i) {
    p.value = i;
    const auto copy = g.adopt_arguments(block);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.bytes) % 64, 0U);
    EXPECT_EQ(static_cast<const plain*>(copy.bytes)->value, i);
  }
  block.size = 1 << 20;
  std::vector<char> large(1 << 20, 'x');
  block.bytes = large.data();
  EXPECT_EQ(static_cast<const char*>(g.adopt_arguments(block).bytes)[(1 << 20) - 1], 'x');
}

TEST(StructuralHash, depends_on_what_planning_depends_on_and_on_nothing_else) {
  auto make = [](auto&& change) {
    model::command c = on_device(0);
    model::requirement r = needs(model::buffer_id(0), 2, 8);
    model::buffer_info info = row(10, 2);
    std::vector<std::uint64_t> after{0};
    change(c, r, info, after);
    command_graph g;
    g.add_buffer(info);
    g.append(on_device(0));
    c.requirements = {&r, 1};
    c.after = after;
    g.append(c);
    return g.structural_hash();
  };
  using C = model::command&;
  using R = model::requirement&;
  using I = model::buffer_info&;
  using A = std::vector<std::uint64_t>&;
  const auto base = make([](C, R, I, A) {});
  EXPECT_EQ(make([](C c, R, I, A) { c.label = "name"; }), base);
  EXPECT_EQ(make([](C c, R, I, A) {
              model::kernel_command k;
              k.arguments.size = 8;
              k.local_memory_bytes = 100;
              c.payload = k;
            }),
            base);
  std::vector<std::uint64_t> others{make([](C c, R, I, A) { c.device = model::device_id(1); }),
                                    make([](C c, R, I, A) { c.payload = model::copy_command{}; }),
                                    make([](C, R r, I, A) { r.mode = access_mode::read; }),
                                    make([](C, R r, I, A) { r.no_init = true; }),
                                    make([](C, R r, I, A) { r.memory = model::memory_id(1); }),
                                    make([](C, R r, I, A) { r.elements.hi.c[2] = 9; }),
                                    make([](C, R, I i, A) { i = row(10, 5); }),
                                    make([](C, R, I i, A) { i = row(11, 2); }),
                                    make([](C, R, I i, A) { i.element_size = 8; }),
                                    make([](C, R, I, A a) { a.clear(); })};
  others.push_back(base);
  for (std::size_t i = 0; i < others.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(others[i], others[j]) << i << " " << j;
}

}  // namespace
}  // namespace pianola::recorder
