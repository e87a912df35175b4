// SPDX-License-Identifier: Apache-2.0
#include <sycl/kernel_id.hpp>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

kernel_id find_kernel_id(const void* name, const char* readable) {
  const pianola::runtime::kernel_registration* const found = pianola::runtime::find_kernel(name);
  if (found == nullptr)
    throw_error(errc::invalid,
                fmt::format("get_kernel_id: the program has no kernel named '{}'; a name is given "
                            "where the kernel is launched, as in parallel_for<name>(...)",
                            readable));
  return kernel_id_access::make(*found);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

std::vector<kernel_id> get_kernel_ids() {
  std::vector<kernel_id> all;
  for (const pianola::runtime::kernel_registration* k : pianola::runtime::registered_kernels())
    all.push_back(detail::kernel_id_access::make(*k));
  return all;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
