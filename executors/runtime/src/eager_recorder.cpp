// SPDX-License-Identifier: Apache-2.0
#include "eager_recorder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <pianola/formats/file.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "core.hpp"
#include "executable.hpp"
#include "graph_files.hpp"
#include "log.hpp"
#include "submit.hpp"

namespace pianola::runtime {

std::unique_ptr<eager_recorder> eager_recorder::from_environment(const model::topology& topology) {
  const char* directory = std::getenv("PIANOLA_RECORD");
  if (directory == nullptr || *directory == '\0') return nullptr;
  if (mkdir(directory, 0777) != 0 && errno != EEXIST)
    throw model::user_error(model::error_code::invalid,
                            std::string("PIANOLA_RECORD='") + directory +
                                "': cannot make the directory: " + std::strerror(errno));
  struct stat info{};
  if (stat(directory, &info) != 0 || !S_ISDIR(info.st_mode) || access(directory, W_OK) != 0)
    throw model::user_error(model::error_code::invalid,
                            std::string("PIANOLA_RECORD='") + directory +
                                "' is not a directory that can be written to");
  return std::make_unique<eager_recorder>(directory, topology);
}

eager_recorder::eager_recorder(std::string directory, const model::topology& topology)
    : directory_(std::move(directory)), topology_(topology) {}

void eager_recorder::record(core& c, const model::command& command, model::step_id step) {
  model::command copy = command;
  std::vector<model::requirement> requirements(command.requirements.begin(),
                                               command.requirements.end());
  for (auto& r : requirements) {
    const buffer_entry& b = c.buffers[r.buffer.value()];
    r.buffer = graph_.add_buffer(b.info, core::key_of(r.buffer, b).value() + 1, b.label.c_str());
  }
  std::vector<std::uint64_t> after;
  for (const std::uint64_t s : command.after) {
    const auto it = command_of_step_.find(s);
    if (it != command_of_step_.end()) after.push_back(it->second);
  }
  copy.requirements = requirements;
  copy.after = after;
  copy.lane = {};
  const std::string label = label_for_files(command);
  copy.label = label.c_str();
  if (auto* k = std::get_if<model::kernel_command>(&copy.payload)) {
    k->kernel = nullptr;
    k->arguments = {};
    k->slots = {};
  } else if (auto* t = std::get_if<model::host_task_command>(&copy.payload)) {
    t->arguments = {};
    t->slots = {};
  }
  const model::command_id id = graph_.append(copy);
  command_of_step_[step.value()] = id.value();
}

std::string eager_recorder::next_graph_name() {
  return directory_ + "/graph-" + std::to_string(written_++);
}

void eager_recorder::write() noexcept {
  if (graph_.empty()) return;
  try {
    const std::string base = directory_ + "/eager";
    formats::write_file(base + ".graph.json", recorder::to_json(graph_, topology_));
    planner::plan plan = planner::make_plan(graph_.commands(), graph_.buffers(), topology_);
    plan.graph_hash = graph_.structural_hash();
    const planner::graph_view view(graph_);
    formats::write_file(base + ".plan.json", planner::to_json(plan, view));
    formats::write_file(base + ".dot", planner::to_dot(view, plan, topology_));
  } catch (const std::exception& e) {
    log_warn("PIANOLA_RECORD: {}", e.what());
  }
}

void write_recorded_graph(const executable_graph& g) {
  core& c = core::instance();
  std::string base;
  {
    std::lock_guard lock(c.mutex);
    if (c.recording == nullptr) return;
    base = c.recording->next_graph_name();
  }
  write_graph_json(g, base + ".graph.json");
  write_plan_json(g, base + ".plan.json");
  write_dot(g, base + ".dot");
}

}  // namespace pianola::runtime
