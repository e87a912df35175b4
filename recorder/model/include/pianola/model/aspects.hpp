// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "device_properties.hpp"
#include "vocabulary.hpp"

namespace pianola::model {

// sycl::aspect has the same words and values. Sets of aspects are masks with a bit for each.
// clang-format off
#define PIANOLA_ASPECTS(WORD) \
  WORD(cpu) \
  WORD(gpu) \
  WORD(accelerator) \
  WORD(custom) \
  WORD(emulated) \
  WORD(host_debuggable) \
  WORD(fp16) \
  WORD(fp64) \
  WORD(atomic64) \
  WORD(image) \
  WORD(online_compiler) \
  WORD(online_linker) \
  WORD(queue_profiling) \
  WORD(usm_device_allocations) \
  WORD(usm_host_allocations) \
  WORD(usm_atomic_host_allocations) \
  WORD(usm_shared_allocations) \
  WORD(usm_atomic_shared_allocations) \
  WORD(usm_system_allocations) \
  WORD(ext_oneapi_limited_graph) \
  WORD(ext_oneapi_graph) \
  WORD(ext_oneapi_async_memory_alloc) \
  WORD(ext_oneapi_clock_sub_group) \
  WORD(ext_oneapi_clock_work_group) \
  WORD(ext_oneapi_clock_device) \
  WORD(ext_intel_pci_address) \
  WORD(ext_oneapi_is_composite) \
  WORD(ext_oneapi_is_component) \
  WORD(ext_intel_gpu_eu_count) \
  WORD(ext_intel_gpu_eu_simd_width) \
  WORD(ext_intel_gpu_slices) \
  WORD(ext_intel_gpu_subslices_per_slice) \
  WORD(ext_intel_gpu_eu_count_per_subslice) \
  WORD(ext_intel_gpu_hw_threads_per_eu) \
  WORD(ext_intel_max_mem_bandwidth) \
  WORD(ext_intel_device_info_uuid) \
  WORD(ext_intel_free_memory) \
  WORD(ext_intel_device_id) \
  WORD(ext_intel_memory_clock_rate) \
  WORD(ext_intel_memory_bus_width) \
  WORD(ext_intel_matrix)
// clang-format on

enum class aspect : std::uint8_t { PIANOLA_ASPECTS(PIANOLA_ENUMERATOR) };
PIANOLA_VOCABULARY(aspect, PIANOLA_ASPECTS)
inline constexpr unsigned aspect_count = word_count<aspect>;

constexpr std::uint64_t bit_of(aspect a) { return std::uint64_t{1} << static_cast<unsigned>(a); }

// What a device has; all others are those that no device of this library has. Half-precision numbers are converted to single precision where a device has none.
// Compiling and linking at run time fix the values of specialization constants.
inline std::uint64_t aspects_of(const device_properties& p) {
  std::uint64_t all = bit_of(aspect::fp16) | bit_of(aspect::fp64) | bit_of(aspect::atomic64) |
                      bit_of(aspect::online_compiler) | bit_of(aspect::online_linker) |
                      bit_of(aspect::queue_profiling) | bit_of(aspect::ext_oneapi_limited_graph) |
                      bit_of(aspect::ext_oneapi_graph) | bit_of(aspect::image) |
                      bit_of(aspect::ext_oneapi_clock_sub_group) |
                      bit_of(aspect::ext_oneapi_clock_work_group);
  const auto add = [&](bool has, aspect a) { all |= has ? bit_of(a) : 0; };
  add(p.type == device_type::cpu, aspect::cpu);
  add(p.type == device_type::gpu, aspect::gpu);
  add(p.type == device_type::accelerator, aspect::accelerator);
  add(p.type == device_type::custom, aspect::custom);
  add(p.emulated, aspect::emulated);
  add(p.host_debuggable, aspect::host_debuggable);
  add(p.usm_device_allocations, aspect::usm_device_allocations);
  add(p.usm_device_allocations, aspect::ext_oneapi_async_memory_alloc);
  // One clock for all work-items: processors have it, multiprocessors of a GPU have one each.
  add(p.runs_host_code, aspect::ext_oneapi_clock_device);
  add(p.free_memory_known, aspect::ext_intel_free_memory);
  add(p.model_known, aspect::ext_intel_device_id);
  add(p.uuid_known, aspect::ext_intel_device_info_uuid);
  add(!p.pci_address.empty(), aspect::ext_intel_pci_address);
  add(p.memory_clock_megahertz != 0, aspect::ext_intel_memory_clock_rate);
  add(p.memory_bus_bits != 0, aspect::ext_intel_memory_bus_width);
  add(p.usm_host_allocations, aspect::usm_host_allocations);
  add(p.usm_host_allocations && p.runs_host_code, aspect::usm_atomic_host_allocations);
  add(p.usm_shared_allocations, aspect::usm_shared_allocations);
  add(p.usm_shared_allocations && p.runs_host_code, aspect::usm_atomic_shared_allocations);
  add(p.usm_system_allocations, aspect::usm_system_allocations);
  return all;
}

}  // namespace pianola::model
