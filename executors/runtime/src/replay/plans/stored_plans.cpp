// SPDX-License-Identifier: Apache-2.0
#include "replay/plans/stored_plans.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/memory_uses.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/recorder/command_graph.hpp>

#include "process.hpp"
#include "replay/plans/plan_checks.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

constexpr std::string_view suffix = ".plan.json";
// Pianola writes the hash into the second line.
constexpr std::size_t head_bytes = 4096;

// What stands behind each "graph_hash" in the beginning of a file: of the plan's graph, and of that which was cut.
std::vector<std::uint64_t> hashes_in_head(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(head_bytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  constexpr std::string_view name = "\"graph_hash\"";
  std::vector<std::uint64_t> found;
  for (std::size_t at = head.find(name); at != std::string::npos; at = head.find(name, at)) {
    at = head.find_first_not_of(" \t\r\n:", at + name.size());
    if (at == std::string::npos || head.compare(at, 3, "\"0x") != 0) break;
    std::uint64_t hash = 0;
    const char* const end = head.data() + head.size();
    const auto [behind, error] = std::from_chars(head.data() + at + 3, end, hash, 16);
    if (error != std::errc() || behind == end || *behind != '"') break;
    found.push_back(hash);
  }
  return found;
}

// Why the plan cannot have what it needs of some device's memory; empty: it can.
std::string over_budget(const planner::plan& plan, const model::topology& topology,
                        std::uint64_t budget) {
  for (const planner::memory_use& use : plan.memories) {
    if (use.memory == model::host_memory) continue;
    const auto refusal = [&](const char* what, std::uint64_t allowed) {
      return fmt::format("the plan needs {} bytes in memory '{}', and {} is {}", use.peak,
                         topology.memories[use.memory.value()].name, what, allowed);
    };
    if (budget != 0 && use.peak > budget) return refusal("the graph's budget", budget);
    if (use.budget != 0 && use.peak > use.budget) return refusal("its size", use.budget);
  }
  return {};
}

void say(bool warn, const std::string& text) {
  if (warn)
    log_warn("{}", text);
  else
    log_info("{}", text);
}

}  // namespace

stored_plans::stored_plans(std::string path, std::string named_by)
    : path_(std::move(path)), named_by_(std::move(named_by)) {}

stored_plans* stored_plans::from_environment() {
  // Never destroyed: graphs are finalized until the program ends.
  static stored_plans* const plans = []() -> stored_plans* {
    const char* path = std::getenv("PIANOLA_PLAN");
    if (path == nullptr || *path == '\0') return nullptr;
    return new stored_plans(path, fmt::format("PIANOLA_PLAN='{}'", formats::one_line(path)));
  }();
  return plans;
}

// Reads the beginning of each file, once.
void stored_plans::index_folder() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    std::string name = entry.path().string();
    const bool is_plan = name.size() > suffix.size() &&
                         name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
    if (is_plan && entry.is_regular_file()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  for (std::string& name : names) {
    const std::vector<std::uint64_t> hashes = hashes_in_head(name);
    for (const std::uint64_t hash : hashes) files_.emplace(hash, name);
    if (hashes.empty())
      log_info("{}: {} names no graph in its first {} bytes and is left out", named_by_,
               formats::one_line(name), head_bytes);
  }
}

std::vector<std::string> stored_plans::files_for(std::uint64_t hash) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (what_ == what::unknown) {
    std::error_code error;
    const bool folder = std::filesystem::is_directory(path_, error);
    try {
      if (folder) index_folder();
    } catch (const std::filesystem::filesystem_error& e) {
      files_.clear();
      throw user_error(error_code::invalid, fmt::format("{}: the folder cannot be read: {}",
                                                        named_by_, e.code().message()));
    }
    what_ = folder ? what::folder : what::file;
  }
  if (what_ == what::file) return {path_};
  std::vector<std::string> found;
  const auto [first, last] = files_.equal_range(hash);
  for (auto at = first; at != last; ++at) found.push_back(at->second);
  return found;
}

std::optional<planner::plan> stored_plans::use(const std::string& text, const std::string& path,
                                               const graph_snapshot& of,
                                               const model::topology& topology, refusal& no) const {
  const std::uint64_t hash = recorder::structural_hash(of.commands, of.buffers);
  const planner::graph_view view(of.commands, of.buffers, hash);
  planner::plan plan = planner::read_plan(text, view, topology, path);
  if (!plan.finished.empty()) {
    no.why = path + ": it tells how a run went, step by step, and not how to replay a graph";
    return std::nullopt;
  }
  if (const auto wrong = planner::verify(of.commands, of.buffers, topology, plan)) {
    no.why = fmt::format("{}: the plan is not right: {}", path, wrong->reason);
    return std::nullopt;
  }
  if (const auto cannot = cannot_run(plan, of.commands, topology)) {
    no.why = fmt::format("{}: {}", path, *cannot);
    return std::nullopt;
  }
  // A file need not say what memory its plan needs, and knows no budget of this graph.
  plan.memories = planner::memory_uses(of.commands, of.buffers, topology, plan, of.memory_budget);
  if (const std::string why = over_budget(plan, topology, of.memory_budget); !why.empty()) {
    no.why = path + ": " + why;
    no.over_budget = true;
    return std::nullopt;
  }
  log_info("{}: the graph {} of {} commands runs as planned in {}", named_by_, formats::hex(hash),
           of.commands.size(), formats::one_line(path));
  return plan;
}

std::optional<planner::plan> stored_plans::find(const graph_snapshot& of, warn_of warn) {
  const model::topology topology = process::instance().whole_topology();
  const std::uint64_t hash = recorder::structural_hash(of.commands, of.buffers);
  const std::vector<std::string> files = files_for(hash);
  refusal no;
  for (const std::string& path : files) {
    std::string text;
    try {
      text = formats::read_file(path);
      if (auto plan = use(text, path, of, topology, no)) return plan;
    } catch (const user_error& e) {
      // No plan at all, or one for something else?
      if (what_ == what::file) {
        if (text.empty())
          throw user_error(error_code::invalid, fmt::format("{}: {}", named_by_, e.what()));
        try {
          static_cast<void>(planner::read_plan(text, path));
        } catch (const user_error& broken) {
          throw user_error(error_code::invalid, fmt::format("{}: {}", named_by_, broken.what()));
        }
      }
      no.why = e.what();
    }
  }
  if (files.empty())
    no.why = fmt::format("there is no plan of the graph {} in this folder", formats::hex(hash));
  say(warn == warn_of::everything || (warn == warn_of::budgets && no.over_budget),
      fmt::format("{}: {}; the graph of {} commands is planned anew", named_by_,
                  formats::one_line(no.why), of.commands.size()));
  return std::nullopt;
}

std::optional<stored_plans::plan_in_parts> stored_plans::find_in_parts(const graph_snapshot& whole,
                                                                       warn_of warn) {
  const model::topology topology = process::instance().whole_topology();
  const std::uint64_t hash = recorder::structural_hash(whole.commands, whole.buffers);
  for (const std::string& path : files_for(hash)) {
    refusal no;
    try {
      const std::string text = formats::read_file(path);
      planner::cut_graph cut = planner::read_cut(text, path);
      if (cut.whole_hash != hash || cut.speeds.size() != topology.devices.size()) continue;
      std::optional<split_snapshot> parts =
          split_kernels_of(whole, process::instance().machine, topology, std::move(cut.speeds));
      if (!parts) continue;
      if (auto plan = use(text, path, parts->parts, topology, no))
        return plan_in_parts{*std::move(plan), *std::move(parts)};
    } catch (const user_error& e) {
      no.why = e.what();  // `find` looks at the file, too, and says what is wrong with it
    }
    say(warn != warn_of::nothing && no.over_budget,
        fmt::format("{}: {}; it is no plan for this graph in parts", named_by_,
                    formats::one_line(no.why)));
  }
  return std::nullopt;
}

}  // namespace pianola::runtime
