// SPDX-License-Identifier: Apache-2.0
// What DPC++ tells of devices (sycl_ext_intel_device_info, version 6). A query that the device lacks the aspect of throws
// exception (errc::feature_not_supported).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/info.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace intel {
namespace info {
namespace device {

/// Bytes of the device's memory that nobody uses now, other processes neither.
struct free_memory : sycl::detail::info_descriptor<sycl::device, std::uint64_t> {};
/// Of a CPU its family, model and stepping, as CPUID has them; of a GPU what its driver tells of its place on the PCI bus.
struct device_id : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
/// MHz.
struct memory_clock_rate : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
/// Bits.
struct memory_bus_width : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
/// "0000:01:00.0", and a number that tells the device from all others.
struct pci_address : sycl::detail::info_descriptor<sycl::device, std::string> {};
struct uuid : sycl::detail::info_descriptor<sycl::device, std::array<unsigned char, 16>> {};
/// No device of Pianola has the aspects of these.
struct max_mem_bandwidth : sycl::detail::info_descriptor<sycl::device, std::uint64_t> {};
struct gpu_eu_count : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
struct gpu_eu_simd_width : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
struct gpu_slices : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
struct gpu_subslices_per_slice : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
struct gpu_eu_count_per_subslice : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};
struct gpu_hw_threads_per_eu : sycl::detail::info_descriptor<sycl::device, std::uint32_t> {};

}  // namespace device
}  // namespace info
}  // namespace intel
}  // namespace ext

namespace detail {

#define PIANOLA_INTEL_INFO(name)                                                                \
  template <>                                                                                   \
  ext::intel::info::device::name::return_type device_info<ext::intel::info::device::name>::get( \
      const device&);
PIANOLA_INTEL_INFO(free_memory)
PIANOLA_INTEL_INFO(device_id)
PIANOLA_INTEL_INFO(memory_clock_rate)
PIANOLA_INTEL_INFO(memory_bus_width)
PIANOLA_INTEL_INFO(pci_address)
PIANOLA_INTEL_INFO(uuid)
PIANOLA_INTEL_INFO(max_mem_bandwidth)
PIANOLA_INTEL_INFO(gpu_eu_count)
PIANOLA_INTEL_INFO(gpu_eu_simd_width)
PIANOLA_INTEL_INFO(gpu_slices)
PIANOLA_INTEL_INFO(gpu_subslices_per_slice)
PIANOLA_INTEL_INFO(gpu_eu_count_per_subslice)
PIANOLA_INTEL_INFO(gpu_hw_threads_per_eu)
#undef PIANOLA_INTEL_INFO

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
