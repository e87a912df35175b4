// SPDX-License-Identifier: Apache-2.0
// Plans made and simulated for machines that are not here.
#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "cut_graph.hpp"
#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Kernels take a microsecond per work-item, links a byte per microsecond, and nothing takes anything besides.
model::topology slow_devices() {
  model::topology t = two_devices();
  for (std::uint64_t kernel = 0x1000; kernel < 0x1004; ++kernel)
    for (std::uint16_t d = 0; d < 2; ++d)
      t.kernel_times.push_back({model::kernel_id(kernel), model::device_id(d), 0, 1e-6});
  for (model::link_description& l : t.links) l.bandwidth = 1e6, l.latency = 0;
  return t;
}

class simulation : public ::testing::Test {
 protected:
  temporary_folder folder_;
  std::string graph_ = folder_.file("g.json", recorder::to_json(halo_graph(), two_devices()));
  std::string plan_ = folder_.file("p.json", planner::to_json(halo_plan(), halo_graph()));
  std::string machine_ = folder_.file("m.json", recorder::to_json(slow_devices()));
};

TEST_F(simulation, tells_programs_when_each_step_runs) {
  const tool_result r = run_tool({"simulate", graph_, plan_, "--topology", machine_, "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json s = json::parse(r.out);
  EXPECT_EQ(s["format"], "pianola.simulation/1");
  // start 16, then "blur left" 8; meanwhile 48 bytes go right, where "blur right" takes 8; 32 go back, then "sum".
  const std::vector<std::pair<double, double>> expected = {{0, 16},  {16, 24},  {16, 64},
                                                           {64, 72}, {72, 104}, {104, 105}};
  ASSERT_EQ(s["steps"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(s["steps"][i]["start"].get<double>(), expected[i].first * 1e-6, 1e-12) << i;
    EXPECT_NEAR(s["steps"][i]["end"].get<double>(), expected[i].second * 1e-6, 1e-12) << i;
  }
  EXPECT_NEAR(s["makespan"].get<double>(), 105e-6, 1e-12);
  EXPECT_NEAR(s["work"].get<double>(), 33e-6, 1e-12);
  EXPECT_NEAR(s["span"].get<double>(), 25e-6, 1e-12);
  EXPECT_THAT(s["critical_path"].get<std::vector<int>>(), ElementsAre(0, 2, 3, 4, 5));
  EXPECT_NEAR(s["devices"][0]["busy"].get<double>(), 25e-6, 1e-12);
  EXPECT_NEAR(s["devices"][1]["idle"].get<double>(), 97e-6, 1e-12);
  std::uint64_t moved = 0;
  for (const json& l : s["links"]) moved += l["bytes"].get<std::uint64_t>();
  EXPECT_EQ(moved, 80U);
  EXPECT_EQ(s["memories"][1]["peak"], 128);
  EXPECT_EQ(s["memories"][0]["peak"], 0);
}

TEST_F(simulation, tells_people_what_takes_how_long) {
  const tool_result r = run_tool({"simulate", graph_, plan_, "--topology", machine_});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  for (const char* text :
       {"makespan 105 us", "T1    33.0 us", "Tinf  25.0 us", "critical path: 5 steps",
        "#2 blur right on device 1", "move u [4,16)  sim0 -> sim1  48 B", "busy  25.0 us (24 %)",
        "sim1 -> sim0                      32 B in 1 transfer", "at most 128 B of 1 GiB"})
    EXPECT_THAT(r.out, HasSubstr(text));
  EXPECT_THAT(r.out, Not(HasSubstr("timeline")));
}

TEST_F(simulation, is_the_trace_that_show_writes_where_nothing_was_measured) {
  const tool_result shown = run_tool({"show", graph_, plan_, "--topology", machine_, "--trace"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out,
            run_tool({"simulate", graph_, plan_, "--topology", machine_, "--trace"}).out);
  const tool_result alone = run_tool({"show", graph_, "--trace"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("no times were recorded; name a plan, or record with --times"));
}

TEST_F(simulation, takes_what_kernels_took_when_they_were_recorded) {
  recorder::measured_times times;
  times.set(model::command_id(1), 5.0);
  const std::string timed =
      folder_.file("timed.json", recorder::to_json(halo_graph(), two_devices(), times));
  const auto seconds = [](const tool_result& r) {
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return json::parse(r.out);
  };
  EXPECT_NEAR(seconds(run_tool({"simulate", timed, plan_, "--json"}))["makespan"].get<double>(), 5,
              0.1);
  EXPECT_NEAR(seconds(run_tool({"advise", timed, plan_, "--json"}))["now"]["seconds"].get<double>(),
              5, 0.1);
  // Of another machine nobody knows.
  EXPECT_LT(
      seconds(run_tool({"simulate", timed, plan_, "--topology", machine_, "--json"}))["makespan"]
          .get<double>(),
      1);
  // Nor when they began; then the plan tells.
  const tool_result traced = run_tool({"show", timed, plan_, "--trace"});
  EXPECT_EQ(traced.out, run_tool({"simulate", timed, plan_, "--trace"}).out) << traced.err;
  const tool_result alone = run_tool({"show", timed, "--trace"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("was recorded, but not when they began"));
}

// Of the slices of a trace, whose names begin so: where they are, in microseconds.
json slices_named(const json& trace, const std::string& beginning) {
  json found = json::array();
  for (const json& e : trace["traceEvents"])
    if (e["ph"] == "X" && e["name"].get<std::string>().rfind(beginning, 0) == 0) found.push_back(e);
  return found;
}
// Both ends of every arrow lie in a slice, and an arrow ends no earlier than it begins.
void expect_arrows_in_slices(const json& trace, std::size_t arrows) {
  std::map<std::uint64_t, double> begins;
  std::size_t ends = 0;
  for (const json& e : trace["traceEvents"]) {
    if (e["ph"] != "s" && e["ph"] != "f") continue;
    const double at = e["ts"].get<double>();
    EXPECT_TRUE(std::any_of(trace["traceEvents"].begin(), trace["traceEvents"].end(),
                            [&](const json& s) {
                              return s["ph"] == "X" && s["pid"] == e["pid"] &&
                                     s["tid"] == e["tid"] && s["ts"].get<double>() <= at &&
                                     at < s["ts"].get<double>() + s["dur"].get<double>();
                            }))
        << e;
    const auto id = e["id"].get<std::uint64_t>();
    if (e["ph"] == "s") {
      begins[id] = at;
    } else {
      ++ends;
      EXPECT_LE(begins.at(id), at);
    }
  }
  EXPECT_EQ(ends, arrows);
  EXPECT_EQ(begins.size(), arrows);
}

TEST_F(simulation, traces_have_arrows_from_slice_to_slice) {
  const tool_result r = run_tool({"simulate", graph_, plan_, "--topology", machine_, "--trace"});
  const json trace = json::parse(r.out);
  EXPECT_EQ(slices_named(trace, "move u").size(), 1U);
  EXPECT_EQ(slices_named(trace, "move v").size(), 1U);
  expect_arrows_in_slices(trace, halo_plan().waits.size());
}

TEST_F(simulation, traces_of_what_was_measured_have_the_transfers_in_between) {
  recorder::measured_times times;
  const double took = 1e-3;
  for (std::uint32_t c = 0; c < 4; ++c) times.set(model::command_id(c), took, 0.01 * (c + 1));
  const std::string timed =
      folder_.file("timed.json", recorder::to_json(halo_graph(), two_devices(), times));
  const tool_result r = run_tool({"show", timed, plan_, "--trace"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json trace = json::parse(r.out);
  json blur = slices_named(trace, "blur right");
  ASSERT_EQ(blur.size(), 1U);
  EXPECT_NEAR(blur[0]["ts"].get<double>(), 30000, 1e-3);
  EXPECT_NEAR(blur[0]["dur"].get<double>(), 1000, 1e-3);
  // From when the writer has ended; what the link takes, 10 us and a little.
  json moved = slices_named(trace, "move u");
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_NEAR(moved[0]["ts"].get<double>(), 11000, 1e-3);
  EXPECT_NEAR(moved[0]["dur"].get<double>(), 10, 0.1);
  EXPECT_EQ(moved[0]["args"]["measured"], false);
  EXPECT_EQ(slices_named(trace, "move v").size(), 1U);
  expect_arrows_in_slices(trace, halo_plan().waits.size());
}

// Two launches, the second of which has begun before the first one is over.
TEST_F(simulation, traces_of_replays_have_every_launch) {
  const recorder::command_graph graph = halo_graph();
  const auto launches = [&](const char* hash, const json& ends) {
    const auto on = [](const json& device, int lane) {
      return json{{"device", device}, {"lane", lane}};
    };
    const auto launch = [](std::uint64_t submit, const json& start, const json& end) {
      return json{{"submit", submit}, {"start", start}, {"end", end}};
    };
    return json{{"format", "pianola.launches/1"},
                {"graph_hash", hash},
                {"commands", {on(0, 0), on(0, 0), on(1, 1), on(nullptr, 0)}},
                {"left_out", 7},
                {"launches",
                 {launch(5000001000, {5000002000, 5000004000, 5000009000, 0},
                         {5000003001, 5000008000, 5000012000, 0}),
                  launch(5000006000, {5000007000, 5000013000, 5000014000, 0}, ends)}}}
        .dump();
  };
  constexpr const char* hash = "0xf01c27b307436711";
  const std::string all = launches(hash, {5000009000, 5000014000, 5000016000, 0});
  const std::string recorded =
      folder_.file("graph-0.graph.json", recorder::to_json(graph, two_devices()));
  folder_.file("graph-0.launches.json", all);
  const tool_result r = run_tool({"show", recorded, "--trace"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json trace = json::parse(r.out);
  const json whole = slices_named(trace, "launch ");
  ASSERT_EQ(whole.size(), 2U);
  EXPECT_NEAR(whole[0]["ts"].get<double>(), 0, 1e-3);
  EXPECT_NEAR(whole[0]["dur"].get<double>(), 11, 1e-3);
  EXPECT_NEAR(whole[1]["ts"].get<double>(), 5, 1e-3);
  EXPECT_NE(whole[0]["tid"], whole[1]["tid"]) << "they overlap";
  const json start = slices_named(trace, "start");
  ASSERT_EQ(start.size(), 2U);
  EXPECT_NEAR(start[0]["ts"].get<double>(), 1, 1e-3);
  EXPECT_NEAR(start[0]["dur"].get<double>(), 1.001, 1e-3);
  EXPECT_EQ(start[1]["args"], json({{"launch", 1}, {"command", 0}}));
  EXPECT_EQ(slices_named(trace, "blur").size(), 4U);
  EXPECT_TRUE(slices_named(trace, "sum").empty()) << "it ran nowhere";
  // From the start to what blurs on the other device.
  expect_arrows_in_slices(trace, 2);
  // By its name, also of a graph that is called otherwise.
  const std::string named = folder_.file("of.json", all);
  EXPECT_EQ(run_tool({"show", graph_, "--trace", "--launches", named}).out, r.out);

  const auto refused = [&](const std::string& text, const char* why) {
    const std::string file = folder_.file("wrong.json", text);
    const tool_result wrong = run_tool({"show", graph_, "--trace", "--launches", file});
    expect_one_line_of_complaint(wrong);
    EXPECT_THAT(wrong.err, HasSubstr(why));
  };
  refused(launches("0x1", {0, 0, 0, 0}), "/graph_hash: it is of another graph");
  refused(launches(hash, {0, 0, 0}), "/launches/1/end: the graph has 4 commands");
  refused(launches(hash, {0, 0, 0, 0, 0}), "/end/4: the graph has 4 commands");
  expect_one_line_of_complaint(run_tool({"show", graph_, plan_, "--trace", "--launches", named}));
  expect_one_line_of_complaint(run_tool({"show", graph_, "--launches", named}));
}

TEST_F(simulation, says_that_replays_are_not_counted) {
  recorder::command_graph graph = halo_graph();
  model::command replay;
  replay.payload = model::subgraph_command{nullptr, 12};
  replay.device = model::device_id(0);
  graph.append(replay);
  graph.append(replay);
  const std::string path = folder_.file("replays.json", recorder::to_json(graph, two_devices()));
  const std::string plan = folder_.file("replays.plan.json", run_tool({"plan", path}).out);
  for (const char* command : {"explain", "advise", "simulate", "show"}) {
    EXPECT_THAT(run_tool({command, path, plan}).out,
                HasSubstr("not counted: what 2 replays move within a graph"))
        << command;
    EXPECT_THAT(run_tool({command, graph_, plan_}).out, Not(HasSubstr("not counted"))) << command;
  }
}

TEST_F(simulation, draws_a_timeline) {
  const tool_result r = run_tool({"simulate", graph_, plan_, "--topology", machine_, "--timeline"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("  64.0 us ..  72.0 us  lane 1  |                        ###"
                               "             | * #2 blur right"));
  EXPECT_THAT(run_tool({"simulate", graph_, plan_, "--timeline", "--limit", "2"}).out,
              HasSubstr("... and 4 more steps"));
}

TEST_F(simulation, writes_a_file_where_it_is_told_to) {
  const std::string out = folder_.file("s.json");
  const tool_result r = run_tool({"simulate", graph_, plan_, "--json", "-o", out});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(formats::read_file(out), run_tool({"simulate", graph_, plan_, "--json"}).out);
}

TEST_F(simulation, of_a_plan_that_is_wrong_says_so) {
  planner::plan wrong = halo_plan();
  wrong.steps[2].wait_count = 0;
  const std::string path = folder_.file("w.json", planner::to_json(wrong, halo_graph()));
  const tool_result r = run_tool({"simulate", graph_, path});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("not valid: step 2"));
}

TEST_F(simulation, plans_for_a_machine_that_is_not_here) {
  // With a third device, whose memory none of the commands needs.
  model::topology larger = slow_devices();
  larger.memories.push_back({"sim2", 1 << 30});
  larger.devices.push_back({"simulated device 2", "simulated", model::memory_id(3), 8});
  larger.links.push_back({model::memory_id(0), model::memory_id(3), 1e9, 0});
  larger.links.push_back({model::memory_id(3), model::memory_id(0), 1e9, 0});
  const std::string machine = folder_.file("larger.json", recorder::to_json(larger));
  const std::string out = folder_.file("larger.plan.json");
  const tool_result r = run_tool({"plan", graph_, "--topology", machine, "-o", out});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const tool_result checked = run_tool({"verify", graph_, out, "--topology", machine});
  EXPECT_EQ(checked.out, "valid\n") << checked.err;
  EXPECT_EQ(run_tool({"simulate", graph_, out, "--topology", machine}).exit_code, 0);
  EXPECT_EQ(run_tool({"show", graph_, out, "--topology", machine}).exit_code, 0);
  // Without one, the graph's own; without -o, to standard output.
  const tool_result own = run_tool({"plan", graph_});
  EXPECT_EQ(own.exit_code, 0) << own.err;
  const recorder::loaded_graph loaded = recorder::load_graph(graph_);
  EXPECT_NO_THROW((void)planner::read_plan(own.out, loaded.graph, loaded.topology));
}

TEST_F(simulation, takes_every_objective_and_placing_by_its_name) {
  for (const char* objective : {"makespan", "bytes", "memory"})
    EXPECT_EQ(run_tool({"plan", graph_, "--objective", objective}).exit_code, 0) << objective;
  for (const char* place : {"as_submitted", "anywhere", "list", "heft", "exact", "refined"})
    EXPECT_EQ(run_tool({"plan", graph_, "--place", place}).exit_code, 0) << place;
  const tool_result r = run_tool({"plan", graph_, "--place", "1"});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err,
              HasSubstr("'1' is none of anywhere, as_submitted, exact, heft, list, refined"));
}

TEST_F(simulation, rejects_what_it_does_not_know) {
  for (const char* subcommand : {"plan", "simulate", "verify", "show"}) {
    const auto with = [&](const std::string& machine) {
      std::vector<std::string> words = {subcommand, graph_};
      if (words[0] != "plan") words.push_back(plan_);
      words.insert(words.end(), {"--topology", machine});
      return run_tool(words);
    };
    const tool_result missing = with(folder_.file("none.json"));
    expect_one_line_of_complaint(missing);
    const tool_result other = with(graph_);
    expect_one_line_of_complaint(other);
    EXPECT_THAT(other.err, HasSubstr("/format: expected \"pianola.topology/1\""));
    model::topology one = slow_devices();
    one.devices.pop_back();
    one.kernel_times.clear();
    const tool_result smaller = with(folder_.file("one.json", recorder::to_json(one)));
    expect_one_line_of_complaint(smaller);
    EXPECT_THAT(smaller.err,
                HasSubstr("one.json: /devices: command 2 of the graph needs device 1, and there "
                          "are 1"));
  }
  expect_one_line_of_complaint(run_tool({"simulate", graph_}));
  expect_one_line_of_complaint(run_tool({"simulate", graph_, plan_, "--json", "--timeline"}));
  expect_one_line_of_complaint(run_tool({"simulate", graph_, plan_, "--limit", "-1"}));
  expect_one_line_of_complaint(run_tool({"plan", graph_, "--objective", "speed"}));
}

// Machines that are none, or that nobody could plan for.
struct hostile_machine {
  const char* name;
  std::function<void(json&)> change;
  const char* complaint;
};
void PrintTo(const hostile_machine& h, std::ostream* out) { *out << h.name; }

class hostile_topology : public ::testing::TestWithParam<hostile_machine> {};

TEST_P(hostile_topology, is_rejected_in_one_line_with_path_and_reason) {
  temporary_folder folder;
  json machine = json::parse(recorder::to_json(measured_devices()));
  GetParam().change(machine);
  const std::string graph = folder.file("g.json", recorder::to_json(halo_graph(), two_devices()));
  const tool_result r =
      run_tool({"plan", graph, "--topology", folder.file("m.json", machine.dump())});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr(std::string("m.json: ") + GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    corpus, hostile_topology,
    ::testing::Values(
        hostile_machine{"negative_launch",
                        [](json& m) { m["devices"][0]["speed"]["launch"] = -1e-6; },
                        "/devices/0/speed/launch: the time of a launch must be greater than 0"},
        hostile_machine{"no_bandwidth", [](json& m) { m["devices"][0]["speed"]["bandwidth"] = 0; },
                        "/devices/0/speed/bandwidth: a bandwidth must be greater than 0"},
        hostile_machine{"speed_that_is_no_number",
                        [](json& m) { m["devices"][0]["speed"]["operations"] = "NaN"; },
                        "/devices/0/speed/operations: expected a number, found a string"},
        hostile_machine{"speed_of_nothing",
                        [](json& m) { m["devices"][0]["speed"] = json::object(); },
                        "/devices/0/speed: nothing is in it"},
        hostile_machine{"link_without_bandwidth", [](json& m) { m["links"][1]["bandwidth"] = 0; },
                        "/links/1/bandwidth: a bandwidth must be greater than 0"},
        hostile_machine{"negative_latency", [](json& m) { m["links"][1]["latency"] = -1; },
                        "/links/1/latency: a latency must be at least 0"},
        hostile_machine{"negative_bus", [](json& m) { m["links"][0]["bus"] = -1; },
                        "/links/0/bus: expected a whole number"},
        hostile_machine{"memory_without_a_link_to_the_host",
                        [](json& m) { m["links"].erase(m["links"].begin() + 1); },
                        "/links: memory 2 is not linked with the host's memory in both directions"},
        hostile_machine{"two_links_of_the_same_memories",
                        [](json& m) { m["links"].push_back(m["links"][0]); },
                        "/links/6: there is another link from memory 0 to 1"},
        hostile_machine{"time_on_an_unknown_device",
                        [](json& m) { m["kernel_times"][0]["device"] = 2; },
                        "/kernel_times/0/device: unknown device 2"},
        hostile_machine{"negative_time", [](json& m) { m["kernel_times"][0]["per_unit"] = -1; },
                        "/kernel_times/0/per_unit: a time must be at least 0"},
        hostile_machine{"two_times_of_a_kernel",
                        [](json& m) { m["kernel_times"].push_back(m["kernel_times"][0]); },
                        "/kernel_times/1: there is another time of kernel 0x0000000000001001"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(hostile_topology, with_a_number_beyond_all_numbers_is_rejected) {
  temporary_folder folder;
  std::string text = recorder::to_json(measured_devices());
  const std::size_t at = text.find("4e-06");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 5, "4e600");
  const tool_result r =
      run_tool({"plan", folder.file("g.json", recorder::to_json(halo_graph(), two_devices())),
                "--topology", folder.file("m.json", text)});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("/devices/0/speed/launch: 4e600 is out of the range of a double"));
}

TEST_F(simulation, of_a_kernel_that_is_cut_takes_half_as_long) {
  const std::string graph =
      folder_.file("cut.json", recorder::to_json(graph_that_can_be_cut(), two_devices()));
  const std::string plan = folder_.file("cut.plan.json");
  const auto makespan = [&](const std::vector<std::string>& how) {
    std::vector<std::string> arguments = {"plan", graph, "--topology", machine_, "-o", plan};
    arguments.insert(arguments.end(), how.begin(), how.end());
    const tool_result made = run_tool(arguments);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, "");
    const tool_result right = run_tool({"verify", graph, plan, "--topology", machine_});
    EXPECT_EQ(right.out, "valid\n") << right.err;
    const tool_result r = run_tool({"simulate", graph, plan, "--topology", machine_, "--json"});
    return r.exit_code == 0 ? json::parse(r.out)["makespan"].get<double>() : -1.0;
  };
  EXPECT_NEAR(makespan({}), 64e-6, 1e-12);
  EXPECT_NEAR(makespan({"--split"}), 32e-6, 1e-12);
  EXPECT_NEAR(makespan({"--split=where_it_pays"}), 32e-6, 1e-12);
  const tool_result shown = run_tool({"show", graph, plan, "--topology", machine_});
  EXPECT_THAT(shown.out, HasSubstr("2 commands"));
  EXPECT_NEAR(makespan({"--split=never", "--place", "anywhere"}), 64e-6, 1e-12);
}

TEST_F(simulation, of_a_plan_in_parts_is_of_the_cuts_that_the_plan_tells_whatever_the_machine) {
  const std::string graph =
      folder_.file("cut.json", recorder::to_json(graph_that_can_be_cut(), two_devices()));
  const std::string plan = folder_.file("cut.plan.json");
  // A device three times as fast gets three quarters.
  model::topology other = slow_devices();
  other.kernel_times[0].per_unit /= 3;
  const std::string machine = folder_.file("other.json", recorder::to_json(other));
  ASSERT_EQ(run_tool({"plan", graph, "--split", "-o", plan, "--topology", machine}).exit_code, 0);
  EXPECT_EQ(run_tool({"verify", graph, plan, "--topology", machine}).out, "valid\n");
  const auto makespan = [&](const std::string& on) {
    const tool_result r = run_tool({"simulate", graph, plan, "--topology", on, "--json"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return r.exit_code == 0 ? json::parse(r.out)["makespan"].get<double>() : -1.0;
  };
  EXPECT_NEAR(makespan(machine), 16e-6, 1e-12);
  EXPECT_NEAR(makespan(machine_), 48e-6, 1e-12);

  json changed = json::parse(formats::read_file(plan));
  const auto refusal = [&](const char* what) {
    const tool_result r =
        run_tool({"verify", graph, folder_.file(std::string(what) + ".json", changed.dump())});
    EXPECT_EQ(r.exit_code, 2) << r.out;
    return r.err;
  };
  changed["cut"]["speeds"] = {1.0, 1.0};
  EXPECT_THAT(refusal("other_cut"), HasSubstr("/graph_hash: the plan was made for the graph"));
  changed["cut"]["speeds"] = {1.0};
  EXPECT_THAT(refusal("one_speed"), HasSubstr("/graph_hash: the plan was made for the graph"));
  changed["cut"]["speeds"] = {1.0, -1.0};
  EXPECT_THAT(refusal("negative"), HasSubstr("/cut/speeds/1: a speed beside that of the fastest"));
  changed["cut"]["speeds"] = json::array();
  EXPECT_THAT(refusal("none"), HasSubstr("/cut/speeds: there is a speed for each device"));
}

TEST_F(simulation, says_that_no_kernel_can_be_cut) {
  const tool_result r = run_tool({"plan", graph_, "--split"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.err, HasSubstr("no kernel can be cut"));
  EXPECT_EQ(run_tool({"plan", graph_, "--split=maybe"}).exit_code, 2);
}

}  // namespace
