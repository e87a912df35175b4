// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// A kernel argument of which a compiler at run time may make a constant (AdaptiveCpp). Pianola has none: it is the value.
template <class T>
class specialized {
 public:
  specialized() = default;
  specialized(const T& value) : value_(value) {}
  operator T() const { return value_; }

 private:
  T value_{};
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
