// SPDX-License-Identifier: Apache-2.0
// Plans for machines of hundreds of devices, each with a memory of its own: more memories than there are bits in a word.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/model/memory_set.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint16_t device_count = 300;
constexpr std::uint64_t page = 1024;

// Each linked with the host alone, over which a byte takes a nanosecond.
model::topology machine_of(std::size_t devices) {
  model::topology t;
  t.memories.push_back({"host", std::uint64_t{1} << 36});
  for (std::uint16_t d = 0; d < devices; ++d) {
    const model::memory_id memory(static_cast<std::uint16_t>(d + 1));
    t.memories.push_back({fmt::format("memory of {}", d), std::uint64_t{1} << 30});
    t.devices.push_back({fmt::format("device {}", d), "simulated", memory, 4});
    t.links.push_back({model::host_memory, memory, 1e9, 0});
    t.links.push_back({memory, model::host_memory, 1e9, 0});
  }
  return t;
}

model::requirement needs(model::buffer_id b, model::access_mode mode, std::uint64_t lo,
                         std::uint64_t hi) {
  model::requirement r;
  r.buffer = b;
  r.mode = mode;
  r.no_init = mode == model::access_mode::write;
  r.elements = linear(lo, hi);
  return r;
}

class many_devices : public ::testing::Test {
 protected:
  void add(std::uint16_t device, const std::vector<model::requirement>& needed, const char* label,
           bool anywhere = false) {
    model::kernel_command k;
    k.id = model::kernel_id(0x77);
    k.geometry.global = {{1, 1, 1 << 20}};
    model::command c;
    c.payload = k;
    c.device = model::device_id(device);
    c.requirements = needed;
    std::vector<model::device_id> all;
    for (std::uint16_t d = 0; d < device_count && anywhere; ++d) all.emplace_back(d);
    c.candidates = all;
    c.label = label;
    graph_.append(c);
  }
  std::string planned(const std::vector<std::string>& more = {}) {
    const std::string graph = folder_.file("g.json", recorder::to_json(graph_, machine_));
    const std::string plan = folder_.path() + "/p.json";
    std::vector<std::string> words{"plan", graph, "--topology", machine_file_, "-o", plan};
    words.insert(words.end(), more.begin(), more.end());
    const tool_result r = run_tool(words);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    const tool_result verified = run_tool({"verify", graph, plan, "--topology", machine_file_});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    return plan;
  }

  temporary_folder folder_;
  recorder::command_graph graph_;
  const model::topology machine_ = machine_of(device_count);
  const std::string machine_file_ = folder_.file("m.json", recorder::to_json(machine_));
};

TEST_F(many_devices, exchange_halos_and_share_what_all_of_them_read) {
  const model::extent3 all{{1, 1, device_count * page}};
  const auto u = graph_.add_buffer({model::page_grid(all, {{1, 1, page}}), 4, 1}, 1, "u");
  const auto v = graph_.add_buffer({model::page_grid(all, {{1, 1, page}}), 4, 1}, 2, "v");
  const auto c =
      graph_.add_buffer({model::page_grid({{1, 1, page}}, {{1, 1, page}}), 4, 1}, 3, "c");
  add(0, {needs(c, model::access_mode::write, 0, page)}, "constant");
  for (std::uint16_t d = 0; d < device_count; ++d)
    add(d, {needs(u, model::access_mode::write, d * page, (d + 1) * page)}, "fill");
  for (std::uint16_t d = 0; d < device_count; ++d)
    add(d,
        {needs(u, model::access_mode::read, d == 0 ? 0 : (d - 1) * page, (d + 1) * page),
         needs(c, model::access_mode::read, 0, page),
         needs(v, model::access_mode::write, d * page, (d + 1) * page)},
        "step");
  const std::string plan = planned();

  // The constant ends up everywhere; pages of u where they were made, at the next device, and at the host between them.
  const json p = json::parse(formats::read_file(plan));
  std::vector<std::uint64_t> everywhere;
  for (std::uint64_t m = 0; m <= device_count; ++m) everywhere.push_back(m);
  std::size_t of_constant = 0;
  for (const json& e : p["exit"]) {
    const std::uint64_t first = e["elements"]["lo"][2].get<std::uint64_t>() / page;
    if (e["buffer"] == 2) {
      EXPECT_EQ(e["memories"].get<std::vector<std::uint64_t>>(), everywhere);
      ++of_constant;
    } else if (e["buffer"] == 0 && first + 1 < device_count) {
      EXPECT_EQ(e["memories"].get<std::vector<std::uint64_t>>(),
                (std::vector<std::uint64_t>{0, first + 1, first + 2}));
    }
  }
  EXPECT_EQ(of_constant, 1U);

  const tool_result r = run_tool(
      {"simulate", folder_.path() + "/g.json", plan, "--topology", machine_file_, "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json s = json::parse(r.out);
  EXPECT_EQ(s["devices"].size(), device_count);
  std::uint64_t moved = 0;
  for (const json& l : s["links"]) moved += l["bytes"].get<std::uint64_t>();
  // Pages up and down again: of u all but the last, the constant up once.
  EXPECT_EQ(moved, 4 * page * (2 * (device_count - 1) + 1 + (device_count - 1)));
  EXPECT_GT(s["memories"][device_count]["peak"].get<std::uint64_t>(), 0U);

  const tool_result shown = run_tool({"show", folder_.path() + "/g.json", plan});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("memory of 299"));
  const tool_result explained = run_tool({"explain", folder_.path() + "/g.json", plan});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
}

TEST_F(many_devices, are_all_at_work_where_kernels_may_run_anywhere) {
  const model::extent3 all{{1, 1, 2 * device_count * page}};
  const auto u = graph_.add_buffer({model::page_grid(all, {{1, 1, page}}), 4, 1}, 1, "u");
  for (std::uint16_t round = 0; round < 2; ++round)
    for (std::uint16_t k = 0; k < device_count; ++k)
      add(0,
          {needs(u, round == 0 ? model::access_mode::write : model::access_mode::read_write,
                 k * page, (k + 1) * page)},
          "work", true);
  for (const char* place : {"list", "heft"}) {
    const json p = json::parse(formats::read_file(planned({"--place", place})));
    std::set<std::uint64_t> at_work;
    std::size_t transfers = 0;
    for (const json& step : p["steps"]) {
      if (step.contains("execute")) at_work.insert(step["execute"]["device"].get<std::uint64_t>());
      transfers += step.contains("transfer") ? 1 : 0;
    }
    EXPECT_EQ(at_work.size(), device_count) << place;
    EXPECT_EQ(transfers, 0U) << place << ": who made a page goes on with it";
  }
}

TEST_F(many_devices, may_be_too_many) {
  const std::size_t too_many = model::max_memories;
  const std::string machine = folder_.file("n.json", recorder::to_json(machine_of(too_many)));
  const std::string graph = folder_.file("g.json", recorder::to_json(halo_graph(), two_devices()));
  const tool_result r = run_tool({"plan", graph, "--topology", machine});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, AllOf(HasSubstr("n.json"),
                           HasSubstr(fmt::format("at most {} memories", model::max_memories))));
}

}  // namespace
