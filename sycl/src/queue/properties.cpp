// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/adaptivecpp/queue_properties.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

void check_queue_properties(const property_list& given) {
  namespace oneapi = ext::oneapi::property::queue;
  namespace intel = ext::intel::property::queue;
  if (given.empty()) return;
  const int priorities = given.has_property<oneapi::priority_low>() +
                         given.has_property<oneapi::priority_normal>() +
                         given.has_property<oneapi::priority_high>();
  if (priorities > 1)
    throw_error(errc::invalid, "queue: several priorities are given; give one at most");
  if (given.has_property<oneapi::discard_events>() &&
      given.has_property<property::queue::enable_profiling>())
    throw_error(errc::invalid,
                "queue: discard_events and enable_profiling contradict each other: times are asked "
                "of events");
  if (given.has_property<intel::immediate_command_list>() &&
      given.has_property<intel::no_immediate_command_list>())
    throw_error(
        errc::invalid,
        "queue: immediate_command_list and no_immediate_command_list contradict each other");
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
