// SPDX-License-Identifier: Apache-2.0
// Where SYCL 1.2.1 had the interface; deprecated by SYCL 2020 in favour of <sycl/sycl.hpp>.
#pragma once

#include <sycl/sycl.hpp>

namespace cl {
// An alias: after `using namespace cl` both spellings of sycl name one namespace.
namespace sycl = ::sycl;
}  // namespace cl
