// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/topology_json.hpp"

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/json_reader.hpp>
#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/memory_set.hpp>

namespace pianola::recorder {

namespace {

using formats::json_reader;
using formats::json_writer;
using formats::member;
using lines = formats::json_writer::layout;

constexpr const char* format_name = "pianola.topology/1";
constexpr std::uint64_t maximum_devices = std::numeric_limits<model::device_id::rep>::max();

constexpr member topology_members[] = {
    {"memories"}, {"devices"}, {"links"}, {"kernel_times", false}};

bool is_measured(const model::device_speed& s) {
  return s.launch != 0 || s.bandwidth != 0 || s.operations != 0 || s.host_task != 0;
}

// What was measured is greater than nothing, or it was not measured.
double read_measured(json_reader& json, const char* what) {
  const double value = json.finite_number();
  if (!(value > 0))
    json.fail(std::string(what) + " must be greater than 0; leave it out if it is not known");
  return value;
}

model::memory_id read_memory(json_reader& json, const model::topology& topology) {
  const std::uint64_t id = json.whole_number();
  if (id >= topology.memories.size()) json.fail(fmt::format("unknown memory {}", id));
  return model::memory_id(static_cast<model::memory_id::rep>(id));
}

void read_memories(json_reader& json, model::topology& t) {
  static constexpr member members[] = {{"name"}, {"bytes"}};
  json.array([&](std::uint64_t i) {
    if (i == model::max_memories)
      json.fail(fmt::format("there can be at most {} memories", model::max_memories));
    model::memory_description memory;
    json.object(members, [&](std::size_t m) {
      if (m == 0) memory.name = json.string();
      if (m == 1) memory.bytes = json.whole_number();
    });
    t.memories.push_back(std::move(memory));
  });
  if (t.memories.empty()) json.fail("the host's memory is missing");
}

model::device_id read_device(json_reader& json, const model::topology& topology) {
  const std::uint64_t id = json.whole_number();
  if (id >= topology.devices.size()) json.fail(fmt::format("unknown device {}", id));
  return model::device_id(static_cast<model::device_id::rep>(id));
}

model::device_speed read_speed(json_reader& json) {
  static constexpr member members[] = {
      {"launch", false}, {"bandwidth", false}, {"operations", false}, {"host_task", false}};
  model::device_speed speed;
  json.object(members, [&](std::size_t m) {
    if (m == 0) speed.launch = read_measured(json, "the time of a launch");
    if (m == 1) speed.bandwidth = read_measured(json, "a bandwidth");
    if (m == 2) speed.operations = read_measured(json, "a rate of operations");
    if (m == 3) speed.host_task = read_measured(json, "the time of a host task");
  });
  if (!is_measured(speed)) json.fail("nothing is in it; leave it out");
  return speed;
}

void read_devices(json_reader& json, model::topology& t) {
  static constexpr member members[] = {{"name"},          {"backend"},      {"memory"},
                                       {"maximum_lanes"}, {"speed", false}, {"listed", false}};
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
      if (m == 4) device.speed = read_speed(json);
      if (m == 5) device.listed = json.boolean();
    });
    t.devices.push_back(std::move(device));
  });
}

void read_links(json_reader& json, model::topology& t) {
  static constexpr member members[] = {
      {"from"}, {"to"}, {"bandwidth"}, {"latency"}, {"bus", false}};
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
      if (m == 4)
        link.bus =
            static_cast<std::uint32_t>(json.whole_number(model::link_description::own_bus - 1));
    });
    if (link.from == link.to) json.fail("a link must join two different memories");
    if (!known.emplace(link.from, link.to).second)
      json.fail(fmt::format("there is another link from memory {} to {}", link.from.value(),
                            link.to.value()));
    t.links.push_back(link);
  });
}

void read_kernel_times(json_reader& json, model::topology& t) {
  static constexpr member members[] = {{"kernel"}, {"device"}, {"start"}, {"per_unit"}};
  std::set<std::pair<model::kernel_id, model::device_id>> known;
  json.array([&](std::uint64_t) {
    model::kernel_time time;
    json.object(members, [&](std::size_t m) {
      if (m == 0) time.kernel = model::kernel_id(json.hexadecimal());
      if (m == 1) time.device = read_device(json, t);
      if (m == 2 && !((time.start = json.finite_number()) >= 0))
        json.fail("a time must be at least 0");
      if (m == 3 && !((time.per_unit = json.finite_number()) >= 0))
        json.fail("a time must be at least 0");
    });
    if (!known.emplace(time.kernel, time.device).second)
      json.fail(fmt::format("there is another time of kernel {} on device {}",
                            formats::hex(time.kernel.value()), time.device.value()));
    t.kernel_times.push_back(time);
  });
}

// Of a machine that is to be planned for. Graphs say what there was, and may be looked at without.
void expect_links_with_the_host(const json_reader& json, const model::topology& t) {
  std::vector<char> from(t.memories.size(), 0), to(t.memories.size(), 0);
  for (const model::link_description& l : t.links) {
    if (l.to == model::host_memory) from[l.from.value()] = 1;
    if (l.from == model::host_memory) to[l.to.value()] = 1;
  }
  for (std::size_t m = 1; m < t.memories.size(); ++m)
    if (from[m] == 0 || to[m] == 0)
      json.fail(
          fmt::format("memory {} is not linked with the host's memory in both directions", m));
}

void read_member(json_reader& json, model::topology& t, std::size_t member) {
  if (member == 0) read_memories(json, t);
  if (member == 1) read_devices(json, t);
  if (member == 2) read_links(json, t);
  if (member == 3) read_kernel_times(json, t);
}

void write_speed(json_writer& json, const model::device_speed& s) {
  const auto known = [&json](const char* name, double value) {
    if (value != 0) json.key(name).number(value, "the speed of a device");
  };
  json.key("speed").open_object();
  known("launch", s.launch);
  known("bandwidth", s.bandwidth);
  known("operations", s.operations);
  known("host_task", s.host_task);
  json.close();
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
    json.key("maximum_lanes").number(std::uint64_t{d.maximum_lanes});
    if (is_measured(d.speed)) write_speed(json, d.speed);
    if (!d.listed) json.key("listed").truth(false);
    json.close();
  }
  json.close();
  json.key("links").open_array(lines::lines);
  for (const auto& l : t.links) {
    json.open_object().key("from").number(std::uint64_t{l.from.value()});
    json.key("to").number(std::uint64_t{l.to.value()});
    json.key("bandwidth").number(l.bandwidth, "the bandwidth of a link");
    json.key("latency").number(l.latency, "the latency of a link");
    if (l.bus != model::link_description::own_bus) json.key("bus").number(std::uint64_t{l.bus});
    json.close();
  }
  json.close();
  if (t.kernel_times.empty()) return;
  json.key("kernel_times").open_array(lines::lines);
  for (const auto& k : t.kernel_times) {
    json.open_object().key("kernel").hexadecimal(k.kernel.value());
    json.key("device").number(std::uint64_t{k.device.value()});
    json.key("start").number(k.start, "the time of a kernel");
    json.key("per_unit").number(k.per_unit, "the time of a kernel").close();
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
  static constexpr member members[] = {
      {"format"}, {"memories"}, {"devices"}, {"links"}, {"kernel_times", false}};
  json_reader json(text, source);
  model::topology t;
  json.object(members, [&](std::size_t m) {
    if (m == 0)
      json.format(format_name);
    else
      read_member(json, t, m - 1);
    if (m == 3) expect_links_with_the_host(json, t);
  });
  json.end();
  return t;
}

model::topology load_topology(const std::string& path) {
  return read_topology(formats::read_file(path), path);
}

}  // namespace pianola::recorder
