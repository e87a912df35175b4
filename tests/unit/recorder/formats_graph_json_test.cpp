// SPDX-License-Identifier: Apache-2.0
#include <pianola/recorder/graph_json.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include <pianola/model/error.hpp>
#include <pianola/model/memory_set.hpp>
#include <pianola/recorder/topology_json.hpp>

namespace {

using namespace pianola;
using nlohmann::json;

model::topology one_device() {
  model::topology t;
  t.memories = {{"host", 1 << 30}, {"card", 1 << 20}};
  t.devices = {{"card 0", "simulated", model::memory_id(1), 4}};
  t.links = {{model::memory_id(0), model::memory_id(1), 1e10 / 3, 1e-7}};
  return t;
}

recorder::command_graph two_kernels() {
  recorder::command_graph graph;
  const auto u =
      graph.add_buffer({model::page_grid({{1, 1, 10}}, {{1, 1, 4}}), 8, 1}, 0, "u \xFF\"");
  for (std::uint64_t i = 0; i < 2; ++i) {
    model::requirement r;
    r.buffer = u;
    r.mode = i == 0 ? model::access_mode::write : model::access_mode::read;
    r.no_init = i == 0;
    r.elements = {{{0, 0, 3}}, {{1, 1, 9}}};
    model::kernel_command kernel;
    kernel.id = model::kernel_id(0xfedcba9876543210 + i);
    kernel.geometry.global = {{1, 1, 6}};
    model::command c;
    c.payload = kernel;
    c.requirements = {&r, 1};
    const std::uint64_t before = 0;
    if (i == 1) c.after = {&before, 1};
    c.device = model::device_id(0);
    c.label = "step";
    graph.append(c);
  }
  return graph;
}

TEST(graph_json, keeps_the_allocations_that_commands_work_on) {
  recorder::command_graph graph;
  graph.add_allocation({model::usm_allocation::kind::device, model::memory_id(1), 4096});
  graph.add_allocation({model::usm_allocation::kind::shared, model::memory_id(0), 64});
  model::command c;
  c.device = model::device_id(0);
  graph.append(c);
  model::copy_command copy;
  copy.width = 8;
  c.payload = copy;
  const std::uint32_t used[] = {model::no_allocation, 1};
  graph.set_allocations(graph.append(c), {used, 2});
  const std::string text = recorder::to_json(graph, one_device());
  const recorder::loaded_graph loaded = recorder::read_graph(text);
  EXPECT_EQ(recorder::to_json(loaded.graph, loaded.topology), text);
  EXPECT_TRUE(loaded.graph.allocations_of(model::command_id(0)).empty());
  ASSERT_EQ(loaded.graph.allocations_of(model::command_id(1)).size(), 2U);
  EXPECT_EQ(loaded.graph.allocations_of(model::command_id(1))[1], 1U);
  EXPECT_EQ(loaded.graph.allocations()[1].bytes, 64U);

  json wrong = json::parse(text);
  wrong["commands"][1]["allocations"][1] = 2;
  EXPECT_THROW((void)recorder::read_graph(wrong.dump()), model::user_error);
  wrong = json::parse(text);
  wrong["allocations"][0]["memory"] = 9;
  EXPECT_THROW((void)recorder::read_graph(wrong.dump()), model::user_error);
  const std::uint32_t unknown[] = {5};
  EXPECT_THROW(graph.set_allocations(model::command_id(0), {unknown, 1}), model::user_error);
}

TEST(graph_json, keeps_what_commands_allocate_and_free) {
  recorder::command_graph graph;
  model::command c;
  c.device = model::device_id(0);
  model::allocate_command allocate;
  allocate.bytes = 1000;
  allocate.allocation = 7;
  allocate.place = 256;
  allocate.zero = true;
  c.payload = allocate;
  graph.append(c);
  model::free_command end;
  end.bytes = 1000;
  end.allocation = 7;
  c.payload = end;
  const std::uint64_t before = 0;
  c.after = {&before, 1};
  graph.append(c);
  const std::string text = recorder::to_json(graph, one_device());
  const json parsed = json::parse(text);
  EXPECT_EQ(parsed["commands"][0]["kind"], "allocate");
  EXPECT_EQ(parsed["commands"][0]["allocate"]["place"], 256);
  EXPECT_EQ(parsed["commands"][1]["free"]["allocation"], 7);
  const auto read = recorder::read_graph(text, "graph.json");
  EXPECT_EQ(recorder::to_json(read.graph, read.topology), text);
}

// What it says is wrong with random allocations; an oracle that looks at all that live.
TEST(graph_json, refuses_allocations_over_living_ones_and_ends_of_what_does_not_live) {
  struct life {
    std::uint64_t name, begin, end;
  };
  int wrong_places = 0, wrong_ends = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return random() % n; };
    recorder::command_graph graph;
    std::vector<life> living;
    std::string expected;
    for (int i = 0; i < 8; ++i) {
      const std::string at = "graph.json: /commands/" + std::to_string(i) + "/";
      model::command c;
      c.device = model::device_id(0);
      const std::uint64_t name = below(4);
      if (below(3) == 0) {
        model::free_command end;
        end.allocation = name;
        c.payload = end;
        std::size_t l = living.size();
        while (l != 0 && living[l - 1].name != name) --l;
        if (l != 0) {
          living.erase(living.begin() + static_cast<std::ptrdiff_t>(l - 1));
        } else if (expected.empty()) {
          ++wrong_ends;
          expected = at + "free: allocation " + std::to_string(name) +
                     " is freed, and no command before has allocated it";
        }
      } else {
        model::allocate_command begin;
        begin.allocation = name;
        begin.place = below(12);
        begin.bytes = below(4);
        c.payload = begin;
        const life mine{name, begin.place, begin.place + begin.bytes};
        for (const life& l : living)
          if (mine.begin < l.end && l.begin < mine.end && mine.begin < mine.end &&
              l.begin < l.end && expected.empty()) {
            ++wrong_places;
            expected = at + "allocate: allocation " + std::to_string(name) +
                       " lies where another one does that nothing has freed";
          }
        living.push_back(mine);
      }
      graph.append(c);
    }
    std::string told;
    try {
      (void)recorder::read_graph(recorder::to_json(graph, one_device()), "graph.json");
    } catch (const model::user_error& e) {
      told = e.what();
    }
    EXPECT_EQ(told, expected);
  }
  EXPECT_GT(wrong_places, 50);
  EXPECT_GT(wrong_ends, 50);
}

TEST(graph_json, keeps_how_a_command_runs_its_graphs) {
  recorder::command_graph graph;
  const auto b = graph.add_buffer({model::page_grid(model::extent3{{1, 1, 1}}), 4, 1}, 0, "flag");
  const model::requirement r{b, model::access_mode::read, false, model::host_memory,
                             model::box::of({{1, 1, 1}})};
  model::command c;
  c.device = model::device_id(0);
  c.requirements = {&r, 1};
  c.payload = model::subgraph_command{nullptr, 7, model::control_kind::loop, 1, 1, 0};
  graph.append(c);
  c.payload = model::subgraph_command{nullptr, 9, model::control_kind::repeat, 12, 1};
  graph.append(c);
  const std::string text = recorder::to_json(graph, one_device());
  const json parsed = json::parse(text);
  EXPECT_EQ(parsed["commands"][0]["subgraph"]["control"], "loop");
  EXPECT_EQ(parsed["commands"][0]["subgraph"]["condition"], 0);
  EXPECT_EQ(parsed["commands"][1]["subgraph"]["count"], 12);
  const auto read = recorder::read_graph(text, "graph.json");
  EXPECT_EQ(recorder::to_json(read.graph, read.topology), text);

  json wrong = json::parse(text);
  wrong["commands"][0]["subgraph"]["condition"] = 1;
  EXPECT_THROW((void)recorder::read_graph(wrong.dump()), model::user_error);
  wrong = json::parse(text);
  wrong["commands"][0]["subgraph"]["control"] = "until";
  EXPECT_THROW((void)recorder::read_graph(wrong.dump()), model::user_error);
}

TEST(graph_json, keeps_the_graphs_that_a_command_runs_with_their_plans) {
  const model::buffer_info flag{model::page_grid(model::extent3{{1, 1, 1}}), 4, 1};
  const model::buffer_info row{model::page_grid(model::extent3{{1, 1, 9}}), 4, 1};
  const auto loop_of = [&](recorder::command_graph& graph, recorder::command_graph body) {
    model::command c;
    c.device = model::device_id(0);
    c.payload = model::subgraph_command{nullptr, 7, model::control_kind::loop, 1, 1};
    const model::command_id id = graph.append(c);
    std::vector<model::buffer_id> names;
    for (std::uint32_t i = 0; i < body.buffer_count(); ++i)
      names.push_back(
          graph.add_buffer(body.buffer(model::buffer_id(i)), body.external(model::buffer_id(i))));
    graph.add_body({id, names, std::make_shared<recorder::command_graph>(std::move(body)),
                    "{\"any\": [\n 1, {}]}"});
  };
  recorder::command_graph innermost, inner, graph;
  innermost.add_buffer(row, 5, "x");
  innermost.append({});
  inner.add_buffer(flag, 6);
  loop_of(inner, std::move(innermost));
  graph.add_buffer(row, 5);
  loop_of(graph, std::move(inner));
  graph.append({});

  const std::string text = recorder::to_json(graph, one_device());
  const json parsed = json::parse(text);
  const json& body = parsed["commands"][0]["subgraph"]["graphs"][0];
  EXPECT_EQ(body["names"], json::parse("[1, 0]"));
  EXPECT_EQ(body["plan"], json::parse("{\"any\": [1, {}]}"));
  EXPECT_EQ(body["graph"]["commands"][0]["subgraph"]["graphs"][0]["graph"]["buffers"][0]["label"],
            "x");
  const auto read = recorder::read_graph(text, "graph.json");
  EXPECT_EQ(recorder::to_json(read.graph, read.topology), text);
  ASSERT_EQ(read.graph.bodies().size(), 1U);
  EXPECT_EQ(read.graph.bodies()[0].graph->bodies().size(), 1U);

  const auto told = [&](const char* pointer, const json& value) {
    json wrong = json::parse(text);
    wrong[json::json_pointer(pointer)] = value;
    try {
      (void)recorder::read_graph(wrong.dump(), "graph.json");
    } catch (const model::user_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string at = "/commands/0/subgraph";
  EXPECT_EQ(told((at + "/graphs/0/names/0").c_str(), 2),
            "graph.json: " + at + "/graphs/0/names/0: unknown buffer 2");
  EXPECT_EQ(
      told((at + "/graphs/0/names").c_str(), json::parse("[1]")),
      "graph.json: /commands/0: a graph that command 0 runs: each of its buffers has one name");
  EXPECT_EQ(
      told((at + "/graphs/0/names").c_str(), json::parse("[0, 0]")),
      "graph.json: /commands/0: a graph that command 0 runs: a buffer has another shape there");
  EXPECT_EQ(told((at + "/bodies").c_str(), 2),
            "graph.json: " + at + ": the command runs 2 graphs, and 1 are listed");
  EXPECT_EQ(told((at + "/graphs/0/plan").c_str(), 3),
            "graph.json: " + at + "/graphs/0/plan: expected an object, found 3");
  EXPECT_NE(told((at + "/control").c_str(), "once"), "");

  // Files have no bottomless ones.
  auto deep = std::make_unique<recorder::command_graph>(std::move(graph));
  for (int i = 0; i < 20; ++i) {
    auto outer = std::make_unique<recorder::command_graph>();
    loop_of(*outer, std::move(*deep));
    deep = std::move(outer);
  }
  const std::string left = recorder::to_json(*deep, one_device());
  EXPECT_EQ(recorder::to_json(recorder::read_graph(left, "graph.json").graph, one_device()), left);
}

TEST(graph_json, keeps_where_a_kernel_reads_its_range) {
  recorder::command_graph graph;
  const auto b = graph.add_buffer({model::page_grid(model::extent3{{1, 1, 1}}), 4, 1}, 0, "count");
  const model::requirement r{b, model::access_mode::read, false, {}, model::box::of({{1, 1, 1}})};
  model::command c;
  c.device = model::device_id(0);
  c.requirements = {&r, 1};
  model::kernel_command kernel;
  graph.append({kernel, c.requirements, {}, c.device, {}, {}, ""});
  kernel.indirect = {true, 0};
  c.payload = kernel;
  graph.append(c);
  kernel.indirect = {true, model::indirect_range::in_memory};
  c.payload = kernel;
  graph.append(c);
  const std::string text = recorder::to_json(graph, one_device());
  const json parsed = json::parse(text);
  EXPECT_FALSE(parsed["commands"][0]["kernel"].contains("range_from"));
  EXPECT_EQ(parsed["commands"][1]["kernel"]["range_from"], 0);
  EXPECT_TRUE(parsed["commands"][2]["kernel"]["range_from"].is_null());
  const auto read = recorder::read_graph(text, "graph.json");
  EXPECT_EQ(recorder::to_json(read.graph, read.topology), text);

  json wrong = json::parse(text);
  wrong["commands"][1]["kernel"]["range_from"] = 1;
  EXPECT_THROW((void)recorder::read_graph(wrong.dump()), model::user_error);
}

TEST(graph_json, keeps_candidates_and_hashes_them_where_there_are_some) {
  model::topology two = one_device();
  two.devices.push_back({"card 1", "simulated", model::memory_id(1), 4});
  recorder::command_graph graph, fixed;
  model::command c;
  c.payload = model::kernel_command();
  c.device = model::device_id(1);
  fixed.append(c);
  {
    const std::vector<model::device_id> candidates{model::device_id(0), model::device_id(1)};
    c.candidates = candidates;
    graph.append(c);
  }
  EXPECT_NE(graph.structural_hash(), fixed.structural_hash());
  const std::string text = recorder::to_json(graph, two);
  const recorder::loaded_graph loaded = recorder::read_graph(text);
  EXPECT_EQ(recorder::to_json(loaded.graph, loaded.topology), text);
  ASSERT_EQ(loaded.graph.commands()[0].candidates.size(), 2U);
  EXPECT_EQ(loaded.graph.commands()[0].candidates[1], model::device_id(1));
  EXPECT_FALSE(json::parse(recorder::to_json(fixed, two))["commands"][0].contains("candidates"));

  for (const json& wrong :
       {json({1, 0}), json::array({0}), json({0, 1, 1}), json({0, 1, 2}), json(1)}) {
    json spoiled = json::parse(text);
    spoiled.erase("structural_hash");
    spoiled["commands"][0]["candidates"] = wrong;
    EXPECT_THROW((void)recorder::read_graph(spoiled.dump()), model::user_error) << wrong;
  }
}

std::string error_of(const std::string& text) {
  try {
    (void)recorder::read_graph(text, "graph.json");
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::invalid);
    return e.what();
  }
  return {};
}

// The error after one place of a good file has been given another value.
std::string error_with(const char* pointer, const json& value) {
  json file = json::parse(recorder::to_json(two_kernels(), one_device()));
  file.erase("structural_hash");
  file[json::json_pointer(pointer)] = value;
  return error_of(file.dump());
}

TEST(graph_json, is_json_that_another_reader_understands) {
  const json file = json::parse(recorder::to_json(two_kernels(), one_device()));
  EXPECT_EQ(file["format"], "pianola.graph/1");
  EXPECT_EQ(file["buffers"][0]["label"], "u \xEF\xBF\xBD\"");
  EXPECT_EQ(file["commands"][1]["after"], json::array({0}));
  EXPECT_EQ(file["commands"][0]["kernel"]["id"], "0xfedcba9876543210");
  EXPECT_EQ(file["commands"][0]["requirements"][0]["pages"]["hi"], json::array({1, 1, 3}));
  EXPECT_EQ(file["topology"]["links"][0]["bandwidth"], 1e10 / 3);
}

TEST(graph_json, reads_back_what_was_written_to_the_last_bit) {
  const recorder::command_graph graph = two_kernels();
  const std::string text = recorder::to_json(graph, one_device());
  const recorder::loaded_graph loaded = recorder::read_graph(text);
  EXPECT_EQ(loaded.graph.structural_hash(), graph.structural_hash());
  EXPECT_EQ(loaded.topology.links[0].bandwidth, 1e10 / 3);
  EXPECT_EQ(loaded.graph.size(), 2U);
  EXPECT_STREQ(loaded.graph.command(model::command_id(1)).label, "step");
  EXPECT_EQ(loaded.graph.buffer(model::buffer_id(0)).grid.page(), (model::extent3{{1, 1, 4}}));
  EXPECT_EQ(recorder::to_json(loaded.graph, loaded.topology), text);
}

recorder::command_graph one_stencil() {
  recorder::command_graph graph;
  model::requirement r;
  r.buffer = graph.add_buffer({model::page_grid({{1, 8, 6}}, {{1, 1, 6}}), 4, 2});
  r.elements = {{{0, 0, 0}}, {{1, 8, 6}}};
  model::affine_access accesses[2];
  accesses[0].start = -24;
  accesses[0].stride[1] = 24;
  accesses[0].length = 4;
  accesses[0].loops[0] = {4, 6};
  accesses[0].ids = {{{0, 1, 0}}, {{1, 8, 6}}};
  accesses[0].read = true;
  accesses[1].group_stride[2] = 8;
  accesses[1].length = 8;
  accesses[1].ids = {{{0, 0, 0}}, {{1, 8, 6}}};
  accesses[1].locals = {{{0, 0, 0}}, {{1, 2, 1}}};
  accesses[1].written = true;
  accesses[0].reduction = model::reduction_operation::unsigned_minimum;
  model::footprint footprint;
  footprint.writes_all = true;
  footprint.accesses = accesses;
  footprint.group = {{1, 2, 3}};
  model::kernel_command kernel;
  kernel.geometry.global = {{1, 8, 6}};
  kernel.geometry.local = {{1, 2, 3}};
  kernel.geometry.grouped = true;
  kernel.footprints = {&footprint, 1};
  kernel.work = {1536, 2.5e9};
  model::command c;
  c.payload = kernel;
  c.requirements = {&r, 1};
  c.device = model::device_id(0);
  graph.append(c);
  return graph;
}

TEST(graph_json, keeps_what_kernels_touch) {
  const std::string text = recorder::to_json(one_stencil(), one_device());
  const recorder::loaded_graph loaded = recorder::read_graph(text);
  EXPECT_EQ(recorder::to_json(loaded.graph, loaded.topology), text);
  const auto& kernel =
      std::get<model::kernel_command>(loaded.graph.command(model::command_id(0)).payload);
  ASSERT_EQ(kernel.footprints.size(), 1U);
  const model::footprint& f = kernel.footprints[0];
  EXPECT_TRUE(f.writes_all);
  EXPECT_EQ(f.group, (model::extent3{{1, 2, 3}}));
  ASSERT_EQ(f.accesses.size(), 2U);
  EXPECT_EQ(f.accesses[0].start, -24);
  EXPECT_EQ(f.accesses[0].loops[0].count, 6U);
  EXPECT_EQ(f.accesses[0].loops[1].count, 1U);
  EXPECT_EQ(f.accesses[0].locals.hi[0], model::all_work_items);
  EXPECT_EQ(f.accesses[1].group_stride[2], 8);
  EXPECT_EQ(f.accesses[1].locals.hi[1], 2U);
  EXPECT_EQ(f.accesses[0].reduction, model::reduction_operation::unsigned_minimum);
  EXPECT_EQ(f.accesses[1].reduction, model::reduction_operation::none);
  EXPECT_EQ(kernel.work.bytes, 1536);
  EXPECT_EQ(kernel.work.operations, 2.5e9);
}

TEST(graph_json, rejects_footprints_that_make_no_sense) {
  const json file = json::parse(recorder::to_json(one_stencil(), one_device()));
  const std::string at = "/commands/0/kernel/footprints/0";
  const auto error = [&](const std::string& pointer, const json& value) {
    json changed = file;
    changed[json::json_pointer(at + pointer)] = value;
    return error_of(changed.dump());
  };
  EXPECT_EQ(error("/requirement", 1), "graph.json: " + at + "/requirement: unknown requirement 1");
  EXPECT_EQ(error("/accesses/0/stride", {1, 2}),
            "graph.json: " + at + "/accesses/0/stride: expected 3 numbers, found 2");
  EXPECT_EQ(
      error("/accesses/0/ids/hi", {1, 9, 6}),
      "graph.json: " + at + "/accesses/0/ids: there are no work-items with some of these ids");
  EXPECT_EQ(error("/accesses/0/start", std::int64_t{-1} - (std::int64_t{1} << 62)),
            "graph.json: " + at +
                "/accesses/0/start: -4611686018427387905 is too small; at least "
                "-4611686018427387904 is possible");
  EXPECT_EQ(error("/accesses/0/stride", {0, std::int64_t{1} << 60, 0}),
            "graph.json: " + at + "/accesses/0: the access reaches further than 2^62 bytes");
  EXPECT_NE(error("/accesses/0/reduced_by", "magic").find("expected \"none\", \"add\""),
            std::string::npos);
  EXPECT_EQ(error("/accesses/0/read", false),
            "graph.json: " + at + "/accesses/0: nothing is read that could be reduced");
  json idle = file;
  idle[json::json_pointer("/commands/0/kernel/work/operations")] = 0;
  EXPECT_EQ(
      error_of(idle.dump()),
      "graph.json: /commands/0/kernel/work/operations: it must be greater than 0; leave it out "
      "if it is not known");
  json twice = file;
  twice[json::json_pointer("/commands/0/kernel/footprints")].push_back(
      twice[json::json_pointer(at)]);
  EXPECT_NE(error_of(twice.dump()).find("one for each at most"), std::string::npos);
}

TEST(graph_json, keeps_a_buffer_without_elements) {
  recorder::command_graph graph;
  graph.add_buffer({model::page_grid(model::extent3{{1, 1, 0}}), 4, 1});
  const std::string text = recorder::to_json(graph, one_device());
  const recorder::loaded_graph loaded = recorder::read_graph(text);
  EXPECT_EQ(recorder::to_json(loaded.graph, loaded.topology), text);
}

TEST(graph_json, reads_members_in_any_order) {
  // Another writer sorts them by name: the requirements then come after what refers to them.
  const json file = json::parse(recorder::to_json(two_kernels(), one_device()));
  const recorder::loaded_graph loaded = recorder::read_graph(file.dump());
  EXPECT_EQ(loaded.graph.structural_hash(), two_kernels().structural_hash());
}

TEST(graph_json, names_path_and_reason_of_an_unknown_id) {
  EXPECT_EQ(error_with("/commands/1/requirements/0/buffer", 17),
            "graph.json: /commands/1/requirements/0/buffer: unknown buffer 17");
  EXPECT_EQ(error_with("/commands/0/device", 1),
            "graph.json: /commands/0/device: unknown device 1");
  EXPECT_EQ(error_with("/topology/devices/0/memory", 2),
            "graph.json: /topology/devices/0/memory: unknown memory 2");
  EXPECT_EQ(error_with("/commands/0/requirements/0/memory", 63),
            "graph.json: /commands/0/requirements/0/memory: unknown memory 63");
  EXPECT_EQ(error_with("/commands/0/kind", "kernels"),
            "graph.json: /commands/0/kind: unknown kind \"kernels\"");
}

TEST(graph_json, rejects_edges_that_could_close_a_cycle) {
  EXPECT_EQ(
      error_with("/commands/1/after", {1}),
      "graph.json: /commands/1/after/0: command 1 cannot come after command 1: edges lead from "
      "earlier to later commands, this one would allow a cycle");
  EXPECT_NE(error_with("/commands/0/after", {1}).find("/commands/0/after/0: command 0 cannot"),
            std::string::npos);
}

TEST(graph_json, rejects_sizes_that_overflow) {
  const std::uint64_t huge = std::uint64_t{1} << 62;
  EXPECT_EQ(error_with("/buffers/0/range", {1, 1, huge}),
            "graph.json: /buffers/0/range: the buffer would be larger than 2^62 bytes");
  EXPECT_NE(error_with("/buffers/0/range", {std::uint64_t{1} << 32, std::uint64_t{1} << 32, 2}),
            "");
  EXPECT_NE(error_with("/buffers/0/range", {0, huge, huge}), "") << "zero hides no overflow";
  EXPECT_EQ(error_with("/buffers/0/range", {1, 1, UINT64_MAX}),
            "graph.json: /buffers/0/range/2: 18446744073709551615 is too large; at most "
            "4611686018427387904 is possible");
  EXPECT_NE(error_with("/commands/0/kernel/global", {huge, 2, 1}), "");
  EXPECT_NE(error_with("/buffers/0/element_size", std::uint64_t{1} << 32), "");
}

TEST(graph_json, rejects_numbers_of_the_wrong_kind) {
  EXPECT_EQ(error_with("/buffers/0/element_size", 0),
            "graph.json: /buffers/0/element_size: an element has at least 1 byte");
  EXPECT_EQ(error_with("/buffers/0/element_size", 4.5),
            "graph.json: /buffers/0/element_size: expected a whole number, found 4.5");
  EXPECT_EQ(error_with("/buffers/0/element_size", -4),
            "graph.json: /buffers/0/element_size: expected a whole number of at least 0, found -4");
  EXPECT_NE(error_with("/buffers/0/element_size", 1e300), "");
  EXPECT_NE(error_with("/buffers/0/dimensions", 4), "");
  EXPECT_NE(error_with("/buffers/0/dimensions", 0), "");
  EXPECT_NE(error_with("/buffers/0/range", {1, 10}), "");
  EXPECT_NE(error_with("/buffers/0/range", {1, 1, 1, 10}), "");
  EXPECT_NE(error_with("/buffers/0/page", {1, 1, 11}), "");
  EXPECT_NE(error_with("/buffers/0/page", {1, 1, 0}), "");
  EXPECT_NE(error_with("/buffers/0/id", 1), "");
  EXPECT_NE(error_with("/commands/1/id", 0), "");
}

TEST(graph_json, rejects_boxes_that_are_empty_or_leave_their_buffer) {
  EXPECT_EQ(
      error_with("/commands/0/requirements/0/elements/hi", {1, 1, 11}),
      "graph.json: /commands/0/requirements/0/elements: the box [0,1)x[0,1)x[3,11) is not within "
      "the range of buffer 0, [0,1)x[0,1)x[0,10)");
  EXPECT_EQ(error_with("/commands/0/requirements/0/elements/hi", {1, 1, 3}),
            "graph.json: /commands/0/requirements/0/elements: the box [0,1)x[0,1)x[3,3) is empty");
  EXPECT_NE(error_with("/commands/0/requirements/0/pages/hi", {1, 1, 2}), "");
  // No elements are written as one box only, whose pages are none.
  EXPECT_NE(error_with("/commands/0/requirements/0/elements/hi", {0, 0, 0}), "");
}

TEST(graph_json, rejects_machines_that_make_no_sense) {
  EXPECT_NE(error_with("/topology/memories", json::array()), "");
  EXPECT_NE(error_with(
                "/topology/memories",
                json(std::vector<json>(model::max_memories + 1, json{{"name", ""}, {"bytes", 1}}))),
            "");
  EXPECT_NE(error_with("/topology/links/0/bandwidth", 0), "");
  EXPECT_NE(error_with("/topology/links/0/latency", -1e-9), "");
  EXPECT_NE(error_with("/topology/links/0/to", 0), "");
  const json link = {{"from", 0}, {"to", 1}, {"bandwidth", 1}, {"latency", 0}};
  EXPECT_EQ(error_with("/topology/links", {link, link}),
            "graph.json: /topology/links/1: there is another link from memory 0 to 1");
  EXPECT_NE(error_with("/topology/devices/0/maximum_lanes", 0), "");
}

TEST(graph_json, rejects_payloads_that_do_not_fit_the_kind) {
  EXPECT_EQ(error_with("/commands/0/kind", "copy"),
            "graph.json: /commands/0/kernel: only a command of kind \"kernel\" has this member");
  json file = json::parse(recorder::to_json(two_kernels(), one_device()));
  file["commands"][0].erase("kernel");
  EXPECT_EQ(error_of(file.dump()), "graph.json: /commands/0: member \"kernel\" is missing");
  EXPECT_NE(error_with("/commands/0/kernel/local", {1, 1, 4}), "") << "does not divide 6";
  EXPECT_NE(error_with("/commands/0/kernel/local", {0, 1, 1}), "");
  EXPECT_EQ(error_with("/commands/0/kernel/local", {1, 1, 3}), "");
}

TEST(graph_json, rejects_a_hash_that_is_not_the_graphs) {
  json file = json::parse(recorder::to_json(two_kernels(), one_device()));
  file["commands"][1]["after"] = json::array();
  EXPECT_NE(error_of(file.dump()).find("graph.json: /structural_hash: "), std::string::npos);
  file.erase("structural_hash");
  EXPECT_EQ(error_of(file.dump()), "") << "a file made by hand need not have one";
}

TEST(graph_json, rejects_another_version_and_another_format) {
  EXPECT_EQ(error_with("/format", "pianola.graph/2"),
            "graph.json: /format: unknown version \"pianola.graph/2\"; this program reads "
            "pianola.graph/1");
  EXPECT_NE(error_with("/format", "pianola.plan/1"), "");
  EXPECT_NE(error_with("/format", 1), "");
}

TEST(graph_json, refuses_to_write_a_bandwidth_that_json_cannot_hold) {
  model::topology t = one_device();
  t.links[0].bandwidth = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)recorder::to_json(two_kernels(), t), model::user_error);
}

TEST(graph_json, keeps_what_commands_took) {
  recorder::measured_times times;
  times.set(model::command_id(1), 2.5e-6);
  const std::string text = recorder::to_json(two_kernels(), one_device(), times);
  EXPECT_FALSE(json::parse(text)["commands"][0].contains("measured"));
  EXPECT_EQ(json::parse(text)["commands"][1]["measured"], 2.5e-6);
  const recorder::loaded_graph loaded = recorder::read_graph(text);
  EXPECT_EQ(loaded.measured.of(model::command_id(0)), 0);
  EXPECT_EQ(loaded.measured.of(model::command_id(1)), 2.5e-6);
  EXPECT_EQ(recorder::to_json(loaded.graph, loaded.topology, loaded.measured), text);
  EXPECT_TRUE(loaded.measured.has_no_starts());
  times.set(model::command_id(1), 2.5e-6, 0.0);
  const std::string begun = recorder::to_json(two_kernels(), one_device(), times);
  EXPECT_EQ(json::parse(begun)["commands"][1]["started"], 0.0);
  const recorder::loaded_graph with_start = recorder::read_graph(begun);
  EXPECT_EQ(with_start.measured.started(model::command_id(0)), recorder::measured_times::unknown);
  EXPECT_EQ(with_start.measured.started(model::command_id(1)), 0.0);
  EXPECT_EQ(recorder::to_json(with_start.graph, with_start.topology, with_start.measured), begun);
  EXPECT_THAT(error_with("/commands/1/started", -1.0),
              ::testing::HasSubstr("a command began no sooner than its recording"));
  for (const double wrong : {0.0, -1.0})
    EXPECT_EQ(error_with("/commands/1/measured", wrong),
              "graph.json: /commands/1/measured: a time must be greater than 0; leave it out if it "
              "is not known");
}

model::topology linked_device() {
  model::topology t = one_device();
  t.links.push_back({model::memory_id(1), model::memory_id(0), 2e9, 0});
  return t;
}

model::topology measured_device() {
  model::topology t = linked_device();
  t.devices[0].speed = {1e-6, 2e11, 3e12, 5e-6};
  t.devices.push_back({"card 1", "simulated", model::memory_id(1), 4, {0, 1e9, 0, 0}});
  t.devices.push_back({"processor", "openmp", model::memory_id(0), 8, {}, false});
  t.links[0].bus = t.links[1].bus = 0;
  t.kernel_times = {{model::kernel_id(7), model::device_id(0), 1e-6, 2.5e-10},
                    {model::kernel_id(7), model::device_id(1), 0, 1e-9}};
  return t;
}

TEST(topology_json, reads_back_what_was_written) {
  for (const model::topology& t : {linked_device(), measured_device()}) {
    const std::string text = recorder::to_json(t);
    EXPECT_EQ(json::parse(text)["format"], "pianola.topology/1");
    EXPECT_EQ(recorder::to_json(recorder::read_topology(text)), text);
  }
  EXPECT_THROW((void)recorder::read_topology("{}"), model::user_error);
}

TEST(topology_json, says_nothing_of_what_nobody_measured) {
  const json file = json::parse(recorder::to_json(linked_device()));
  EXPECT_FALSE(file.contains("kernel_times"));
  EXPECT_FALSE(file["devices"][0].contains("speed"));
  EXPECT_FALSE(file["links"][0].contains("bus"));
  EXPECT_EQ(json::parse(recorder::to_json(measured_device()))["devices"][1]["speed"],
            json({{"bandwidth", 1e9}}));
}

TEST(topology_json, keeps_what_was_measured) {
  const model::topology t = recorder::read_topology(recorder::to_json(measured_device()));
  EXPECT_EQ(t.devices[0].speed.launch, 1e-6);
  EXPECT_EQ(t.devices[0].speed.host_task, 5e-6);
  EXPECT_EQ(t.devices[1].speed.operations, 0);
  EXPECT_EQ(t.links[1].bus, 0U);
  ASSERT_EQ(t.kernel_times.size(), 2U);
  EXPECT_EQ(t.kernel_times[1].device, model::device_id(1));
  EXPECT_EQ(t.kernel_times[0].per_unit, 2.5e-10);
  const recorder::loaded_graph inside =
      recorder::read_graph(recorder::to_json(two_kernels(), measured_device()));
  EXPECT_EQ(recorder::to_json(inside.topology), recorder::to_json(measured_device()));
}

// The error after one place of a good machine has been given another value.
std::string machine_error_with(const char* pointer, const json& value) {
  json file = json::parse(recorder::to_json(measured_device()));
  file[json::json_pointer(pointer)] = value;
  try {
    (void)recorder::read_topology(file.dump(), "machine.json");
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::invalid);
    return e.what();
  }
  return {};
}

TEST(topology_json, refuses_what_no_machine_takes) {
  for (const char* figure : {"launch", "bandwidth", "operations", "host_task"})
    for (const double wrong : {0.0, -1.0}) {
      const std::string place = std::string("/devices/0/speed/") + figure;
      const std::string error = machine_error_with(place.c_str(), wrong);
      EXPECT_EQ(error.rfind("machine.json: " + place + ": ", 0), 0U) << error;
      EXPECT_NE(error.find("must be greater than 0; leave it out"), std::string::npos) << error;
    }
  EXPECT_EQ(machine_error_with("/devices/0/speed", json::object()),
            "machine.json: /devices/0/speed: nothing is in it; leave it out");
  EXPECT_NE(machine_error_with("/devices/0/speed/warp", 9), "");
  EXPECT_NE(machine_error_with("/links/0/bus", -1), "");
  EXPECT_NE(machine_error_with("/links/0/bus", 4294967295U), "");
  EXPECT_EQ(machine_error_with("/kernel_times/1/device", 3),
            "machine.json: /kernel_times/1/device: unknown device 3");
  EXPECT_EQ(machine_error_with("/kernel_times/1/device", 0),
            "machine.json: /kernel_times/1: there is another time of kernel 0x0000000000000007 on "
            "device 0");
  EXPECT_EQ(machine_error_with("/kernel_times/0/start", -1e-9),
            "machine.json: /kernel_times/0/start: a time must be at least 0");
  EXPECT_EQ(machine_error_with("/kernel_times/0/per_unit", -1),
            "machine.json: /kernel_times/0/per_unit: a time must be at least 0");
  EXPECT_NE(machine_error_with("/kernel_times/0/kernel", 7), "");
  EXPECT_EQ(
      machine_error_with("/links", {{{"from", 0}, {"to", 1}, {"bandwidth", 1}, {"latency", 0}}}),
      "machine.json: /links: memory 1 is not linked with the host's memory in both "
      "directions");
}

}  // namespace
