// SPDX-License-Identifier: Apache-2.0
// What accessors need of a handler. Defined in handler.hpp, so that accessors do not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pianola/runtime/submission.hpp>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class handler;

namespace detail {

class handler_access {
 public:
  /// Binds an accessor to the command group.
  static void add(handler& group, const pianola::runtime::accessor_request& request);
  /// Reserves local memory; returns its offset in bytes in the work-group's arena.
  static std::uint64_t add_local(handler& group, std::size_t bytes, std::size_t alignment);
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
