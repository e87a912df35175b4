// SPDX-License-Identifier: Apache-2.0
#include <sycl/device_selector.hpp>

#include <utility>
#include <vector>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {

int aspect_selector_function::operator()(const device& d) const {
  for (const aspect a : required_)
    if (!d.has(a)) return -1;
  for (const aspect a : denied_)
    if (d.has(a)) return -1;
  return default_selector_function()(d);
}

aspect_selector_function::aspect_selector_function(std::vector<aspect> required,
                                                   std::vector<aspect> denied)
    : required_(std::move(required)), denied_(std::move(denied)) {}

}  // namespace detail

detail::aspect_selector_function aspect_selector(const std::vector<aspect>& required,
                                                 const std::vector<aspect>& denied) {
  return {required, denied};
}

namespace detail {

int default_selector_function::operator()(const device& d) const {
  return d == device() ? 1000 : 1;
}

}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
