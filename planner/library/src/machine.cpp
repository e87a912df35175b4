// SPDX-License-Identifier: Apache-2.0
#include "pianola/planning/machine.hpp"

#include <utility>

#include <pianola/formats/file.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "convert.hpp"
#include "guard.hpp"

namespace pianola::planning {

error::~error() = default;

memory_id machine::add_memory(std::string name, std::uint64_t bytes) {
  memories.push_back({std::move(name), bytes});
  return memory_id(memories.size() - 1);
}

device_id machine::add_device(device_description device) {
  devices.push_back(std::move(device));
  return device_id(devices.size() - 1);
}

void machine::connect(memory_id a, memory_id b, double bandwidth, double latency) {
  links.push_back({a, b, bandwidth, latency, std::nullopt});
  links.push_back({b, a, bandwidth, latency, std::nullopt});
}

// Files name kernels by this number, those of graphs and those of topologies, and a file of one is used with one of the other.
// So it is the same on every machine and in every version, which std::hash and Boost's do not promise.
std::uint64_t kernel_of(std::string_view name) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

namespace detail {

namespace {

model::topology as_given(const machine& m) {
  model::topology t;
  for (const memory_description& memory : m.memories)
    t.memories.push_back({memory.name, memory.bytes});
  for (const device_description& d : m.devices)
    t.devices.push_back({d.name,
                         d.backend,
                         id_as<model::memory_id>(d.memory),
                         d.maximum_lanes,
                         {d.launch, d.bandwidth, d.operations, d.host_task},
                         d.listed});
  for (const link_description& l : m.links)
    t.links.push_back({id_as<model::memory_id>(l.from), id_as<model::memory_id>(l.to), l.bandwidth,
                       l.latency, l.bus.value_or(model::link_description::own_bus)});
  for (const kernel_time& k : m.kernel_times)
    t.kernel_times.push_back(
        {model::kernel_id(k.kernel), id_as<model::device_id>(k.device), k.start, k.per_unit});
  return t;
}

}  // namespace

model::topology to_model(const machine& m) {
  // Files say what a machine is that can be planned for, so that is looked at in one place.
  return guarded([&] {
    const model::topology given = as_given(m);
    (void)recorder::read_topology(recorder::to_json(given), "machine");
    return given;
  });
}

machine from_model(const model::topology& t) {
  machine m;
  m.memories.clear();
  for (const model::memory_description& memory : t.memories)
    m.memories.push_back({memory.name, memory.bytes});
  for (const model::device_description& d : t.devices)
    m.devices.push_back({d.name, d.backend, memory_id(d.memory.value()), d.maximum_lanes,
                         d.speed.launch, d.speed.bandwidth, d.speed.operations, d.speed.host_task,
                         d.listed});
  for (const model::link_description& l : t.links) {
    m.links.push_back(
        {memory_id(l.from.value()), memory_id(l.to.value()), l.bandwidth, l.latency, std::nullopt});
    if (l.bus != model::link_description::own_bus) m.links.back().bus = l.bus;
  }
  for (const model::kernel_time& k : t.kernel_times)
    m.kernel_times.push_back({k.kernel.value(), device_id(k.device.value()), k.start, k.per_unit});
  return m;
}

}  // namespace detail

machine read_machine(std::string_view json, std::string_view source) {
  return detail::guarded([&] { return detail::from_model(recorder::read_topology(json, source)); });
}

machine load_machine(const std::string& path) {
  return detail::guarded([&] { return detail::from_model(recorder::load_topology(path)); });
}

std::string to_json(const machine& m) {
  return detail::guarded([&] { return recorder::to_json(detail::to_model(m)); });
}

void save(const machine& m, const std::string& path) {
  const std::string text = to_json(m);
  detail::guarded([&] { formats::write_file(path, text); });
}

}  // namespace pianola::planning
