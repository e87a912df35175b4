// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/backend_kind.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/memory_set.hpp>
#include <pianola/planner/cost/links.hpp>

#include "machine/measured_topology.hpp"
#include "process.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Staging through the host is planned where two memories have no link of their own.
bool needs_staging(const model::topology& t) {
  // Each memory is linked with the host's both ways; there is at most one link for each pair.
  const std::size_t apart = t.memories.size() - 1;
  return static_cast<std::size_t>(
             std::count_if(t.links.begin(), t.links.end(), [](const model::link_description& l) {
               return l.from != model::host_memory && l.to != model::host_memory;
             })) < apart * (apart - 1);
}

}  // namespace

machine::machine(const executors::runtime_services& services) : services_(services) {
  topology_.memories.push_back({"host", 0});
  topology_.devices.reserve(maximum_devices);
  for (const backend_choice& choice : chosen_backends()) add_backend(choice);
  listed_devices_ = devices_.size();
  // Host memory, and host accesses, need a device whatever was selected: the processors. Not listed
  // to the program when it did not ask for them.
  add_hidden_devices();
  const auto first_with_host_memory = [&](std::size_t from) {
    while (from < devices_.size() && topology_.devices[from].memory != model::host_memory) ++from;
    return from;
  };
  // All of the processors, where programs see parts of them.
  std::size_t host = first_with_host_memory(listed_devices_);
  if (host == devices_.size()) host = first_with_host_memory(0);
  if (host == devices_.size()) add_backend({model::name_of(model::backend_kind::openmp), "", true});
  for (std::size_t i = listed_devices_; i < devices_.size(); ++i)
    topology_.devices[i].listed = false;
  host_device_ = model::device_id(static_cast<std::uint16_t>(host));
  staging_needed_ = needs_staging(topology_);
  take_measured(topology_);
  for (std::size_t i = 0; i < devices_.size(); ++i)
    log_info("device {}: {} ({})", i, topology_.devices[i].name, topology_.devices[i].backend);
}

void machine::add_backend(const backend_choice& choice) {
  loaded_backend loaded = load_backend(choice, services_);
  if (loaded.made == nullptr) {
    absent_.push_back({choice.name, std::move(loaded.why_not)});
    return;
  }
  backends_.push_back(std::move(loaded.made));
  add_devices(*backends_.back());
}

void machine::add_devices(executors::backend& made) {
  std::vector<model::memory_id> memories;
  for (const model::device_properties& p : made.devices()) {
    model::memory_id memory = model::host_memory;
    if (p.memory != memory) {
      memory = model::memory_id(static_cast<std::uint16_t>(topology_.memories.size()));
      topology_.memories.push_back({p.name, p.global_memory_bytes});
    }
    memories.push_back(memory);
    if (topology_.memories.size() > model::max_memories)
      refuse_selection(
          fmt::format("more than {} devices with memories of their own", model::max_memories - 1));
  }
  made.set_memories(memories);
  const std::size_t links = topology_.links.size();
  made.describe_links(memories, topology_.links);
  planner::estimate_links(topology_.links, links, made.name());
  const std::uint32_t hidden = made.hidden_devices();
  for (std::uint32_t i = 0; i < made.devices().size(); ++i) {
    model::device_properties p = made.devices()[i];
    p.memory = memories[i];
    if (i < hidden)
      hidden_.push_back({&made, i, std::move(p)});
    else
      add_device(made, i, std::move(p),
                 hidden == 0 ? domain_named(made.domain()) : domain_of_its_own(made.name()));
  }
}

void machine::add_hidden_devices() {
  for (hidden_device& d : hidden_)
    add_device(*d.owner, d.index, std::move(d.properties), domain_named(d.owner->domain()));
  hidden_.clear();
}

void machine::add_device(executors::backend& owner, std::uint32_t index, model::device_properties p,
                         std::uint32_t domain) {
  const std::uint32_t lanes = p.type == model::device_type::cpu ? 8 : 4;
  topology_.devices.push_back({p.name, std::string(owner.name()), p.memory, lanes});
  devices_.push_back({&owner, index, domain, owner.needs_images()});
  properties_.push_back(std::move(p));
}

// No native graph spans it and another device, and host tasks are none of its work.
std::uint32_t machine::domain_of_its_own(std::string_view backend) {
  domains_.push_back(fmt::format("{}/{}", backend, devices_.size()));
  return static_cast<std::uint32_t>(domains_.size() - 1);
}

std::uint32_t machine::domain_named(std::string_view name) {
  std::uint32_t i = 0;
  while (i < domains_.size() && domains_[i] != name) ++i;
  if (i == domains_.size()) domains_.emplace_back(name);
  return i;
}

void machine::check(model::device_id d) const {
  if (d.value() >= devices_.size())
    throw user_error(error_code::invalid, fmt::format("there is no device {}", d.value()));
}

model::device_id machine::device_with(model::memory_id memory) const noexcept {
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (topology_.devices[i].memory == memory)
      return model::device_id(static_cast<std::uint16_t>(i));
  return host_device_;
}

model::device_id machine::device_in(std::uint32_t domain) const noexcept {
  std::uint16_t d = 0;
  while (devices_[d].domain != domain) ++d;
  return model::device_id(d);
}

model::device_id machine::add_sub_device(model::device_id parent, executors::sub_device made) {
  executors::backend* const owner = devices_[parent.value()].owner;
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i].owner == owner && devices_[i].index == made.index)
      return model::device_id(static_cast<std::uint16_t>(i));
  if (devices_.size() == maximum_devices)
    throw user_error(error_code::runtime,
                     fmt::format("more than {} devices: partition in the same ways again, which "
                                 "gives the same sub-devices",
                                 maximum_devices));
  const model::device_id id(static_cast<std::uint16_t>(devices_.size()));
  model::device_properties p = std::move(made.properties);
  p.parent = parent;
  p.memory = topology_.memory_of(parent);
  topology_.devices.push_back(
      {p.name, p.backend, p.memory, topology_.devices[parent.value()].maximum_lanes});
  const std::uint32_t domain = domain_of_its_own(p.backend);
  log_info("device {}: {} of the {} compute units of device {}", id.value(), p.compute_units,
           properties_[parent.value()].compute_units, parent.value());
  properties_.push_back(std::move(p));
  devices_.push_back({owner, made.index, domain, devices_[parent.value()].needs_images});
  return id;
}

std::uint64_t machine::reinstantiations() const noexcept {
  std::uint64_t n = 0;
  for (const auto& b : backends_) n += b->reinstantiations();
  return n;
}

}  // namespace pianola::runtime
