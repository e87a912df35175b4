// SPDX-License-Identifier: Apache-2.0
#include "inputs/executable_file.hpp"

#include <set>
#include <unordered_map>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/executable/file.hpp>
#include <pianola/executable/verify_control.hpp>
#include <pianola/formats/file_bytes.hpp>
#include <pianola/formats/text.hpp>

#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

// Of graphs that commands of it run, too; each once.
void list_kernels(const executable::file& file, std::set<std::uint64_t>& seen, std::string& text) {
  for (const executable::named_kernel& k : file.kernels())
    if (seen.insert(k.id.value()).second)
      text += fmt::format("  {}  {}  {} of arguments\n", formats::hex(k.id.value()),
                          formats::one_line(k.name, 80), formats::bytes(k.argument_bytes));
  for (const auto& c : file.controls())
    for (const auto& body : c.bodies) list_kernels(*body.what, seen, text);
}

std::string summary_of(const executable::file& file) {
  std::string text = fmt::format(
      "executable graph, {}, for queues of device {}\nkernels that a program must have:\n",
      formats::bytes(file.bytes()), file.device().value());
  std::set<std::uint64_t> seen;
  list_kernels(file, seen, text);
  text += "to be bound:\n";
  std::size_t number = 0;
  for (const executable::named_buffer& b : file.buffers()) {
    if (b.own) continue;
    text += fmt::format("  buffer {}  '{}'  {} elements of {}{}\n", number++,
                        formats::one_line(b.name, 80),
                        formats::extent_text(b.info.grid.range(), b.info.dimensions),
                        formats::bytes(b.info.element_size),
                        b.info.temporary   ? ", temporary"
                        : b.info.evictable ? ", evictable"
                                           : "");
  }
  number = 0;
  for (const executable::named_allocation& a : file.allocations())
    text += fmt::format("  memory {}  '{}'  {}, {}\n", number++, formats::one_line(a.name, 80),
                        model::name_of(a.what.what), formats::bytes(a.what.bytes));
  if (!file.parameters().empty()) text += "may be given other values:\n";
  number = 0;
  for (const executable::named_parameter& p : file.parameters())
    text += fmt::format("  parameter {}  '{}'  {}\n", number++, formats::one_line(p.name, 80),
                        formats::bytes(p.bytes));
  return text;
}

// The commands as files tell of them: no kernels, no arguments.
void append_commands(executable::file& file, recorder::command_graph& graph) {
  const std::vector<const model::kernel_descriptor*> kernels(file.kernels().size(), nullptr);
  const std::vector<void*> nowhere(file.allocations().size(), nullptr);
  const std::vector<model::command> commands = file.take_commands(kernels, nowhere);
  std::unordered_map<std::uint64_t, const char*> names;
  for (const executable::named_kernel& k : file.kernels())
    names.emplace(k.id.value(), k.name.c_str());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    model::command c = commands[i];
    if (auto* k = std::get_if<model::kernel_command>(&c.payload)) {
      k->arguments = {};
      if (*c.label == '\0') c.label = names.at(k->id.value());
    }
    const std::vector<std::uint32_t> used = file.allocations_of(static_cast<std::uint32_t>(i));
    graph.set_allocations(graph.append(c), used);
  }
}

executable_file opened_file(executable::file& file) {
  executable_file opened;
  opened.topology = file.machine();
  for (const executable::named_buffer& b : file.buffers())
    opened.graph.add_buffer(b.info, 0,
                            !b.own                ? b.name.c_str()
                            : b.constants.empty() ? "partial results"
                                                  : "constants");
  for (const executable::named_allocation& a : file.allocations())
    opened.graph.add_allocation(a.what);
  append_commands(file, opened.graph);
  opened.plan = file.plan();
  opened.plan.graph_hash = opened.graph.structural_hash();
  for (const auto& c : file.controls()) {
    const std::size_t first = opened.bodies.size();
    for (const auto& body : c.bodies) opened.bodies.push_back(opened_file(*body.what));
    std::vector<const planner::plan*> plans;
    for (std::size_t i = first; i < opened.bodies.size(); ++i)
      plans.push_back(&opened.bodies[i].plan);
    const auto wrong =
        executable::wrong_control(opened.graph.commands()[c.command], c, plans,
                                  file.machine().devices[file.device().value()].memory);
    if (wrong && !opened.wrong_control)
      opened.wrong_control = {{}, fmt::format("command {}: {}", c.command, *wrong)};
  }
  return opened;
}

}  // namespace

std::optional<executable_file> open_executable(const std::string& path) {
  begin_stage("reading " + path);
  if (!executable::is_executable(formats::file_head(path, executable::head_bytes)))
    return std::nullopt;
  const auto file = executable::file::load(path);
  executable_file opened = opened_file(*file);
  opened.summary = summary_of(*file);
  return opened;
}

}  // namespace pianola::tool
