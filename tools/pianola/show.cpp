// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "executable_file.hpp"
#include "machine.hpp"
#include "parts.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

namespace {

std::string rendered(const show_request& request, const planner::graph_view& graph,
                     const model::topology& topology, const std::optional<planner::plan>& plan) {
  if (request.how == show_request::form::text) {
    std::string text = planner::to_text(graph, topology, request.limit);
    if (plan) text += planner::to_text(graph, *plan, topology, request.limit);
    return text;
  }
  planner::dot_options options;
  options.maximum_nodes = request.limit;
  std::string dot =
      plan ? planner::to_dot(graph, *plan, topology, options) : planner::to_dot(graph, options);
  return request.how == show_request::form::dot ? dot : planner::svg_from_dot(dot);
}

// "after PASS:" and what is known then, unless it is the same as before.
class pass_log final : public planner::pass_observer {
 public:
  pass_log(const planner::graph_view& graph, std::size_t limit) : graph_(graph), limit_(limit) {}
  void after(std::string_view pass, const std::string& text) override {
    text_ += "after " + std::string(pass) + (text == last_ ? ": the same\n" : ":\n" + text);
    last_ = text;
  }
  [[nodiscard]] const char* label_of(model::buffer_id id) const override {
    return graph_.buffer_label(id);
  }
  [[nodiscard]] std::size_t maximum() const override { return limit_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  const planner::graph_view& graph_;
  std::size_t limit_;
  std::string text_, last_;
};

std::string planned(const show_request& request, const planner::graph_view& graph,
                    const model::topology& topology) {
  pass_log log(graph, request.limit);
  planner::options options;
  options.observer = &log;
  static_cast<void>(planner::make_plan(graph.commands(), graph.buffers(), topology, options));
  return log.text();
}

}  // namespace

namespace {

void put_out(const show_request& request, const std::string& text) {
  if (request.output.empty())
    print(text);
  else
    formats::write_file(request.output, text);
}

std::string text_of(const show_request& request, const executable_file& file) {
  if (!request.plan.empty())
    throw model::user_error(model::error_code::invalid,
                            formats::one_line(request.graph) +
                                ": an executable graph has a plan of its own; name no other one");
  const planner::graph_view graph(file.graph);
  std::string text = request.how == show_request::form::text ? file.summary : std::string();
  text += rendered(request, graph, file.topology, file.plan);
  if (request.passes) text += planned(request, graph, file.topology);
  return text;
}

}  // namespace

int show(const show_request& request) {
  if (const auto executable = open_executable(request.graph)) {
    put_out(request, text_of(request, *executable));
    return exit_good;
  }
  const recorder::loaded_graph loaded = recorder::load_graph(request.graph);
  const model::topology machine = machine_for(loaded, request.topology);
  std::optional<opened_plan> opened;
  if (!request.plan.empty()) opened = open_plan(request.plan, loaded.graph, machine);
  const planner::graph_view graph =
      opened ? opened->view(loaded.graph) : planner::graph_view(loaded.graph);
  std::optional<planner::plan> plan;
  if (opened) plan = std::move(opened->plan);
  std::string text = rendered(request, graph, machine, plan);
  if (request.passes) text += planned(request, graph, machine);
  put_out(request, text);
  return exit_good;
}

}  // namespace pianola::tool
