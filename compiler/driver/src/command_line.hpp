// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pianola::driver {

/// The options that are pianolacc's own.
struct own_options {
  std::vector<std::string> targets;  ///< as the plugin takes them, without the host
  std::optional<std::string> unit;
  std::string cuda_path;
  std::string rocm_path;
  std::string save_temps;
  std::string sub_group_size;
  bool check_accesses = false;
  bool as_dpcpp = false;    // compiled with -fsycl
  std::string device_pass;  // "auto", "on", "off"; empty: not said
  bool dry_run = false;
  bool no_headers = false;
  bool no_link = false;
};

/// What was asked for, and what must be known of clang's own options to add ours.
struct command_line {
  own_options own;
  bool help = false;
  bool version = false;
  /// Everything else, in order and as it was given. Response files are kept, but for those with options
  /// of ours in them: their words stand here instead.
  std::vector<std::string> passed;
  /// Where "--" is in `passed`, behind which there are only files; else its size.
  std::size_t end_of_options = 0;
  /// All arguments but --pianola-dry-run, response files expanded.
  std::vector<std::string> expanded;
  bool has_inputs = false;
  bool links = false;
  /// What linking makes.
  std::string output = "a.out";
  /// A source comes from standard input.
  bool reads_input = false;
  /// Commands are shown as they are run.
  bool verbose = false;
  bool takes_libraries = true;
  bool fast_math = false;
  /// Options for linking that are not of the arguments.
  std::vector<std::string> link_options;
};

/// Reads the arguments behind the program's name. `default_targets`, the value of PIANOLA_TARGETS, counts if
/// no option names targets; it may be null.
/// @throws usage_error for an unknown --pianola option or a wrong value of one.
command_line read_command_line(const std::vector<std::string>& arguments,
                               const char* default_targets);

}  // namespace pianola::driver
