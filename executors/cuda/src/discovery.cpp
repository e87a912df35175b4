// SPDX-License-Identifier: Apache-2.0
// Which devices there are and what they can do.
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
// Conditional nodes with one body; with several.
constexpr int loops_driver = 12040;
constexpr int choices_driver = 12080;
constexpr int volta = 70;
constexpr int hopper = 90;

}  // namespace

cuda_driver::opened cuda_driver::open(std::string_view options) {
  const gpu::device_selection wanted = gpu::parse_device_options("cuda", options);
  if (!wanted.fault.empty()) return {nullptr, wanted.fault, 1};
  library loaded = load_library();
  if (!loaded.fault.empty()) return {nullptr, loaded.fault, 0};
  const functions& call = loaded.call;

  int version = 0;
  (void)call.cuDriverGetVersion(&version);
  int count = 0;
  result code = call.cuInit(0);
  if (code == success) code = call.cuDeviceGetCount(&count);
  if (code == no_device || (code == success && count == 0)) {
    const std::string hint = about_visible_devices();
    return {nullptr,
            "no device: NVIDIA's driver is there and shows no GPU" +
                (hint.empty() ? std::string() : "; " + hint),
            0};
  }
  if (code != success) {
    std::string reason = "cuInit: " + error_text(call, code);
    if (code == stub_library)
      reason += "; " + loaded.path +
                " is for linking only: leave the toolkit's stubs folder out of LD_LIBRARY_PATH and "
                "PIANOLA_CUDA_DRIVER";
    else if (code == system_driver_mismatch)
      reason += "; the driver was updated: restart the machine or reload its kernel module";
    return {nullptr, reason, 0};
  }
  const gpu::device_selection chosen = gpu::select_devices("cuda", wanted, count);
  if (!chosen.fault.empty()) {
    const std::string hint = about_visible_devices();
    return {nullptr, chosen.fault + (hint.empty() ? std::string() : " (" + hint + ")"), 1};
  }

  bool textures = true;
  if (std::string fault = read_texture_choice(textures); !fault.empty())
    return {nullptr, std::move(fault), 2};

  bool conditional = true;
  if (std::string fault = read_conditional_choice(conditional); !fault.empty())
    return {nullptr, std::move(fault), 2};

  std::unique_ptr<cuda_driver> driver(new cuda_driver(std::move(loaded)));
  bool priorities = true, managed = true;
  for (const int number : chosen.ordinals) {
    auto state = std::make_unique<device_state>();
    gpu::device_description description;
    code = driver->library_.call.cuDeviceGet(&state->native, number);
    std::string fault = code != success ? "cuDeviceGet: " + error_text(driver->library_.call, code)
                                        : driver->describe(state->native, version, description);
    if (!fault.empty()) return {nullptr, fmt::format("device {}: {}", number, fault), 0};
    int major = 0, minor = 0;
    (void)driver->library_.call.cuDeviceGetAttribute(&major, compute_capability_major,
                                                     state->native);
    (void)driver->library_.call.cuDeviceGetAttribute(&minor, compute_capability_minor,
                                                     state->native);
    state->capability = 10 * major + minor;
    if (textures) state->textures = driver->ask_for_texture_limits(state->native);
    const auto ask = [&](attribute what) {
      int value = 0;
      return driver->library_.call.cuDeviceGetAttribute(&value, what, state->native) == success &&
             value != 0;
    };
    priorities = priorities && ask(stream_priorities_supported);
    managed = managed && description.properties.usm_shared_allocations;
    driver->states_.push_back(std::move(state));
    driver->descriptions_.push_back(std::move(description));
  }
  for (const auto& state : driver->states_) state->reaches.resize(driver->states_.size());
  for (std::size_t i = 0; i < driver->states_.size(); ++i)
    for (std::size_t j = 0; j < driver->states_.size(); ++j) {
      int reachable = 0;
      if (i != j &&
          driver->library_.call.cuDeviceCanAccessPeer(&reachable, driver->states_[i]->native,
                                                      driver->states_[j]->native) != success)
        reachable = 0;
      driver->descriptions_[i].peers.push_back(reachable != 0);
    }
  driver->can_.graph_upload = true;
  driver->can_.node_updates = true;
  driver->can_.whole_graph_updates = true;
  driver->can_.node_priorities = priorities;
  driver->can_.multi_dimensional_node_updates = false;  // cuGraphExecMemcpyNodeSetParams refuses
  driver->can_.managed_memory = managed;
  driver->can_.child_graphs = driver->library_.call.cuGraphAddChildGraphNode != nullptr;
  const functions& found = driver->library_.call;
  driver->can_.captures =
      found.cuStreamBeginCapture != nullptr && found.cuStreamEndCapture != nullptr;
  driver->can_.loops = conditional && version >= loops_driver &&
                       found.cuGraphConditionalHandleCreate != nullptr &&
                       found.cuGraphAddNode_v2 != nullptr;
  driver->can_.choices = driver->can_.loops && version >= choices_driver;
  driver->can_.event_nodes = found.cuGraphAddEventRecordNode != nullptr &&
                             found.cuGraphAddEventWaitNode != nullptr &&
                             found.cuGraphExecEventRecordNodeSetEvent != nullptr &&
                             found.cuGraphExecEventWaitNodeSetEvent != nullptr;
  driver->can_.multi_device_graphs = true;
  return {std::move(driver), {}, 0};
}

std::string cuda_driver::describe(ordinal native, int version, gpu::device_description& out) const {
  const functions& call = library_.call;
  std::string fault;
  const auto ask = [&](attribute what) {
    int value = 0;
    const result code = call.cuDeviceGetAttribute(&value, what, native);
    if (code != success && fault.empty())
      fault = fmt::format("cuDeviceGetAttribute({}): {}", fmt::underlying(what),
                          error_text(call, code));
    return static_cast<std::uint32_t>(value);
  };
  // What a driver does not know of is what every device has that images are made for, or none of it.
  const auto know = [&](attribute what, std::uint32_t otherwise) {
    int value = 0;
    return call.cuDeviceGetAttribute(&value, what, native) == success
               ? static_cast<std::uint32_t>(value)
               : otherwise;
  };
  const int capability =
      static_cast<int>(10 * ask(compute_capability_major) + ask(compute_capability_minor));
  if (fault.empty() && know(unified_addressing, 1) == 0)
    fault = "it has no address space in common with the host (unified addressing)";
  if (!fault.empty()) return fault;

  model::device_properties& p = out.properties;
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
  p.compute_units = know(multiprocessor_count, 1);
  p.max_work_group_size = know(max_threads_per_block, 1024);
  p.max_work_item_sizes[0] = know(max_block_dim_z, 64);
  p.max_work_item_sizes[1] = know(max_block_dim_y, 1024);
  p.max_work_item_sizes[2] = know(max_block_dim_x, 1024);
  p.sub_group_sizes = {know(warp_size, 32)};
  std::size_t bytes = 0;
  const result code = call.cuDeviceTotalMem(&bytes, native);
  if (code != success) return "cuDeviceTotalMem: " + error_text(call, code);
  p.global_memory_bytes = bytes;
  p.max_allocation_bytes = bytes;
  std::uint64_t local = know(max_shared_memory_per_block_optin, 0);
  if (local == 0) local = know(max_shared_memory_per_block, 48U << 10);
  out.max_dynamic_local_bytes = local;
  p.local_memory_bytes = local > group_scratch_bytes ? local - group_scratch_bytes : local;
  p.cache_bytes = know(l2_cache_size, 0);
  p.cache_line_bytes = cache_line_bytes;
  p.clock_megahertz = know(clock_rate, 0) / 1000;
  p.memory_clock_megahertz = know(memory_clock_rate, 0) / 1000;
  p.memory_bus_bits = know(memory_bus_width, 0);
  p.free_memory_known = call.cuMemGetInfo != nullptr;
  p.timer_nanoseconds = timer_nanoseconds;
  p.error_correction = know(ecc_enabled, 0) != 0;
  // Without concurrent access the host must not touch managed memory while the device runs anything.
  p.usm_shared_allocations =
      know(managed_memory, 0) != 0 && know(concurrent_managed_access, 0) != 0;
  p.usm_system_allocations = know(pageable_memory_access, 0) != 0;

  out.architecture = library_.architecture != nullptr ? std::string(library_.architecture())
                                                      : fmt::format("sm_{}", capability);
  p.architecture = out.architecture;
  // The limits that PTX and the driver document.
  out.max_parameter_bytes =
      version >= large_parameters_driver && capability >= volta ? 32764 : 4096;
  p.max_parameter_bytes = gpu::left_for_captures(out.max_parameter_bytes);
  out.max_grid[0] = know(max_grid_dim_z, 65535);
  out.max_grid[1] = know(max_grid_dim_y, 65535);
  out.max_grid[2] = know(max_grid_dim_x, 0x7fffffff);
  for (int i = 0; i < 3; ++i) p.max_work_groups[i] = out.max_grid[i];
  return fault;
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
