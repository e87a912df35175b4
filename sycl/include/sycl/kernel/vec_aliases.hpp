// SPDX-License-Identifier: Apache-2.0
// float4 and the like (SYCL 2020, 4.14.2.2).
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/scalars.hpp>
#include <sycl/kernel/vec.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

#define PIANOLA_VEC_ALIASES(name, ...) \
  using name##2 = vec<__VA_ARGS__, 2>; \
  using name##3 = vec<__VA_ARGS__, 3>; \
  using name##4 = vec<__VA_ARGS__, 4>; \
  using name##8 = vec<__VA_ARGS__, 8>; \
  using name##16 = vec<__VA_ARGS__, 16>;

PIANOLA_VEC_ALIASES(char, std::int8_t)
PIANOLA_VEC_ALIASES(uchar, std::uint8_t)
PIANOLA_VEC_ALIASES(short, std::int16_t)
PIANOLA_VEC_ALIASES(ushort, std::uint16_t)
PIANOLA_VEC_ALIASES(int, std::int32_t)
PIANOLA_VEC_ALIASES(uint, std::uint32_t)
PIANOLA_VEC_ALIASES(long, std::int64_t)
PIANOLA_VEC_ALIASES(ulong, std::uint64_t)
PIANOLA_VEC_ALIASES(half, half)
PIANOLA_VEC_ALIASES(float, float)
PIANOLA_VEC_ALIASES(double, double)

// SYCL 1.2.1 had these too.
PIANOLA_VEC_ALIASES(schar, signed char)
PIANOLA_VEC_ALIASES(longlong, long long)
PIANOLA_VEC_ALIASES(ulonglong, unsigned long long)
PIANOLA_VEC_ALIASES(cl_char, cl_char)
PIANOLA_VEC_ALIASES(cl_uchar, cl_uchar)
PIANOLA_VEC_ALIASES(cl_short, cl_short)
PIANOLA_VEC_ALIASES(cl_ushort, cl_ushort)
PIANOLA_VEC_ALIASES(cl_int, cl_int)
PIANOLA_VEC_ALIASES(cl_uint, cl_uint)
PIANOLA_VEC_ALIASES(cl_long, cl_long)
PIANOLA_VEC_ALIASES(cl_ulong, cl_ulong)
PIANOLA_VEC_ALIASES(cl_half, cl_half)
PIANOLA_VEC_ALIASES(cl_float, cl_float)
PIANOLA_VEC_ALIASES(cl_double, cl_double)
#undef PIANOLA_VEC_ALIASES

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
