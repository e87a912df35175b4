// SPDX-License-Identifier: Apache-2.0
// Options that several subcommands have.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace pianola::tool {

inline constexpr const char* of_machine =
    "File of format pianola.topology/1: the machine, if it is not the one that the graph was "
    "recorded on";

// Not the empty word, which a variable gives that is not set.
[[nodiscard]] const CLI::Validator& a_name();
// Digits that are a command's.
[[nodiscard]] const CLI::Validator& a_command();
// Digits, for options that are numbers of something.
[[nodiscard]] const CLI::Validator& a_number();
// Bytes, at least one, perhaps with KiB, MiB, GiB or TiB behind the digits: makes them a number.
[[nodiscard]] const CLI::Validator& a_size();

// A graph, which may be an executable one, perhaps its plan, perhaps a machine.
void add_graph(CLI::App& command, std::string& graph, std::string& plan, std::string& topology);
// The first of these alone.
CLI::Option* add_graph_file(CLI::App& command, std::string& graph);
// Where to write to.
CLI::Option* add_output_file(CLI::App& command, std::string& output);
// The same, and whether for programs.
void add_output(CLI::App& command, std::string& output, bool& json, const char* format);
// For what writes nothing but JSON: --json changes nothing.
void add_json_anyway(CLI::App& command, const char* format);
void add_limit(CLI::App& command, std::size_t& limit, const char* what);
// How much may be tried.
void add_effort(CLI::App& command, std::uint64_t& effort);

// Takes the words of the table, and nothing else: CLI11's own would take the numbers behind them as well. The table
// outlives the validator.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& words) {
  return CLI::Validator(
      [&words](std::string& word) {
        const auto found = words.find(word);
        if (found == words.end()) {
          std::string known;
          for (const auto& entry : words) known += (known.empty() ? "" : ", ") + entry.first;
          return fmt::format("'{}' is none of {}", word, known);
        }
        word = std::to_string(static_cast<unsigned>(found->second));
        return std::string();
      },
      "");
}

}  // namespace pianola::tool
