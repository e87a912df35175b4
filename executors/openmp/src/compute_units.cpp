// SPDX-License-Identifier: Apache-2.0
#include "compute_units.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <pianola/host/processors.hpp>
#include <pianola/model/error.hpp>

namespace pianola::openmp {

using model::affinity_domain;
using model::error_code;
using model::partition_property;
using model::user_error;

namespace {

// In the order in which `next` looks at them.
constexpr affinity_domain all_domains[] = {affinity_domain::numa, affinity_domain::l4_cache,
                                           affinity_domain::l3_cache, affinity_domain::l2_cache,
                                           affinity_domain::l1_cache};
constexpr const char* domain_names[] = {"none",
                                        "NUMA nodes",
                                        "L4 caches",
                                        "L3 caches",
                                        "L2 caches",
                                        "L1 caches",
                                        "anything it consists of"};

constexpr hwloc_obj_type_t type_of(affinity_domain d) noexcept {
  switch (d) {
    case affinity_domain::l4_cache:
      return HWLOC_OBJ_L4CACHE;
    case affinity_domain::l3_cache:
      return HWLOC_OBJ_L3CACHE;
    case affinity_domain::l2_cache:
      return HWLOC_OBJ_L2CACHE;
    case affinity_domain::l1_cache:
      return HWLOC_OBJ_L1CACHE;
    default:
      return HWLOC_OBJ_NUMANODE;
  }
}

// A mistake in the variable is otherwise answered by hwloc with the topology of this machine, without a word.
void check_synthetic_topology() {
  const char* description = std::getenv("HWLOC_SYNTHETIC");
  hwloc_topology_t topology = nullptr;
  if (description == nullptr || *description == '\0' || hwloc_topology_init(&topology) != 0) return;
  const bool good = hwloc_topology_set_synthetic(topology, description) == 0;
  hwloc_topology_destroy(topology);
  if (!good)
    throw user_error(error_code::platform,
                     fmt::format("HWLOC_SYNTHETIC='{}': it takes a topology as hwloc describes it, "
                                 "such as numa:2 core:2 pu:1",
                                 description));
}

class hardware {
 public:
  hardware() {
    if (hwloc_topology_init(&topology_) != 0) {
      topology_ = nullptr;
      return;
    }
    hwloc_topology_set_io_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    // hwloc's own look at the processors binds the calling thread to each in turn, which takes long where they are busy.
    // Linux knows no less, where it knows of caches.
    std::error_code unknown;
    if (std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache/index0", unknown))
      hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(topology_) == 0) return;
    hwloc_topology_destroy(topology_);
    topology_ = nullptr;
  }
  ~hardware() {
    if (topology_ != nullptr) hwloc_topology_destroy(topology_);
  }
  hardware(const hardware&) = delete;
  hardware& operator=(const hardware&) = delete;

  // A unit on each processor, neighbours beside each other.
  [[nodiscard]] std::vector<compute_unit> units() const {
    const host::processor_list mine = host::processors_of_process();
    std::vector<compute_unit> all;
    hwloc_obj_t pu = nullptr;
    const bool here = topology_ != nullptr && hwloc_topology_is_thissystem(topology_) != 0;
    while (topology_ != nullptr &&
           (pu = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PU, pu)) != nullptr) {
      if (here && !std::binary_search(mine.begin(), mine.end(), pu->os_index)) continue;
      compute_unit u;
      if (here) u.processor = static_cast<int>(pu->os_index);
      for (const affinity_domain d : all_domains)
        u.group[static_cast<unsigned>(d) - static_cast<unsigned>(affinity_domain::numa)] =
            group_of(*pu, type_of(d));
      all.push_back(u);
    }
    if (all.empty())
      for (const unsigned p : mine) {
        all.emplace_back();
        all.back().processor = static_cast<int>(p);
      }
    return all;
  }

  void describe_caches(processor_description& p) const {
    for (const hwloc_obj_type_t level : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
      if (topology_ == nullptr) return;
      const hwloc_obj_t cache = hwloc_get_obj_by_type(topology_, level, 0);
      if (cache == nullptr || cache->attr == nullptr) continue;
      p.cache_bytes = cache->attr->cache.size;
      p.cache_line_bytes = cache->attr->cache.linesize;
      return;
    }
  }

 private:
  // Which object of the type has the processor; of several (memory of two kinds) the first.
  [[nodiscard]] int group_of(const hwloc_obj& pu, hwloc_obj_type_t type) const noexcept {
    hwloc_obj_t o = nullptr;
    while ((o = hwloc_get_next_obj_by_type(topology_, type, o)) != nullptr)
      if (hwloc_bitmap_isset(o->cpuset, pu.os_index) != 0)
        return static_cast<int>(o->logical_index);
    return -1;
  }

  hwloc_topology_t topology_ = nullptr;
};

// Empty if they do not fall into several devices, or some belong to none.
std::vector<std::vector<std::uint32_t>> split_along(const std::vector<compute_unit>& all,
                                                    const std::vector<std::uint32_t>& units,
                                                    affinity_domain d) {
  std::vector<std::vector<std::uint32_t>> devices;
  std::vector<int> groups;
  for (const std::uint32_t u : units) {
    const int group = all[u].group_of(d);
    if (group < 0) return {};
    const auto at = std::find(groups.begin(), groups.end(), group);
    if (at == groups.end()) {
      groups.push_back(group);
      devices.push_back({u});
    } else {
      devices[static_cast<std::size_t>(at - groups.begin())].push_back(u);
    }
  }
  if (devices.size() < 2) devices.clear();
  return devices;
}

std::string in_words(std::uint64_t units) {
  return fmt::format("{}{}", units, units == 1 ? " compute unit" : " compute units");
}

}  // namespace

processor_description describe_processors(unsigned units) {
  check_synthetic_topology();
  const hardware here;
  processor_description p;
  here.describe_caches(p);
  const std::vector<compute_unit> processors = here.units();
  p.units.resize(units);
  for (unsigned i = 0; i < units && !processors.empty(); ++i)
    p.units[i] = processors[std::size_t{i} * processors.size() / units];
  return p;
}

std::uint32_t most_sub_devices(const std::vector<std::uint32_t>& units) noexcept {
  return units.size() < 2 ? 0 : static_cast<std::uint32_t>(units.size());
}

std::vector<affinity_domain> domains_of(const std::vector<compute_unit>& all,
                                        const std::vector<std::uint32_t>& units) {
  std::vector<affinity_domain> found;
  for (const affinity_domain d : all_domains)
    if (!split_along(all, units, d).empty()) found.push_back(d);
  return found;
}

std::vector<std::vector<std::uint32_t>> split(const std::vector<compute_unit>& all,
                                              const std::vector<std::uint32_t>& units,
                                              const model::partition& how, affinity_domain& along) {
  along = affinity_domain::none;
  if (most_sub_devices(units) == 0)
    throw user_error(error_code::feature_not_supported,
                     "the device has one compute unit and cannot be partitioned");
  std::vector<std::vector<std::uint32_t>> devices;
  if (how.property == partition_property::by_affinity_domain) {
    for (const affinity_domain d : all_domains) {
      if (how.domain != d && how.domain != affinity_domain::next) continue;
      devices = split_along(all, units, d);
      along = d;
      if (!devices.empty()) return devices;
    }
    throw user_error(error_code::feature_not_supported,
                     fmt::format("the device is not made of several {}; ask "
                                 "info::device::partition_affinity_domains first",
                                 domain_names[static_cast<unsigned>(how.domain)]));
  }
  auto take = [&, at = std::size_t{0}](std::uint64_t count) mutable {
    const auto first = units.begin() + static_cast<std::ptrdiff_t>(at);
    at += count;
    devices.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
  };
  if (how.property == partition_property::equally) {
    const std::uint64_t count = how.counts.at(0);
    if (count == 0 || count > units.size())
      throw user_error(error_code::invalid,
                       fmt::format("sub-devices of {} cannot be made of a device of {}",
                                   in_words(count), in_words(units.size())));
    for (std::uint64_t i = 0; i < units.size() / count; ++i) take(count);
    return devices;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t count : how.counts) {
    if (count > units.size() - sum)
      throw user_error(
          error_code::invalid,
          fmt::format("the counts of compute units are more in all than the {} of the device",
                      in_words(units.size())));
    sum += count;
  }
  for (const std::uint64_t count : how.counts)
    if (count != 0) take(count);
  return devices;
}

}  // namespace pianola::openmp
