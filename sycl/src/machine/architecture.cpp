// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_device_architecture.
#include <cstdint>
#include <cstring>

#include <sycl/ext/oneapi/experimental/device_architecture.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

namespace {

using ext::oneapi::experimental::architecture;

struct named_architecture {
  const char* name;
  architecture value;
};

constexpr named_architecture named[] = {{"x86_64", architecture::x86_64},
                                        {"sm_50", architecture::nvidia_gpu_sm_50},
                                        {"gfx700", architecture::amd_gpu_gfx700},
#define PIANOLA_ARCHITECTURE(name) {"sm_" #name, architecture::nvidia_gpu_sm_##name},
                                        PIANOLA_NVIDIA_GPUS(PIANOLA_ARCHITECTURE)
#undef PIANOLA_ARCHITECTURE
#define PIANOLA_ARCHITECTURE(name) {"gfx" #name, architecture::amd_gpu_gfx##name},
                                            PIANOLA_AMD_GPUS(PIANOLA_ARCHITECTURE)
#undef PIANOLA_ARCHITECTURE
};

}  // namespace

architecture architecture_named(const char* name) noexcept {
  for (const named_architecture& one : named)
    if (std::strcmp(one.name, name) == 0) return one.value;
  return architecture::unknown;
}

template <>
architecture device_info<ext::oneapi::experimental::info::device::architecture>::get(
    const device& d) {
  return architecture_named(device_access::properties(d).architecture.c_str());
}

}  // namespace detail

bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::architecture which) const {
  return get_info<ext::oneapi::experimental::info::device::architecture>() == which;
}

bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category category) const {
  const auto mine = get_info<ext::oneapi::experimental::info::device::architecture>();
  return static_cast<std::uint32_t>(mine) >> 8 == static_cast<std::uint32_t>(category);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
