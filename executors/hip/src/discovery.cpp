// SPDX-License-Identifier: Apache-2.0
// Which devices there are and what they can do.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <pianola/abi/amdgpu.h>
#include <pianola/gpu/device_selection.hpp>
#include <pianola/gpu/driver_calls.hpp>
#include <pianola/gpu/image_suitability.hpp>

#include "hip_driver.hpp"

namespace pianola::hip {

namespace {

// Of the local memory that a group can have, group algorithms take this much for themselves.
constexpr std::uint64_t group_scratch_bytes = 1024;
constexpr std::uint32_t cache_line_bytes = 64;
constexpr std::uint32_t amd_pci_vendor = 0x1002, nvidia_pci_vendor = 0x10de;
// Of events, as the runtime documents it.
constexpr std::uint32_t timer_nanoseconds = 1000;
// All work-items of a dimension are counted in 32 bits.
constexpr std::uint32_t max_items = 0xffffffff;

using attributes = gpu::device_attributes<attribute>;

// Returns what is wrong; empty: nothing.
std::string count_devices(const functions& call, int& count) {
  const result code = call.hipGetDeviceCount(&count);
  // Without a device runtimes say either of these.
  if (code == no_device || code == invalid_device || (code == success && count == 0)) {
    const std::string hint = about_visible_devices();
    return "no device: the HIP runtime is there and shows no GPU; " +
           (hint.empty() ? "the amdgpu kernel driver must be loaded, and the user must be "
                           "allowed to open /dev/kfd (groups render and video)"
                         : hint);
  }
  return code == success ? std::string() : "hipGetDeviceCount: " + error_text(call, code);
}

std::string architecture_of(const library& from, int ordinal, std::string& out) {
  if (from.architecture != nullptr) {
    out = from.architecture();
    return {};
  }
  std::vector<unsigned char> properties(2 * from.properties_bytes);
  const result code = from.call.get_properties(properties.data(), ordinal);
  if (code != success) return "hipGetDeviceProperties: " + error_text(from.call, code);
  const auto* const name =
      reinterpret_cast<const char*>(properties.data()) + from.architecture_name_offset;
  out.assign(name, ::strnlen(name, architecture_name_bytes));
  return out.empty() ? "the runtime does not tell its architecture" : "";
}

void identify(const library& from, int ordinal, const std::string& architecture,
              model::device_properties& p) {
  const functions& call = from.call;
  // Without what is switched on: gfx90a:sramecc+:xnack-.
  p.architecture = architecture.substr(0, architecture.find(':'));
  char name[256] = "";
  if (call.hipDeviceGetName(name, sizeof name, ordinal) == success) p.name = name;
  if (p.name.empty()) p.name = architecture;
  const bool nvidia = architecture.rfind("sm_", 0) == 0;
  p.vendor = nvidia ? "NVIDIA Corporation" : "Advanced Micro Devices, Inc.";
  p.vendor_id = nvidia ? nvidia_pci_vendor : amd_pci_vendor;
  p.driver_version =
      fmt::format("HIP {}.{}", from.version / 10000000, from.version % 10000000 / 100000);
  int slot = 0;
  if (call.hipDeviceGetAttribute(&slot, attribute_pci_device_id, ordinal) == success) {
    p.model = static_cast<std::uint32_t>(slot);  // the only number that the runtime tells
    p.model_known = true;
  }
  // Where there is none the runtime says "XX".
  p.uuid_known = call.hipDeviceGetUuid != nullptr &&
                 call.hipDeviceGetUuid(p.uuid, ordinal) == success &&
                 std::memcmp(p.uuid, "XX\0\0\0", 5) != 0;
  char address[32] = "";
  if (call.hipDeviceGetPCIBusId != nullptr &&
      call.hipDeviceGetPCIBusId(address, sizeof address, ordinal) == success)
    p.pci_address = address;
  p.backend = "hip";
  p.type = model::device_type::gpu;
}

std::string describe_memory(const functions& call, int ordinal, gpu::device_description& out) {
  const attributes of(call.hipDeviceGetAttribute, ordinal);
  model::device_properties& p = out.properties;
  std::size_t bytes = 0;
  const result code = call.hipDeviceTotalMem(&bytes, ordinal);
  if (code != success) return "hipDeviceTotalMem: " + error_text(call, code);
  p.global_memory_bytes = bytes;
  p.max_allocation_bytes = bytes;
  const std::uint64_t local = of.know(attribute_max_shared_memory_per_block, 64U << 10);
  out.max_dynamic_local_bytes = local;
  p.local_memory_bytes = local > group_scratch_bytes ? local - group_scratch_bytes : local;
  p.cache_bytes = of.know(attribute_l2_cache_size, 0);
  p.cache_line_bytes = cache_line_bytes;
  p.memory_clock_megahertz = of.know(attribute_memory_clock_rate, 0) / 1000;
  p.memory_bus_bits = of.know(attribute_memory_bus_width, 0);
  p.free_memory_known = call.hipMemGetInfo != nullptr;
  p.error_correction = of.has(attribute_ecc_enabled);
  p.usm_shared_allocations = of.has(attribute_managed_memory);
  p.usm_system_allocations = of.has(attribute_pageable_memory_access);
  return {};
}

void describe_launches(const attributes& of, gpu::device_description& out) {
  model::device_properties& p = out.properties;
  p.compute_units = of.know(attribute_multiprocessor_count, 1);
  p.clock_megahertz = of.know(attribute_clock_rate, 0) / 1000;
  p.timer_nanoseconds = timer_nanoseconds;
  p.max_work_group_size = of.know(attribute_max_threads_per_block, 1024);
  p.max_work_item_sizes[0] = of.know(attribute_max_block_dim_z, 1024);
  p.max_work_item_sizes[1] = of.know(attribute_max_block_dim_y, 1024);
  p.max_work_item_sizes[2] = of.know(attribute_max_block_dim_x, 1024);
  p.sub_group_sizes = {
      of.know(attribute_warp_size, out.architecture.rfind("gfx9", 0) == 0 ? 64 : 32)};
  out.max_parameter_bytes = PIANOLA_AMDGPU_ARGUMENT_BYTES - PIANOLA_AMDGPU_HIDDEN_BYTES;
  p.max_parameter_bytes = gpu::left_for_captures(out.max_parameter_bytes);
  const std::uint32_t groups =
      max_items / std::max<std::uint32_t>(1, static_cast<std::uint32_t>(p.max_work_group_size));
  out.max_grid[0] = std::min(groups, of.know(attribute_max_grid_dim_z, 65535));
  out.max_grid[1] = std::min(groups, of.know(attribute_max_grid_dim_y, 65535));
  out.max_grid[2] = std::min(groups, of.know(attribute_max_grid_dim_x, 0x7fffffff));
  for (int i = 0; i < 3; ++i) p.max_work_groups[i] = out.max_grid[i];
}

}  // namespace

hip_driver::opened hip_driver::open(std::string_view options) {
  const gpu::device_selection wanted = gpu::parse_device_options("hip", options);
  if (!wanted.fault.empty()) return {nullptr, wanted.fault, true};
  library loaded = load_library();
  if (!loaded.fault.empty()) return {nullptr, loaded.fault, false};

  int count = 0;
  if (std::string fault = count_devices(loaded.call, count); !fault.empty())
    return {nullptr, std::move(fault), false};
  const gpu::device_selection chosen = gpu::select_devices("hip", wanted, count);
  if (!chosen.fault.empty()) {
    const std::string hint = about_visible_devices();
    return {nullptr, chosen.fault + (hint.empty() ? std::string() : fmt::format(" ({})", hint)),
            true};
  }

  std::unique_ptr<hip_driver> driver(new hip_driver(std::move(loaded)));
  for (const int ordinal : chosen.ordinals) {
    gpu::device_description description;
    const std::string fault = driver->describe(ordinal, description);
    if (!fault.empty()) return {nullptr, fmt::format("device {}: {}", ordinal, fault), false};
    driver->ordinals_.push_back(ordinal);
    driver->descriptions_.push_back(std::move(description));
  }
  driver->in_use_.resize(driver->ordinals_.size());
  driver->find_peers();
  driver->find_capabilities();
  return {std::move(driver), {}, false};
}

std::string hip_driver::describe(int ordinal, gpu::device_description& out) const {
  if (std::string fault = architecture_of(library_, ordinal, out.architecture); !fault.empty())
    return fault;
  identify(library_, ordinal, out.architecture, out.properties);
  describe_launches(attributes(library_.call.hipDeviceGetAttribute, ordinal), out);
  return describe_memory(library_.call, ordinal, out);
}

void hip_driver::find_peers() {
  const std::size_t n = ordinals_.size();
  reaches_.assign(n, std::vector<bool>(n, false));
  gpu::find_peers(descriptions_, [&](int* reachable, std::size_t i, std::size_t j) {
    return library_.call.hipDeviceCanAccessPeer(reachable, ordinals_[i], ordinals_[j]);
  });
}

void hip_driver::find_capabilities() {
  const functions& call = library_.call;
  can_.graph_upload = call.hipGraphUpload != nullptr;
  can_.node_updates = call.hipGraphExecKernelNodeSetParams != nullptr &&
                      call.hipGraphExecMemcpyNodeSetParams1D != nullptr &&
                      call.hipGraphExecMemsetNodeSetParams != nullptr;
  // hipGraphExecUpdate is known to report success without having changed anything; no version of it is known to
  // be right.
  can_.whole_graph_updates = false;
  can_.node_priorities = false;
  can_.multi_dimensional_node_updates = false;
  can_.copies_keep_dimensions = true;  // there are nodes of two kinds
  can_.managed_memory =
      std::all_of(descriptions_.begin(), descriptions_.end(),
                  [](const auto& device) { return device.properties.usm_shared_allocations; });
  can_.child_graphs = call.hipGraphAddChildGraphNode != nullptr;
  can_.captures = call.hipStreamBeginCapture != nullptr && call.hipStreamEndCapture != nullptr;
  can_.event_nodes = call.hipGraphAddEventRecordNode != nullptr &&
                     call.hipGraphAddEventWaitNode != nullptr &&
                     call.hipGraphExecEventRecordNodeSetEvent != nullptr &&
                     call.hipGraphExecEventWaitNodeSetEvent != nullptr;
  // What is not locked is copied by the thread that launches, behind all that is in front of it.
  can_.graphs_wait_for_copies = true;
  // Runtimes go along a chain by recursion: steps of few nodes each stay far from the 20,000 that overflow a thread's stack.
  can_.longest_chain = 3000;
  // All nodes run on the device of the stream that the graph is launched on.
  can_.multi_device_graphs = false;
}

int hip_driver::suitability(std::uint32_t device, std::string_view architecture) const noexcept {
  return gpu::image_suitability(descriptions_[device].architecture, architecture);
}

int hip_driver::native_device(std::uint32_t device) const noexcept { return ordinals_[device]; }

}  // namespace pianola::hip
