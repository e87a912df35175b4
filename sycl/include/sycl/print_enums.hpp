// SPDX-License-Identifier: Apache-2.0
// Enumerators as text. A program that prints includes <ostream> itself.
#pragma once

#include <iosfwd>

#include <pianola/model/aspects.hpp>

#include <sycl/aspect.hpp>
#include <sycl/backend.hpp>
#include <sycl/detail/kernels/bundle_data.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/exception.hpp>
#include <sycl/image/image_sampler.hpp>
#include <sycl/info.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/rounding_mode.hpp>
#include <sycl/usm.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

#define PIANOLA_NAME(enumerator) \
  case type::enumerator:         \
    return #enumerator;

const char* enumerator_name(backend b) noexcept;
inline const char* enumerator_name(aspect a) noexcept {
  const char* const name = pianola::model::name_of(static_cast<pianola::model::aspect>(a));
  return name == nullptr ? "unknown" : name;
}
inline const char* enumerator_name(errc e) noexcept {
  using type = errc;
  switch (e) {
    PIANOLA_NAME(success)
    PIANOLA_NAME(runtime)
    PIANOLA_NAME(kernel)
    PIANOLA_NAME(accessor)
    PIANOLA_NAME(nd_range)
    PIANOLA_NAME(event)
    PIANOLA_NAME(kernel_argument)
    PIANOLA_NAME(build)
    PIANOLA_NAME(invalid)
    PIANOLA_NAME(memory_allocation)
    PIANOLA_NAME(platform)
    PIANOLA_NAME(profiling)
    PIANOLA_NAME(feature_not_supported)
    PIANOLA_NAME(kernel_not_supported)
    PIANOLA_NAME(backend_mismatch)
  }
  return "unknown";
}
inline const char* enumerator_name(bundle_state s) noexcept {
  using type = bundle_state;
  switch (s) {
    PIANOLA_NAME(input)
    PIANOLA_NAME(object)
    PIANOLA_NAME(executable)
  }
  return "unknown";
}
inline const char* enumerator_name(usm::alloc a) noexcept {
  const char* const name = pianola::model::name_of(static_cast<pianola::model::usm_kind>(a));
  return name == nullptr ? "unknown" : name;
}
inline const char* enumerator_name(memory_order o) noexcept {
  using type = memory_order;
  switch (o) {
    PIANOLA_NAME(relaxed)
    PIANOLA_NAME(acquire)
    PIANOLA_NAME(release)
    PIANOLA_NAME(acq_rel)
    PIANOLA_NAME(seq_cst)
  }
  return "unknown";
}
inline const char* enumerator_name(memory_scope s) noexcept {
  using type = memory_scope;
  switch (s) {
    PIANOLA_NAME(work_item)
    PIANOLA_NAME(sub_group)
    PIANOLA_NAME(work_group)
    PIANOLA_NAME(device)
    PIANOLA_NAME(system)
  }
  return "unknown";
}
inline const char* enumerator_name(access_mode m) noexcept {
  using type = access_mode;
  switch (m) {
    PIANOLA_NAME(read)
    PIANOLA_NAME(write)
    PIANOLA_NAME(read_write)
    PIANOLA_NAME(discard_write)
    PIANOLA_NAME(discard_read_write)
    PIANOLA_NAME(atomic)
  }
  return "unknown";
}
inline const char* enumerator_name(target t) noexcept {
  using type = target;
  switch (t) {
    PIANOLA_NAME(device)
    PIANOLA_NAME(host_task)
    PIANOLA_NAME(constant_buffer)
    PIANOLA_NAME(local)
    PIANOLA_NAME(host_buffer)
    PIANOLA_NAME(image)
    PIANOLA_NAME(host_image)
    PIANOLA_NAME(image_array)
  }
  return "unknown";
}
inline const char* enumerator_name(access::address_space s) noexcept {
  using type = access::address_space;
  switch (s) {
    PIANOLA_NAME(global_space)
    PIANOLA_NAME(local_space)
    PIANOLA_NAME(constant_space)
    PIANOLA_NAME(private_space)
    PIANOLA_NAME(generic_space)
  }
  return "unknown";
}
inline const char* enumerator_name(access::decorated d) noexcept {
  using type = access::decorated;
  switch (d) {
    PIANOLA_NAME(no)
    PIANOLA_NAME(yes)
    PIANOLA_NAME(legacy)
  }
  return "unknown";
}
inline const char* enumerator_name(rounding_mode m) noexcept {
  using type = rounding_mode;
  switch (m) {
    PIANOLA_NAME(automatic)
    PIANOLA_NAME(rte)
    PIANOLA_NAME(rtz)
    PIANOLA_NAME(rtp)
    PIANOLA_NAME(rtn)
  }
  return "unknown";
}
inline const char* enumerator_name(addressing_mode m) noexcept {
  using type = addressing_mode;
  switch (m) {
    PIANOLA_NAME(mirrored_repeat)
    PIANOLA_NAME(repeat)
    PIANOLA_NAME(clamp_to_edge)
    PIANOLA_NAME(clamp)
    PIANOLA_NAME(none)
  }
  return "unknown";
}
inline const char* enumerator_name(filtering_mode m) noexcept {
  using type = filtering_mode;
  switch (m) {
    PIANOLA_NAME(nearest)
    PIANOLA_NAME(linear)
  }
  return "unknown";
}
inline const char* enumerator_name(coordinate_normalization_mode m) noexcept {
  using type = coordinate_normalization_mode;
  switch (m) {
    PIANOLA_NAME(normalized)
    PIANOLA_NAME(unnormalized)
  }
  return "unknown";
}
inline const char* enumerator_name(info::device_type t) noexcept {
  using type = info::device_type;
  switch (t) {
    PIANOLA_NAME(cpu)
    PIANOLA_NAME(gpu)
    PIANOLA_NAME(accelerator)
    PIANOLA_NAME(custom)
    PIANOLA_NAME(automatic)
    PIANOLA_NAME(host)
    PIANOLA_NAME(all)
  }
  return "unknown";
}
inline const char* enumerator_name(info::event_command_status s) noexcept {
  using type = info::event_command_status;
  switch (s) {
    PIANOLA_NAME(submitted)
    PIANOLA_NAME(running)
    PIANOLA_NAME(complete)
    PIANOLA_NAME(ext_oneapi_unknown)
  }
  return "unknown";
}
inline const char* enumerator_name(info::partition_property p) noexcept {
  using type = info::partition_property;
  switch (p) {
    PIANOLA_NAME(no_partition)
    PIANOLA_NAME(partition_equally)
    PIANOLA_NAME(partition_by_counts)
    PIANOLA_NAME(partition_by_affinity_domain)
  }
  return "unknown";
}
inline const char* enumerator_name(info::partition_affinity_domain d) noexcept {
  using type = info::partition_affinity_domain;
  switch (d) {
    PIANOLA_NAME(not_applicable)
    PIANOLA_NAME(numa)
    PIANOLA_NAME(L4_cache)
    PIANOLA_NAME(L3_cache)
    PIANOLA_NAME(L2_cache)
    PIANOLA_NAME(L1_cache)
    PIANOLA_NAME(next_partitionable)
  }
  return "unknown";
}
inline const char* enumerator_name(info::local_mem_type t) noexcept {
  using type = info::local_mem_type;
  switch (t) {
    PIANOLA_NAME(none)
    PIANOLA_NAME(local)
    PIANOLA_NAME(global)
  }
  return "unknown";
}
inline const char* enumerator_name(info::global_mem_cache_type t) noexcept {
  using type = info::global_mem_cache_type;
  switch (t) {
    PIANOLA_NAME(none)
    PIANOLA_NAME(read_only)
    PIANOLA_NAME(read_write)
  }
  return "unknown";
}
inline const char* enumerator_name(info::fp_config c) noexcept {
  using type = info::fp_config;
  switch (c) {
    PIANOLA_NAME(denorm)
    PIANOLA_NAME(inf_nan)
    PIANOLA_NAME(round_to_nearest)
    PIANOLA_NAME(round_to_zero)
    PIANOLA_NAME(round_to_inf)
    PIANOLA_NAME(fma)
    PIANOLA_NAME(correctly_rounded_divide_sqrt)
    PIANOLA_NAME(soft_float)
  }
  return "unknown";
}
inline const char* enumerator_name(info::execution_capability c) noexcept {
  using type = info::execution_capability;
  switch (c) {
    PIANOLA_NAME(exec_kernel)
    PIANOLA_NAME(exec_native_kernel)
  }
  return "unknown";
}
#undef PIANOLA_NAME

}  // namespace detail

// Every enumeration is found where it is declared, and so are these.
#define PIANOLA_PRINT(type)                                                           \
  template <class Traits>                                                             \
  std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, \
                                               type value) {                          \
    return out << sycl::detail::enumerator_name(value);                               \
  }
PIANOLA_PRINT(backend)
PIANOLA_PRINT(aspect)
PIANOLA_PRINT(errc)
PIANOLA_PRINT(bundle_state)
PIANOLA_PRINT(memory_order)
PIANOLA_PRINT(memory_scope)
PIANOLA_PRINT(access_mode)
PIANOLA_PRINT(target)
PIANOLA_PRINT(rounding_mode)
PIANOLA_PRINT(addressing_mode)
PIANOLA_PRINT(filtering_mode)
PIANOLA_PRINT(coordinate_normalization_mode)
namespace access {
PIANOLA_PRINT(address_space)
PIANOLA_PRINT(decorated)
}  // namespace access
namespace usm {
PIANOLA_PRINT(alloc)
}  // namespace usm
namespace info {
PIANOLA_PRINT(device_type)
PIANOLA_PRINT(event_command_status)
PIANOLA_PRINT(partition_property)
PIANOLA_PRINT(partition_affinity_domain)
PIANOLA_PRINT(local_mem_type)
PIANOLA_PRINT(global_mem_cache_type)
PIANOLA_PRINT(fp_config)
PIANOLA_PRINT(execution_capability)
}  // namespace info
#undef PIANOLA_PRINT

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
