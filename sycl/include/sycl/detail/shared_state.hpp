// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// What the copies of an object share (SYCL 2020, 4.5.2). To move one is to copy it: an object that was moved from can
/// be used as before.
template <class T>
class shared_state : public std::shared_ptr<T> {
 public:
  shared_state() = default;
  shared_state(std::shared_ptr<T> state) noexcept : std::shared_ptr<T>(std::move(state)) {}
  shared_state(const shared_state&) noexcept = default;
  shared_state& operator=(const shared_state&) noexcept = default;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
