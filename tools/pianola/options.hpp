// SPDX-License-Identifier: Apache-2.0
// Options that several subcommands have.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace pianola::tool {

inline constexpr const char* of_machine =
    "File of format pianola.topology/1: the machine, if it is not the one that the graph was "
    "recorded on";

// Digits, for options that are numbers of something.
[[nodiscard]] const CLI::Validator& a_number();

// A graph, which may be an executable one, perhaps its plan, perhaps a machine.
void add_graph(CLI::App& command, std::string& graph, std::string& plan, std::string& topology);
// Where to write to, and whether for programs.
void add_output(CLI::App& command, std::string& output, bool& json, const char* format);
void add_limit(CLI::App& command, std::size_t& limit, const char* what);
// How much may be tried.
void add_effort(CLI::App& command, std::uint64_t& effort);

}  // namespace pianola::tool
