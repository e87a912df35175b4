// SPDX-License-Identifier: Apache-2.0
// Which devices there are and what they can do.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

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

}  // namespace

hip_driver::opened hip_driver::open(std::string_view options) {
  const gpu::device_selection wanted = gpu::parse_device_options("hip", options);
  if (!wanted.fault.empty()) return {nullptr, wanted.fault, true};
  library loaded = load_library();
  if (!loaded.fault.empty()) return {nullptr, loaded.fault, false};

  int count = 0;
  result code = loaded.call.hipGetDeviceCount(&count);
  // Without a device runtimes say either of these.
  if (code == no_device || code == invalid_device || (code == success && count == 0)) {
    const std::string hint = about_visible_devices();
    return {nullptr,
            "no device: the HIP runtime is there and shows no GPU; " +
                (hint.empty() ? "the amdgpu kernel driver must be loaded, and the user must be "
                                "allowed to open /dev/kfd (groups render and video)"
                              : hint),
            false};
  }
  if (code != success)
    return {nullptr, "hipGetDeviceCount: " + error_text(loaded.call, code), false};
  const gpu::device_selection chosen = gpu::select_devices("hip", wanted, count);
  if (!chosen.fault.empty()) {
    const std::string hint = about_visible_devices();
    return {nullptr, chosen.fault + (hint.empty() ? std::string() : " (" + hint + ")"), true};
  }

  std::unique_ptr<hip_driver> driver(new hip_driver(std::move(loaded)));
  const functions& call = driver->library_.call;
  bool managed = true;
  for (const int ordinal : chosen.ordinals) {
    gpu::device_description description;
    const std::string fault = driver->describe(ordinal, description);
    if (!fault.empty()) return {nullptr, fmt::format("device {}: {}", ordinal, fault), false};
    managed = managed && description.properties.usm_shared_allocations;
    driver->ordinals_.push_back(ordinal);
    driver->descriptions_.push_back(std::move(description));
  }
  for (std::size_t i = 0; i < driver->ordinals_.size(); ++i)
    for (std::size_t j = 0; j < driver->ordinals_.size(); ++j) {
      int reachable = 0;
      if (i != j && call.hipDeviceCanAccessPeer(&reachable, driver->ordinals_[i],
                                                driver->ordinals_[j]) != success)
        reachable = 0;
      driver->descriptions_[i].peers.push_back(reachable != 0);
    }
  driver->in_use_.resize(driver->ordinals_.size());
  driver->reaches_.assign(driver->ordinals_.size(),
                          std::vector<bool>(driver->ordinals_.size(), false));
  driver->can_.graph_upload = call.hipGraphUpload != nullptr;
  driver->can_.node_updates = call.hipGraphExecKernelNodeSetParams != nullptr &&
                              call.hipGraphExecMemcpyNodeSetParams1D != nullptr &&
                              call.hipGraphExecMemsetNodeSetParams != nullptr;
  // hipGraphExecUpdate is known to report success without having changed anything; no version of it is known to
  // be right.
  driver->can_.whole_graph_updates = false;
  driver->can_.node_priorities = false;
  driver->can_.multi_dimensional_node_updates = false;
  driver->can_.copies_keep_dimensions = true;  // there are nodes of two kinds
  driver->can_.managed_memory = managed;
  driver->can_.child_graphs = call.hipGraphAddChildGraphNode != nullptr;
  driver->can_.captures =
      call.hipStreamBeginCapture != nullptr && call.hipStreamEndCapture != nullptr;
  driver->can_.event_nodes = call.hipGraphAddEventRecordNode != nullptr &&
                             call.hipGraphAddEventWaitNode != nullptr &&
                             call.hipGraphExecEventRecordNodeSetEvent != nullptr &&
                             call.hipGraphExecEventWaitNodeSetEvent != nullptr;
  // All nodes run on the device of the stream that the graph is launched on.
  driver->can_.multi_device_graphs = false;
  return {std::move(driver), {}, false};
}

std::string hip_driver::describe(int ordinal, gpu::device_description& out) const {
  const functions& call = library_.call;
  // What a runtime does not know of is what every device has that images are made for.
  const auto know = [&](attribute what, std::uint32_t otherwise) {
    int value = 0;
    return call.hipDeviceGetAttribute(&value, what, ordinal) == success
               ? static_cast<std::uint32_t>(value)
               : otherwise;
  };
  // What a device does not know of it does not have.
  const auto has = [&](attribute what) {
    int value = 0;
    return call.hipDeviceGetAttribute(&value, what, ordinal) == success && value != 0;
  };

  if (library_.architecture != nullptr) {
    out.architecture = library_.architecture();
  } else {
    std::vector<unsigned char> properties(2 * library_.properties_bytes);
    const result code = call.get_properties(properties.data(), ordinal);
    if (code != success) return "hipGetDeviceProperties: " + error_text(call, code);
    const auto* const name =
        reinterpret_cast<const char*>(properties.data()) + library_.architecture_name_offset;
    out.architecture.assign(name, ::strnlen(name, architecture_name_bytes));
    if (out.architecture.empty()) return "the runtime does not tell its architecture";
  }

  model::device_properties& p = out.properties;
  // Without what is switched on: gfx90a:sramecc+:xnack-.
  p.architecture = out.architecture.substr(0, out.architecture.find(':'));
  char name[256] = "";
  if (call.hipDeviceGetName(name, sizeof name, ordinal) == success) p.name = name;
  if (p.name.empty()) p.name = out.architecture;
  const bool nvidia = out.architecture.rfind("sm_", 0) == 0;
  p.vendor = nvidia ? "NVIDIA Corporation" : "Advanced Micro Devices, Inc.";
  p.vendor_id = nvidia ? nvidia_pci_vendor : amd_pci_vendor;
  p.driver_version =
      fmt::format("HIP {}.{}", library_.version / 10000000, library_.version % 10000000 / 100000);
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
  p.compute_units = know(attribute_multiprocessor_count, 1);
  p.max_work_group_size = know(attribute_max_threads_per_block, 1024);
  p.max_work_item_sizes[0] = know(attribute_max_block_dim_z, 1024);
  p.max_work_item_sizes[1] = know(attribute_max_block_dim_y, 1024);
  p.max_work_item_sizes[2] = know(attribute_max_block_dim_x, 1024);
  p.sub_group_sizes = {know(attribute_warp_size, out.architecture.rfind("gfx9", 0) == 0 ? 64 : 32)};
  std::size_t bytes = 0;
  const result code = call.hipDeviceTotalMem(&bytes, ordinal);
  if (code != success) return "hipDeviceTotalMem: " + error_text(call, code);
  p.global_memory_bytes = bytes;
  p.max_allocation_bytes = bytes;
  const std::uint64_t local = know(attribute_max_shared_memory_per_block, 64U << 10);
  out.max_dynamic_local_bytes = local;
  p.local_memory_bytes = local > group_scratch_bytes ? local - group_scratch_bytes : local;
  p.cache_bytes = know(attribute_l2_cache_size, 0);
  p.cache_line_bytes = cache_line_bytes;
  p.clock_megahertz = know(attribute_clock_rate, 0) / 1000;
  p.memory_clock_megahertz = know(attribute_memory_clock_rate, 0) / 1000;
  p.memory_bus_bits = know(attribute_memory_bus_width, 0);
  p.free_memory_known = call.hipMemGetInfo != nullptr;
  p.timer_nanoseconds = timer_nanoseconds;
  p.error_correction = has(attribute_ecc_enabled);
  p.usm_shared_allocations = has(attribute_managed_memory);
  p.usm_system_allocations = has(attribute_pageable_memory_access);

  out.max_parameter_bytes = 4096;
  p.max_parameter_bytes = gpu::left_for_captures(out.max_parameter_bytes);
  const std::uint32_t groups =
      max_items / std::max<std::uint32_t>(1, static_cast<std::uint32_t>(p.max_work_group_size));
  out.max_grid[0] = std::min(groups, know(attribute_max_grid_dim_z, 65535));
  out.max_grid[1] = std::min(groups, know(attribute_max_grid_dim_y, 65535));
  out.max_grid[2] = std::min(groups, know(attribute_max_grid_dim_x, 0x7fffffff));
  for (int i = 0; i < 3; ++i) p.max_work_groups[i] = out.max_grid[i];
  return {};
}

int hip_driver::suitability(std::uint32_t device, std::string_view architecture) const noexcept {
  return gpu::image_suitability(descriptions_[device].architecture, architecture);
}

int hip_driver::native_device(std::uint32_t device) const noexcept { return ordinals_[device]; }

}  // namespace pianola::hip
