// SPDX-License-Identifier: Apache-2.0
#include <pianola/planner/plan_json.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/model/error.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/text.hpp>

namespace {

using namespace pianola;
using namespace pianola::planner;
using nlohmann::json;

// Two kernels on two devices: the second reads on memory 2 what the first wrote on memory 1.
class plan_files : public ::testing::Test {
 protected:
  plan_files() {
    topology_.memories = {{"host", 0}, {"left", 0}, {"right", 0}};
    topology_.devices = {{"a", "simulated", model::memory_id(1), 1},
                         {"b", "simulated", model::memory_id(2), 1}};
    buffers_ = {{model::page_grid({{1, 4, 4}}, {{1, 2, 4}}), 4, 2}};
    requirements_.resize(2);
    commands_.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      requirements_[i].buffer = model::buffer_id(0);
      requirements_[i].mode = i == 0 ? model::access_mode::write : model::access_mode::read;
      requirements_[i].elements = {{{0, 0, 0}}, {{1, i == 0 ? 4U : 3U, 4}}};
      commands_[i].payload = model::kernel_command{};
      commands_[i].requirements = {&requirements_[i], 1};
      commands_[i].device = model::device_id(static_cast<std::uint16_t>(i));
      commands_[i].label = i == 0 ? "first \"&amp;\" \\N" : "second";
    }
    const model::memory_id left(1), right(2);
    const model::box whole = model::box::of({{1, 4, 4}});
    plan_.lanes = {{model::device_id(0)}, {model::device_id(1)}};
    plan_.steps.resize(3);
    plan_.steps[0].action = execute_step{model::command_id(0), model::device_id(0)};
    plan_.steps[0].lane = model::lane_id(0);
    plan_.steps[1].action = transfer_step{model::buffer_id(0), left, right, whole};
    plan_.steps[1].lane = model::lane_id(1);
    plan_.steps[1].wait_count = 1;
    plan_.steps[2].action = execute_step{model::command_id(1), model::device_id(1)};
    plan_.steps[2].lane = model::lane_id(1);
    plan_.waits = {model::step_id(0)};
    plan_.contract = {{model::buffer_id(0), whole, model::memory_set(left)}};
    plan_.exit = {{model::buffer_id(0), whole, model::memory_set(left) | model::memory_set(right)}};
    plan_.accesses = {{model::buffer_id(0), whole, true}};
    plan_.graph_hash = 0xabc;
  }

  [[nodiscard]] graph_view graph() const {
    return {commands_, buffers_, 0xabc, nullptr, [](const void*, model::buffer_id) { return "u"; }};
  }
  [[nodiscard]] std::string error_of(const std::string& text) const {
    try {
      (void)read_plan(text, graph(), topology_, "plan.json");
    } catch (const model::user_error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
      return e.what();
    }
    return {};
  }
  [[nodiscard]] std::string error_with(const char* pointer, const json& value) const {
    json file = json::parse(to_json(plan_, graph()));
    file[json::json_pointer(pointer)] = value;
    return error_of(file.dump());
  }

  model::topology topology_;
  std::vector<model::buffer_info> buffers_;
  std::vector<model::requirement> requirements_;
  std::vector<model::command> commands_;
  plan plan_;
};

TEST_F(plan_files, read_back_what_was_written_to_the_last_bit) {
  const std::string text = to_json(plan_, graph());
  EXPECT_EQ(to_json(read_plan(text, graph(), topology_), graph()), text);
  EXPECT_EQ(to_json(read_plan(text), graph()), text) << "also without looking at the graph";
}

TEST_F(plan_files, tell_what_had_finished_when_a_step_was_handed_out) {
  plan_.finished = {{model::step_id(1), model::step_id(1)}, {model::step_id(2), model::step_id(2)}};
  const std::string text = to_json(plan_, graph());
  const plan read = read_plan(text, graph(), topology_);
  EXPECT_EQ(to_json(read, graph()), text);
  ASSERT_EQ(read.finished.size(), 2U);
  EXPECT_EQ(read.finished[1].below, model::step_id(2));
  for (const auto& [step, below] : {std::pair{3, 0}, {2, 3}, {1, 1}, {2, 0}}) {
    json wrong = json::parse(text);
    wrong["finished"][1] = {{"step", step}, {"below", below}};
    EXPECT_THROW((void)read_plan(wrong.dump(), graph(), topology_), model::user_error)
        << step << " " << below;
  }
}

TEST_F(plan_files, say_how_much_a_transfer_moves) {
  const json file = json::parse(to_json(plan_, graph()));
  EXPECT_EQ(file["steps"][1]["transfer"]["bytes"], 64);
  EXPECT_EQ(file["steps"][1]["transfer"]["pages"], 2);
  EXPECT_EQ(file["steps"][1]["waits"], json::array({0}));
  EXPECT_EQ(file["exit"][0]["memories"], json::array({1, 2}));
}

TEST_F(plan_files, of_another_graph_are_rejected) {
  EXPECT_EQ(
      error_with("/graph_hash", "0x1"),
      "plan.json: /graph_hash: the plan was made for the graph 0x0000000000000001, this one is "
      "0x0000000000000abc; plan it again");
  plan_.graph_hash = 1;
  EXPECT_THROW((void)to_json(plan_, graph()), model::user_error);
}

TEST_F(plan_files, with_unknown_ids_are_rejected_with_path_and_reason) {
  EXPECT_EQ(error_with("/steps/0/execute/command", 2),
            "plan.json: /steps/0/execute/command: unknown command 2");
  EXPECT_EQ(error_with("/steps/0/execute/device", 2),
            "plan.json: /steps/0/execute/device: unknown device 2");
  EXPECT_EQ(error_with("/steps/0/lane", 2), "plan.json: /steps/0/lane: unknown lane 2");
  EXPECT_EQ(error_with("/steps/1/transfer/buffer", 1),
            "plan.json: /steps/1/transfer/buffer: unknown buffer 1");
  EXPECT_EQ(error_with("/steps/1/transfer/to", 3),
            "plan.json: /steps/1/transfer/to: unknown memory 3");
  EXPECT_EQ(error_with("/contract/0/memories", {64}),
            "plan.json: /contract/0/memories/0: unknown memory 64");
  EXPECT_EQ(error_with("/lanes/1/device", 9), "plan.json: /lanes/1/device: unknown device 9");
}

TEST_F(plan_files, with_waits_that_do_not_lead_back_are_rejected) {
  EXPECT_NE(error_with("/steps/1/waits", {1}).find("/steps/1/waits/0: step 1 cannot wait"),
            std::string::npos);
  EXPECT_NE(error_with("/steps/0/waits", {2}), "");
  EXPECT_NE(error_with("/steps/0/waits", {UINT64_MAX}), "");
}

TEST_F(plan_files, with_boxes_that_are_wrong_are_rejected) {
  EXPECT_NE(error_with("/steps/1/transfer/elements/hi", {1, 5, 4}), "");
  EXPECT_NE(error_with("/exit/0/elements/lo", {1, 0, 0}), "");
  EXPECT_EQ(error_with("/steps/1/transfer/bytes", 65),
            "plan.json: /steps/1/transfer/bytes: expected 64 for this box, found 65");
  EXPECT_NE(error_with("/steps/1/transfer/pages", 3), "");
  EXPECT_NE(error_with("/steps/1/transfer/to", 1), "") << "from memory 1 to memory 1";
  EXPECT_NE(error_with("/exit/0/memories", {2, 1}), "");
  EXPECT_NE(error_with("/exit/0/memories", {1, 1}), "");
}

TEST_F(plan_files, must_say_what_each_step_does) {
  json file = json::parse(to_json(plan_, graph()));
  file["steps"][0].erase("execute");
  EXPECT_EQ(error_of(file.dump()),
            "plan.json: /steps/0: expected either \"execute\" or \"transfer\"");
  file["steps"][0]["execute"] = {{"command", 0}, {"device", nullptr}};
  EXPECT_EQ(error_of(file.dump()), "");
  file["steps"][0]["transfer"] = file["steps"][1]["transfer"];
  EXPECT_NE(error_of(file.dump()), "");
}

TEST_F(plan_files, with_members_in_any_order_are_read) {
  json file = json::parse(to_json(plan_, graph()));
  EXPECT_EQ(error_of(file.dump()), "") << "sorted by name, accesses and contract come first";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_F(plan_files, are_drawn_with_a_cluster_per_lane_and_a_node_per_step) {
  const std::string dot = to_dot(graph(), plan_, topology_);
  EXPECT_EQ(count(dot, "subgraph cluster_lane_"), 2U);
  for (const char* step : {"s0 [label", "s1 [label", "s2 [label"})
    EXPECT_EQ(count(dot, step), 1U) << step;
  EXPECT_NE(dot.find("u\\nleft \u2192 right\\nstep 1  64 B"), std::string::npos) << dot;
  EXPECT_NE(dot.find("s0 -> s1;"), std::string::npos);
  EXPECT_NE(dot.find("s1 -> s2 ["), std::string::npos) << "order within a lane";
  EXPECT_NE(dot.find("valid at entry\\nu in left"), std::string::npos);
  EXPECT_NE(dot.find("changed at exit\\nu in left, right"), std::string::npos);
}

TEST_F(plan_files, show_labels_as_they_are) {
  const std::string dot = to_dot(graph(), plan_, topology_);
  EXPECT_NE(dot.find("first \\\"&amp;amp;\\\" \\\\N"), std::string::npos) << dot;
}

TEST_F(plan_files, are_drawn_by_graphviz) {
  const std::string svg = svg_from_dot(to_dot(graph(), plan_, topology_));
  EXPECT_NE(svg.find("first &quot;&amp;amp;&quot; \\N"), std::string::npos) << svg;
  EXPECT_THROW((void)svg_from_dot("digraph {"), model::user_error);
  EXPECT_THROW(render_svg("digraph { a }", "/nonexistent/picture.svg"), model::user_error);
}

// Width, height and how a pixel is made up, as the file says.
std::string format_of_png(const std::string& png) {
  const auto byte = [&](std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(png.at(at)));
  };
  const auto number = [&](std::size_t at) {
    return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
  };
  constexpr unsigned red_green_blue = 2;
  return std::to_string(number(16)) + " x " + std::to_string(number(20)) +
         (byte(25) == red_green_blue ? " opaque" : " of another kind");
}

TEST(pixels, are_coarser_in_large_pictures_and_opaque_in_all) {
  const auto box = [](const char* size) {
    return format_of_png(
        png_from_dot(std::string("digraph { a [shape=box, fixedsize=true, ") + size + "] }"));
  };
  EXPECT_EQ(box("width=3, height=2"), "300 x 204 opaque");
  EXPECT_EQ(box("width=3.1, height=2.1"), "308 x 212 opaque");
  EXPECT_EQ(box("width=40, height=40"), "2889 x 2889 opaque");
  EXPECT_EQ(format_of_png(png_from_dot("digraph {}")), "12 x 12 opaque");
  EXPECT_THROW((void)png_from_dot("digraph {"), model::user_error);
}

TEST_F(plan_files, are_cut_with_a_note_where_they_are_too_large_to_draw) {
  dot_options options;
  options.maximum_nodes = 2;
  const std::string dot = to_dot(graph(), plan_, topology_, options);
  EXPECT_EQ(count(dot, "s2"), 0U);
  EXPECT_NE(dot.find("cut here: 1 of 3 steps are not drawn"), std::string::npos);
  options.maximum_nodes = 1;
  EXPECT_NE(to_dot(graph(), options).find("cut here: 1 of 2 commands are not drawn"),
            std::string::npos);
}

TEST_F(plan_files, list_steps_and_traffic_as_text) {
  const std::string text = to_text(graph(), plan_, topology_);
  EXPECT_NE(text.find("plan: 3 steps on 2 lanes, 1 transfer, 2 pages, 64 B\n"), std::string::npos);
  EXPECT_NE(text.find("moved left -> right: 1 transfer, 2 pages, 64 B\n"), std::string::npos);
  EXPECT_NE(text.find("waits for 0"), std::string::npos);
  EXPECT_NE(to_text(graph(), plan_, topology_, 2).find("... and 1 more steps"), std::string::npos);
}

TEST(dot_of_a_graph, has_many_commands_close_together) {
  const auto dot = [](std::size_t n) {
    const std::vector<model::command> commands(n);
    return to_dot(graph_view(commands, {}, 0));
  };
  EXPECT_EQ(count(dot(100), "nodesep=0.06"), 0U);
  EXPECT_EQ(count(dot(101), "nodesep=0.06"), 1U);
}

// Commands that all write the same buffer, one more that only reads another one.
TEST(dot_of_a_graph, draws_no_edge_that_others_imply) {
  const std::vector<model::buffer_info> buffers(
      2, {model::page_grid(model::extent3{{1, 1, 8}}), 4, 1});
  std::vector<model::requirement> requirements(4);
  std::vector<model::command> commands(4);
  const std::uint64_t after[] = {0, 2};
  for (std::uint32_t i = 0; i < 4; ++i) {
    requirements[i].buffer = model::buffer_id(i == 3 ? 1 : 0);
    requirements[i].elements = model::box::of({{1, 1, 8}});
    commands[i].requirements = {&requirements[i], 1};
  }
  commands[3].after = after;
  const std::string dot = to_dot(graph_view(commands, buffers, 0));
  EXPECT_EQ(count(dot, " -> "), 3U) << dot;
  EXPECT_NE(dot.find("c0 -> c1 [label=\"buffer 0\"]"), std::string::npos);
  EXPECT_NE(dot.find("c1 -> c2 [label=\"buffer 0\"]"), std::string::npos);
  EXPECT_NE(dot.find("c2 -> c3 [style=dashed]"), std::string::npos) << "asked for, not by a buffer";
}

TEST(dot_of_a_graph, does_not_order_accesses_to_pages_that_do_not_overlap) {
  const std::vector<model::buffer_info> buffers = {
      {model::page_grid({{1, 1, 8}}, {{1, 1, 4}}), 4, 1}};
  std::vector<model::requirement> requirements(2);
  std::vector<model::command> commands(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    requirements[i].buffer = model::buffer_id(0);
    requirements[i].elements = {{{0, 0, 4 * i}}, {{1, 1, 4 * i + 1}}};
    commands[i].requirements = {&requirements[i], 1};
  }
  EXPECT_EQ(count(to_dot(graph_view(commands, buffers, 0)), " -> "), 0U);
  requirements[1].elements.lo.c[2] = 3;
  EXPECT_EQ(count(to_dot(graph_view(commands, buffers, 0)), " -> "), 1U) << "page 0 is in both";
}

}  // namespace
