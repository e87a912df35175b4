// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "inputs/planned_graph.hpp"

namespace pianola::tool {

// What a page is made of, as the command line names it.
struct page_files {
  std::string graph;     // or an executable graph
  std::string plan;      // empty: one is made here
  std::string topology;  // empty: the graph's
};

// What a page of these files shows, as page_data writes it. The plan has to be right, as it is simulated. `served`: see
// page_content.
[[nodiscard]] std::string graph_content(const planned_graph& p, const page_files& files,
                                        const std::string& served = {});

// The page of them.
[[nodiscard]] std::string graph_page(const planned_graph& p, const page_files& files,
                                     const std::string& served = {});

}  // namespace pianola::tool
