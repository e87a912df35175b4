// SPDX-License-Identifier: Apache-2.0
// Each shell has its own idea of how this is told. The same is offered in all: subcommands, their options and what those
// take; files, where there may be one; behind "record --" a program and what is completed for that.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command_line/declared.hpp"
#include "command_line/description.hpp"

namespace pianola::tool {

namespace {

constexpr const char* runs_programs = "record";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string option_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* o : options_of(app))
    for (const std::string& n : names_of(*o)) words.push_back(n);
  return joined(words);
}

// Of the word behind the subcommand.
std::vector<std::string> first_words(const CLI::App& app) {
  const CLI::Option* const first = first_positional(app);
  return first != nullptr ? values_of(*first) : std::vector<std::string>();
}

// Between single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : folded(text)) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// zsh reads these as the end of a description.
std::string described(const std::string& text) {
  std::string out;
  for (const char c : folded(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Between the quotes of one word: how zsh writes an option down, `n` being one of its names.
std::string zsh_option(const CLI::Option& o, const std::string& n) {
  const bool is_long = n.compare(0, 2, "--") == 0;
  std::string spec = n;
  if (is_long && needs_value(o)) spec += "=";
  if (is_long && may_have_value(o)) spec += "=-";
  spec += "[" + described(o.get_description()) + "]";
  if (!needs_value(o) && !may_have_value(o)) return spec;
  const std::vector<std::string> values = values_of(o);
  return spec + (needs_value(o) ? ":value:" : "::value:") +
         (!values.empty() ? "(" + joined(values) + ")"
          : takes_text(o) ? "_files"
                          : " ");
}

std::string zsh_arguments(const CLI::App& app) {
  std::string text = "_arguments";
  const auto add = [&text](const std::string& word) { text += " \\\n        " + quoted(word); };
  for (const CLI::Option* o : options_of(app))
    for (const std::string& n : names_of(*o)) add(zsh_option(*o, n));
  if (const std::vector<std::string> words = first_words(app); !words.empty())
    add("1:word:(" + joined(words) + ")");
  else if (first_positional(app) != nullptr)
    add("*:file:_files");
  return text;
}

std::string fish_options(const CLI::App& app, const std::string& where) {
  std::string text;
  for (const CLI::Option* o : options_of(app)) {
    text += "complete -c pianola -n " + quoted(where);
    for (const std::string& n : o->get_snames()) text += " -s " + n;
    for (const std::string& l : o->get_lnames()) text += " -l " + l;
    if (const std::vector<std::string> values = values_of(*o); !values.empty())
      text += (needs_value(*o) ? " -x -a " : " -f -a ") + quoted(joined(values));
    else if (needs_value(*o))
      text += takes_text(*o) ? " -r" : " -x";
    text += " -d " + quoted(o->get_description()) + "\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* s : subcommands_of(app)) {
    names += s->get_name() + " ";
    cases += "    " + s->get_name() + ")\n      options='" + option_words(*s) + "'\n";
    if (const std::vector<std::string> words = first_words(*s); !words.empty())
      cases += "      [[ $COMP_CWORD -ne 2 || $word == -* ]] || values='" + joined(words) + "'\n";
    std::string of_options;
    for (const CLI::Option* o : options_of(*s))
      if (const std::vector<std::string> values = values_of(*o); !values.empty())
        for (const std::string& n : names_of(*o))
          of_options += "        " + (needs_value(*o) ? n + " | " + n : n) + "=) values='" +
                        joined(values) + "' ;;\n";
    if (!of_options.empty()) cases += "      case $previous in\n" + of_options + "      esac\n";
    cases += "      ;;\n";
  }
  return "# bash completion of pianola: made by `pianola completion bash`\n"
         "_pianola() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local options='' values='' i\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         names + option_words(app) +
         "' -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  # Behind -- a command and its arguments.\n"
         "  for ((i = 2; i < COMP_CWORD; ++i)); do\n"
         "    [ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    if [ $((i + 1)) -eq \"$COMP_CWORD\" ]; then\n"
         "      mapfile -t COMPREPLY < <(compgen -c -- \"$word\"; compgen -f -- \"$word\")\n"
         "    else\n"
         "      mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "    fi\n"
         "    return\n"
         "  done\n"
         "  # Where bash cuts words at \"=\", that is a word of its own.\n"
         "  if [ \"$word\" = = ]; then\n"
         "    word='' previous=$previous=\n"
         "  elif [ \"$previous\" = = ]; then\n"
         "    previous=${COMP_WORDS[COMP_CWORD - 2]}=\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [ -n \"$values\" ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
         "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "  else\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -F _pianola pianola\n";
}

std::string zsh_completion(const CLI::App& app) {
  std::string subcommands, cases;
  for (const CLI::App* s : subcommands_of(app)) {
    subcommands += "    " + quoted(s->get_name() + ":" + described(s->get_description())) + "\n";
    cases += "    " + s->get_name() + ")\n";
    if (s->get_name() == runs_programs)
      cases +=
          "      # Behind -- a command and its arguments.\n"
          "      local -i dashes=${words[(i)--]}\n"
          "      if (( dashes < CURRENT )); then\n"
          "        shift $dashes words\n"
          "        (( CURRENT -= dashes ))\n"
          "        _normal\n"
          "        return\n"
          "      fi\n";
    cases += "      " + zsh_arguments(*s) + "\n      ;;\n";
  }
  return "#compdef pianola\n"
         "# zsh completion of pianola: made by `pianola completion zsh`\n"
         "_pianola() {\n"
         "  local -a subcommands\n"
         "  subcommands=(\n" +
         subcommands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    if [[ $words[2] == -* ]]; then\n"
         "      " +
         zsh_arguments(app) +
         "\n    else\n"
         "      _describe 'subcommand' subcommands\n"
         "    fi\n"
         "    return\n"
         "  fi\n"
         "  local subcommand=${words[2]}\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $subcommand in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_pianola \"$@\"\n";
}

// Which subcommand it is says the first word; the same word elsewhere is a file or another program's.
std::string fish_completion(const CLI::App& app) {
  std::string text =
      "# fish completion of pianola: made by `pianola completion fish`\n"
      "function __pianola_is_first\n"
      "    test (count (commandline -opc)) -eq 1\n"
      "end\n"
      "function __pianola_is_in\n"
      "    set -l words (commandline -opc)\n"
      "    contains -- \"$words[2]\" $argv; and not contains -- -- $words\n"
      "end\n"
      "# Behind -- a command and its arguments.\n"
      "function __pianola_runs\n"
      "    set -l words (commandline -opc)\n"
      "    test \"$words[2]\" = " +
      std::string(runs_programs) +
      "; and contains -- -- $words\n"
      "end\n"
      "function __pianola_program\n"
      "    set -l words (commandline -opc)\n"
      "    set -l dashes (contains -i -- -- $words)\n"
      "    set -l before (string escape -- $words[(math $dashes + 1)..])\n"
      "    test $dashes -lt (count $words); or set before\n"
      "    complete -C \"$before \"(commandline -ct)\n"
      "end\n"
      "complete -c pianola -n __pianola_runs -x -a '(__pianola_program)'\n";
  text += fish_options(app, "__pianola_is_first");
  for (const CLI::App* s : subcommands_of(app))
    text += "complete -c pianola -n __pianola_is_first -f -a " + s->get_name() + " -d " +
            quoted(s->get_description()) + "\n";
  for (const CLI::App* s : subcommands_of(app)) {
    const std::string where = "__pianola_is_in " + s->get_name();
    text += fish_options(*s, where);
    if (const std::vector<std::string> words = first_words(*s); !words.empty())
      text += "complete -c pianola -n " + quoted(where) + " -f -a " + quoted(joined(words)) + "\n";
    else if (first_positional(*s) == nullptr)
      text += "complete -c pianola -n " + quoted(where) + " -f\n";
  }
  return text;
}

}  // namespace pianola::tool
