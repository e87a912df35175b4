// SPDX-License-Identifier: Apache-2.0
#include "view/served_graph.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "command_line/whole_number.hpp"
#include "inputs/opened_graph.hpp"
#include "outputs/explanation.hpp"

namespace pianola::tool {

namespace {

http_answer plain(unsigned status, std::string_view reason) {
  http_answer a;
  a.status = status;
  a.body = std::make_shared<const std::string>(formats::one_line(reason) + "\n");
  return a;
}

// Another one when somebody has written one of the files, as far as that is seen without reading them.
std::string state_of(const page_files& files) {
  std::vector<std::string> paths = files_for_graph(files.graph);
  for (const std::string* const p : {&files.plan, &files.topology})
    if (!p->empty()) paths.push_back(*p);
  std::string all;
  for (const std::string& path : paths) {
    struct stat s = {};
    if (::stat(path.c_str(), &s) != 0) s = {};
    for (const std::int64_t n :
         {static_cast<std::int64_t>(s.st_dev), static_cast<std::int64_t>(s.st_ino),
          static_cast<std::int64_t>(s.st_size), static_cast<std::int64_t>(s.st_mtim.tv_sec),
          static_cast<std::int64_t>(s.st_mtim.tv_nsec)})
      all += fmt::format("{} ", n);
  }
  return formats::hex(std::hash<std::string>()(all));
}

// Of a query: "name=value", and the rest after the next "&".
struct word {
  std::string_view name, value;
};
word next_word(std::string_view& query) {
  const std::size_t end = std::min(query.find('&'), query.size());
  const std::string_view text = query.substr(0, end);
  query.remove_prefix(std::min(end + 1, query.size()));
  const std::size_t equals = std::min(text.find('='), text.size());
  return {text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
}

// "c12"
std::optional<model::command_id> command_of(std::string_view text) {
  if (text.empty() || text.front() != 'c') return std::nullopt;
  const auto number = whole_number<std::uint32_t>(text.substr(1));
  return number ? std::optional(model::command_id(*number)) : std::nullopt;
}

std::optional<question> question_of(const word& w, const planner::plan& plan) {
  if (w.name == "node") {
    if (const auto command = command_of(w.value)) return *command;
  } else if (w.name == "edge") {
    const std::size_t dash = std::min(w.value.find('-'), w.value.size());
    const auto from = command_of(w.value.substr(0, dash));
    const auto to = command_of(w.value.substr(std::min(dash + 1, w.value.size())));
    if (from && to) return asked_edge{*from, *to};
  } else if (w.name == "transfer") {
    if (const auto step = whole_number<std::uint64_t>(w.value))
      return model::step_id(plan.first_step + *step);
  }
  return std::nullopt;
}

}  // namespace

struct served_graph::loaded {
  loaded(const page_files& files, const std::string& state)
      : planned(open_planned(files.graph, files.plan, files.topology, kernel_costs::as_recorded)),
        graph(planned.view()),
        of(graph, planned.plan, planned.machine, planner::explainer::usual_effort,
           planned.planned_here) {
    require_right(planned, files.plan.empty() ? files.graph : files.plan);
    page = std::make_shared<const std::string>(graph_page(planned, files, state));
  }

  const planned_graph planned;
  const planner::graph_view graph;
  const planner::explainer of;
  std::shared_ptr<const std::string> page;
};

served_graph::served_graph(page_files files) : files_(std::move(files)) {
  static_cast<void>(now());
}
served_graph::~served_graph() = default;

const served_graph::loaded& served_graph::now() {
  // Before they are read: what is written meanwhile is read the next time.
  const std::string state = state_of(files_);
  if (loaded_ && state == state_) return *loaded_;
  loaded_.reset();
  loaded_ = std::make_unique<const loaded>(files_, state);
  state_ = state;
  return *loaded_;
}

http_answer served_graph::page() { return {200, "text/html; charset=utf-8", now().page}; }

http_answer served_graph::explanation(std::string_view query) {
  const loaded& is = now();
  std::optional<question> asked;
  unsigned questions = 0;
  while (!query.empty()) {
    const word w = next_word(query);
    if (w.name != "page") {
      asked = question_of(w, is.planned.plan);
      ++questions;
    } else if (w.value != state_) {
      return plain(409, "the files have changed since this page was made: load it again");
    }
  }
  if (!asked || questions != 1)
    return plain(400, "one of node=c12, edge=c3-c12 and transfer=7 can be asked for");
  try {
    return {200, "application/json",
            std::make_shared<const std::string>(explained_json(*asked, is.of))};
  } catch (const model::user_error& e) {
    return plain(400, e.what());
  }
}

}  // namespace pianola::tool
