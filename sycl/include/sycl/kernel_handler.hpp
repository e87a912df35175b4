// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sycl {
inline namespace v1 {

/// What a kernel may take as its last parameter (SYCL 2020, 4.9). Its only use there is to read
/// specialization constants, which Pianola does not have yet.
class kernel_handler {};

}  // namespace v1
}  // namespace sycl
