// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace samples {

/// Options of the form `--name value` and `--name`. Every getter throws input_error for a value it does not accept;
/// finish() does so for options that nobody asked for.
class command_line {
 public:
  command_line(int argc, char** argv);

  /// True if `--help` was given: print the usage and leave.
  bool wants_help();

  bool flag(const std::string& name);
  std::string text(const std::string& name, const std::string& otherwise);
  std::size_t number(const std::string& name, std::size_t otherwise, std::size_t least,
                     std::size_t most);
  double real(const std::string& name, double otherwise, double least, double most);

  void finish() const;

 private:
  struct option {
    std::string name;
    std::string value;
    bool has_value;
    bool used;
  };

  option* find(const std::string& name);
  const std::string* value_of(const std::string& name);

  std::vector<option> options_;
};

}  // namespace samples
