// SPDX-License-Identifier: Apache-2.0
// Which devices there are and what they can do.
#include <algorithm>

#include <fmt/format.h>

#include <pianola/gpu/device_selection.hpp>
#include <pianola/gpu/driver_calls.hpp>
#include <pianola/gpu/image_suitability.hpp>

#include "cuda_driver.hpp"

namespace pianola::cuda {

namespace {

// Of the local memory that a group can have, group algorithms take this much for themselves.
constexpr std::uint64_t group_scratch_bytes = 1024;
constexpr std::uint32_t cache_line_bytes = 128;
constexpr std::uint32_t pci_vendor = 0x10de;
// Of events, as the driver documents it.
constexpr std::uint32_t timer_nanoseconds = 500;
// Streams are captured into graphs that there are.
constexpr int captures_into_driver = 12030;
// Conditional nodes with one body; with several.
constexpr int loops_driver = 12040;
constexpr int choices_driver = 12080;
constexpr int volta = 70;
constexpr int hopper = 90;

using attributes = gpu::device_attributes<attribute>;

// Returns what is wrong; empty: nothing.
std::string count_devices(const library& loaded, int& count) {
  const functions& call = loaded.call;
  result code = call.cuInit(0);
  if (code == success) code = call.cuDeviceGetCount(&count);
  if (code == no_device || (code == success && count == 0)) {
    const std::string hint = about_visible_devices();
    return "no device: NVIDIA's driver is there and shows no GPU" +
           (hint.empty() ? std::string() : "; " + hint);
  }
  if (code == success) return {};
  std::string reason = "cuInit: " + error_text(call, code);
  if (code == stub_library)
    reason += fmt::format(
        "; {} is for linking only: leave the toolkit's stubs folder out of LD_LIBRARY_PATH and "
        "PIANOLA_CUDA_DRIVER",
        loaded.path);
  else if (code == system_driver_mismatch)
    reason += "; the driver was updated: restart the machine or reload its kernel module";
  return reason;
}

std::string capability_of(const functions& call, ordinal native, int& out) {
  int parts[2] = {0, 0};
  const attribute asked[2] = {compute_capability_major, compute_capability_minor};
  for (int i = 0; i < 2; ++i)
    if (const result code = call.cuDeviceGetAttribute(&parts[i], asked[i], native); code != success)
      return fmt::format("cuDeviceGetAttribute({}): {}", fmt::underlying(asked[i]),
                         error_text(call, code));
  out = 10 * parts[0] + parts[1];
  return {};
}

void identify(const functions& call, ordinal native, int version, model::device_properties& p) {
  char name[256] = "";
  if (call.cuDeviceGetName(name, sizeof name, native) == success) p.name = name;
  if (p.name.empty()) p.name = "NVIDIA GPU";
  p.vendor = "NVIDIA Corporation";
  p.vendor_id = pci_vendor;
  p.driver_version = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  int slot = 0;
  if (call.cuDeviceGetAttribute(&slot, pci_device_id, native) == success) {
    p.model = static_cast<std::uint32_t>(slot);  // the only number that the driver tells
    p.model_known = true;
  }
  p.uuid_known = call.cuDeviceGetUuid != nullptr && call.cuDeviceGetUuid(p.uuid, native) == success;
  char address[32] = "";
  if (call.cuDeviceGetPCIBusId != nullptr &&
      call.cuDeviceGetPCIBusId(address, sizeof address, native) == success)
    p.pci_address = address;
  p.backend = "cuda";
  p.type = model::device_type::gpu;
}

std::string describe_memory(const functions& call, ordinal native, gpu::device_description& out) {
  const attributes of(call.cuDeviceGetAttribute, native);
  model::device_properties& p = out.properties;
  std::size_t bytes = 0;
  const result code = call.cuDeviceTotalMem(&bytes, native);
  if (code != success) return "cuDeviceTotalMem: " + error_text(call, code);
  p.global_memory_bytes = bytes;
  p.max_allocation_bytes = bytes;
  std::uint64_t local = of.know(max_shared_memory_per_block_optin, 0);
  if (local == 0) local = of.know(max_shared_memory_per_block, 48U << 10);
  out.max_dynamic_local_bytes = local;
  p.local_memory_bytes = local > group_scratch_bytes ? local - group_scratch_bytes : local;
  p.cache_bytes = of.know(l2_cache_size, 0);
  p.cache_line_bytes = cache_line_bytes;
  p.memory_clock_megahertz = of.know(memory_clock_rate, 0) / 1000;
  p.memory_bus_bits = of.know(memory_bus_width, 0);
  p.free_memory_known = call.cuMemGetInfo != nullptr;
  p.error_correction = of.has(ecc_enabled);
  // Without concurrent access the host must not touch managed memory while the device runs anything.
  p.usm_shared_allocations = of.has(managed_memory) && of.has(concurrent_managed_access);
  p.usm_system_allocations = of.has(pageable_memory_access);
  return {};
}

void describe_launches(const attributes& of, int version, int capability,
                       gpu::device_description& out) {
  model::device_properties& p = out.properties;
  p.compute_units = of.know(multiprocessor_count, 1);
  p.clock_megahertz = of.know(clock_rate, 0) / 1000;
  p.timer_nanoseconds = timer_nanoseconds;
  p.max_work_group_size = of.know(max_threads_per_block, 1024);
  p.max_work_item_sizes[0] = of.know(max_block_dim_z, 64);
  p.max_work_item_sizes[1] = of.know(max_block_dim_y, 1024);
  p.max_work_item_sizes[2] = of.know(max_block_dim_x, 1024);
  p.sub_group_sizes = {of.know(warp_size, 32)};
  // The limits that PTX and the driver document.
  out.max_parameter_bytes =
      version >= large_parameters_driver && capability >= volta ? 32764 : 4096;
  p.max_parameter_bytes = gpu::left_for_captures(out.max_parameter_bytes);
  out.max_grid[0] = of.know(max_grid_dim_z, 65535);
  out.max_grid[1] = of.know(max_grid_dim_y, 65535);
  out.max_grid[2] = of.know(max_grid_dim_x, 0x7fffffff);
  for (int i = 0; i < 3; ++i) p.max_work_groups[i] = out.max_grid[i];
}

}  // namespace

cuda_driver::opened cuda_driver::open(std::string_view options) {
  const gpu::device_selection wanted = gpu::parse_device_options("cuda", options);
  if (!wanted.fault.empty()) return {nullptr, wanted.fault, 1};
  library loaded = load_library();
  if (!loaded.fault.empty()) return {nullptr, loaded.fault, 0};

  int version = 0, count = 0;
  (void)loaded.call.cuDriverGetVersion(&version);
  if (std::string fault = count_devices(loaded, count); !fault.empty())
    return {nullptr, std::move(fault), 0};
  const gpu::device_selection chosen = gpu::select_devices("cuda", wanted, count);
  if (!chosen.fault.empty()) {
    const std::string hint = about_visible_devices();
    return {nullptr, chosen.fault + (hint.empty() ? std::string() : fmt::format(" ({})", hint)), 1};
  }
  bool textures = true, conditional = true;
  if (std::string fault = read_texture_choice(textures); !fault.empty())
    return {nullptr, std::move(fault), 2};
  if (std::string fault = read_conditional_choice(conditional); !fault.empty())
    return {nullptr, std::move(fault), 2};

  std::unique_ptr<cuda_driver> driver(new cuda_driver(std::move(loaded)));
  for (const int number : chosen.ordinals)
    if (const std::string fault = driver->add_device(number, version, textures); !fault.empty())
      return {nullptr, fmt::format("device {}: {}", number, fault), 0};
  driver->find_peers();
  driver->find_capabilities(version, conditional);
  return {std::move(driver), {}, 0};
}

std::string cuda_driver::add_device(int number, int version, bool textures) {
  auto state = std::make_unique<device_state>();
  gpu::device_description description;
  if (const result code = library_.call.cuDeviceGet(&state->native, number); code != success)
    return "cuDeviceGet: " + error_text(library_.call, code);
  if (std::string fault = describe(state->native, version, description, state->capability);
      !fault.empty())
    return fault;
  if (textures) state->textures = ask_for_texture_limits(state->native);
  states_.push_back(std::move(state));
  descriptions_.push_back(std::move(description));
  return {};
}

std::string cuda_driver::describe(ordinal native, int version, gpu::device_description& out,
                                  int& capability) const {
  const functions& call = library_.call;
  if (std::string fault = capability_of(call, native, capability); !fault.empty()) return fault;
  const attributes of(call.cuDeviceGetAttribute, native);
  if (of.know(unified_addressing, 1) == 0)
    return "it has no address space in common with the host (unified addressing)";
  out.architecture = library_.architecture != nullptr ? std::string(library_.architecture())
                                                      : fmt::format("sm_{}", capability);
  out.properties.architecture = out.architecture;
  identify(call, native, version, out.properties);
  describe_launches(of, version, capability, out);
  return describe_memory(call, native, out);
}

void cuda_driver::find_peers() {
  for (const auto& state : states_) state->reaches.resize(states_.size());
  gpu::find_peers(descriptions_, [&](int* reachable, std::size_t i, std::size_t j) {
    return library_.call.cuDeviceCanAccessPeer(reachable, states_[i]->native, states_[j]->native);
  });
}

void cuda_driver::find_capabilities(int version, bool conditional) {
  const functions& found = library_.call;
  can_.graph_upload = true;
  can_.node_updates = true;
  can_.whole_graph_updates = true;
  can_.node_priorities = std::all_of(states_.begin(), states_.end(), [&](const auto& device) {
    return attributes(found.cuDeviceGetAttribute, device->native).has(stream_priorities_supported);
  });
  can_.multi_dimensional_node_updates = false;  // cuGraphExecMemcpyNodeSetParams refuses
  can_.managed_memory =
      std::all_of(descriptions_.begin(), descriptions_.end(),
                  [](const auto& device) { return device.properties.usm_shared_allocations; });
  can_.child_graphs = found.cuGraphAddChildGraphNode != nullptr;
  can_.captures = found.cuStreamBeginCapture != nullptr && found.cuStreamEndCapture != nullptr;
  can_.captures_into_graphs = can_.captures && version >= captures_into_driver &&
                              found.cuStreamBeginCaptureToGraph != nullptr &&
                              found.cuStreamGetCaptureInfo_v3 != nullptr;
  can_.loops = conditional && version >= loops_driver &&
               found.cuGraphConditionalHandleCreate != nullptr &&
               found.cuGraphAddNode_v2 != nullptr;
  can_.choices = can_.loops && version >= choices_driver;
  can_.event_nodes = found.cuGraphAddEventRecordNode != nullptr &&
                     found.cuGraphAddEventWaitNode != nullptr &&
                     found.cuGraphExecEventRecordNodeSetEvent != nullptr &&
                     found.cuGraphExecEventWaitNodeSetEvent != nullptr;
  can_.multi_device_graphs = true;
}

bool cuda_driver::dependent_launch(std::uint32_t device, std::string_view image) const noexcept {
  const functions& call = library_.call;
  if (call.cuLaunchKernelEx == nullptr || call.cuGraphAddDependencies_v2 == nullptr ||
      states_[device]->capability < hopper)
    return false;
  // Test doubles' images: their kernels never overlap, so nothing need be waited for.
  if (library_.architecture != nullptr && image == library_.architecture()) return true;
  constexpr std::string_view ptx = "ptx:", machine = "sm_";
  if (image.substr(0, ptx.size()) == ptx) image.remove_prefix(ptx.size());
  if (image.substr(0, machine.size()) != machine) return false;
  int number = 0;
  for (const char c : image.substr(machine.size())) {
    if (c < '0' || c > '9') break;
    number = 10 * number + (c - '0');
  }
  return number >= hopper;
}

int cuda_driver::suitability(std::uint32_t device, std::string_view architecture) const noexcept {
  return gpu::image_suitability(descriptions_[device].architecture, architecture);
}

int cuda_driver::native_device(std::uint32_t device) const noexcept {
  return states_[device]->native;
}

void* cuda_driver::native_context(std::uint32_t device) const noexcept {
  return context_of(device);
}

}  // namespace pianola::cuda
