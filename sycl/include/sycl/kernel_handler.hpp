// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// What a kernel may take as its last parameter (SYCL 2020, 4.9). Its only use there is to read
/// specialization constants, which Pianola does not have yet.
class kernel_handler {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
