// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fmt/format.h>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>

#include "explain/wording.hpp"
#include "pianola/planner/check/check.hpp"
#include "show/display.hpp"

namespace pianola::planner {

namespace {

const char* name_of(finding::kind k) {
  switch (k) {
    case finding::kind::race:
      return "race";
    case finding::kind::freed_in_use:
      return "freed_in_use";
    case finding::kind::use_after_free:
      return "use_after_free";
    case finding::kind::never_written:
      return "never_written";
    case finding::kind::out_of_bounds:
      return "out_of_bounds";
  }
  return "";
}

std::string bytes_of(const finding& f, const graph_view& graph) {
  if (f.buffer.valid()) {
    const model::buffer_info& b = graph.buffers()[f.buffer.value()];
    return fmt::format("bytes {} to {} of {} ({})", f.begin, f.end,
                       display::buffer_name(graph, f.buffer), formats::bytes(b.bytes()));
  }
  const model::usm_allocation& a = graph.allocations()[f.allocation];
  return fmt::format("bytes {} to {} of allocation {} ({}, {})", f.begin, f.end, f.allocation,
                     model::name_of(a.what), formats::bytes(a.bytes));
}

std::string who(const graph_view& graph, model::command_id id) {
  return wording::command(graph, id);
}

std::string text_of(const finding& f, const graph_view& graph) {
  const std::string first = who(graph, f.first), bytes = bytes_of(f, graph);
  const char* const does = f.first_writes ? " writes" : " reads";
  std::string text = f.certain ? "" : "may be: ";
  switch (f.what) {
    case finding::kind::race:
      return fmt::format(
          "{}race for {}\n  {}{} them\n  {}{} them, and nothing orders the two\n  what would: "
          "depends_on the event of #{} in #{}, one queue in order for both, or a wait of the host "
          "between them\n",
          text, bytes, first, does, who(graph, f.second), f.second_writes ? " writes" : " reads",
          f.first.value(), f.second.value());
    case finding::kind::freed_in_use:
      return fmt::format(
          "{}freed in use: {}\n  {}{} them, and may not have finished when the host freed the "
          "allocation\n  what would help: wait for #{} before sycl::free\n",
          text, bytes, first, does, f.first.value());
    case finding::kind::use_after_free:
      return fmt::format(
          "{}use after free: {}\n  {}{} them, and was submitted after the host had freed the "
          "allocation\n",
          text, bytes, first, does);
    case finding::kind::never_written:
      return fmt::format(
          "{}never written: {}\n  {} reads them, and {} before it has written them\n", text, bytes,
          first, f.buffer.valid() ? "neither the host nor a command" : "no command");
    case finding::kind::out_of_bounds:
      return fmt::format("{}out of bounds: {}\n  {}{} them, which are {}\n", text, bytes, first,
                         does, f.begin < 0 ? "in front of its beginning" : "behind its end");
  }
  return text;
}

}  // namespace

std::string to_text(model::array_view<const finding> findings, const graph_view& graph,
                    std::size_t most) {
  std::string text;
  std::size_t n = 0;
  for (const finding& f : findings) {
    if (n++ == most && most != 0) {
      text += fmt::format("and {} more\n", findings.size() - most);
      break;
    }
    text += text_of(f, graph);
  }
  return text;
}

std::string to_json(model::array_view<const finding> findings, const graph_view& graph,
                    std::size_t kernels_not_known) {
  using layout = formats::json_writer::layout;
  formats::json_writer json;
  json.open_object(layout::lines).key("format").text("pianola.check/1");
  json.key("graph_hash").hexadecimal(graph.structural_hash());
  json.key("kernels_not_known").number(std::uint64_t{kernels_not_known});
  json.key("findings").open_array(layout::lines);
  const auto command = [&](const char* key, model::command_id id, bool writes) {
    json.key(key).open_object();
    json.key("command").number(std::uint64_t{id.value()});
    json.key("label").text(formats::full_name(graph.commands()[id.value()]));
    const std::string line = wording::source_line(graph.commands()[id.value()]);
    if (!line.empty()) json.key("line").text(line);
    json.key("writes").truth(writes);
    json.close();
  };
  for (const finding& f : findings) {
    json.open_object();
    json.key("kind").text(name_of(f.what));
    json.key("certain").truth(f.certain);
    if (f.buffer.valid())
      json.key("buffer").number(std::uint64_t{f.buffer.value()});
    else
      json.key("allocation").number(std::uint64_t{f.allocation});
    json.key("begin").signed_number(f.begin);
    json.key("end").signed_number(f.end);
    command("first", f.first, f.first_writes);
    if (f.second.valid()) command("second", f.second, f.second_writes);
    json.close();
  }
  json.close().close();
  return json.finish();
}

}  // namespace pianola::planner
