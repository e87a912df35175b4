// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "view/graph_page.hpp"
#include "view/http_server.hpp"

namespace pianola::tool {

// What `pianola view --serve` answers: the page of files as they are now, and what would help, tried by planning again. For
// one thread at a time.
class served_graph {
 public:
  // Throws model::user_error (invalid) if the files are not sound, do not fit, or hold a plan that is not right.
  explicit served_graph(page_files files);
  served_graph(const served_graph&) = delete;
  served_graph& operator=(const served_graph&) = delete;
  ~served_graph();

  // These throw as well while the files are not sound.
  [[nodiscard]] http_answer page();
  // "node=c12", "edge=c3-c12" or "transfer=7", as the page calls them: what `pianola explain --json` says of it. With
  // "&page=" and what the page says of itself, the answer is that of this page or none (409). Status 400 if it makes no
  // sense.
  [[nodiscard]] http_answer explanation(std::string_view query);

 private:
  struct loaded;
  // What the files hold; read again if they have changed.
  const loaded& now();

  const page_files files_;
  std::string state_;  // of the files when they were read
  std::unique_ptr<const loaded> loaded_;
};

}  // namespace pianola::tool
