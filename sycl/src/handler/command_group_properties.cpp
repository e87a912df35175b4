// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/adaptivecpp/command_group_properties.hpp>

#include <cstddef>
#include <cstdint>
#include <variant>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {

void apply_before(pianola::runtime::submission& s, const property_list& properties) {
  namespace group = property::command_group;
  if (properties.has_property<group::AdaptiveCpp_retarget>())
    s.device =
        device_access::id(properties.get_property<group::AdaptiveCpp_retarget>().get_device());
  if (properties.has_property<group::AdaptiveCpp_prefer_execution_lane>())
    s.preferred_lane = static_cast<std::uint32_t>(
        properties.get_property<group::AdaptiveCpp_prefer_execution_lane>().get_lane() % 0x10000);
}

template <int Dimensions>
static void wish_for_groups(pianola::model::launch_geometry& geometry,
                            const property_list& properties) {
  using wish = property::command_group::AdaptiveCpp_prefer_group_size<Dimensions>;
  if (geometry.dimensions != Dimensions || !properties.has_property<wish>()) return;
  const range<Dimensions> size = properties.get_property<wish>().get_range();
  if (size.size() == 0)
    throw_error(errc::invalid, fmt::format("AdaptiveCpp_prefer_group_size: {} has an extent of "
                                           "zero; every extent must be positive",
                                           to_text(size)));
  geometry.local = to_extent3(size);
}

void apply_after(pianola::runtime::submission& s, const property_list& properties) {
  auto* kernel = std::get_if<pianola::model::kernel_command>(&s.payload);
  if (kernel == nullptr || kernel->geometry.grouped) return;
  wish_for_groups<1>(kernel->geometry, properties);
  wish_for_groups<2>(kernel->geometry, properties);
  wish_for_groups<3>(kernel->geometry, properties);
}

}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
