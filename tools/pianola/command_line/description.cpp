// SPDX-License-Identifier: Apache-2.0
#include "command_line/description.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <pianola/formats/json_writer.hpp>

namespace pianola::tool {

namespace {

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// "--output", "-o", of all options that have such names; "--help" is one of them.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& s : option.get_snames()) names.push_back("-" + s);
  for (const std::string& l : option.get_lnames()) names.push_back("--" + l);
  return names;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* o : app.get_options([](const CLI::Option*) { return true; }))
    if (!o->get_positional()) options.push_back(o);
  return options;
}

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* o : options_of(app))
    for (const std::string& n : names_of(*o)) words += (words.empty() ? "" : " ") + n;
  return words;
}

// What the option takes, with blanks between, if that is one of some words.
std::string values_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  for (char& c : type)
    if (c == '|') c = ' ';
  return type;
}

const CLI::Option* positional_with_values(const CLI::App& app) {
  for (const CLI::Option* o : app.get_options([](const CLI::Option*) { return true; }))
    if (o->get_positional() && !values_of(*o).empty()) return o;
  return nullptr;
}

// On one line.
std::string folded(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
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

// What zsh and fish take in quotes: descriptions without what zsh reads as the end of one.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : folded(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Text of a manual: nothing in it is a request or a special character.
std::string roff(const std::string& text) {
  std::string out;
  bool beginning = true;
  for (const char c : text) {
    if (beginning && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    beginning = c == '\n';
  }
  return out;
}

void append_options(std::string& text, const CLI::App& app) {
  for (const CLI::Option* o : app.get_options([](const CLI::Option*) { return true; })) {
    std::string names;
    for (const std::string& n : names_of(*o))
      names += (names.empty() ? "\\fB" : ", \\fB") + roff(n) + "\\fR";
    if (o->get_positional()) names = "\\fI" + roff(o->get_name(true)) + "\\fR";
    const std::string type = o->get_type_name();
    if (!o->get_positional() && o->get_expected_min() > 0 && !type.empty())
      names += " \\fI" + roff(type) + "\\fR";
    text += ".TP\n" + names + "\n" + roff(folded(o->get_description())) + "\n";
  }
}

// As it stands, line for line.
std::string lines(const std::string& text) {
  return text.empty() ? std::string() : ".nf\n" + roff(text) + "\n.fi\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* s : subcommands_of(app)) {
    names += (names.empty() ? "" : " ") + s->get_name();
    cases += "    " + s->get_name() + ")\n      options='" + option_words(*s) + "'\n";
    if (const CLI::Option* o = positional_with_values(*s))
      cases += "      [ \"$COMP_CWORD\" -ne 2 ] || values='" + values_of(*o) + "'\n";
    std::string of_options;
    for (const CLI::Option* o : options_of(*s))
      if (const std::string values = values_of(*o); !values.empty())
        for (const std::string& n : names_of(*o))
          of_options += "        " + n + ") values='" + values + "' ;;\n";
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
         names + " " + option_words(app) +
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
  std::string commands, cases;
  for (const CLI::App* s : subcommands_of(app)) {
    commands += "    " + quoted(s->get_name() + ":" + plain(s->get_description())) + "\n";
    cases += "    " + s->get_name() + ")\n      _arguments";
    for (const CLI::Option* o : options_of(*s))
      for (const std::string& n : names_of(*o)) {
        const std::string values = values_of(*o);
        cases += " \\\n        " + quoted(n + "[" + plain(o->get_description()) + "]" +
                                          (o->get_expected_min() == 0 ? std::string()
                                           : values.empty()           ? ":value:_files"
                                                                      : ":value:(" + values + ")"));
      }
    const CLI::Option* words = positional_with_values(*s);
    cases += words != nullptr ? " \\\n        '1:word:(" + values_of(*words) + ")'\n      ;;\n"
             : s->get_name() == "record"
                 ? std::string(" \\\n        '*::program:_normal'\n      ;;\n")
                 : std::string(" \\\n        '*:file:_files'\n      ;;\n");
  }
  return "#compdef pianola\n"
         "# zsh completion of pianola: made by `pianola completion zsh`\n"
         "_pianola() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         commands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe 'subcommand' commands\n"
         "    return\n"
         "  fi\n"
         "  local command=${words[2]}\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_pianola \"$@\"\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# fish completion of pianola: made by `pianola completion fish`\n";
  for (const CLI::App* s : subcommands_of(app))
    text += "complete -c pianola -n __fish_use_subcommand -f -a " + s->get_name() + " -d " +
            quoted(s->get_description()) + "\n";
  for (const CLI::App* s : subcommands_of(app))
    for (const CLI::Option* o : options_of(*s)) {
      text += "complete -c pianola -n '__fish_seen_subcommand_from " + s->get_name() + "'";
      for (const std::string& n : o->get_snames()) text += " -s " + n;
      for (const std::string& l : o->get_lnames()) text += " -l " + l;
      if (const std::string values = values_of(*o); !values.empty())
        text += " -x -a " + quoted(values);
      else if (o->get_expected_min() > 0)
        text += " -r";
      text += " -d " + quoted(o->get_description()) + "\n";
    }
  for (const CLI::App* s : subcommands_of(app))
    if (const CLI::Option* o = positional_with_values(*s))
      text += "complete -c pianola -n '__fish_seen_subcommand_from " + s->get_name() + "' -f -a " +
              quoted(values_of(*o)) + "\n";
  return text;
}

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = ".TH PIANOLA 1 \"\" \"Pianola " + roff(version) + "\"\n.SH NAME\n" +
                     "pianola \\- " + roff(app.get_description()) + "\n.SH SYNOPSIS\n" +
                     ".B pianola\n\\fISUBCOMMAND\\fR ...\n.SH OPTIONS\n";
  append_options(text, app);
  text += ".SH SUBCOMMANDS\n";
  for (const CLI::App* s : subcommands_of(app)) {
    text += ".SS \"pianola " + roff(s->get_name()) + "\"\n" + roff(folded(s->get_description())) +
            ".\n";
    append_options(text, *s);
    if (!s->get_footer().empty()) text += ".PP\n" + lines(s->get_footer());
  }
  const std::string footer = app.get_footer();
  const std::size_t examples = std::min(footer.find("Examples:"), footer.size());
  text += ".SH EXIT STATUS\n" + roff(folded(footer.substr(0, examples))) + "\n";
  if (examples != footer.size())
    text += ".SH EXAMPLES\n" + lines(footer.substr(footer.find('\n', examples) + 1)) + "\n";
  return text;
}

std::string json_of_command_line(const CLI::App& app) {
  using layout = formats::json_writer::layout;
  formats::json_writer json;
  json.open_object(layout::lines).key("format").text("pianola.command_line/1");
  json.key("subcommands").open_array(layout::lines);
  for (const CLI::App* s : subcommands_of(app)) {
    json.open_object(layout::lines).key("name").text(s->get_name());
    json.key("description").text(folded(s->get_description()));
    json.key("takes").open_array(layout::lines);
    for (const CLI::Option* o : s->get_options([](const CLI::Option*) { return true; })) {
      json.open_object().key("names").open_array();
      if (o->get_positional()) json.text(o->get_name(true));
      for (const std::string& n : names_of(*o)) json.text(n);
      json.close().key("required").truth(o->get_required());
      json.key("value");
      if (const std::string type = o->get_type_name(); o->get_expected_min() > 0 && !type.empty())
        json.text(type);
      else
        json.null();
      json.key("description").text(folded(o->get_description())).close();
    }
    json.close().close();
  }
  json.close().close();
  return json.finish();
}

}  // namespace pianola::tool
