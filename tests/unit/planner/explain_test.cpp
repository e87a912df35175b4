// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/planner/explain/report.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/test/scenario.hpp>

#include "explain/asked_edges.hpp"

namespace {

using namespace pianola;
using model::access_mode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

model::box linear(std::uint64_t first, std::uint64_t last) {
  return {{{0, 0, first}}, {{1, 1, last}}};
}

// Two devices with memories of their own, and the host's. Links and kernels take what is round.
class explain : public ::testing::Test {
 protected:
  explain() {
    s_.machine.memories = {{"host", 0}, {"left", 0}, {"right", 0}};
    s_.machine.devices = {{"left device", "", model::memory_id(1), 8},
                          {"right device", "", model::memory_id(2), 8},
                          {"processor", "", model::host_memory, 8}};
    for (std::uint16_t from = 0; from < 3; ++from)
      for (std::uint16_t to = 0; to < 3; ++to)
        if (from != to)
          s_.machine.links.push_back({model::memory_id(from), model::memory_id(to), 1e6, 1e-5});
  }

  std::uint32_t buffer(std::uint64_t elements, std::uint64_t page) {
    s_.buffers.push_back({model::page_grid({{1, 1, elements}}, {{1, 1, page}}), 4, 1});
    return static_cast<std::uint32_t>(s_.buffers.size() - 1);
  }
  static model::requirement need(std::uint32_t buffer, access_mode mode, const model::box& b,
                                 bool no_init = false) {
    model::requirement r;
    r.buffer = model::buffer_id(buffer);
    r.mode = mode;
    r.no_init = no_init;
    r.elements = b;
    return r;
  }
  model::command_id kernel(std::uint64_t id, std::uint16_t device,
                           std::vector<model::requirement> needs, const char* label = "kernel",
                           std::vector<std::uint64_t> after = {}) {
    model::kernel_command k;
    k.id = model::kernel_id(id);
    k.geometry.global = {{1, 1, 16}};
    const std::uint64_t n =
        s_.commands.add(model::device_id(device), std::move(needs), std::move(after), k);
    s_.commands.all().back().label = label;
    return model::command_id(static_cast<std::uint32_t>(n));
  }
  model::command_id host_access(std::vector<model::requirement> needs) {
    const std::uint64_t n =
        s_.commands.add(model::device_id(2), std::move(needs), {}, model::host_access_command{});
    return model::command_id(static_cast<std::uint32_t>(n));
  }

  planner::plan planned() const {
    return planner::make_plan(s_.commands.all(), s_.buffers, s_.machine);
  }
  // What a run comes to whose data was on the host when it began.
  planner::plan run() const {
    std::vector<planner::validity_entry> host;
    for (std::uint32_t b = 0; b < s_.buffers.size(); ++b)
      host.push_back({model::buffer_id(b), model::box::of(s_.buffers[b].grid.range()),
                      model::memory_set(model::host_memory)});
    planner::options from_host;
    from_host.entry = &host;
    return planner::make_plan(s_.commands.all(), s_.buffers, s_.machine, from_host);
  }
  planner::graph_view graph() const { return {s_.commands.all(), s_.buffers, 7}; }
  static std::vector<model::step_id> transfers(const planner::plan& p) {
    std::vector<model::step_id> all;
    for (std::size_t i = 0; i < p.steps.size(); ++i)
      if (std::holds_alternative<planner::transfer_step>(p.steps[i].action)) all.emplace_back(i);
    return all;
  }
  std::vector<std::string> words(const std::vector<planner::tried_change>& all) const {
    std::vector<std::string> text;
    for (const planner::tried_change& t : all) {
      EXPECT_TRUE(t.gains());
      text.push_back(planner::to_text(t.change, graph(), s_.machine));
    }
    return text;
  }

  test::scenario s_;
};

TEST_F(explain, tells_who_needs_a_transfer_and_who_wrote_the_data) {
  const std::uint32_t u = buffer(16, 16);
  const auto writer = kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)});
  const auto reader = kernel(2, 1, {need(u, access_mode::read, linear(0, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::explainer of(g, p, s_.machine);
  ASSERT_EQ(transfers(p).size(), 1U);
  const planner::transfer_explanation t = of.transfer(transfers(p).front());
  EXPECT_EQ(t.bytes, 64U);
  EXPECT_NEAR(t.seconds, 1e-5 + 64e-6, 1e-12);
  ASSERT_EQ(t.uses.size(), 1U);
  EXPECT_EQ(t.uses[0].access.command, reader);
  ASSERT_EQ(t.origins.size(), 1U);
  const auto& e = std::get<planner::execute_step>(p.steps[t.origins[0].step.value()].action);
  EXPECT_EQ(e.command, writer);
  EXPECT_EQ(t.origins[0].elements, linear(0, 16));
  const std::string text = planner::to_text(t, of);
  EXPECT_THAT(text, HasSubstr("needed by:\n  #1 kernel on device 1 (right device): read buffer 0"));
  EXPECT_THAT(text, HasSubstr("written by #0 kernel on device 0 (left device)"));
}

TEST_F(explain, suggests_smaller_pages_where_a_page_is_more_than_is_needed) {
  const std::uint32_t u = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)});
  kernel(2, 1, {need(u, access_mode::read, linear(12, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::transfer_explanation t =
      planner::explainer(g, p, s_.machine).transfer(transfers(p).front());
  ASSERT_FALSE(t.suggestions.empty());
  const auto with = [&](const char* part) -> const planner::tried_change* {
    for (const planner::tried_change& c : t.suggestions)
      if (planner::to_text(c.change, g, s_.machine).find(part) != std::string::npos) return &c;
    return nullptr;
  };
  const planner::tried_change* const pages =
      with("pages of 4 elements for buffer 0, instead of 16");
  ASSERT_NE(pages, nullptr);
  EXPECT_EQ(pages->before.bytes, 64U);
  EXPECT_EQ(pages->after.bytes, 16U);
  // On the other device nothing is moved at all, which is more.
  EXPECT_NE(with("on device 0 (left device)"), nullptr);
  EXPECT_GT(pages, with("#1 kernel on device 0 (left device)")) << "the greater gain comes first";
}

TEST_F(explain, suggests_no_init_for_what_may_be_overwritten_and_not_for_what_is_read) {
  const std::uint32_t u = buffer(16, 16), v = buffer(16, 16);
  for (int i = 0; i < 3; ++i) {
    kernel(1, 0,
           {need(u, access_mode::write, linear(0, 16), true),
            need(v, access_mode::write, linear(0, 16), true)});
    kernel(2, 1,
           {need(u, access_mode::write, linear(0, 16)), need(v, access_mode::read, linear(0, 16))});
  }
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::explainer of(g, p, s_.machine);
  for (const model::step_id step : transfers(p)) {
    const planner::transfer_explanation t = of.transfer(step);
    const std::vector<std::string> all = words(t.suggestions);
    if (t.what.buffer.value() == u)
      // What one kernel says in one place, all of its launches do.
      EXPECT_THAT(all, ::testing::Contains(
                           HasSubstr("no_init to buffer 0 in #1 kernel and 2 more like it")));
    else
      EXPECT_THAT(all, Not(::testing::Contains(HasSubstr("no_init"))));
  }
}

TEST_F(explain, tries_changes_of_a_run_from_where_its_data_was) {
  // Whoever overwrites what the host has brought could say so: then nothing has to be moved.
  const std::uint32_t u = buffer(16, 16), v = buffer(16, 16), w = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::read_write, linear(0, 16))});
  const planner::plan p = run();
  ASSERT_EQ(transfers(p).size(), 1U);
  const planner::graph_view g = graph();
  const planner::transfer_explanation t =
      planner::explainer(g, p, s_.machine).transfer(transfers(p).front());
  ASSERT_THAT(words(t.suggestions), ::testing::Contains(HasSubstr("no_init")));

  // Elsewhere the first kernel of these would need what it reads there instead, from the host as well.
  kernel(2, 0,
         {need(v, access_mode::read, linear(0, 16)),
          need(w, access_mode::write, linear(0, 16), true)});
  kernel(3, 1,
         {need(v, access_mode::read, linear(0, 16)), need(w, access_mode::read, linear(0, 16))});
  const planner::plan several = run();
  ASSERT_EQ(transfers(several).size(), 4U);
  const planner::graph_view all = graph();
  const planner::advice_list list = planner::advise(all, several, s_.machine);
  EXPECT_EQ(list.now.transfers, 4U);
  bool found = false;
  for (const planner::advice& a : list.entries) {
    if (planner::to_text(a.tried.change, all, s_.machine) != "#1 kernel on device 1 (right device)")
      continue;
    found = true;
    EXPECT_EQ(a.tried.after.transfers, 2U) << "u to the left and v to the right";
  }
  EXPECT_TRUE(found) << planner::to_text(list, all, several, s_.machine);
}

TEST_F(explain, tries_changes_of_what_is_replayed_from_where_a_replay_leaves_its_data) {
  const std::uint32_t u = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::read_write, linear(0, 16))});
  kernel(2, 1, {need(u, access_mode::read, linear(0, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  for (const bool is_usual : {false, true}) {
    const planner::explainer of(g, p, s_.machine, planner::explainer::usual_effort, is_usual);
    const planner::transfer_explanation t = of.transfer(transfers(p).front());
    EXPECT_THAT(words(t.suggestions), ::testing::Contains("#0 kernel on device 1 (right device)"));
  }
  // The same as a run, which begins on the left, has to bring it to the right either way.
  planner::plan once = p;
  once.finished = {{model::step_id(1), model::step_id(0)}};
  EXPECT_THAT(
      words(planner::explainer(g, once, s_.machine).transfer(transfers(p).front()).suggestions),
      Not(::testing::Contains("#0 kernel on device 1 (right device)")));
}

TEST_F(explain, does_not_take_from_a_kernel_what_it_is_there_for) {
  const std::uint32_t u = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::read_write, linear(0, 16))});
  kernel(2, 1, {need(u, access_mode::read, linear(0, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::advice_list list = planner::advise(g, p, s_.machine);
  EXPECT_FALSE(list.entries.empty());
  EXPECT_THAT(planner::to_text(list, g, p, s_.machine), Not(HasSubstr("read_only access")));
}

TEST_F(explain, knows_what_the_program_asks_for_without_going_through_lists) {
  // Of edges of a barrier after everything: each is found in a list of its length's logarithm.
  std::vector<std::uint64_t> everything;
  for (int i = 0; i < 100; ++i) everything.push_back(kernel(1, 0, {}).value());
  std::swap(everything.front(), everything.back());
  const auto last = kernel(2, 0, {}, "last", everything);
  const planner::asked_edges asked(s_.commands.all());
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(asked.contains(model::command_id(i), last));
    EXPECT_FALSE(asked.contains(model::command_id(i), model::command_id(50)));
  }
}

TEST_F(explain, suggests_nothing_that_the_compiler_has_proven_wrong) {
  const std::uint32_t u = buffer(16, 16), w = buffer(16, 16);
  model::affine_access touched;
  touched.read = touched.written = true;
  touched.length = 4;
  model::footprint f;
  f.accesses = {&touched, 1};
  kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)});
  kernel(2, 1,
         {need(u, access_mode::read_write, linear(0, 16)),
          need(w, access_mode::write, linear(0, 16), true)});
  kernel(3, 0, {need(u, access_mode::read, linear(0, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const auto all_words = [&] {
    const planner::advice_list list = planner::advise(g, p, s_.machine);
    return planner::to_text(list, g, p, s_.machine);
  };
  EXPECT_THAT(all_words(), HasSubstr("no_init"));
  EXPECT_THAT(all_words(), HasSubstr("read_only access"));
  std::get<model::kernel_command>(s_.commands.all()[1].payload).footprints = {&f, 1};
  EXPECT_THAT(all_words(), Not(HasSubstr("no_init")));
  EXPECT_THAT(all_words(), Not(HasSubstr("read_only access")));
}

TEST_F(explain, suggests_no_device_that_programs_do_not_see) {
  const std::uint32_t u = buffer(16, 16);
  for (int i = 0; i < 3; ++i) {
    kernel(1, 0, {need(u, access_mode::read_write, linear(0, 16))});
    host_access({need(u, access_mode::read_write, linear(0, 16))});
  }
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const auto all_words = [&] {
    const planner::advice_list list = planner::advise(g, p, s_.machine);
    return planner::to_text(list, g, p, s_.machine);
  };
  EXPECT_THAT(all_words(), HasSubstr("on device 2 (processor)"));
  s_.machine.devices[2].listed = false;
  EXPECT_THAT(all_words(), Not(HasSubstr("on device 2 (processor)")));
}

TEST_F(explain, suggests_no_other_access_of_what_says_none) {
  const std::uint32_t u = buffer(16, 16);
  model::copy_command copy;
  copy.destination.requirement = 0;
  copy.width = 32;
  kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)});
  s_.commands.add(model::device_id(1), {need(u, access_mode::read_write, linear(0, 16))}, {}, copy);
  kernel(3, 0, {need(u, access_mode::read, linear(0, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::advice_list list = planner::advise(g, p, s_.machine);
  const std::string text = planner::to_text(list, g, p, s_.machine);
  EXPECT_THAT(text, Not(HasSubstr("no_init")));
  EXPECT_THAT(text, Not(HasSubstr("read_only access")));
}

TEST_F(explain, suggests_that_the_host_looks_once_instead_of_each_time) {
  const std::uint32_t u = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::read_write, linear(0, 16))});
  const auto look = host_access({need(u, access_mode::read, linear(0, 16))});
  kernel(1, 0, {need(u, access_mode::read_write, linear(0, 16))});
  const auto again = host_access({need(u, access_mode::read, linear(0, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::transfer_explanation t =
      planner::explainer(g, p, s_.machine).transfer(transfers(p).front());
  bool found = false;
  for (const planner::tried_change& c : t.suggestions)
    if (const auto* m = std::get_if<planner::move_change>(&c.change)) {
      found = true;
      EXPECT_EQ(m->command, look);
      EXPECT_EQ(m->before, again);
      EXPECT_EQ(c.before.transfers - c.after.transfers, 1U);
    }
  EXPECT_TRUE(found) << planner::to_text(t, planner::explainer(g, p, s_.machine));
}

TEST_F(explain, tells_pages_in_common_from_data_in_common) {
  // Two devices with one memory can work at the same time.
  s_.machine.devices.push_back({"other left device", "", model::memory_id(1), 8});
  const std::uint32_t u = buffer(16, 16);
  const auto first = kernel(1, 0, {need(u, access_mode::write, linear(0, 8), true)});
  const auto second = kernel(2, 3, {need(u, access_mode::write, linear(8, 16), true)});
  const auto third = kernel(3, 0, {need(u, access_mode::read, linear(0, 16))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::explainer of(g, p, s_.machine);
  const planner::edge_explanation e = of.edge(first, second);
  EXPECT_TRUE(e.direct);
  ASSERT_EQ(e.reasons.size(), 1U);
  EXPECT_TRUE(e.reasons[0].only_pages());
  EXPECT_THAT(words(e.suggestions), ElementsAre("pages of 8 elements for buffer 0, instead of 16"));
  EXPECT_THAT(planner::to_text(e, of), HasSubstr("no element in common, only 1 page"));

  const planner::edge_explanation data = of.edge(second, third);
  ASSERT_EQ(data.reasons.size(), 1U);
  EXPECT_FALSE(data.reasons[0].only_pages());
  EXPECT_EQ(data.reasons[0].why, planner::edge_reason::cause::read_after_write);
  EXPECT_EQ(data.reasons[0].elements, linear(8, 16));

  const planner::advice_list list = planner::advise(g, p, s_.machine);
  EXPECT_EQ(list.page_edges, 1U);
  ASSERT_EQ(list.entries.size(), 1U);
  EXPECT_THAT(list.entries[0].edges, ElementsAre(std::make_pair(first, second)));
  // First and second come before the third directly, then, instead of one after the other.
  EXPECT_LT(list.entries[0].tried.after.seconds, list.entries[0].tried.before.seconds);
}

TEST_F(explain, finds_the_way_from_one_command_to_another) {
  const std::uint32_t u = buffer(16, 16), v = buffer(16, 16);
  const auto first = kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)});
  const auto second = kernel(2, 0,
                             {need(u, access_mode::read, linear(0, 16)),
                              need(v, access_mode::write, linear(0, 16), true)});
  const auto third = kernel(3, 0, {need(v, access_mode::read, linear(0, 16))});
  const auto alone = kernel(4, 0, {}, "alone");
  const auto asked = kernel(5, 0, {}, "asked", {alone.value()});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::explainer of(g, p, s_.machine);
  const planner::edge_explanation e = of.edge(first, third);
  EXPECT_FALSE(e.direct);
  EXPECT_TRUE(e.reasons.empty());
  EXPECT_THAT(e.way, ElementsAre(first, second, third));
  EXPECT_THAT(planner::to_text(of.edge(third, alone), of), HasSubstr("nothing orders them"));
  const planner::edge_explanation wanted = of.edge(alone, asked);
  EXPECT_TRUE(wanted.direct);
  ASSERT_EQ(wanted.reasons.size(), 1U);
  EXPECT_EQ(wanted.reasons[0].why, planner::edge_reason::cause::asked_for);
}

TEST_F(explain, refuses_what_is_not_there) {
  const std::uint32_t u = buffer(16, 16);
  const auto first = kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::explainer of(g, p, s_.machine);
  EXPECT_THROW(static_cast<void>(of.edge(first, model::command_id(1))), model::user_error);
  EXPECT_THROW(static_cast<void>(of.edge(first, first)), model::user_error);
  EXPECT_THROW(static_cast<void>(of.transfer(model::step_id(0))), model::user_error);
  EXPECT_THROW(static_cast<void>(of.transfer(model::step_id(99))), model::user_error);
  EXPECT_THROW(static_cast<void>(of.command(model::command_id(1))), model::user_error);
}

TEST_F(explain, tries_what_looks_largest_first_and_no_more_than_allowed) {
  const std::uint32_t u = buffer(16, 16), v = buffer(1024, 1024);
  kernel(1, 0,
         {need(u, access_mode::write, linear(0, 16), true),
          need(v, access_mode::write, linear(0, 1024), true)});
  kernel(2, 1, {need(u, access_mode::read, linear(0, 4))});
  kernel(3, 1, {need(v, access_mode::read, linear(0, 4))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::advice_list list = planner::advise(g, p, s_.machine, 1);
  EXPECT_EQ(list.tried, 1U);
  EXPECT_GT(list.not_tried, 0U);
  ASSERT_EQ(list.entries.size(), 1U);
  EXPECT_LT(list.entries[0].tried.after.seconds, 1e-3) << "the large buffer's transfer";
  EXPECT_THAT(planner::to_text(list, g, p, s_.machine), HasSubstr("tried 1 of "));
}

TEST_F(explain, tries_all_where_no_effort_is_too_much) {
  const std::uint32_t u = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)});
  kernel(2, 1, {need(u, access_mode::read, linear(0, 4))});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  EXPECT_GT(planner::advise(g, p, s_.machine, 1).not_tried, 0U);
  const planner::advice_list all = planner::advise(g, p, s_.machine, 0);
  EXPECT_EQ(all.not_tried, 0U);
  EXPECT_GT(all.tried, 1U);
}

// Nothing is moved: what they wait for is an access that says it may write.
TEST_F(explain, advises_accesses_that_may_only_read_where_commands_wait_for_them) {
  const std::uint32_t u = buffer(16, 16), v = buffer(16, 16), w = buffer(16, 16);
  const auto first = kernel(1, 0,
                            {need(u, access_mode::read_write, linear(0, 16)),
                             need(v, access_mode::write, linear(0, 16), true)});
  const auto second = kernel(2, 0,
                             {need(u, access_mode::read, linear(0, 16)),
                              need(w, access_mode::write, linear(0, 16), true)});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::advice_list list = planner::advise(g, p, s_.machine);
  ASSERT_EQ(list.entries.size(), 1U);
  EXPECT_EQ(planner::to_text(list.entries[0].tried.change, g, s_.machine),
            "read_only access to buffer 0 in #0 kernel, if that does not write it");
  EXPECT_THAT(list.entries[0].edges, ElementsAre(std::make_pair(first, second)));
  EXPECT_EQ(list.entries[0].tried.before.edges, 1U);
  EXPECT_EQ(list.entries[0].tried.after.edges, 0U);
}

// It may be what a kernel points to, and has no name.
TEST_F(explain, advises_no_other_order_where_commands_allocate_memory_or_kernels_name_nothing) {
  const std::uint32_t u = buffer(16, 16), v = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)}, "first");
  kernel(2, 1, {}, "second", {0});
  kernel(3, 1, {need(v, access_mode::write, linear(0, 16), true)}, "third", {1});
  EXPECT_EQ(planner::advise(graph(), planned(), s_.machine).needless_edges, 0U);
  kernel(4, 1, {need(u, access_mode::write, linear(0, 16), true)}, "fourth", {2});
  EXPECT_EQ(planner::advise(graph(), planned(), s_.machine).needless_edges, 1U);
  model::allocate_command a;
  a.allocation = 1;
  a.bytes = 64;
  a.memory = model::memory_id(1);
  s_.commands.add(model::device_id(0), {}, {}, a);
  EXPECT_EQ(planner::advise(graph(), planned(), s_.machine).needless_edges, 0U);
}

TEST_F(explain, advises_to_leave_out_order_that_nothing_needs) {
  const std::uint32_t u = buffer(16, 16), v = buffer(16, 16), w = buffer(16, 16);
  const auto first = kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)}, "first");
  const auto second =
      kernel(2, 1, {need(v, access_mode::write, linear(0, 16), true)}, "second", {0});
  // This one needs the second.
  kernel(
      3, 1,
      {need(v, access_mode::read, linear(0, 16)), need(w, access_mode::write, linear(0, 16), true)},
      "third", {1});
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::advice_list list = planner::advise(g, p, s_.machine);
  EXPECT_EQ(list.needless_edges, 1U);
  const auto found = std::find_if(list.entries.begin(), list.entries.end(), [](const auto& a) {
    return std::holds_alternative<planner::order_change>(a.tried.change);
  });
  ASSERT_NE(found, list.entries.end());
  EXPECT_THAT(found->edges, ElementsAre(std::make_pair(first, second)));
  EXPECT_LT(found->tried.after.seconds, found->tried.before.seconds);
  EXPECT_EQ(planner::to_text(found->tried.change, g, s_.machine),
            "#1 second without waiting for #0 first: they name no data in common; if nothing else "
            "needs the order");
  EXPECT_THAT(planner::to_text(list, g, p, s_.machine),
              HasSubstr("1 edge that the program asks for, between commands that name no data"));
  EXPECT_THAT(planner::to_json(list, g, p, s_.machine), HasSubstr("\"no_order\""));
  // The same, asked about.
  const planner::explainer of(g, p, s_.machine);
  EXPECT_THAT(words(of.edge(first, second).suggestions),
              ElementsAre(HasSubstr("#1 second without waiting for #0 first")));
}

TEST_F(explain, says_where_a_kernel_is_in_the_source) {
  const std::uint32_t u = buffer(16, 16);
  kernel(1, 0, {need(u, access_mode::write, linear(0, 16), true)}, "main::lambda at main.cpp:12");
  kernel(2, 1, {need(u, access_mode::read, linear(0, 16))}, "steers\x1b[2J at nowhere");
  kernel(3, 2, {need(u, access_mode::read, linear(0, 16))},
         "a_name at a_file_whose_name_is_so_long_that_it_does_not_fit.cpp:1234");
  const planner::plan p = planned();
  const planner::graph_view g = graph();
  const planner::explainer of(g, p, s_.machine);
  const std::string text = planner::to_text(of.transfer(transfers(p).front()), of);
  EXPECT_THAT(text, HasSubstr("lambda at main.cpp:12 on device 0"));
  EXPECT_THAT(planner::to_text(of.transfer(transfers(p).back()), of),
              HasSubstr("(a_file_whose_name_is_so_long_that_it_does_not_fit.cpp:1234)"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(planner::to_json(of.command(model::command_id(0)), of),
              HasSubstr("\"source\": \"main.cpp:12\""));
}

}  // namespace
