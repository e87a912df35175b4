// SPDX-License-Identifier: Apache-2.0
#include "pianola/openmp/openmp_backend.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include <pianola/host/host_backend.hpp>
#include <pianola/host/memory_steps.hpp>
#include <pianola/host/team.hpp>

namespace pianola::openmp {

namespace {

using executors::status;
using model::error_code;

class openmp_backend final : public host::host_backend {
 public:
  openmp_backend(std::vector<model::device_properties> devices,
                 const executors::step_observer& observer)
      : host_backend("openmp", std::move(devices), observer) {}

  void describe_links(model::array_view<const model::memory_id>,
                      std::vector<model::link_description>&) const override {
    // The device works in host memory.
  }
  status allocate(std::uint32_t, executors::memory_kind, std::size_t bytes, std::size_t alignment,
                  void*& out) noexcept override {
    const std::size_t a = std::max<std::size_t>(alignment, 64);
    const std::size_t n = std::max<std::size_t>(bytes, 1);
    // Not touched here: pages land near the thread that first writes them.
    out = n > SIZE_MAX - a ? nullptr : std::aligned_alloc(a, (n + a - 1) / a * a);
    if (out == nullptr)
      return {error_code::memory_allocation,
              "cannot allocate " + std::to_string(bytes) + " bytes of host memory"};
    return {};
  }
  void deallocate(std::uint32_t, executors::memory_kind, void* pointer) noexcept override {
    std::free(pointer);
  }
  void copy(const executors::resolved_copy& c) override { host::copy_bytes(c); }
  void fill(const executors::resolved_fill& f) override { host::fill_bytes(f); }
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return true; }
};

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line))
    if (line.rfind("model name", 0) == 0) {
      const auto at = line.find(':');
      if (at != std::string::npos && at + 2 < line.size()) return line.substr(at + 2);
    }
  return "CPU";
}

model::device_properties describe_processors() {
  model::device_properties p;
  p.name = processor_name();
  p.vendor = "Pianola";
  p.driver_version = "1";
  p.backend = "openmp";
  p.type = model::device_type::cpu;
  p.compute_units = host::team::instance().size();
  p.max_work_group_size = 1024;
  for (auto& s : p.max_work_item_sizes) s = 1024;
  p.sub_group_sizes = {8, 16};
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  p.global_memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  p.max_allocation_bytes = p.global_memory_bytes;
  p.local_memory_bytes = std::uint64_t{1} << 20;
  p.usm_system_allocations = true;
  p.host_debuggable = true;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) == 0) {
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(topology) == 0) {
      for (const hwloc_obj_type_t level : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
        hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level, 0);
        if (cache != nullptr && cache->attr != nullptr) {
          p.cache_bytes = cache->attr->cache.size;
          if (cache->attr->cache.linesize != 0) p.cache_line_bytes = cache->attr->cache.linesize;
          break;
        }
      }
    }
    hwloc_topology_destroy(topology);
  }
  return p;
}

executors::backend* create(const char* options, const executors::runtime_services* services,
                           char* reason, std::size_t reason_bytes, int* user_fault) noexcept {
  if (*options != '\0') {
    std::snprintf(reason, reason_bytes, "openmp takes no options, got '%s'", options);
    *user_fault = 1;
    return nullptr;
  }
  try {
    return new openmp_backend({describe_processors()}, *services->observer);
  } catch (...) {
    std::snprintf(reason, reason_bytes, "%s", host::current_exception_status().reason.c_str());
    *user_fault = 0;
    return nullptr;
  }
}

}  // namespace

executors::backend_factory factory() noexcept {
  return {executors::backend_interface_version, &create};
}

}  // namespace pianola::openmp
