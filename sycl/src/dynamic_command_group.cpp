// SPDX-License-Identifier: Apache-2.0
#include <sycl/dynamic_command_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

std::size_t dynamic_command_group::get_active_index() const {
  return ::pianola::runtime::chosen(*state_->graph, *state_->groups);
}

void dynamic_command_group::set_active_index(std::size_t index) {
  sycl::detail::translate(
      [&] { ::pianola::runtime::choose(*state_->graph, *state_->groups, index); });
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
