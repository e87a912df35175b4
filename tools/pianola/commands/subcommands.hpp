// SPDX-License-Identifier: Apache-2.0
// The subcommands: each says what it takes, and sets `code`, the program's exit code, when it has run.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pianola::tool {

// Exit codes: 0 all is well, 1 the answer is no, 2 bad input or an environment that does not
// allow what was asked for. Subcommands report the last by exceptions.
inline constexpr int exit_good = 0;
inline constexpr int exit_violation = 1;
inline constexpr int exit_bad_input = 2;

void add_devices(CLI::App& app, int& code);
void add_show(CLI::App& app, int& code);
void add_verify(CLI::App& app, int& code);
void add_plan(CLI::App& app, int& code);
void add_simulate(CLI::App& app, int& code);
void add_calibrate(CLI::App& app, int& code);
void add_view(CLI::App& app, int& code);
void add_explain(CLI::App& app, int& code);
void add_advise(CLI::App& app, int& code);
void add_diff(CLI::App& app, int& code);
void add_check(CLI::App& app, int& code);
// `program`: what follows --, with its arguments.
void add_record(CLI::App& app, int& code, std::vector<std::string> program);
// Comes last: it tells of those before it, too.
void add_completion(CLI::App& app, int& code, const std::string& version);

}  // namespace pianola::tool
