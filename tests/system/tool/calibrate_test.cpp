// SPDX-License-Identifier: Apache-2.0
// Machines that were measured, and times of kernels from recorded runs.
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;

class calibration : public ::testing::Test {
 protected:
  calibration() { std::filesystem::create_directory(records_); }
  ~calibration() override { std::filesystem::remove_all(records_); }
  void record(const char* devices, const std::string& variables = "PIANOLA_RECORD_TIMES=on") {
    const std::string command = variables + " PIANOLA_DEVICES=" + devices + " PIANOLA_RECORD='" +
                                records_ + "' '" + PIANOLA_RECORDED_RUN_PROGRAM + "' sizes";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  temporary_folder folder_;
  std::string records_ = folder_.file("records");
  std::string machine_ = folder_.file("m.json");
};

TEST_F(calibration, measures_every_device_and_link) {
  for (const char* devices : {"openmp", "simulated:2", "openmp,simulated:1:separate"}) {
    SCOPED_TRACE(devices);
    const tool_result r = run_tool({"calibrate", "--quick", "-o", machine_},
                                   {std::string("PIANOLA_DEVICES=") + devices});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    EXPECT_EQ(r.out + r.err, "");
    const model::topology t = recorder::load_topology(machine_);
    EXPECT_GE(t.devices.size(), 1U);
    for (const model::device_description& d : t.devices) {
      EXPECT_GT(d.speed.launch, 0) << d.name;
      EXPECT_GT(d.speed.bandwidth, 1e7) << d.name;
      EXPECT_GT(d.speed.operations, 1e7) << d.name;
      EXPECT_GT(d.speed.host_task, 0) << d.name;
    }
    for (const model::link_description& l : t.links) {
      EXPECT_GT(l.bandwidth, 1e7);
      EXPECT_LT(l.latency, 1);
      EXPECT_NE(l.bandwidth, 1e10) << "what the backend says";
    }
  }
}

TEST_F(calibration, of_recorded_kernels_gives_one_time_for_all_ranges) {
  record("openmp");
  const tool_result r = run_tool({"calibrate", "--from", records_, "-o", machine_});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("m.json: 1\n"));
  // For programs it is the same.
  const std::string other = folder_.file("other.json");
  const tool_result asked = run_tool({"calibrate", "--json", "--from", records_, "-o", other});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(formats::read_file(other), formats::read_file(machine_));
  const model::topology t = recorder::load_topology(machine_);
  ASSERT_EQ(t.kernel_times.size(), 1U);
  // Two thousand steps of a loop take between a nanosecond and a tenth of a millisecond.
  EXPECT_GT(t.kernel_times[0].per_unit, 1e-9);
  EXPECT_LT(t.kernel_times[0].per_unit, 1e-4);
}

TEST_F(calibration, finds_times_of_kernels_in_graphs_and_outside) {
  record("openmp");
  const recorder::loaded_graph graph = recorder::load_graph(records_ + "/graph-0.graph.json");
  ASSERT_EQ(graph.graph.size(), 2U);
  for (const std::uint32_t i : {0U, 1U}) {
    EXPECT_GT(graph.measured.of(model::command_id(i)), 1e-9) << i;
    EXPECT_LT(graph.measured.of(model::command_id(i)), 1) << i;
  }
  EXPECT_EQ(recorder::to_json(graph.graph, graph.topology, graph.measured),
            formats::read_file(records_ + "/graph-0.graph.json"));
  const recorder::loaded_graph eager = recorder::load_graph(records_ + "/eager.graph.json");
  std::size_t kernels = 0, replays = 0;
  for (std::uint32_t i = 0; i < eager.graph.size(); ++i) {
    if (eager.measured.of(model::command_id(i)) == 0) continue;
    const model::command& c = eager.graph.command(model::command_id(i));
    if (std::holds_alternative<model::kernel_command>(c.payload)) ++kernels;
    if (std::holds_alternative<model::subgraph_command>(c.payload)) ++replays;
  }
  EXPECT_EQ(kernels, 2U);
  // When they ran is in the trace.
  const nlohmann::json trace = nlohmann::json::parse(run_tool({"show", records_, "--trace"}).out);
  std::size_t ran = 0;
  for (const nlohmann::json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const model::command_id c(e["args"]["command"].get<std::uint32_t>());
    EXPECT_NEAR(e["dur"].get<double>(), 1e6 * eager.measured.of(c), 1e-3);
    EXPECT_NEAR(e["ts"].get<double>(), 1e6 * eager.measured.started(c), 1e-3);
    EXPECT_GE(eager.measured.started(c), 0);
    EXPECT_LT(eager.measured.started(c), 600);
    ++ran;
  }
  EXPECT_GE(ran, kernels + replays);
  EXPECT_EQ(replays, 5U);
}

TEST_F(calibration, finds_no_times_that_nobody_asked_for) {
  record("openmp", "PIANOLA_RECORD_TIMES=off");
  EXPECT_THAT(formats::read_file(records_ + "/graph-0.graph.json"),
              ::testing::Not(HasSubstr("measured")));
  const tool_result r = run_tool({"calibrate", "--from", records_, "-o", machine_});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("record the run with PIANOLA_RECORD_TIMES=on"));
  const std::string wrong = "PIANOLA_RECORD_TIMES=yes PIANOLA_RECORD='" + records_ + "' '" +
                            PIANOLA_RECORDED_RUN_PROGRAM + "' sizes 2>/dev/null";
  EXPECT_NE(std::system(wrong.c_str()), 0);
}

TEST_F(calibration, puts_times_of_kernels_into_a_machine) {
  std::filesystem::create_directory(records_);
  recorder::measured_times times;
  times.set(model::command_id(0), 32e-6);
  times.set(model::command_id(2), 8e-6);
  formats::write_file(records_ + "/a.graph.json",
                      recorder::to_json(halo_graph(), two_devices(), times));
  const std::string before = folder_.file("before.json", recorder::to_json(measured_devices()));
  const tool_result r =
      run_tool({"calibrate", "--from", records_, "--into", before, "-o", machine_});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const model::topology t = recorder::load_topology(machine_);
  EXPECT_EQ(t.devices[0].speed.launch, 4e-6) << "stays";
  ASSERT_EQ(t.kernel_times.size(), 3U);
  EXPECT_EQ(t.kernel_times[0].kernel, model::kernel_id(0x1000));
  EXPECT_DOUBLE_EQ(t.kernel_times[0].per_unit, 2e-6);
  EXPECT_EQ(t.kernel_times[1].per_unit, 2e-8) << "stays";
  EXPECT_EQ(t.kernel_times[2].device, model::device_id(1));
  EXPECT_DOUBLE_EQ(t.kernel_times[2].per_unit, 1e-6);

  model::topology other = two_devices();
  other.devices[0].name = "another";
  const tool_result refused =
      run_tool({"calibrate", "--from", records_, "--into",
                folder_.file("other.json", recorder::to_json(other)), "-o", machine_});
  expect_one_line_of_complaint(refused);
  EXPECT_THAT(refused.err, HasSubstr("a.graph.json: /topology/devices: the recording is of other "
                                     "devices"));
}

TEST_F(calibration, rejects_what_it_does_not_know) {
  expect_one_line_of_complaint(run_tool({"calibrate"}));
  expect_one_line_of_complaint(run_tool({"calibrate", "--into", machine_, "-o", machine_}));
  expect_one_line_of_complaint(
      run_tool({"calibrate", "--from", records_, "--quick", "-o", machine_}));
  expect_one_line_of_complaint(
      run_tool({"calibrate", "--from", folder_.file("none"), "-o", machine_}));
  const tool_result empty = run_tool({"calibrate", "--from", records_, "-o", machine_});
  expect_one_line_of_complaint(empty);
  EXPECT_THAT(empty.err, HasSubstr("there is no recording"));
}

// Not after seconds of measuring: without devices that would fail first.
TEST_F(calibration, looks_first_whether_its_file_can_be_written) {
  const std::string nowhere = folder_.file("none") + "/there/m.json";
  const tool_result r = run_tool({"calibrate", "-o", nowhere}, {"PIANOLA_DEVICES=nonsense"});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr(nowhere + ": cannot be written"));
}

TEST_F(calibration, finds_times_in_a_run_that_is_still_a_journal) {
  const std::string command = "PIANOLA_DEVICES=openmp PIANOLA_RECORD_TIMES=on PIANOLA_RECORD='" +
                              records_ + "' '" + PIANOLA_RECORDED_RUN_PROGRAM + "' loop 4000";
  ASSERT_EQ(std::system(command.c_str()), 0);
  ASSERT_TRUE(std::filesystem::exists(records_ + "/eager.journal"));
  const tool_result r = run_tool({"calibrate", "--from", records_, "-o", machine_});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(recorder::load_topology(machine_).kernel_times.size(), 1U);
}

// PIANOLA_TOPOLOGY.
TEST_F(calibration, is_what_programs_plan_with) {
  ASSERT_EQ(
      run_tool({"calibrate", "--quick", "-o", machine_}, {"PIANOLA_DEVICES=simulated:2"}).exit_code,
      0);
  model::topology measured = recorder::load_topology(machine_);
  measured.links[0].bandwidth = 1.25e9;
  measured.links[0].bus = 7;
  measured.kernel_times = {{model::kernel_id(5), model::device_id(1), 1e-6, 1e-9}};
  formats::write_file(machine_, recorder::to_json(measured));
  record("simulated:2", "PIANOLA_TOPOLOGY='" + machine_ + "'");
  const recorder::loaded_graph graph = recorder::load_graph(records_ + "/graph-0.graph.json");
  EXPECT_EQ(recorder::to_json(graph.topology), recorder::to_json(measured));
}

TEST_F(calibration, of_another_machine_is_no_plan_for_this_one) {
  const auto complaint = [&](const std::string& path, const char* devices) {
    const tool_result r = run_tool(
        {"devices"}, {"PIANOLA_TOPOLOGY=" + path, std::string("PIANOLA_DEVICES=") + devices});
    expect_one_line_of_complaint(r);
    return r.err;
  };
  const std::string path = folder_.file("two.json", recorder::to_json(two_devices()));
  EXPECT_THAT(complaint(path, "openmp"), HasSubstr("it is of 2 devices, and there are 1"));
  EXPECT_THAT(complaint(path, "openmp,simulated:1"), HasSubstr("device 0 of it is 'simulated"));
  EXPECT_THAT(complaint(folder_.file("none.json"), "openmp"), HasSubstr("PIANOLA_TOPOLOGY='"));
  EXPECT_THAT(complaint(folder_.file("bad.json", "{}"), "openmp"),
              HasSubstr("bad.json: /: member \"format\" is missing"));
}

}  // namespace
