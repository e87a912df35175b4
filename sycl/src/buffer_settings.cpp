// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/buffer_settings.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
