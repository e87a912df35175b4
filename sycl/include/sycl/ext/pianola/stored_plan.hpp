// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::graph {

/// For command_graph::finalize: a file of format pianola.plan/1, or a folder with such files, as PIANOLA_RECORD,
/// ext::pianola::write_plan and `pianola plan` write them. The plan that was made for this graph is used instead of a new
/// one, if graph, machine and kernels are what it was made for and it is right; else a line of the log tells why not.
/// PIANOLA_PLAN does the same for all graphs that are finalized without this property. finalize throws exception
/// (errc::invalid) if the file cannot be read or is no plan.
class plan {
 public:
  explicit plan(std::string path) : path_(std::move(path)) {}
  const std::string& get_path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace ext::pianola::property::graph

template <>
struct is_property<ext::pianola::property::graph::plan>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::plan")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
