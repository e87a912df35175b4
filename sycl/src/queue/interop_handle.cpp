// SPDX-License-Identifier: Apache-2.0
#include <sycl/interop_handle.hpp>

#include <sycl/detail/translate.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

void* interop_handle::take_graph() const {
  if (access_.graph == nullptr)
    detail::throw_error(errc::invalid,
                        "interop_handle::ext_codeplay_get_native_graph: no graph is being built; "
                        "ask ext_codeplay_has_graph first");
  return detail::translate([&] { return access_.graph->take(); });
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
