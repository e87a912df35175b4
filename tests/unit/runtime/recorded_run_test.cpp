// SPDX-License-Identifier: Apache-2.0
// What PIANOLA_RECORD tells of a program is what the program did.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <pianola/formats/file.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/stored_bodies.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/planner/verify_bodies.hpp>
#include <pianola/recorder/graph_json.hpp>

#include <pianola/journal/run.hpp>
#include <pianola/journal/run_log.hpp>
#include <pianola/test/temporary_folder.hpp>

namespace {

using namespace pianola;
using ::testing::HasSubstr;

class recorded_run_edges : public ::testing::Test {
 protected:
  void run(const std::string& devices, const std::string& arguments) {
    // The commands of the random program are as ordered as it happens: what they do to USM are races.
    const std::string races =
        arguments.rfind("random", 0) == 0 ? "TSAN_OPTIONS=report_bugs=0 " : "";
    const std::string command = races + "PIANOLA_DEVICES=" + devices + " PIANOLA_RECORD='" +
                                folder_ + "' '" + PIANOLA_RECORDED_RUN_PROGRAM + "' " + arguments;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    graph_ = std::make_unique<recorder::loaded_graph>(
        recorder::load_graph(folder_ + "/eager.graph.json"));
    plan_ = planner::load_plan(folder_ + "/eager.plan.json", graph_->graph, graph_->topology);
  }
  void expect_valid() {
    const auto wrong =
        planner::verify(graph_->graph.commands(), graph_->graph.buffers(), graph_->topology, plan_);
    EXPECT_FALSE(wrong.has_value()) << wrong->reason << "\n"
                                    << planner::to_text(graph_->graph, graph_->topology, 0)
                                    << planner::to_text(graph_->graph, plan_, graph_->topology, 0);
  }
  // The first command whose label or kind has this in it, from the `from`th on.
  std::uint64_t command(const char* text, std::uint64_t from = 0) {
    const auto commands = graph_->graph.commands();
    for (std::uint64_t i = from; i < commands.size(); ++i)
      if (std::string(commands[i].label).find(text) != std::string::npos) return i;
    ADD_FAILURE() << "no " << text << " from " << from << " on";
    return 0;
  }
  // By explicit edges.
  bool comes_after(std::uint64_t later, std::uint64_t earlier) {
    if (later == earlier) return true;
    for (const std::uint64_t a : graph_->graph.command(model::command_id(later)).after)
      if (a >= earlier && comes_after(a, earlier)) return true;
    return false;
  }

  const pianola::testing::temporary_folder temporary_;
  const std::string folder_ = temporary_.path();
  std::unique_ptr<recorder::loaded_graph> graph_;
  planner::plan plan_;
};

TEST_F(recorded_run_edges, shows_what_the_host_waited_for_and_which_memory_commands_work_on) {
  for (const char* devices : {"openmp", "simulated:1", "simulated:1:separate"}) {
    SCOPED_TRACE(devices);
    run(devices, "usm");
    ASSERT_NE(graph_, nullptr);
    const std::uint64_t memset = command("memset"), kernel = memset + 2, memcpy = command("memcpy");
    EXPECT_EQ(graph_->graph.size(), 6U) << "three commands, and three times the host";
    EXPECT_TRUE(comes_after(kernel, memset));
    EXPECT_TRUE(comes_after(memcpy, kernel));
    const std::string text = planner::to_text(graph_->graph, graph_->topology, 0);
    EXPECT_THAT(text, HasSubstr("host waits for event at recorded_run.cpp:"));
    EXPECT_THAT(text, HasSubstr("host waits for queue at recorded_run.cpp:"));
    ASSERT_EQ(graph_->graph.allocations().size(), 2U);
    const auto used = [&](std::uint64_t c) {
      const auto list = graph_->graph.allocations_of(model::command_id(c));
      return std::vector<std::uint32_t>(list.begin(), list.end());
    };
    EXPECT_EQ(used(memset), std::vector<std::uint32_t>{0});
    EXPECT_EQ(used(kernel), std::vector<std::uint32_t>{0});
    EXPECT_EQ(used(memcpy), (std::vector<std::uint32_t>{0, 1}));
    const auto& copy =
        std::get<model::copy_command>(graph_->graph.command(model::command_id(memcpy)).payload);
    EXPECT_EQ(copy.destination.byte_offset, 4000U);
    expect_valid();
  }
}

TEST_F(recorded_run_edges, of_a_barrier_are_those_to_what_came_since_the_last_one) {
  constexpr std::uint64_t count = 20;
  run("simulated:1", "barriers " + std::to_string(count));
  ASSERT_NE(graph_, nullptr);
  std::uint64_t barriers = 0;
  for (std::uint64_t i = 0; i < graph_->graph.size(); ++i) {
    const model::command& c = graph_->graph.command(model::command_id(i));
    if (!std::holds_alternative<model::barrier_command>(c.payload)) continue;
    EXPECT_EQ(c.after.size(), barriers++ == 0 ? 2U : 3U) << "two commands and the barrier before";
    for (std::uint64_t earlier = 0; earlier < i; ++earlier) EXPECT_TRUE(comes_after(i, earlier));
  }
  EXPECT_EQ(barriers, count);
  // The host has waited for all of it.
  for (std::uint64_t i = 0; i + 1 < graph_->graph.size(); ++i)
    EXPECT_TRUE(comes_after(graph_->graph.size() - 1, i)) << i;
  expect_valid();
}

// "recorded_run.cpp:12", of the first line behind `function` that has `text` in it.
std::string place_in_source(const std::string& function, const std::string& text) {
  std::ifstream source(PIANOLA_RECORDED_RUN_SOURCE);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    inside = inside || line.find(function) != std::string::npos;
    if (inside && line.find(text) != std::string::npos)
      return "recorded_run.cpp:" + std::to_string(number);
  }
  return "no line";
}

TEST_F(recorded_run_edges, say_where_in_the_sources_they_come_from) {
  const auto expect_places = [&](const std::string& function,
                                 const std::vector<std::pair<const char*, const char*>>& all) {
    std::uint64_t at = 0;
    for (const auto& [label, text] : all) {
      at = command(label, at);
      const std::string found = graph_->graph.command(model::command_id(at)).label;
      EXPECT_THAT(found, ::testing::HasSubstr(" at "));
      EXPECT_THAT(found, ::testing::EndsWith(place_in_source(function, text))) << function;
      ++at;
    }
  };
  run("openmp", "usm");
  ASSERT_NE(graph_, nullptr);
  expect_places("int host_orders_them()", {{"memset at ", "q.memset("},
                                           {"host waits for event at ", "q.memset("},
                                           {"host waits for queue at ", "q.wait();"},
                                           {"memcpy at ", "q.memcpy("},
                                           {"host waits for event at ", "q.memcpy("}});
  run("openmp", "waits");
  ASSERT_NE(graph_, nullptr);
  expect_places("int other_ways_to_wait()", {{"host access at ", "sycl::host_accessor a(b);"},
                                             {"host sees event at ", "while (e.get_info<"}});
}

TEST_F(recorded_run_edges, show_where_in_the_sources_kernels_and_nodes_are_submitted) {
  run("openmp", "usm");
  ASSERT_NE(graph_, nullptr);
  const auto kernel_of = [](const recorder::command_graph& g) {
    for (const model::command& c : g.commands())
      if (std::holds_alternative<model::kernel_command>(c.payload)) return std::string(c.label);
    return std::string();
  };
  // clang says itself where a lambda is, and in which column.
  EXPECT_THAT(kernel_of(graph_->graph),
              HasSubstr(place_in_source("int host_orders_them()", "q.parallel_for(")));
  run("openmp", "profiled");
  std::string nodes;
  for (const auto& e : std::filesystem::directory_iterator(folder_))
    if (e.path().filename() == "graph-0.graph.json") nodes = e.path().string();
  ASSERT_NE(nodes, "");
  const std::string kernel = kernel_of(recorder::load_graph(nodes).graph);
  EXPECT_TRUE(kernel.find(place_in_source("profiled_graph()", "graph.add(")) != std::string::npos ||
              kernel.find(place_in_source("profiled_graph()", "h.parallel_for(")) !=
                  std::string::npos)
      << kernel;
}

TEST_F(recorded_run_edges, are_those_of_a_program_whose_objects_end_behind_the_library) {
  for (const char* devices : {"openmp", "simulated:1:separate"}) {
    run(devices, "late");
    ASSERT_NE(graph_, nullptr);
    EXPECT_TRUE(std::holds_alternative<model::kernel_command>(
        graph_->graph.command(model::command_id(0)).payload));
    expect_valid();
  }
}

TEST_F(recorded_run_edges, know_the_place_of_a_call_behind_one_that_has_none) {
  run("openmp", "thread");
  ASSERT_NE(graph_, nullptr);
  const std::uint64_t without = command("host waits for queue");
  EXPECT_STREQ(graph_->graph.command(model::command_id(without)).label, "host waits for queue");
  EXPECT_THAT(
      graph_->graph.command(model::command_id(command("host waits for queue", without + 1))).label,
      ::testing::EndsWith(place_in_source("int waits_of_a_thread()", "q.wait();")));
}

TEST_F(recorded_run_edges, know_no_place_of_code_that_was_unloaded) {
  run("openmp", std::string("unloaded ") + PIANOLA_UNLOADED_LIBRARIES);
  ASSERT_NE(graph_, nullptr);
  std::vector<std::string> labels;
  for (const model::command& c : graph_->graph.commands()) labels.emplace_back(c.label);
  EXPECT_THAT(
      labels,
      ::testing::ElementsAre(
          "memset at first.cpp:17", "host waits for event at first.cpp:17",
          "kernel_of_the_first at first.cpp:18", "host waits for event at first.cpp:18",
          "memset at second.cpp:30", "host waits for event at second.cpp:30",
          "kernel_of_the_second at second.cpp:31", "host waits for event at second.cpp:31"));
}

TEST_F(recorded_run_edges, shows_every_way_to_wait) {
  run("openmp", "waits");
  ASSERT_NE(graph_, nullptr);
  // Host accessor, event that was asked, buffer that ends: each before what was submitted behind it.
  const std::uint64_t accessor = command("host access"), seen = command("host sees event"),
                      ended = command("host access", accessor + 1),
                      last = command("host waits for event");
  EXPECT_TRUE(comes_after(seen, accessor));
  EXPECT_TRUE(comes_after(ended, seen));
  EXPECT_TRUE(comes_after(last, ended));
  expect_valid();
}

TEST_F(recorded_run_edges, tells_nothing_of_what_a_memory_pool_looks_at) {
  for (const char* devices : {"openmp", "simulated:1:separate"}) {
    run(devices, "pool");
    ASSERT_NE(graph_, nullptr);
    int waits = 0;
    for (const model::command& c : graph_->graph.commands())
      waits += std::holds_alternative<model::host_access_command>(c.payload) ? 1 : 0;
    EXPECT_EQ(waits, 1) << devices;
    expect_valid();
  }
}

TEST_F(recorded_run_edges, shows_which_buffers_each_replay_works_on) {
  for (const char* devices : {"openmp", "simulated:1:separate"}) {
    SCOPED_TRACE(devices);
    run(devices, "rebound");
    ASSERT_NE(graph_, nullptr);
    std::vector<std::uint32_t> written;
    for (const model::command& c : graph_->graph.commands()) {
      if (std::string(c.label) != "graph-0") continue;
      for (const model::requirement& r : c.requirements)
        if (writes(r.mode)) {
          written.push_back(r.buffer.value());
          break;
        }
    }
    ASSERT_EQ(written.size(), 36U);
    EXPECT_EQ(std::set<std::uint32_t>(written.begin(), written.end()).size(), 12U);
    for (std::size_t i = 12; i < written.size(); ++i) EXPECT_EQ(written[i], written[i - 12]);
    expect_valid();
  }
}

// What is planned step by step as it comes takes a new lane where all others have work to do. A plan that is made of the
// graph afterwards would take one again, of which it knows that it comes before.
TEST_F(recorded_run_edges, has_the_lanes_devices_and_waits_that_the_program_ran_with) {
  struct ran {
    std::size_t lane;  // in the order in which they come up
    std::vector<std::size_t> waits;
    bool last_device;
  };
  for (const char* devices : {"openmp", "simulated:2", "simulated:2:separate"}) {
    SCOPED_TRACE(devices);
    run(devices, "diamonds");
    ASSERT_NE(graph_, nullptr);
    std::vector<ran> expected = {{0, {}, false}, {0, {}, false},  {1, {0}, false}, {1, {1}, false},
                                 {1, {}, false}, {2, {3}, false}, {2, {}, false}};
    if (std::string(devices) != "openmp") expected.back() = {3, {5}, true};
    std::vector<std::size_t> steps;  // of the kernels, among all
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const auto* e = std::get_if<planner::execute_step>(&plan_.steps[i].action);
      if (e != nullptr &&
          std::holds_alternative<model::kernel_command>(graph_->graph.command(e->command).payload))
        steps.push_back(i);
    }
    ASSERT_EQ(steps.size(), expected.size());
    std::vector<model::lane_id> lanes;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE(i);
      const planner::step& s = plan_.steps[steps[i]];
      const auto& e = std::get<planner::execute_step>(s.action);
      EXPECT_EQ(e.command, model::command_id(static_cast<std::uint32_t>(i)));
      EXPECT_EQ(e.device.value(), expected[i].last_device ? 1U : 0U);
      EXPECT_EQ(plan_.lanes.at(s.lane.value()).device, e.device);
      if (std::find(lanes.begin(), lanes.end(), s.lane) == lanes.end()) lanes.push_back(s.lane);
      ASSERT_LT(expected[i].lane, lanes.size());
      EXPECT_EQ(s.lane, lanes[expected[i].lane]);
      std::vector<std::uint64_t> waits, expected_waits;
      for (const model::step_id w : plan_.waits_of(s)) waits.push_back(w.value());
      for (const std::size_t w : expected[i].waits)
        expected_waits.push_back(plan_.first_step + steps[w]);
      EXPECT_EQ(waits, expected_waits);
    }
    expect_valid();
  }
}

TEST_F(recorded_run_edges, is_a_plan_that_ran_whatever_the_program_does) {
  const unsigned seed = std::random_device()();
  for (unsigned i = 0; i < 6; ++i)
    for (const char* devices : {"openmp", "openmp,simulated:2", "simulated:2:separate"}) {
      SCOPED_TRACE("seed " + std::to_string(seed + i) + " on " + devices);
      run(devices, "random " + std::to_string(seed + i));
      ASSERT_NE(graph_, nullptr);
      expect_valid();
      if (HasFailure()) return;
    }
}

TEST_F(recorded_run_edges, of_two_processes_that_share_a_folder_are_kept_apart) {
  const std::string one = "PIANOLA_DEVICES=openmp PIANOLA_RECORD='" + folder_ + "' '" +
                          PIANOLA_RECORDED_RUN_PROGRAM + "' loop 20000";
  ASSERT_EQ(std::system((one + " & " + one + " & " + one + " & wait").c_str()), 0);
  std::size_t graphs = 0;
  for (const auto& f : std::filesystem::directory_iterator(folder_)) {
    const std::string path = f.path();
    EXPECT_NE(f.path().filename().string()[0], '.') << "left behind: " << path;
    if (f.path().extension() != ".journal") continue;
    const journal::recorded_run run = journal::read_run(path);
    EXPECT_FALSE(run.cut_off) << path;
    EXPECT_EQ(run.damaged_at, 0U) << path;
    EXPECT_GE(run.graph.size(), 20000U) << path;
    const auto wrong =
        planner::verify(run.graph.commands(), run.graph.buffers(), run.topology, run.plan);
    EXPECT_FALSE(wrong.has_value()) << path << ": " << wrong->reason;
    ++graphs;
  }
  EXPECT_GE(graphs, 1U);
}

TEST_F(recorded_run_edges, of_processes_one_after_the_other_are_kept_and_the_newest_has_the_names) {
  const auto run = [&](const std::string& what, const std::string& variables = "") {
    const std::string command = variables + "PIANOLA_DEVICES=openmp PIANOLA_RECORD='" + folder_ +
                                "' '" + PIANOLA_RECORDED_RUN_PROGRAM + "' " + what + " 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::string told(2000, '\0');
    told.resize(std::fread(told.data(), 1, told.size(), pipe));
    EXPECT_EQ(::pclose(pipe), 0) << told;
    return told;
  };
  const auto commands_in = [&](const std::string& file) {
    return recorder::load_graph(folder_ + "/" + file).graph.size();
  };
  EXPECT_EQ(run("profiled"), "");
  const std::size_t first = commands_in("eager.graph.json");
  // What submits nothing moves nothing.
  static_cast<void>(std::system(
      ("PIANOLA_RECORD='" + folder_ + "' '" + PIANOLA_RECORDED_RUN_PROGRAM + "' nothing").c_str()));
  EXPECT_EQ(commands_in("eager.graph.json"), first);
  EXPECT_EQ(run("loop 100"), "pianola: warn: PIANOLA_RECORD: what was recorded in " + folder_ +
                                 " before is in " + folder_ + "/before-1 now\n");
  EXPECT_GE(commands_in("eager.graph.json"), 100U);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/graph-0.graph.json")) << "it is of another run";
  EXPECT_EQ(commands_in("before-1/eager.graph.json"), first);
  EXPECT_EQ(commands_in("before-1/graph-0.graph.json"), 3U);
  // A file of a process that has ended goes with the rest, one of somebody who runs does not.
  const std::string ended = "/999999999-01234567-eager.graph.json";
  const std::string runs = "/" + std::to_string(::getpid()) + "-01234567-graph-0.dot";
  for (const std::string& name : {ended, runs}) std::ofstream(folder_ + name) << "x";
  EXPECT_THAT(run("loop 200"), HasSubstr("before-2"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/before-2" + ended));
  EXPECT_TRUE(std::filesystem::exists(folder_ + runs));
  // Where plans are read from there, nothing moves.
  EXPECT_EQ(run("loop 300", "PIANOLA_PLAN='" + folder_ + "' "), "");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/before-3"));
  std::size_t beside = 0;
  for (const auto& f : std::filesystem::directory_iterator(folder_))
    if (f.path().string().find("-eager.graph.json") != std::string::npos) ++beside;
  EXPECT_EQ(beside, 1U);
}

// Every launch of a graph of which times of nodes are noted.
TEST_F(recorded_run_edges, have_the_times_of_each_launch_of_a_graph_that_notes_them) {
  for (const char* devices : {"openmp", "simulated:1:separate"}) {
    SCOPED_TRACE(devices);
    run(devices, "profiled");
    const auto launches =
        nlohmann::json::parse(formats::read_file(folder_ + "/graph-0.launches.json"));
    const auto graph = nlohmann::json::parse(formats::read_file(folder_ + "/graph-0.graph.json"));
    EXPECT_EQ(launches["format"], "pianola.launches/1");
    EXPECT_EQ(launches["graph_hash"], graph["structural_hash"]);
    EXPECT_EQ(launches["left_out"], 0);
    ASSERT_EQ(launches["commands"].size(), graph["commands"].size());
    for (std::size_t i = 0; i < launches["commands"].size(); ++i)
      EXPECT_EQ(launches["commands"][i]["device"], graph["commands"][i]["device"]);
    ASSERT_EQ(launches["launches"].size(), 5U);
    std::uint64_t before = 0;
    for (const auto& l : launches["launches"]) {
      EXPECT_GE(l["submit"], before);
      before = l["submit"];
      ASSERT_EQ(l["start"].size(), 3U);
      ASSERT_EQ(l["end"].size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_GE(l["start"][i], l["submit"]);
        EXPECT_GE(l["end"][i], l["start"][i]);
      }
    }
  }
}

// The body of a loop is in the file of the graph, with its plan, and both are checked with the rest.
TEST_F(recorded_run_edges, have_the_bodies_of_loops) {
  for (const char* devices : {"openmp", "simulated:1:separate"}) {
    SCOPED_TRACE(devices);
    run(devices, "with-a-loop");
    // Those of the branch, the body and the whole are finalized in this order.
    const std::string text = formats::read_file(folder_ + "/graph-2.graph.json");
    const auto checked = [&](const nlohmann::json& graph) {
      const recorder::loaded_graph loaded = recorder::read_graph(graph.dump(), "graph");
      const planner::stored_bodies bodies(loaded.graph, loaded.topology, "graph");
      const auto wrong =
          planner::verify_bodies(planner::graph_view(loaded.graph), loaded.topology, bodies.all());
      return wrong ? wrong->reason : std::string();
    };
    nlohmann::json graph = nlohmann::json::parse(text);
    graph.erase("structural_hash");
    nlohmann::json& loop = graph["commands"].back();
    ASSERT_EQ(loop["subgraph"]["control"], "loop");
    ASSERT_EQ(loop["subgraph"]["graphs"].size(), 1U);
    nlohmann::json& body = loop["subgraph"]["graphs"][0];
    EXPECT_EQ(body["graph"]["commands"].back()["kind"], "acquire");  // of the condition
    EXPECT_EQ(checked(graph), "");
    const recorder::loaded_graph loaded = recorder::read_graph(text, "graph");
    const planner::stored_bodies bodies(loaded.graph, loaded.topology, "graph");
    ASSERT_EQ(bodies.all().size(), 1U);
    ASSERT_EQ(bodies.all()[0].inner.size(), 1U);
    const std::string shown =
        planner::to_text(planner::graph_view(loaded.graph), bodies.all(), loaded.topology);
    EXPECT_THAT(shown, HasSubstr("command 2 'while' runs, repeated while the condition holds:\n"));
    EXPECT_THAT(shown, HasSubstr("runs, if the condition holds:\n"));

    // What the command says of itself is no longer so.
    for (nlohmann::json& r : loop["requirements"])
      if (r["mode"] != "read") {
        r["mode"] = "read";
        break;
      }
    EXPECT_THAT(checked(graph), HasSubstr("command 2: "));
  }
}

TEST_F(recorded_run_edges, have_times_of_commands_on_queues_that_profile) {
  for (const char* devices : {"openmp", "simulated:1:separate"}) {
    SCOPED_TRACE(devices);
    run(devices, "profiled-queue");
    ASSERT_NE(graph_, nullptr);
    const auto is_timed = [&](std::uint64_t c) {
      return graph_->measured.of(model::command_id(c)) > 0;
    };
    const std::uint64_t memset = command("memset"), replay = command("graph");
    EXPECT_TRUE(is_timed(memset));
    EXPECT_TRUE(is_timed(memset + 1));
    EXPECT_TRUE(is_timed(replay));
    EXPECT_FALSE(is_timed(command("fill")));
  }
}

TEST(run_log, keeps_what_is_done_again_in_few_bytes) {
  journal::run_log log;
  const model::buffer_id b =
      log.named().add_buffer({model::page_grid(model::extent3{{1, 1, 64}}), 4, 1}, 1);
  model::requirement r;
  r.buffer = b;
  r.mode = model::access_mode::read_write;
  r.elements = model::box::of({{1, 1, 64}});
  model::command c;
  model::kernel_command kernel;
  kernel.id = model::kernel_id(7);
  c.payload = kernel;
  c.requirements = {&r, 1};
  c.device = model::device_id(0);
  std::uint64_t early = 0;
  unsigned labels = 0;
  for (std::uint32_t i = 0; i < 100000; ++i) {
    std::vector<std::uint32_t> after;
    if (i != 0) after.push_back(i - 1);
    const std::uint32_t id = log.add(c, 0, {}, {after.data(), after.size()}, [&] {
      ++labels;
      return std::string("step");
    });
    EXPECT_EQ(id, i);
    log.add_step(0, id, c.device, {}, i / 2);
    if (i == 999) early = log.bytes();
  }
  EXPECT_EQ(labels, 1U);
  EXPECT_LT((log.bytes() - early) / 99000, 48U) << "bytes for each command";
  const journal::run_log::run run = log.take();
  EXPECT_EQ(run.graph.size(), 100000U);
  EXPECT_EQ(run.graph.command(model::command_id(99999)).after[0], 99998U);
  EXPECT_STREQ(run.graph.command(model::command_id(500)).label, "step");
  EXPECT_EQ(run.plan.steps.size(), 100000U);
  EXPECT_EQ(run.plan.finished.back().below.value(), 49999U);
}

}  // namespace
