// SPDX-License-Identifier: Apache-2.0
// PIANOLA_PLAN and property::graph::plan: plans from files are used where they fit, and only there.
#include <algorithm>

#include <pianola/formats/file.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "run_program.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class stored_plan : public in_folder {
 protected:
  // Five commands, two of which the reduction makes one.
  static constexpr const char* planned_here = "6 stored 0";
  static constexpr const char* stored = "0 stored 1";

  void record() {
    const outcome o = program("PIANOLA_RECORD='" + path("recorded") + "'", "run");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    ASSERT_EQ(o.line("planned"), planned_here);
    result_ = o.line("result");
    ASSERT_FALSE(result_.empty());
  }
  [[nodiscard]] std::string plan_file() const { return path("recorded/graph-0.plan.json"); }
  void expect_planned_anew(const outcome& o, const std::string& reason) {
    EXPECT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_EQ(o.line("planned"), planned_here);
    EXPECT_EQ(o.line("result"), result_);
    EXPECT_THAT(o.err, HasSubstr(reason));
    EXPECT_THAT(o.err, HasSubstr("is planned anew"));
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
  // The plan with a piece of text in the place of another one.
  std::string changed(const std::string& from, const std::string& to) {
    std::string text = formats::read_file(plan_file());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    formats::write_file(path("changed.plan.json"), text);
    return path("changed.plan.json");
  }

  std::string result_;
};

TEST_F(stored_plan, of_a_folder_that_recorded_it_is_used_and_nothing_is_planned) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    record();
    for (const std::string& where : {path("recorded"), plan_file()}) {
      const outcome o = program("PIANOLA_PLAN='" + where + "'", "run");
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("planned"), stored) << o.err;
      EXPECT_EQ(o.line("result"), result_);
      EXPECT_EQ(o.err, "");
    }
  }
}

TEST_F(stored_plan, of_a_property_is_used_and_comes_before_the_environment) {
  record();
  outcome o = program("PIANOLA_PLAN=/nowhere", "plan '" + plan_file() + "'");
  EXPECT_EQ(o.line("planned"), stored) << o.out << o.err;
  EXPECT_EQ(o.line("result"), result_);
  o = program("", "write-plan '" + path("own.plan.json") + "'");
  EXPECT_EQ(o.line("planned"), planned_here);
  o = program("", "plan '" + path("own.plan.json") + "'");
  EXPECT_EQ(o.line("planned"), stored) << o.out << o.err;
}

TEST_F(stored_plan, of_the_same_graph_with_other_arguments_is_used) {
  record();
  const outcome o = program("PIANOLA_PLAN='" + path("recorded") + "'", "run - factor");
  EXPECT_EQ(o.line("planned"), stored);
  EXPECT_NE(o.line("result"), result_);
}

TEST_F(stored_plan, of_another_graph_is_named_in_one_line_and_not_used) {
  record();
  const outcome wide = program("", "run - wide");
  result_ = wide.line("result");
  expect_planned_anew(program("PIANOLA_PLAN='" + plan_file() + "'", "run - wide"),
                      "/graph_hash: the plan was made for the graph 0x");
  expect_planned_anew(program("PIANOLA_PLAN='" + path("recorded") + "'", "run - wide"),
                      "there is no plan of the graph 0x");
}

TEST_F(stored_plan, of_another_machine_is_not_used) {
  devices_ = "simulated:1";
  record();
  devices_ = "simulated:2";
  // Its second device would stand where the host's was.
  result_ = program("", "run").line("result");
  expect_planned_anew(program("PIANOLA_PLAN='" + plan_file() + "'", "run"),
                      "/machine: the plan was made for another machine: its device 1 was");
  devices_ = "openmp";
  result_ = program("", "run").line("result");
  expect_planned_anew(program("PIANOLA_PLAN='" + plan_file() + "'", "run"),
                      "the plan was made for another ");
}

TEST_F(stored_plan, that_is_read_well_and_is_wrong_is_never_run) {
  devices_ = "simulated:1:separate";
  record();
  // Every wait of the plan is taken away.
  std::string text = formats::read_file(plan_file());
  for (std::size_t at = 0; (at = text.find("\"waits\": [", at)) != std::string::npos; ++at) {
    const std::size_t begin = at + 10, end = text.find(']', begin);
    text.erase(begin, end - begin);
  }
  ASSERT_NE(text, formats::read_file(plan_file()));
  formats::write_file(path("changed.plan.json"), text);
  expect_planned_anew(program("PIANOLA_PLAN='" + path("changed.plan.json") + "'", "run"),
                      "the plan is not right: ");
}

TEST_F(stored_plan, that_is_no_plan_is_an_error_where_it_is_named_and_a_line_in_a_folder) {
  record();
  const std::string cut = formats::read_file(plan_file());
  formats::write_file(path("recorded/graph-0.plan.json"), cut.substr(0, cut.size() / 2));
  const outcome o = program("PIANOLA_PLAN='" + plan_file() + "'", "run");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.out, HasSubstr("error 8: PIANOLA_PLAN='" + plan_file() + "': " + plan_file()));
  expect_planned_anew(program("PIANOLA_PLAN='" + path("recorded") + "'", "run"), "syntax error");
  const outcome missing = program("", "plan '" + path("none.plan.json") + "'");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.out, HasSubstr("none.plan.json: cannot be opened"));
}

TEST_F(stored_plan, is_not_used_for_what_an_update_makes_of_its_graph) {
  record();
  const std::string other = program("", "update").line("result");
  const outcome o = program("PIANOLA_PLAN='" + path("recorded") + "'", "update");
  EXPECT_EQ(o.code, 0) << o.out << o.err;
  EXPECT_EQ(o.line("planned"), "6 stored 1");
  EXPECT_EQ(o.line("result"), other);
}

TEST_F(stored_plan, that_needs_more_than_the_budget_is_named_in_one_line_and_not_used) {
  devices_ = "simulated:1";
  const std::string file = " '" + path("saved") + "'";
  const outcome large =
      program("PIANOLA_RECORD='" + path("recorded") + "'", "save-evicted" + file + " large");
  ASSERT_EQ(large.code, 0) << large.out << large.err;
  ASSERT_EQ(large.line("block"), "0");
  for (const std::string& where : {path("recorded"), plan_file()}) {
    const outcome o = program("PIANOLA_PLAN='" + where + "'", "save-evicted" + file);
    EXPECT_EQ(o.line("result"), large.line("result")) << o.out << o.err;
    EXPECT_EQ(o.line("block"), "32768");
    EXPECT_THAT(
        o.err,
        HasSubstr("graph-0.plan.json: the plan needs 49152 bytes in memory 'Simulated device 0'"));
    EXPECT_THAT(
        o.err,
        HasSubstr("and the graph's budget is 33792; the graph of 4 commands is planned anew"));
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

// What it needs of each memory may be left out of the file, and counts all the same.
TEST_F(stored_plan, that_needs_more_than_the_budget_and_does_not_say_so_is_not_used) {
  devices_ = "simulated:1";
  const std::string file = " '" + path("saved") + "'";
  const outcome large =
      program("PIANOLA_RECORD='" + path("recorded") + "'", "save-evicted" + file + " large");
  ASSERT_EQ(large.code, 0) << large.out << large.err;
  std::string text = formats::read_file(plan_file());
  const std::size_t peak = text.find("\"peak\""), list = text.rfind("\"memories\"", peak),
                    comma = text.rfind(',', list);
  ASSERT_NE(comma, std::string::npos);
  text.erase(comma, text.find(']', peak) + 1 - comma);
  formats::write_file(plan_file(), text);
  const std::string with_plan = "PIANOLA_PLAN='" + plan_file() + "'";
  outcome o = program(with_plan, "save-evicted" + file + " large");
  EXPECT_EQ(o.line("result"), large.line("result")) << o.out;
  EXPECT_EQ(o.line("peak"), "49152");
  EXPECT_EQ(o.err, "");
  o = program(with_plan, "save-evicted" + file);
  EXPECT_EQ(o.line("block"), "32768");
  EXPECT_THAT(o.err, HasSubstr("graph-0.plan.json: the plan needs 49152 bytes in memory "
                               "'Simulated device 0', and the graph's budget is 33792; the graph "
                               "of 4 commands is planned anew"));
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  // Nor where the device has become too small.
  devices_ = "simulated:1:memory=36KiB";
  o = program(with_plan, "save-evicted" + file + " large");
  EXPECT_EQ(o.line("result"), large.line("result")) << o.out << o.err;
  EXPECT_EQ(o.line("block"), "32768");
  EXPECT_THAT(o.err, HasSubstr("graph-0.plan.json: the plan is not right: the plan needs 49152 "
                               "bytes in memory 1, whose budget is 36864; the graph of 4 commands "
                               "is planned anew"));
}

TEST_F(stored_plan, with_a_lane_of_no_device_is_not_used) {
  record();
  expect_planned_anew(
      program("PIANOLA_PLAN='" +
                  changed("\"id\": 0, \"device\": 0", "\"id\": 0, \"device\": null") + "'",
              "run"),
      "runs on a lane of another device");
}

}  // namespace
