// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include <pianola/model/error.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "sample_graph.hpp"
#include "schema_check.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;

class published_schemas : public ::testing::Test {
 protected:
  json graph_ = json::parse(recorder::to_json(graph_of_every_kind(), measured_devices()));
  json plan_ = json::parse(planner::to_json(halo_plan(), halo_graph()));
};

TEST_F(published_schemas, describe_what_commands_touch_for_certain) {
  recorder::command_graph graph = halo_graph();
  graph.set_unwritten(model::buffer_id(0));
  graph.add_buffer_read({model::command_id(1), model::buffer_id(0), 4, 64});
  model::usm_allocation device;
  device.bytes = 16;
  const std::uint32_t a = graph.add_allocation(device);
  graph.add_usm_access({model::command_id(2), a, -4, 20, true, false, true});
  json written = json::parse(recorder::to_json(graph, two_devices()));
  EXPECT_EQ(written["buffers"][0]["unwritten"], true);
  EXPECT_EQ(written["commands"][1]["reads"], json::parse(R"([{"buffer": 0, "bytes": [4, 64]}])"));
  EXPECT_EQ(written["commands"][2]["usm"][0]["bytes"], json::parse("[-4, 20]"));
  EXPECT_EQ(check_schema("pianola.graph-1.schema.json", written), "");
  written["commands"][1]["reads"][0]["bytes"][0] = -1;
  EXPECT_NE(check_schema("pianola.graph-1.schema.json", written), "");
}

TEST_F(published_schemas, describe_what_is_written) {
  EXPECT_EQ(check_schema("pianola.graph-1.schema.json", graph_), "");
  EXPECT_EQ(check_schema("pianola.plan-1.schema.json", plan_), "");
  for (const model::topology& machine : {two_devices(), measured_devices()})
    EXPECT_EQ(
        check_schema("pianola.topology-1.schema.json", json::parse(recorder::to_json(machine))),
        "");
}

TEST_F(published_schemas, describe_the_files_in_the_repository) {
  std::vector<std::string> names;
  std::vector<std::pair<std::string, json>> values;
  for (const auto& file :
       std::filesystem::directory_iterator(PIANOLA_SOURCE_DIR "/tests/system/tool/golden")) {
    if (file.path().extension() != ".json") continue;
    names.push_back(file.path());
    values.emplace_back(
        "pianola." + file.path().stem().extension().string().substr(1) + "-1.schema.json",
        json::parse(formats::read_file(file.path())));
  }
  EXPECT_GE(names.size(), 3U);
  const std::vector<std::string> violations = check_schemas(values);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(violations[i], "") << names[i];
}

TEST_F(published_schemas, describe_what_recordings_of_programs_have_besides) {
  recorder::command_graph graph = halo_graph();
  graph.add_allocation({model::usm_allocation::kind::host, model::memory_id(0), 16});
  const std::uint32_t used[] = {0, model::no_allocation};
  graph.set_allocations(model::command_id(1), {used, 2});
  EXPECT_EQ(check_schema("pianola.graph-1.schema.json",
                         json::parse(recorder::to_json(graph, two_devices()))),
            "");
  planner::plan plan = halo_plan();
  plan.finished = {{model::step_id(2), model::step_id(1)}};
  EXPECT_EQ(
      check_schema("pianola.plan-1.schema.json", json::parse(planner::to_json(plan, halo_graph()))),
      "");
}

TEST_F(published_schemas, describe_nothing_that_is_not_written) {
  graph_["extra"] = 1;
  EXPECT_NE(check_schema("pianola.graph-1.schema.json", graph_), "");
  plan_["steps"][0].erase("execute");
  EXPECT_NE(check_schema("pianola.plan-1.schema.json", plan_), "");
  EXPECT_NE(check_schema("pianola.plan-1.schema.json", graph_), "");
}

// A schema that forgets a member, or makes one required that the reader does not need, is wrong.
TEST_F(published_schemas, agree_with_the_reader_on_every_member) {
  std::vector<std::string> places = {""};
  const json flat = graph_.flatten();
  for (const auto& [pointer, value] : flat.items())
    for (std::size_t at = pointer.find('/', 1); at != std::string::npos;
         at = pointer.find('/', at + 1))
      places.push_back(pointer.substr(0, at));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  graph_.erase("structural_hash");
  std::vector<std::string> names;
  std::vector<std::pair<std::string, json>> values;
  for (const std::string& place : places) {
    const json part = graph_[json::json_pointer(place)];
    if (!part.is_object()) continue;
    for (const auto& [name, value] : part.items()) {
      json without = graph_;
      without[json::json_pointer(place)].erase(name);
      // What depends on the kind of a command the schema leaves open.
      const bool depends_on_kind = name == part.value("kind", "") || name == "requirement" ||
                                   (name == "memory" && part.contains("byte_offset"));
      if (depends_on_kind) continue;
      names.push_back(place + "/" + name);
      values.emplace_back("pianola.graph-1.schema.json", std::move(without));
    }
  }
  ASSERT_GT(names.size(), 100U);
  const std::vector<std::string> violations = check_schemas(values);
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool reader_takes_it = true;
    try {
      (void)recorder::read_graph(values[i].second.dump());
    } catch (const model::user_error&) {
      reader_takes_it = false;
    }
    EXPECT_EQ(violations[i].empty(), reader_takes_it) << names[i] << violations[i];
  }
}

}  // namespace
