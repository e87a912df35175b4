// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.hpp"

#include <charconv>
#include <cmath>

#include "common/input_error.hpp"

namespace samples {

command_line::command_line(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.size() < 3 || word.compare(0, 2, "--") != 0)
      throw input_error("unexpected argument '" + printable(word) +
                        "'; options start with --, see --help");
    option o{word.substr(2), "", false, false};
    if (i + 1 < argc && std::string(argv[i + 1]).compare(0, 2, "--") != 0) {
      o.value = argv[++i];
      o.has_value = true;
    }
    if (find(o.name) != nullptr) throw input_error("--" + printable(o.name) + " is given twice");
    options_.push_back(std::move(o));
  }
  for (option& o : options_) o.used = false;
}

command_line::option* command_line::find(const std::string& name) {
  for (option& o : options_)
    if (o.name == name) {
      o.used = true;
      return &o;
    }
  return nullptr;
}

const std::string* command_line::value_of(const std::string& name) {
  const option* o = find(name);
  if (o == nullptr) return nullptr;
  if (!o->has_value) throw input_error("--" + name + " needs a value");
  return &o->value;
}

bool command_line::wants_help() { return flag("help"); }

bool command_line::flag(const std::string& name) {
  const option* o = find(name);
  if (o != nullptr && o->has_value)
    throw input_error("--" + name + " takes no value, but '" + printable(o->value) +
                      "' follows it");
  return o != nullptr;
}

std::string command_line::text(const std::string& name, const std::string& otherwise) {
  const std::string* value = value_of(name);
  return value == nullptr ? otherwise : *value;
}

std::size_t command_line::number(const std::string& name, std::size_t otherwise, std::size_t least,
                                 std::size_t most) {
  const std::string* value = value_of(name);
  if (value == nullptr) return otherwise;
  std::size_t result = 0;
  const char* end = value->data() + value->size();
  const auto parsed = std::from_chars(value->data(), end, result);
  if (parsed.ec != std::errc() || parsed.ptr != end || result < least || result > most)
    throw input_error("--" + name + " is '" + printable(*value) +
                      "', but must be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most));
  return result;
}

double command_line::real(const std::string& name, double otherwise, double least, double most) {
  const std::string* value = value_of(name);
  if (value == nullptr) return otherwise;
  double result = 0;
  const char* end = value->data() + value->size();
  const auto parsed = std::from_chars(value->data(), end, result);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(result >= least && result <= most))
    throw input_error("--" + name + " is '" + printable(*value) + "', but must be a number from " +
                      std::to_string(least) + " to " + std::to_string(most));
  return result;
}

void command_line::finish() const {
  for (const option& o : options_)
    if (!o.used) throw input_error("unknown option --" + printable(o.name) + "; see --help");
}

}  // namespace samples
