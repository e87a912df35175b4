// SPDX-License-Identifier: Apache-2.0
#include "command_line/options.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "command_line/whole_number.hpp"

namespace pianola::tool {

CLI::Option* add_graph_file(CLI::App& command, std::string& graph) {
  return command
      .add_option("graph", graph,
                  "File of format pianola.graph/1, or an executable graph (pianola.executable/4)")
      ->required()
      ->check(a_name());
}

CLI::Option* add_output_file(CLI::App& command, std::string& output) {
  return command.add_option("-o,--output", output, "File to write instead of standard output")
      ->check(a_name());
}

void add_graph(CLI::App& command, std::string& graph, std::string& plan, std::string& topology) {
  add_graph_file(command, graph);
  command
      .add_option("plan", plan,
                  "File of format pianola.plan/1, made for this graph; without it the graph is "
                  "planned here")
      ->check(a_name());
  command.add_option("--topology", topology, of_machine)->check(a_name());
}

void add_output(CLI::App& command, std::string& output, bool& json, const char* format) {
  add_output_file(command, output);
  command.add_flag("--json", json, std::string("For programs: ") + format);
}

void add_json_anyway(CLI::App& command, const char* format) {
  command.add_flag_callback(
      "--json", [] {}, std::string("What is written is JSON anyway: ") + format);
}

const CLI::Validator& a_name() {
  static const CLI::Validator all(
      [](std::string& text) -> std::string {
        return text.empty() ? "takes the name of a file, and got an empty word" : "";
      },
      "", "name");
  return all;
}

const CLI::Validator& a_number() {
  static const CLI::Validator all(
      [](std::string& text) -> std::string {
        if (whole_number<std::uint64_t>(text).has_value()) return {};
        return fmt::format("takes a whole number, and not '{}'", formats::one_line(text, 40));
      },
      "", "number");
  return all;
}

const CLI::Validator& a_command() {
  static const CLI::Validator all(
      [](std::string& text) -> std::string {
        if (whole_number<std::uint32_t>(text).has_value()) return {};
        return fmt::format("takes the number of a command, and not '{}'",
                           formats::one_line(text, 40));
      },
      "", "command");
  return all;
}

const CLI::Validator& a_size() {
  static const CLI::Validator all(
      [](std::string& text) -> std::string {
        std::string_view digits = text;
        unsigned shift = 0;
        constexpr std::pair<std::string_view, unsigned> units[] = {
            {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
        for (const auto& [unit, bits] : units)
          if (digits.size() > unit.size() && digits.substr(digits.size() - unit.size()) == unit) {
            digits.remove_suffix(unit.size());
            shift = bits;
            break;
          }
        const auto number = whole_number<std::uint64_t>(digits);
        constexpr std::uint64_t most = std::uint64_t{1} << 62;
        if (!number || *number == 0 || *number > most >> shift)
          return "takes bytes, from 1 to 2^62, such as 67108864 or 64MiB, and not '" +
                 formats::one_line(text, 40) + "'";
        text = std::to_string(*number << shift);
        return {};
      },
      "", "size");
  return all;
}

void add_limit(CLI::App& command, std::size_t& limit, const char* what) {
  command.add_option("--limit", limit, what)->check(a_number())->capture_default_str();
}

void add_effort(CLI::App& command, std::uint64_t& effort) {
  command
      .add_option(
          "--effort", effort,
          "Plan changes until so many commands have been planned, and one change at least; 0: try "
          "all")
      ->check(a_number())
      ->capture_default_str();
}

}  // namespace pianola::tool
