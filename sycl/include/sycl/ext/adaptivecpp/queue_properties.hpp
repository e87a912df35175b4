// SPDX-License-Identifier: Apache-2.0
// Properties of queues from AdaptiveCpp and oneAPI that are hints, or restrict what the program does with the queue.
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/exception.hpp>
#include <sycl/properties.hpp>
#include <sycl/property_list.hpp>

// AdaptiveCpp's and oneAPI's names for what a program promises or wishes of a queue.
namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace property::queue {

/// Events of the queue may wait for more than their command. Pianola's are positions in a lane, which cost nothing:
/// the property is accepted and changes nothing.
class AdaptiveCpp_coarse_grained_events {};
using hipSYCL_coarse_grained_events = AdaptiveCpp_coarse_grained_events;

/// Lower numbers come first where a device can choose; a hint, which no device of Pianola takes.
class AdaptiveCpp_priority {
 public:
  explicit AdaptiveCpp_priority(int priority) : priority_(priority) {}
  int get_priority() const { return priority_; }

 private:
  int priority_;
};
using hipSYCL_priority = AdaptiveCpp_priority;

/// Commands of the queue may be given to another device (property::command_group::AdaptiveCpp_retarget). Those of any
/// queue may: the property is accepted and changes nothing.
class AdaptiveCpp_retargetable {};

}  // namespace property::queue

namespace ext::oneapi::property::queue {

/// Hints (sycl_ext_oneapi_queue_priority), which no device of Pianola takes. The queue's constructor throws exception
/// (errc::invalid) if several are given.
class priority_normal {};
class priority_low {};
class priority_high {};

/// The program does not use the events of the queue (sycl_ext_oneapi_discard_queue_events). They are made all the same,
/// since they cost nothing. The queue's constructor throws exception (errc::invalid) if
/// property::queue::enable_profiling is given too.
class discard_events {};

}  // namespace ext::oneapi::property::queue

namespace ext::intel::property::queue {

/// Which of the driver's submission modes to use; hints for another runtime than Pianola's.
class immediate_command_list {};
class no_immediate_command_list {};

}  // namespace ext::intel::property::queue

class queue;

#define PIANOLA_QUEUE_PROPERTY(name)                                                 \
  template <>                                                                        \
  struct is_property<name> : detail::known_property<detail::property_key(#name)> {}; \
  template <>                                                                        \
  struct is_property_of<name, queue> : std::true_type {};
PIANOLA_QUEUE_PROPERTY(property::queue::AdaptiveCpp_coarse_grained_events)
PIANOLA_QUEUE_PROPERTY(property::queue::AdaptiveCpp_priority)
PIANOLA_QUEUE_PROPERTY(property::queue::AdaptiveCpp_retargetable)
PIANOLA_QUEUE_PROPERTY(ext::oneapi::property::queue::priority_normal)
PIANOLA_QUEUE_PROPERTY(ext::oneapi::property::queue::priority_low)
PIANOLA_QUEUE_PROPERTY(ext::oneapi::property::queue::priority_high)
PIANOLA_QUEUE_PROPERTY(ext::oneapi::property::queue::discard_events)
PIANOLA_QUEUE_PROPERTY(ext::intel::property::queue::immediate_command_list)
PIANOLA_QUEUE_PROPERTY(ext::intel::property::queue::no_immediate_command_list)
#undef PIANOLA_QUEUE_PROPERTY

namespace detail {

/// Throws exception (errc::invalid) if properties of a queue contradict each other.
void check_queue_properties(const property_list& given);

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
