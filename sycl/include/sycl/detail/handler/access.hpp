// SPDX-License-Identifier: Apache-2.0
// What accessors need of a handler. Defined in handler.hpp, so that accessors do not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pianola/runtime/submission.hpp>

#include <sycl/detail/mode.hpp>

namespace pianola::glue {
template <class Kernel>
struct kernel_with_constants;
}

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class context;
class device;
class handler;

namespace detail {

class queue_state;

/// A node of a graph that is being added, and what its command group may want to know of the graph.
struct node_place : pianola::runtime::graph_place {
  const context* of_context = nullptr;
  const device* of_device = nullptr;
};

class handler_access {
 public:
  /// For kernels that something else calls. Values must be set before.
  template <class Kernel>
  static pianola::glue::kernel_with_constants<Kernel> with_constants(handler& group,
                                                                     const Kernel& kernel);

  /// Binds an accessor to the command group.
  static void add(handler& group, const pianola::runtime::accessor_request& request);
  /// One that is still to be filled in.
  static pianola::runtime::accessor_request& add(handler& group);
  /// For an accessor of the command group.
  static std::uint64_t next_cookie(handler& group) noexcept;
  /// Reserves local memory; returns its offset in bytes in the work-group's arena.
  static std::uint64_t add_local(handler& group, std::size_t bytes, std::size_t alignment);

  static pianola::runtime::submission& submission_of(handler& group) noexcept;
  /// Null if the command group is not one of a queue.
  static const queue_state* queue_of(const handler& group) noexcept;
  /// A command that does nothing. Throws exception (errc::invalid) if the group has a command.
  static void set_empty(handler& group);
  /// Calls the command group with a handler of the submission.
  template <class CommandGroup>
  static void call(pianola::runtime::submission& submission, CommandGroup&& group);
  /// Sets the command of the group, a kernel; its geometry is the caller's to fill in. Throws exception
  /// (errc::invalid) if the group has a command.
  template <class KernelName, class Shape, class Kernel>
  static pianola::model::kernel_command& launch(handler& group, const Kernel& kernel);
  /// Sets a further kernel, which follows the group's command.
  template <class KernelName, class Shape, class Kernel>
  static pianola::model::kernel_command& launch_next(pianola::runtime::submission& next,
                                                     const Kernel& kernel);
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
