// SPDX-License-Identifier: Apache-2.0
// Which architecture a device has (sycl_ext_oneapi_device_architecture), for the host; kernels cannot ask.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>

// Each family but for its first, in the order of its enumerators, which is part of the interface.
// clang-format off
#define PIANOLA_INTEL_GPUS(WORD) \
  WORD(skl) WORD(kbl) WORD(cfl) WORD(apl) WORD(glk) WORD(whl) WORD(aml) WORD(cml) WORD(icllp) \
  WORD(ehl) WORD(tgllp) WORD(rkl) WORD(adl_s) WORD(adl_p) WORD(adl_n) WORD(dg1) WORD(acm_g10) WORD(acm_g11) \
  WORD(acm_g12) WORD(pvc) WORD(pvc_vg) WORD(mtl_u) WORD(mtl_h) WORD(arl_h) WORD(bmg_g21) WORD(bmg_g31) \
  WORD(lnl_m) WORD(ptl_h) WORD(ptl_u) WORD(wcl)
#define PIANOLA_NVIDIA_GPUS(WORD) \
  WORD(52) WORD(53) WORD(60) WORD(61) WORD(62) WORD(70) WORD(72) WORD(75) WORD(80) WORD(86) WORD(87) \
  WORD(89) WORD(90) WORD(90a) WORD(100) WORD(101) WORD(103) WORD(120) WORD(121)
#define PIANOLA_AMD_GPUS(WORD) \
  WORD(701) WORD(702) WORD(801) WORD(802) WORD(803) WORD(805) WORD(810) WORD(900) WORD(902) WORD(904) \
  WORD(906) WORD(908) WORD(909) WORD(90a) WORD(90c) WORD(940) WORD(941) WORD(942) WORD(950) WORD(1010) \
  WORD(1011) WORD(1012) WORD(1013) WORD(1030) WORD(1031) WORD(1032) WORD(1033) WORD(1034) WORD(1035) WORD(1036) \
  WORD(1100) WORD(1101) WORD(1102) WORD(1103) WORD(1150) WORD(1151) WORD(1152) WORD(1153) WORD(1200) WORD(1201)
// clang-format on

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

/// Within a family later ones are greater. Of CPUs only x86_64 is ever told; Pianola has no Intel GPUs.
enum class architecture : std::uint32_t {
  unknown,
  x86_64 = 0x100,
  intel_cpu_spr,
  intel_cpu_gnr,
  intel_cpu_dmr,
  intel_gpu_bdw = 0x200,
#define PIANOLA_ARCHITECTURE(name) intel_gpu_##name,
  PIANOLA_INTEL_GPUS(PIANOLA_ARCHITECTURE)
#undef PIANOLA_ARCHITECTURE
      nvidia_gpu_sm_50 = 0x300,
#define PIANOLA_ARCHITECTURE(name) nvidia_gpu_sm_##name,
  PIANOLA_NVIDIA_GPUS(PIANOLA_ARCHITECTURE)
#undef PIANOLA_ARCHITECTURE
      amd_gpu_gfx700 = 0x400,
#define PIANOLA_ARCHITECTURE(name) amd_gpu_gfx##name,
  PIANOLA_AMD_GPUS(PIANOLA_ARCHITECTURE)
#undef PIANOLA_ARCHITECTURE
      intel_gpu_bxt = intel_gpu_apl,
  intel_gpu_jsl = intel_gpu_ehl,
  intel_gpu_rpl_s = intel_gpu_adl_s,
  intel_gpu_dg2_g10 = intel_gpu_acm_g10,
  intel_gpu_dg2_g11 = intel_gpu_acm_g11,
  intel_gpu_dg2_g12 = intel_gpu_acm_g12,
  intel_gpu_mtl_s = intel_gpu_mtl_u,
  intel_gpu_arl_u = intel_gpu_mtl_u,
  intel_gpu_arl_s = intel_gpu_mtl_u,
  intel_gpu_8_0_0 = intel_gpu_bdw,
  intel_gpu_9_0_9 = intel_gpu_skl,
  intel_gpu_9_1_9 = intel_gpu_kbl,
  intel_gpu_9_2_9 = intel_gpu_cfl,
  intel_gpu_9_3_0 = intel_gpu_apl,
  intel_gpu_9_4_0 = intel_gpu_glk,
  intel_gpu_9_5_0 = intel_gpu_whl,
  intel_gpu_9_6_0 = intel_gpu_aml,
  intel_gpu_9_7_0 = intel_gpu_cml,
  intel_gpu_11_0_0 = intel_gpu_icllp,
  intel_gpu_11_2_0 = intel_gpu_ehl,
  intel_gpu_12_0_0 = intel_gpu_tgllp,
  intel_gpu_12_1_0 = intel_gpu_rkl,
  intel_gpu_12_2_0 = intel_gpu_adl_s,
  intel_gpu_12_3_0 = intel_gpu_adl_p,
  intel_gpu_12_4_0 = intel_gpu_adl_n,
  intel_gpu_12_10_0 = intel_gpu_dg1,
  intel_gpu_12_55_8 = intel_gpu_acm_g10,
  intel_gpu_12_56_5 = intel_gpu_acm_g11,
  intel_gpu_12_57_0 = intel_gpu_acm_g12,
  intel_gpu_12_60_7 = intel_gpu_pvc,
  intel_gpu_12_61_7 = intel_gpu_pvc_vg,
  intel_gpu_12_70_4 = intel_gpu_mtl_u,
  intel_gpu_12_71_4 = intel_gpu_mtl_h,
  intel_gpu_12_74_4 = intel_gpu_arl_h,
  intel_gpu_20_1_4 = intel_gpu_bmg_g21,
  intel_gpu_20_4_4 = intel_gpu_lnl_m
};

enum class arch_category : std::uint32_t { intel_gpu = 2, nvidia_gpu, amd_gpu };

namespace info {
namespace device {
struct architecture : sycl::detail::info_descriptor<sycl::device, experimental::architecture> {};
}  // namespace device
}  // namespace info
}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

/// "sm_90" and "gfx90a" are GPUs, whoever drives them; unknown for what has no enumerator.
ext::oneapi::experimental::architecture architecture_named(const char* name) noexcept;

template <>
ext::oneapi::experimental::architecture
device_info<ext::oneapi::experimental::info::device::architecture>::get(const device&);

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
