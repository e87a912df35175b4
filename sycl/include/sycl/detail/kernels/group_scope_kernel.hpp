// SPDX-License-Identifier: Apache-2.0
// Hierarchical kernels (SYCL 2020, 4.9.4.2.3): a work-item of the launch runs a whole work-group.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel_handler.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
// Not every kernel can be vectorised; that is no news to the user.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Launched over an nd_range with groups of one work-item, so that local accessors are the group's.
template <int Dimensions, class Kernel>
class group_scope_kernel {
 public:
  group_scope_kernel(const Kernel& kernel, const range<Dimensions>& local)
      : kernel_(kernel), local_(local) {}

  properties_of_kernel_t<Kernel> get(
      ext::oneapi::experimental::properties_tag) const;  // asked for its type only

  template <class Callee = Kernel,
            std::enable_if_t<std::is_invocable_v<const Callee&, const group<Dimensions>&>, int> = 0>
  void operator()(const nd_item<Dimensions>& it) const {
    const group<Dimensions> whole = group_at(it);
    kernel_(whole);
  }
  template <
      class Callee = Kernel,
      std::enable_if_t<std::is_invocable_v<const Callee&, const group<Dimensions>&, kernel_handler>,
                       int> = 0>
  void operator()(const nd_item<Dimensions>& it, kernel_handler constants) const {
    const group<Dimensions> whole = group_at(it);
    kernel_(whole, constants);
  }

 private:
  group<Dimensions> group_at(const nd_item<Dimensions>& it) const {
    return index_factory::make_group<Dimensions>(it.get_global_range() * local_, local_,
                                                 it.get_group().get_group_id());
  }

  Kernel kernel_;
  range<Dimensions> local_;
};

/// Throws exception (errc::nd_range) for groups without work-items.
template <int Dimensions>
void check_groups(const range<Dimensions>& groups, const range<Dimensions>& size) {
  for (int d = 0; d < Dimensions; ++d)
    if (groups[d] == 0) return;
  for (int d = 0; d < Dimensions; ++d)
    if (size[d] == 0)
      throw_error(errc::nd_range,
                  "a hierarchical kernel over a work-group without work-items; local ranges must "
                  "be at least 1");
}

/// The size of work-groups where the program gives none.
template <int Dimensions>
constexpr range<Dimensions> ones() {
  if constexpr (Dimensions == 1)
    return range<1>(1);
  else if constexpr (Dimensions == 2)
    return range<2>(1, 1);
  else
    return range<3>(1, 1, 1);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
