// SPDX-License-Identifier: Apache-2.0
#include <sycl/buffer_extensions.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

property_list policies(bool view, bool writes_back, bool blocks) {
  namespace policy = ext::pianola::property::buffer;
  return {policy::uses_external_storage(view), policy::writes_back(writes_back),
          policy::destructor_blocks(blocks)};
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
