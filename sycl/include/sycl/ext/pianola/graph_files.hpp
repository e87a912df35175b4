// SPDX-License-Identifier: Apache-2.0
// Recorded graphs and their plans as files. All functions throw exception (errc::invalid), with path and
// reason, if the file cannot be written.
#pragma once

#include <string>

#include <pianola/runtime/graphs.hpp>

#include <sycl/command_graph.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

using executable_graph =
    oneapi::experimental::command_graph<oneapi::experimental::graph_state::executable>;

/// The commands, as JSON (schema pianola.graph/1).
inline void write_graph(const executable_graph& graph, const std::string& path) {
  sycl::detail::translate([&] {
    ::pianola::runtime::write_graph_json(*sycl::detail::graph_access::handle(graph), path);
  });
}

/// Steps, transfers, entry contract and exit state, as JSON (schema pianola.plan/1).
inline void write_plan(const executable_graph& graph, const std::string& path) {
  sycl::detail::translate([&] {
    ::pianola::runtime::write_plan_json(*sycl::detail::graph_access::handle(graph), path);
  });
}

/// Graph and plan as a picture in the language of Graphviz.
inline void write_dot(const executable_graph& graph, const std::string& path) {
  sycl::detail::translate(
      [&] { ::pianola::runtime::write_dot(*sycl::detail::graph_access::handle(graph), path); });
}

/// The same picture drawn. Also throws if Graphviz is not installed.
inline void write_svg(const executable_graph& graph, const std::string& path) {
  sycl::detail::translate(
      [&] { ::pianola::runtime::write_svg(*sycl::detail::graph_access::handle(graph), path); });
}

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
