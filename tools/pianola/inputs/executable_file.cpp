// SPDX-License-Identifier: Apache-2.0
#include "inputs/executable_file.hpp"

#include <unordered_map>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/executable/file.hpp>
#include <pianola/formats/file_bytes.hpp>
#include <pianola/formats/text.hpp>

#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

std::string summary_of(const executable::file& file) {
  std::string text = fmt::format(
      "executable graph, {}, for queues of device {}\nkernels that a program must have:\n",
      formats::bytes(file.bytes()), file.device().value());
  for (const executable::named_kernel& k : file.kernels())
    text += "  " + formats::hex(k.id.value()) + "  " + formats::one_line(k.name, 80) + "  " +
            formats::bytes(k.argument_bytes) + " of arguments\n";
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

}  // namespace

std::optional<executable_file> open_executable(const std::string& path) {
  begin_stage("reading " + path);
  if (!executable::is_executable(formats::file_head(path, executable::head_bytes)))
    return std::nullopt;
  const auto file = executable::file::load(path);
  executable_file opened;
  opened.topology = file->machine();
  for (const executable::named_buffer& b : file->buffers())
    opened.graph.add_buffer(b.info, 0, b.own ? "partial results" : b.name.c_str());
  for (const executable::named_allocation& a : file->allocations())
    opened.graph.add_allocation(a.what);
  append_commands(*file, opened.graph);
  opened.plan = file->plan();
  opened.plan.graph_hash = opened.graph.structural_hash();
  opened.summary = summary_of(*file);
  return opened;
}

}  // namespace pianola::tool
