// SPDX-License-Identifier: Apache-2.0
// Properties of one command group, for queue::submit(property_list, command group): AdaptiveCpp's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include <pianola/model/command.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/detail/buffer/view.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace property::command_group {

/// The command runs on this device instead of the queue's. Order, waiting and errors stay the queue's.
class AdaptiveCpp_retarget {
 public:
  AdaptiveCpp_retarget(const device& d) : device_(d) {}
  device get_device() const { return device_; }

 private:
  device device_;
};
using hipSYCL_retarget = AdaptiveCpp_retarget;

/// The work-groups that a parallel_for over a range of as many dimensions is cut into where the device has to; the
/// backend chooses if it cannot run them. On processors there are none.
template <int Dimensions>
class AdaptiveCpp_prefer_group_size {
 public:
  AdaptiveCpp_prefer_group_size(range<Dimensions> size) : size_(size) {}
  range<Dimensions> get_range() const { return size_; }

 private:
  range<Dimensions> size_;
};
template <int Dimensions>
using hipSYCL_prefer_group_size = AdaptiveCpp_prefer_group_size<Dimensions>;

/// Commands of equal numbers go to the same of the device's lanes (streams), counted modulo how many it has. Not for
/// recorded commands, whose lanes the planner chooses with the whole graph in view.
class AdaptiveCpp_prefer_execution_lane {
 public:
  AdaptiveCpp_prefer_execution_lane(std::size_t lane) : lane_(lane) {}
  std::size_t get_lane() const { return lane_; }

 private:
  std::size_t lane_;
};
using hipSYCL_prefer_execution_lane = AdaptiveCpp_prefer_execution_lane;

/// As the queue's property of this name: accepted, and changes nothing.
class AdaptiveCpp_coarse_grained_events {};
using hipSYCL_coarse_grained_events = AdaptiveCpp_coarse_grained_events;

}  // namespace property::command_group

template <>
struct is_property<property::command_group::AdaptiveCpp_retarget>
    : detail::known_property<detail::property_key(
          "property::command_group::AdaptiveCpp_retarget")> {};
template <int Dimensions>
struct is_property<property::command_group::AdaptiveCpp_prefer_group_size<Dimensions>>
    : detail::known_property<detail::property_key(
          "property::command_group::AdaptiveCpp_prefer_group_size", Dimensions)> {};
template <>
struct is_property<property::command_group::AdaptiveCpp_prefer_execution_lane>
    : detail::known_property<detail::property_key(
          "property::command_group::AdaptiveCpp_prefer_execution_lane")> {};
template <>
struct is_property<property::command_group::AdaptiveCpp_coarse_grained_events>
    : detail::known_property<detail::property_key(
          "property::command_group::AdaptiveCpp_coarse_grained_events")> {};

namespace detail {

/// What the handler must know while the command group runs.
void apply_before(pianola::runtime::submission& s, const property_list& properties);

/// What belongs to the command that the command group has set.
void apply_after(pianola::runtime::submission& s, const property_list& properties);

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
