// SPDX-License-Identifier: Apache-2.0
// What one launch of a graph puts in the place of a parameter (sycl/ext/pianola/graph_parameter.hpp).
#pragma once

#include <pianola/runtime/graph_parameters.hpp>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

/// Made by assigning to a graph_parameter, for queue::ext_oneapi_graph and handler::ext_oneapi_graph. Keeps nothing alive:
/// what it names has to be there when the graph is submitted, and memory until the launch has run.
class graph_argument {
 public:
  explicit graph_argument(const ::pianola::runtime::parameter_value& value) noexcept
      : value_(value) {}
  const ::pianola::runtime::parameter_value& get() const noexcept { return value_; }

 private:
  ::pianola::runtime::parameter_value value_;
};

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
