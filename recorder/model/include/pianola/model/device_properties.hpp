// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ids.hpp"
#include "partition.hpp"

namespace pianola::model {

enum class device_type : unsigned char { cpu, gpu, accelerator, custom };

struct device_properties {
  std::string name;
  std::string vendor;
  std::string driver_version;
  std::string backend;          // a word of backend_kind
  std::uint32_t vendor_id = 0;  // of PCI; zero: it has none
  std::string architecture;     // "x86_64", "sm_90", "gfx90a", ...; empty: not known
  std::uint32_t model = 0;      // of the maker's numbers
  bool model_known = false;
  bool uuid_known = false;
  unsigned char uuid[16] = {};  // tells it from all other devices
  std::string pci_address;      // "0000:01:00.0"; empty: not known
  device_type type = device_type::cpu;
  bool runs_host_code = false;  // its kernels are the program's own code, run by the processor
  bool emulated = false;        // it stands for a device that is not there
  memory_id memory;  // the runtime gives one to those that do not say that it is the host's
  std::uint32_t compute_units = 1;
  std::uint64_t max_work_group_size = 1024;
  std::uint64_t max_work_item_sizes[3] = {1024, 1024, 1024};
  // Of one launch, in each dimension. Programs keep them in an int: where nothing else bounds them, that does.
  std::uint64_t max_work_groups[3] = {0x7fffffff, 0x7fffffff, 0x7fffffff};
  std::vector<std::uint64_t> sub_group_sizes;
  std::uint64_t global_memory_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t max_parameter_bytes = 4096;  // of what a kernel captures
  std::uint64_t cache_bytes = 0;
  std::uint32_t cache_line_bytes = 64;
  std::uint32_t clock_megahertz = 0;
  std::uint32_t memory_clock_megahertz = 0;  // zero, here and below: not known
  std::uint32_t memory_bus_bits = 0;
  std::uint32_t timer_nanoseconds = 1;  // from one time that is told to the next
  bool error_correction = false;        // of its memory
  bool usm_device_allocations = true;
  bool usm_host_allocations = true;
  bool usm_shared_allocations = true;
  bool usm_system_allocations = false;  // any host pointer may be used in kernels
  bool host_debuggable = false;
  bool free_memory_known = false;  // backends tell how much is free
  // Into how many devices it can be split at most; zero: not at all.
  std::uint32_t max_sub_devices = 0;
  // Along which the compute units fall into several parts, `next` left out.
  std::vector<affinity_domain> affinity_domains;
  // Of a part of a device: of which, and how that was split.
  device_id parent;
  partition_property partitioned = partition_property::none;
  affinity_domain partitioned_along = affinity_domain::none;
};

}  // namespace pianola::model
