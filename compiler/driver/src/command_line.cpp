// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "clang_options.hpp"
#include "dpcpp_options.hpp"
#include "response_files.hpp"
#include "targets.hpp"
#include "usage_error.hpp"

namespace pianola::driver {

namespace {

constexpr std::string_view own_prefix = "--pianola-";

std::string absolute_folder(std::string_view option, std::string_view value) {
  std::error_code error;
  if (!std::filesystem::is_directory(value, error))
    throw usage_error(std::string(option) + ": there is no folder '" + std::string(value) + "'");
  return std::filesystem::absolute(value).string();
}

// Sets what the option says.
void read_own_option(std::string_view text, own_options& own) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? text.substr(equals + 1) : std::string_view();

  const auto wanted = [&](const char* what) {
    if (value.empty())
      throw usage_error(std::string(name) + " needs a value: " + std::string(name) + "=" + what);
  };
  const auto flag = [&](bool& which) {
    if (has_value) throw usage_error(std::string(name) + " takes no value");
    which = true;
  };

  if (name == "--pianola-targets") {
    wanted("LIST, for example cuda:sm_90");
    add_targets(value, name, own.targets);
  } else if (name == "--pianola-unit") {
    wanted("TEXT");
    own.unit = value;
  } else if (name == "--pianola-cuda-path") {
    wanted("DIR");
    own.cuda_path = absolute_folder(name, value);
  } else if (name == "--pianola-rocm-path") {
    wanted("DIR");
    own.rocm_path = absolute_folder(name, value);
  } else if (name == "--pianola-save-temps") {
    wanted("DIR");
    own.save_temps = std::filesystem::absolute(value).string();
  } else if (name == "--pianola-sub-group-size") {
    wanted("N");
    if (value != "8" && value != "16" && value != "32" && value != "64")
      throw usage_error(std::string(name) + ": there are no sub-groups of '" + std::string(value) +
                        "' work-items; it takes 8, 16, 32 or 64");
    own.sub_group_size = value;
  } else if (name == "--pianola-device-pass") {
    wanted("auto, or on, or off");
    if (value != "auto" && value != "on" && value != "off")
      throw usage_error(std::string(name) + ": it is auto, on or off, not '" + std::string(value) +
                        "'");
    own.device_pass = value;
  } else if (name == "--pianola-check-accesses") {
    flag(own.check_accesses);
  } else if (name == "--pianola-dry-run") {
    flag(own.dry_run);
  } else if (name == "--pianola-no-headers") {
    flag(own.no_headers);
  } else if (name == "--pianola-no-link") {
    flag(own.no_link);
  } else {
    throw usage_error("unknown option '" + std::string(text) + "'; see pianolacc --help");
  }
}

bool is_own(std::string_view argument) { return argument.starts_with(own_prefix); }

// A word of a response file for which that cannot be passed on as it is.
bool is_not_for_clang(const std::string& word) {
  return is_own(word) || word == "--" || is_of_dpcpp(word);
}

// Goes over the arguments as clang does: an argument is an option, the value of the option before it, or
// a file.
class reader {
 public:
  explicit reader(command_line& result) : result_(result) {}

  /// False: the argument is an option of ours or of another SYCL compiler, and must not reach clang.
  bool read(const std::string& argument) {
    if (only_files_) {
      read_file(argument);
    } else if (!waiting_.empty()) {
      read_value(std::exchange(waiting_, {}), argument);
    } else if (dpcpp_.takes_next_argument()) {
      dpcpp_.read_value(argument);
      return false;
    } else if (is_own(argument)) {
      targets_given_ = targets_given_ || argument.starts_with("--pianola-targets");
      read_own_option(argument, result_.own);
      return false;
    } else if (argument == "--") {
      only_files_ = true;
    } else if (argument.size() < 2 || argument[0] != '-') {
      read_file(argument);
    } else if (dpcpp_.read(argument)) {
      return false;
    } else {
      read_option(argument);
    }
    return true;
  }

  bool only_files() const { return only_files_; }
  /// The next argument must not reach clang, whatever it is.
  bool drops_next() const { return dpcpp_.takes_next_argument(); }
  bool targets_given() const { return targets_given_; }
  /// Behind the last argument.
  void take_over_from_dpcpp() {
    dpcpp_.add_targets_to(result_.own.targets);
    result_.own.as_dpcpp = dpcpp_.asks_for_sycl();
    targets_given_ = targets_given_ || !result_.own.targets.empty();
  }
  bool links() const { return result_.has_inputs && has_linked_inputs_ && !stops_; }

 private:
  void read_option(const std::string& option) {
    if (takes_next_argument(option)) {
      waiting_ = option;
      return;
    }
    if (option.starts_with("-x")) read_value("-x", option.substr(2));
    if (option.starts_with("--language=")) read_value("-x", option.substr(11));
    if (option.starts_with("-l")) read_value("-l", option.substr(2));
    if (option.starts_with("-o") && !option.starts_with("-obj")) read_value("-o", option.substr(2));
    if (option.starts_with("--output=")) read_value("-o", option.substr(9));
    if (option == "-v" || option == "--verbose") result_.verbose = true;
    if (option == "--help" || option == "-help") result_.help = true;
    if (option == "--version") result_.version = true;
    if (option == "-ffast-math" || option == "-Ofast") result_.fast_math = true;
    if (option == "-fno-fast-math") result_.fast_math = false;
    if (stops_before_linking(option)) stops_ = true;
    if (links_without_libraries(option)) result_.takes_libraries = false;
  }

  void read_value(const std::string& option, const std::string& value) {
    if (option == "-x" || option == "--language") language_ = value == "none" ? "" : value;
    if (option == "-o" || option == "--output") result_.output = value;
    if (option == "-l" || option == "-Xlinker") result_.has_inputs = has_linked_inputs_ = true;
  }

  void read_file(const std::string& path) {
    result_.has_inputs = true;
    if (path == "-") result_.reads_input = true;
    const bool is_header =
        language_.empty() ? is_header_name(path) : language_.find("header") != std::string::npos;
    if (!is_header) has_linked_inputs_ = true;
  }

  command_line& result_;
  std::string waiting_;  // the option whose value comes next
  std::string language_;
  dpcpp_options dpcpp_;
  bool only_files_ = false;
  bool targets_given_ = false;
  bool stops_ = false;
  bool has_linked_inputs_ = false;
};

}  // namespace

command_line read_command_line(const std::vector<std::string>& arguments,
                               const char* default_targets) {
  command_line result;
  reader read(result);
  for (const std::string& argument : arguments) {
    const std::vector<std::string> words = expand_response_files({argument});
    const bool is_file = words.size() != 1 || words[0] != argument;
    const bool keep_file =
        is_file && !read.drops_next() && std::none_of(words.begin(), words.end(), is_not_for_clang);
    for (const std::string& word : words) {
      const bool had_only_files = read.only_files();
      if (word != "--pianola-dry-run") result.expanded.push_back(word);
      if (!read.read(word)) continue;
      if (!had_only_files && read.only_files()) result.end_of_options = result.passed.size();
      if (!keep_file) result.passed.push_back(word);
    }
    if (keep_file) result.passed.push_back(argument);
  }
  if (!read.only_files()) result.end_of_options = result.passed.size();
  read.take_over_from_dpcpp();
  if (!read.targets_given() && default_targets != nullptr && *default_targets != '\0')
    add_targets(default_targets, "PIANOLA_TARGETS", result.own.targets);
  result.links = read.links();
  return result;
}

}  // namespace pianola::driver
