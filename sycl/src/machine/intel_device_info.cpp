// SPDX-License-Identifier: Apache-2.0
// sycl_ext_intel_device_info.
#include <array>
#include <string>

#include <fmt/format.h>

#include <pianola/model/aspects.hpp>
#include <pianola/model/vocabulary.hpp>
#include <pianola/runtime/devices.hpp>

#include <sycl/detail/translate.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/intel/device_info.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

namespace {

void require(const device& d, aspect needed) {
  if (d.has(needed)) return;
  throw_error(errc::feature_not_supported,
              fmt::format("device::get_info: '{}' does not have aspect::{}, which this query "
                          "needs; ask device::has first",
                          device_access::properties(d).name,
                          pianola::model::name_of(static_cast<pianola::model::aspect>(needed))));
}

}  // namespace

// `d` is the device, `p` its properties.
#define PIANOLA_INTEL_INFO(name, needed, ...)                                                     \
  template <>                                                                                     \
  ext::intel::info::device::name::return_type device_info<ext::intel::info::device::name>::get(   \
      const device& d) {                                                                          \
    require(d, aspect::needed);                                                                   \
    [[maybe_unused]] const pianola::runtime::device_properties& p = device_access::properties(d); \
    __VA_ARGS__                                                                                   \
  }
PIANOLA_INTEL_INFO(free_memory, ext_intel_free_memory, return translate([&] {
                     return pianola::runtime::free_memory(device_access::id(d));
                   });)
PIANOLA_INTEL_INFO(device_id, ext_intel_device_id, return p.model;)
PIANOLA_INTEL_INFO(memory_clock_rate, ext_intel_memory_clock_rate, return p.memory_clock_megahertz;)
PIANOLA_INTEL_INFO(memory_bus_width, ext_intel_memory_bus_width, return p.memory_bus_bits;)
PIANOLA_INTEL_INFO(pci_address, ext_intel_pci_address, return p.pci_address;)
PIANOLA_INTEL_INFO(uuid, ext_intel_device_info_uuid, return std::to_array(p.uuid);)
// Refused above.
PIANOLA_INTEL_INFO(max_mem_bandwidth, ext_intel_max_mem_bandwidth, return {};)
PIANOLA_INTEL_INFO(gpu_eu_count, ext_intel_gpu_eu_count, return {};)
PIANOLA_INTEL_INFO(gpu_eu_simd_width, ext_intel_gpu_eu_simd_width, return {};)
PIANOLA_INTEL_INFO(gpu_slices, ext_intel_gpu_slices, return {};)
PIANOLA_INTEL_INFO(gpu_subslices_per_slice, ext_intel_gpu_subslices_per_slice, return {};)
PIANOLA_INTEL_INFO(gpu_eu_count_per_subslice, ext_intel_gpu_eu_count_per_subslice, return {};)
PIANOLA_INTEL_INFO(gpu_hw_threads_per_eu, ext_intel_gpu_hw_threads_per_eu, return {};)
#undef PIANOLA_INTEL_INFO

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
