// SPDX-License-Identifier: Apache-2.0
// Random damage to good files: never a crash, always exit code 0, 1 or 2 and at most one line. The
// seed is printed; PIANOLA_SEED repeats a run.
#include <cstdlib>
#include <iostream>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/model/error.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/footprints.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "file_mutator.hpp"
#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;

std::uint64_t chosen_seed() {
  const char* given = std::getenv("PIANOLA_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::cout << "PIANOLA_SEED=" << seed << std::endl;  // a crash loses what is not flushed
  return seed;
}

// The plan made for whatever the graph has become.
std::string with_hash(const std::string& plan, const recorder::command_graph& graph) {
  json file = json::parse(plan, nullptr, false);
  if (file.is_discarded() || !file.is_object() || !file.contains("graph_hash")) return plan;
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(graph.structural_hash()));
  file["graph_hash"] = text;
  return file.dump();
}

struct any_observer final : planner::pass_observer {
  void after(std::string_view pass, const std::string& text) override {
    EXPECT_TRUE(text.empty() || text.back() == '\n') << pass;
  }
};

// What `show --passes` does with a graph that was read.
void plan_it(const recorder::loaded_graph& loaded) {
  any_observer observer;
  planner::options options;
  options.observer = &observer;
  try {
    (void)planner::make_plan(loaded.graph.commands(), loaded.graph.buffers(), loaded.topology,
                             options);
  } catch (const model::user_error& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
  }
}

// What planning asks of the footprints of kernels.
void touch_it(const planner::graph_view& graph) {
  for (const model::command& c : graph.commands()) {
    const auto* kernel = std::get_if<model::kernel_command>(&c.payload);
    if (kernel == nullptr) continue;
    const model::box all = kernel->geometry.ids_of(kernel->geometry.launched());
    for (const model::footprint& f : kernel->footprints) {
      model::requirement r = c.requirements[f.requirement];
      const model::buffer_info& buffer = graph.buffers()[r.buffer.value()];
      const planner::touched_elements t = planner::elements_touched(f, all, buffer);
      for (const auto* boxes : {&t.read, &t.written, &t.overwritten})
        for (const model::box& b : *boxes)
          EXPECT_TRUE(contains(model::box::of(buffer.grid.range()), b));
      planner::narrow_requirement(t, r);
      EXPECT_TRUE(contains(c.requirements[f.requirement].elements, r.elements));
    }
  }
}

// Everything the tool does with two files, in this process; what it accepts must survive a second
// reading.
void use(const std::string& graph_text, const std::string& plan_text, int& accepted) {
  try {
    const recorder::loaded_graph loaded = recorder::read_graph(graph_text);
    const planner::graph_view graph(loaded.graph);
    const std::string again = recorder::to_json(loaded.graph, loaded.topology);
    const recorder::loaded_graph second = recorder::read_graph(again);
    EXPECT_EQ(recorder::to_json(second.graph, second.topology), again);
    (void)planner::to_text(graph, loaded.topology);
    (void)planner::to_dot(graph);
    touch_it(graph);
    plan_it(loaded);
    const planner::plan plan =
        planner::read_plan(with_hash(plan_text, loaded.graph), graph, loaded.topology);
    (void)planner::to_json(plan, graph);
    (void)planner::to_text(graph, plan, loaded.topology);
    (void)planner::to_dot(graph, plan, loaded.topology);
    (void)planner::verify(graph.commands(), graph.buffers(), loaded.topology, plan);
    ++accepted;
  } catch (const model::user_error& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
  }
}

TEST(mutated_files, are_used_or_rejected_but_never_crash_the_library) {
  const std::string graphs[] = {recorder::to_json(halo_graph(), two_devices()),
                                recorder::to_json(graph_of_every_kind(), two_devices()),
                                recorder::to_json(graph_with_footprints(), two_devices())};
  const std::string plan = planner::to_json(halo_plan(), halo_graph());
  file_mutator m(chosen_seed());
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string g = graphs[i % 3], p = plan;
    const std::size_t how = m.below(4);
    if (how == 0) g = m.bytes(g);
    if (how == 1) g = m.structure(g);
    if (how == 2) p = m.bytes(p);
    if (how == 3) p = m.structure(p);
    use(g, p, accepted);
    if (HasFailure()) FAIL() << g << p;
  }
  EXPECT_GT(accepted, 100) << "the damage is so great that nothing behind the readers is tested";
}

TEST(mutated_files, make_the_tool_say_at_most_one_line) {
  const std::string graphs[] = {recorder::to_json(halo_graph(), two_devices()),
                                recorder::to_json(graph_with_footprints(), two_devices())};
  const std::string plan = planner::to_json(halo_plan(), halo_graph());
  file_mutator m(chosen_seed());
  for (int i = 0; i < 120; ++i) {
    temporary_folder folder;
    std::string g = graphs[i / 2 % 2], p = plan;
    std::string& damaged = i % 2 == 0 ? g : p;
    damaged = m.below(2) == 0 ? m.bytes(damaged) : m.structure(damaged);
    const std::string graph_path = folder.file("g.json", g), plan_path = folder.file("p.json", p);
    const tool_result r = run_tool({i % 3 == 0 ? "show" : "verify", graph_path, plan_path});
    ASSERT_TRUE(r.exit_code >= 0 && r.exit_code <= 2) << r.exit_code << r.err << g << p;
    if (r.exit_code == 2)
      expect_one_line_of_complaint(r);
    else
      EXPECT_EQ(r.err, "");
    if (HasFailure()) FAIL() << g << p;
  }
}

}  // namespace
