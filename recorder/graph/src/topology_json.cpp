// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/topology_json.hpp"

#include <limits>
#include <set>
#include <utility>

#include <pianola/formats/file.hpp>
#include <pianola/formats/json_reader.hpp>
#include <pianola/formats/json_writer.hpp>

namespace pianola::recorder {

namespace {

using formats::json_reader;
using formats::json_writer;
using formats::member;
using lines = formats::json_writer::layout;

constexpr const char* format_name = "pianola.topology/1";
// What planning can tell apart (planner::max_memories).
constexpr std::uint64_t maximum_memories = 64;
constexpr std::uint64_t maximum_devices = std::numeric_limits<model::device_id::rep>::max();

constexpr member topology_members[] = {{"memories"}, {"devices"}, {"links"}};

model::memory_id read_memory(json_reader& json, const model::topology& topology) {
  const std::uint64_t id = json.whole_number();
  if (id >= topology.memories.size()) json.fail("unknown memory " + std::to_string(id));
  return model::memory_id(static_cast<model::memory_id::rep>(id));
}

void read_memories(json_reader& json, model::topology& t) {
  static constexpr member members[] = {{"name"}, {"bytes"}};
  json.array([&](std::uint64_t i) {
    if (i == maximum_memories) json.fail("there can be at most 64 memories");
    model::memory_description memory;
    json.object(members, [&](std::size_t m) {
      if (m == 0) memory.name = json.string();
      if (m == 1) memory.bytes = json.whole_number();
    });
    t.memories.push_back(std::move(memory));
  });
  if (t.memories.empty()) json.fail("the host's memory is missing");
}

void read_devices(json_reader& json, model::topology& t) {
  static constexpr member members[] = {{"name"}, {"backend"}, {"memory"}, {"maximum_lanes"}};
  json.array([&](std::uint64_t i) {
    if (i == maximum_devices) json.fail("there are too many devices");
    model::device_description device;
    json.object(members, [&](std::size_t m) {
      if (m == 0) device.name = json.string();
      if (m == 1) device.backend = json.string();
      if (m == 2) device.memory = read_memory(json, t);
      if (m == 3) {
        device.maximum_lanes = static_cast<std::uint32_t>(
            json.whole_number(std::numeric_limits<std::uint32_t>::max()));
        if (device.maximum_lanes == 0) json.fail("a device has at least one lane");
      }
    });
    t.devices.push_back(std::move(device));
  });
}

void read_links(json_reader& json, model::topology& t) {
  static constexpr member members[] = {{"from"}, {"to"}, {"bandwidth"}, {"latency"}};
  std::set<std::pair<model::memory_id, model::memory_id>> known;
  json.array([&](std::uint64_t) {
    model::link_description link;
    json.object(members, [&](std::size_t m) {
      if (m == 0) link.from = read_memory(json, t);
      if (m == 1) link.to = read_memory(json, t);
      if (m == 2 && !((link.bandwidth = json.finite_number()) > 0))
        json.fail("a bandwidth must be greater than 0");
      if (m == 3 && !((link.latency = json.finite_number()) >= 0))
        json.fail("a latency must be at least 0");
    });
    if (link.from == link.to) json.fail("a link must join two different memories");
    if (!known.emplace(link.from, link.to).second)
      json.fail("there is another link from memory " + std::to_string(link.from.value()) + " to " +
                std::to_string(link.to.value()));
    t.links.push_back(link);
  });
}

void read_member(json_reader& json, model::topology& t, std::size_t member) {
  if (member == 0) read_memories(json, t);
  if (member == 1) read_devices(json, t);
  if (member == 2) read_links(json, t);
}

void write_members(json_writer& json, const model::topology& t) {
  json.key("memories").open_array(lines::lines);
  for (const auto& m : t.memories)
    json.open_object().key("name").text(m.name).key("bytes").number(m.bytes).close();
  json.close();
  json.key("devices").open_array(lines::lines);
  for (const auto& d : t.devices) {
    json.open_object().key("name").text(d.name).key("backend").text(d.backend);
    json.key("memory").number(std::uint64_t{d.memory.value()});
    json.key("maximum_lanes").number(std::uint64_t{d.maximum_lanes}).close();
  }
  json.close();
  json.key("links").open_array(lines::lines);
  for (const auto& l : t.links) {
    json.open_object().key("from").number(std::uint64_t{l.from.value()});
    json.key("to").number(std::uint64_t{l.to.value()});
    json.key("bandwidth").number(l.bandwidth, "the bandwidth of a link");
    json.key("latency").number(l.latency, "the latency of a link").close();
  }
  json.close();
}

}  // namespace

void write_topology(json_writer& json, const model::topology& t) {
  json.open_object(lines::lines);
  write_members(json, t);
  json.close();
}

std::string to_json(const model::topology& t) {
  json_writer json;
  json.open_object(lines::lines).key("format").text(format_name);
  write_members(json, t);
  json.close();
  return json.finish();
}

model::topology read_topology(json_reader& json) {
  model::topology t;
  json.object(topology_members, [&](std::size_t m) { read_member(json, t, m); });
  return t;
}

model::topology read_topology(std::string_view text, std::string_view source) {
  static constexpr member members[] = {{"format"}, {"memories"}, {"devices"}, {"links"}};
  json_reader json(text, source);
  model::topology t;
  json.object(members, [&](std::size_t m) {
    if (m == 0)
      json.format(format_name);
    else
      read_member(json, t, m - 1);
  });
  json.end();
  return t;
}

model::topology load_topology(const std::string& path) {
  return read_topology(formats::read_file(path), path);
}

}  // namespace pianola::recorder
