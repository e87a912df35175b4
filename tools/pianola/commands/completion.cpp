// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <pianola/model/error.hpp>

#include "command_line/description.hpp"
#include "commands/subcommands.hpp"
#include "outputs/print.hpp"

namespace pianola::tool {

void add_completion(CLI::App& app, int& code, const std::string& version) {
  auto what = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "completion", "Print what lets a shell complete this command line, or the manual page");
  auto* form = command->add_option("what", *what, "bash, zsh, fish, or man")
                   ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}).description(""))
                   ->type_name("bash|zsh|fish|man");
  command
      ->add_flag("--json", *json,
                 "For programs: subcommands and what they take, pianola.command_line/1")
      ->excludes(form);
  command->footer(
      "Examples:\n  source <(pianola completion bash)\n"
      "  pianola completion fish >~/.config/fish/completions/pianola.fish\n"
      "  pianola completion man | man -l -");
  command->callback([what, json, version, &app, &code] {
    if (!*json && what->empty())
      throw model::user_error(model::error_code::invalid,
                              "completion takes one of bash, zsh, fish and man, or --json");
    print(*json             ? json_of_command_line(app)
          : *what == "bash" ? bash_completion(app)
          : *what == "zsh"  ? zsh_completion(app)
          : *what == "fish" ? fish_completion(app)
                            : manual_page(app, version));
    code = exit_good;
  });
}

}  // namespace pianola::tool
