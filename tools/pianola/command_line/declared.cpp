// SPDX-License-Identifier: Apache-2.0
#include "command_line/declared.hpp"

#include <sstream>

namespace pianola::tool {

namespace {

std::vector<const CLI::Option*> all_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}

}  // namespace

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& s : option.get_snames()) names.push_back("-" + s);
  for (const std::string& l : option.get_lnames()) names.push_back("--" + l);
  return names;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* o : all_of(app))
    if (!o->get_positional()) options.push_back(o);
  return options;
}

// In capitals is what stands for a value.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::vector<std::string> values;
  if (type.find('|') == std::string::npos) return values;
  std::istringstream words(type);
  for (std::string word; std::getline(words, word, '|');)
    if (word.empty() || word[0] < 'A' || word[0] > 'Z') values.push_back(word);
  return values;
}

bool needs_value(const CLI::Option& option) { return option.get_expected_min() > 0; }

bool may_have_value(const CLI::Option& option) {
  return !needs_value(option) && !option.get_type_name().empty();
}

bool takes_text(const CLI::Option& option) { return option.get_type_name() == "TEXT"; }

const CLI::Option* first_positional(const CLI::App& app) {
  for (const CLI::Option* o : all_of(app))
    if (o->get_positional()) return o;
  return nullptr;
}

std::string folded(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace pianola::tool
