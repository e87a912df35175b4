// SPDX-License-Identifier: Apache-2.0
// Files that are wrong in every way we could think of: one line with path and reason, exit code 2.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;

std::string good_graph() { return recorder::to_json(halo_graph(), two_devices()); }
std::string good_plan() { return planner::to_json(halo_plan(), halo_graph()); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}
std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

struct hostile {
  const char* name;
  std::function<std::string()> contents;
  const char* complaint;  // part of the line, path first
};

void PrintTo(const hostile& h, std::ostream* out) { *out << h.name; }

class hostile_graph : public ::testing::TestWithParam<hostile> {};

TEST_P(hostile_graph, is_rejected_in_one_line_with_path_and_reason) {
  temporary_folder folder;
  const std::string path = folder.file("graph.json", GetParam().contents());
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"show", path},
                                                                     {"show", path, "--dot"},
                                                                     {"verify", path, path},
                                                                     {"explain", path},
                                                                     {"view", path},
                                                                     {"diff", path, path}}) {
    const tool_result r = run_tool(arguments);
    expect_one_line_of_complaint(r);
    EXPECT_THAT(r.err, HasSubstr(std::string("graph.json: ") + GetParam().complaint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    corpus, hostile_graph,
    ::testing::Values(
        hostile{"empty", [] { return ""; }, "/: the file is empty"},
        hostile{"blank", [] { return "\n \t\n"; }, "/: the file is empty"},
        hostile{"not_json", [] { return "digraph { a -> b }"; },
                "/: line 1, column 1: syntax error while parsing value - invalid literal"},
        hostile{"binary",
                [] {
                  return std::string(
                      "\x7f"
                      "ELF\0\0\0\1",
                      8);
                },
                "/: line 1, column 1: syntax error while parsing value - invalid literal"},
        hostile{"byte_order_mark", [] { return std::string("\xEF\xBB\xBF") + good_graph(); },
                "/: line 1, column 1: syntax error while parsing value - invalid literal"},
        hostile{"array", [] { return "[]"; }, "/: expected an object, found an array"},
        hostile{"null", [] { return "null"; }, "/: expected an object, found null"},
        hostile{"no_members", [] { return "{}"; }, "/: member \"format\" is missing"},
        hostile{"truncated", [] { return good_graph().substr(0, 2100); }, "/commands/"},
        hostile{"followed_by_more", [] { return good_graph() + "{}"; },
                "/: line 34, column 1: expected the end of the file"},
        hostile{"version_2",
                [] { return replaced(good_graph(), "pianola.graph/1", "pianola.graph/2"); },
                "/format: unknown version \"pianola.graph/2\""},
        hostile{"version_with_a_tail",
                [] { return replaced(good_graph(), "pianola.graph/1", "pianola.graph/10"); },
                "/format: unknown version"},
        hostile{"unknown_member", [] { return replaced(good_graph(), "{", "{\"x\": 1,"); },
                "/: unknown member \"x\""},
        hostile{"repeated_member",
                [] { return replaced(good_graph(), "{", "{\"format\": \"pianola.graph/1\","); },
                "/: member \"format\" is repeated"},
        hostile{"repeated_member_inside",
                [] { return replaced(good_graph(), "\"label\": \"u\"", "\"id\": 0"); },
                "/buffers/0: member \"id\" is repeated"},
        hostile{"cycle", [] { return replaced(good_graph(), "\"after\": []", "\"after\": [3]"); },
                "/commands/0/after/0: command 0 cannot come after command 3"},
        hostile{"cycle_of_one",
                [] { return replaced(good_graph(), "\"after\": [1]", "\"after\": [3]"); },
                "/commands/3/after/0: command 3 cannot come after command 3"},
        hostile{"unknown_buffer",
                [] { return replaced(good_graph(), "[{\"buffer\": 0", "[{\"buffer\": 17"); },
                "/commands/0/requirements/0/buffer: unknown buffer 17"},
        hostile{"reads_of_no_buffer",
                [] {
                  return replaced(good_graph(), "\"after\": []",
                                  "\"after\": [], \"reads\": [{\"buffer\": 9, \"bytes\": [0, 4]}]");
                },
                "/commands/0/reads/0/buffer: unknown buffer 9"},
        hostile{"reads_beyond_a_buffer",
                [] {
                  return replaced(
                      good_graph(), "\"after\": []",
                      "\"after\": [], \"reads\": [{\"bytes\": [0, 65], \"buffer\": 0}]");
                },
                "/commands/0/reads/0/bytes: bytes are the first one and the one behind the last"},
        hostile{"unknown_device",
                [] { return replaced(good_graph(), "\"device\": 1", "\"device\": 2"); },
                "/commands/2/device: unknown device 2"},
        hostile{"unknown_memory",
                [] { return replaced(good_graph(), "\"memory\": 1", "\"memory\": 3"); },
                "/topology/devices/0/memory: unknown memory 3"},
        hostile{"number_2_to_64",
                [] {
                  return replaced(good_graph(), "\"device\": 1",
                                  "\"device\": 18446744073709551616");
                },
                "/commands/2/device: 18446744073709551616 is too large"},
        hostile{"number_1e300",
                [] { return replaced(good_graph(), "\"device\": 1", "\"device\": 1e300"); },
                "/commands/2/device: expected a whole number, found 1e300"},
        hostile{"number_of_a_million_digits",
                [] {
                  return replaced(good_graph(), "\"device\": 1",
                                  std::string("\"device\": 1") + repeated("0", 1000000));
                },
                "/commands/2/device: 1000000000"},
        hostile{"bandwidth_without_end",
                [] { return replaced(good_graph(), "1.25e+10", "1.25e+10000"); },
                "/topology/links/0/bandwidth: 1.25e+10000 is out of the range of a double"},
        hostile{"negative_number",
                [] { return replaced(good_graph(), "\"device\": 1", "\"device\": -1"); },
                "/commands/2/device: expected a whole number of at least 0, found -1"},
        hostile{"fraction",
                [] { return replaced(good_graph(), "\"device\": 1", "\"device\": 1.5"); },
                "/commands/2/device: expected a whole number, found 1.5"},
        hostile{"text_for_a_number",
                [] { return replaced(good_graph(), "\"device\": 1", "\"device\": \"1\""); },
                "/commands/2/device: expected a whole number, found a string"},
        hostile{"buffer_that_overflows",
                [] {
                  return replaced(good_graph(), "[1, 1, 16], \"page\"",
                                  "[4294967296, 4294967296, 16], \"page\"");
                },
                "/buffers/0/range: the buffer would be larger than 2^62 bytes"},
        hostile{"box_beyond_its_buffer",
                [] { return replaced(good_graph(), "\"hi\": [1, 1, 10]", "\"hi\": [1, 1, 17]"); },
                "/commands/1/requirements/0/elements: the box [0,1)x[0,1)x[0,17) is not within"},
        hostile{"box_that_is_empty",
                [] { return replaced(good_graph(), "\"hi\": [1, 1, 10]", "\"hi\": [1, 0, 10]"); },
                "/commands/1/requirements/0/elements: the box [0,1)x[0,0)x[0,10) is empty"},
        hostile{"deep_arrays", [] { return repeated("[", 5000000); },
                "/: expected an object, found an array"},
        hostile{"deep_arrays_inside",
                [] {
                  return replaced(good_graph(), "\"after\": []",
                                  std::string("\"after\": ") + repeated("[", 5000000));
                },
                "/commands/0/after/0: expected a whole number, found an array"},
        hostile{"deep_objects_held_back",
                [] { return std::string("{\"commands\": ") + repeated("{\"a\":", 1000000); },
                "/commands: line 1, column 329: nested deeper than 64 levels"},
        hostile{
            "hash_of_another_graph",
            [] { return replaced(good_graph(), "\"mode\": \"read\"", "\"mode\": \"read_write\""); },
            "/structural_hash: "},
        hostile{"label_that_is_not_utf8",
                [] { return replaced(good_graph(), "\"start\"", "\"st\xFFrt\""); },
                "/commands/0/label: line 28, column 45: syntax error while parsing value - invalid "
                "string: ill-"
                "formed UTF-8 byte"},
        hostile{
            "label_with_a_zero",
            [] { return replaced(good_graph(), "\"start\"", "\"st\\u0000rt\""); },
            "/commands/0/label: line 28, column 42: a string must not hold the character U+0000"},
        hostile{"label_of_two_megabytes",
                [] {
                  return replaced(good_graph(), "\"start\"",
                                  std::string("\"") + repeated("ab", 1 << 20) + "\"");
                },
                "/commands/0/label: line 28"},
        hostile{"name_that_steers_the_terminal",
                [] { return replaced(good_graph(), "{", "{\"\\u001b[2J\\nall is well\": 1,"); },
                "/: unknown member \" [2J all is well\""}),
    [](const auto& info) { return std::string(info.param.name); });

class hostile_plan : public ::testing::TestWithParam<hostile> {};

TEST_P(hostile_plan, is_rejected_in_one_line_with_path_and_reason) {
  temporary_folder folder;
  const std::string graph = folder.file("graph.json", good_graph());
  const std::string path = folder.file("plan.json", GetParam().contents());
  for (const char* subcommand : {"show", "verify"}) {
    const tool_result r = run_tool({subcommand, graph, path});
    expect_one_line_of_complaint(r);
    EXPECT_THAT(r.err, HasSubstr(std::string("plan.json: ") + GetParam().complaint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    corpus, hostile_plan,
    ::testing::Values(
        hostile{"empty", [] { return ""; }, "/: the file is empty"},
        hostile{"truncated", [] { return good_plan().substr(0, 400); }, "/steps/2"},
        hostile{"graph", [] { return good_graph(); }, "/format: expected \"pianola.plan/1\""},
        hostile{"version_0", [] { return replaced(good_plan(), "plan/1", "plan/0"); },
                "/format: unknown version \"pianola.plan/0\""},
        hostile{"of_another_graph", [] { return replaced(good_plan(), "\"0x", "\"0x1"); },
                "/graph_hash: expected \"0x\" and up to 16 hexadecimal digits"},
        hostile{"wait_for_itself",
                [] { return replaced(good_plan(), "\"waits\": [3]", "\"waits\": [4]"); },
                "/steps/4/waits/0: step 4 cannot wait for step 4"},
        hostile{"unknown_command",
                [] { return replaced(good_plan(), "\"command\": 3", "\"command\": 4"); },
                "/steps/5/execute/command: unknown command 4"},
        hostile{"unknown_lane", [] { return replaced(good_plan(), "\"lane\": 1", "\"lane\": 2"); },
                "/steps/2/lane: unknown lane 2"},
        hostile{"unknown_memory",
                [] { return replaced(good_plan(), "\"memories\": [1]", "\"memories\": [1, 3]"); },
                "/exit/0/memories/1: unknown memory 3"},
        hostile{"transfer_beyond_its_buffer",
                [] {
                  return replaced(good_plan(), "\"hi\": [1, 1, 16]",
                                  "\"hi\": [1, 1, 4611686018427387904]");
                },
                "/steps/2/transfer/elements: the box"},
        hostile{"transfer_of_more_bytes_than_it_says",
                [] { return replaced(good_plan(), "\"bytes\": 48", "\"bytes\": 4"); },
                "/steps/2/transfer/bytes: expected 48 for this box, found 4"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
