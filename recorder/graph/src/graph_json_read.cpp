// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/json_geometry.hpp>
#include <pianola/formats/json_vocabulary.hpp>
#include <pianola/formats/text.hpp>

#include "command_json.hpp"
#include "pianola/recorder/graph_json.hpp"
#include "pianola/recorder/topology_json.hpp"

namespace pianola::recorder {

namespace {

using formats::json_reader;
using formats::member;

// One less than what 32-bit ids can name: the last value stands for "none".
constexpr std::uint64_t maximum_count = std::numeric_limits<std::uint32_t>::max() - 1;

void read_id(json_reader& json, std::uint64_t expected) {
  if (const std::uint64_t id = json.whole_number(); id != expected)
    json.fail(fmt::format("ids number the entries in order: expected {}, found {}", expected, id));
}

void read_buffer(json_reader& json, std::uint64_t index, command_graph& graph) {
  static constexpr member members[] = {
      {"id"},   {"label", false},     {"dimensions"},       {"element_size"},    {"range"},
      {"page"}, {"temporary", false}, {"evictable", false}, {"unwritten", false}};
  model::buffer_info info;
  model::extent3 range;
  std::string label;
  bool unwritten = false;
  json.object(members, [&](std::size_t m) {
    if (m == 0) read_id(json, index);
    if (m == 1) label = json.string();
    if (m == 2 && (info.dimensions = static_cast<std::uint8_t>(json.whole_number(3))) == 0)
      json.fail("a buffer has 1, 2 or 3 dimensions");
    if (m == 3 && (info.element_size = static_cast<std::uint32_t>(
                       json.whole_number(std::numeric_limits<std::uint32_t>::max()))) == 0)
      json.fail("an element has at least 1 byte");
    if (m == 4) {
      range = formats::read_point(json);
      if (!formats::volume_fits(range, info.element_size))
        json.fail("the buffer would be larger than 2^62 bytes");
    }
    if (m == 5) {
      const model::extent3 page = formats::read_point(json);
      for (int d = 0; d < 3; ++d)
        if (page.c[d] > range.c[d] || (page.c[d] == 0 && range.c[d] != 0))
          json.fail(
              "a page must have at least 1 element in each coordinate, and at most as many as "
              "the range");
      info.grid = model::page_grid(range, page);
    }
    if (m == 6) info.temporary = json.boolean();
    if (m == 7) info.evictable = json.boolean();
    if (m == 8) unwritten = json.boolean();
  });
  const model::buffer_id id = graph.add_buffer(info, 0, label.c_str());
  if (unwritten) graph.set_unwritten(id);
}

void read_buffers(json_reader& json, command_graph& graph) {
  json.array([&](std::uint64_t i) {
    if (i == maximum_count) json.fail("there are too many buffers");
    read_buffer(json, i, graph);
  });
}

void read_allocation(json_reader& json, std::uint64_t index, command_graph& graph,
                     const model::topology& topology) {
  static constexpr member members[] = {
      {"id"}, {"kind"}, {"memory"}, {"bytes"}, {"allocated", false}, {"freed", false}};
  model::usm_allocation a;
  json.object(members, [&](std::size_t m) {
    if (m == 0) read_id(json, index);
    if (m == 1) a.what = formats::read_word<model::usm_kind>(json);
    if (m == 2) {
      const std::uint64_t memory = json.whole_number();
      if (memory >= topology.memories.size()) json.fail(fmt::format("unknown memory {}", memory));
      a.memory = model::memory_id(static_cast<model::memory_id::rep>(memory));
    }
    if (m == 3) a.bytes = json.whole_number();
    if (m == 4) a.allocated = json.whole_number();
    if (m == 5) a.freed = json.whole_number();
  });
  graph.add_allocation(a);
}

// What a graph has, wherever it is: m is 0 for buffers, 1 for allocations, 2 for commands.
void read_part(json_reader& json, std::size_t m, loaded_graph& loaded) {
  if (m == 0) read_buffers(json, loaded.graph);
  if (m == 1)
    json.array([&](std::uint64_t i) {
      if (i == maximum_count) json.fail("there are too many allocations");
      read_allocation(json, i, loaded.graph, loaded.topology);
    });
  if (m == 2) {
    command_json commands(json, loaded);
    json.array([&](std::uint64_t i) {
      if (i == maximum_count) json.fail("there are too many commands");
      commands.read(i);
    });
  }
}

}  // namespace

command_graph read_body(formats::json_reader& json, const model::topology& topology) {
  static constexpr member members[] = {{"buffers"}, {"allocations", false}, {"commands"}};
  loaded_graph loaded;
  loaded.topology = topology;
  json.object(members, [&](std::size_t m) { read_part(json, m, loaded); });
  return std::move(loaded.graph);
}

loaded_graph read_graph(std::string_view text, std::string_view source) {
  // The hash comes last, so that everything it covers has been read when it is compared.
  static constexpr member members[] = {{"format"},   {"topology"},
                                       {"buffers"},  {"allocations", false},
                                       {"commands"}, {"structural_hash", false}};
  json_reader json(text, source);
  loaded_graph loaded;
  json.object(members, [&](std::size_t m) {
    if (m == 0) json.format("pianola.graph/1");
    if (m == 1) loaded.topology = read_topology(json);
    if (m >= 2 && m <= 4) read_part(json, m - 2, loaded);
    if (m == 5) {
      const std::uint64_t stated = json.hexadecimal(), computed = loaded.graph.structural_hash();
      if (stated != computed)
        json.fail(fmt::format(
            "{} is not the hash of this graph, which is {}; leave it out of a file made by hand",
            formats::hex(stated), formats::hex(computed)));
    }
  });
  json.end();
  return loaded;
}

loaded_graph load_graph(const std::string& path) {
  return read_graph(formats::read_file(path), path);
}

}  // namespace pianola::recorder
