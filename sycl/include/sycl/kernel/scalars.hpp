// SPDX-License-Identifier: Apache-2.0
// Names of scalar types (SYCL 2020, 4.14.1) and of OpenCL's (the backend specification for OpenCL).
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/half.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Deprecated by SYCL 2020: std::byte or unsigned char.
using byte = std::uint8_t;

using schar = signed char;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
using longlong = long long;
using ulonglong = unsigned long long;

namespace opencl {

using cl_bool = bool;
using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_float = float;
using cl_double = double;
using cl_half = half;

}  // namespace opencl

// Deprecated by SYCL 2020: those of namespace opencl.
using opencl::cl_bool;
using opencl::cl_char;
using opencl::cl_double;
using opencl::cl_float;
using opencl::cl_half;
using opencl::cl_int;
using opencl::cl_long;
using opencl::cl_short;
using opencl::cl_uchar;
using opencl::cl_uint;
using opencl::cl_ulong;
using opencl::cl_ushort;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
