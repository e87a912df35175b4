// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::tool {

// What `plan` makes of the graph of a file, for the machine of another one (empty: for its own). Errors of planning know no
// files: model::user_error is thrown with both before its reason.
template <class F>
auto planned_from(const std::string& graph, const std::string& topology, F&& plan) {
  try {
    return std::forward<F>(plan)();
  } catch (const model::user_error& e) {
    throw model::user_error(
        e.code(), formats::one_line(graph) + ": the graph cannot be planned for " +
                      (topology.empty() ? "its own machine" : formats::one_line(topology)) + ": " +
                      e.what());
  }
}

}  // namespace pianola::tool
