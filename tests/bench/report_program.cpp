// SPDX-License-Identifier: Apache-2.0
#include "report_program.hpp"

#include <cstdio>
#include <cstdlib>

#include "report.hpp"

namespace bench {

namespace {

// What follows the prefix; null where the argument has another.
const char* value_after(const std::string& argument, const std::string& prefix) {
  return argument.rfind(prefix, 0) == 0 ? argument.c_str() + prefix.size() : nullptr;
}

}  // namespace

double read_effort(const char* program, const std::string& argument) {
  char* end = nullptr;
  const char* text = value_after(argument, "--effort=");
  const double effort = text == nullptr ? 0 : std::strtod(text, &end);
  if (effort > 0 && effort <= 1000 && *end == '\0') return effort;
  std::fprintf(stderr, "%s: %s: the factor must lie between 0 and 1000\n", program,
               argument.c_str());
  std::exit(2);
}

report_request read_report_request(const char* program, int argc, char** argv, bool takes_rivals) {
  report_request result{program, {}, 1, false, false, {}};
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--report") continue;
    if (const char* text = value_after(a, "--report=")) {
      result.wanted = text;
    } else if (value_after(a, "--effort=") != nullptr) {
      result.effort = read_effort(program, a);
    } else if (a == "--small") {
      result.small = true;
    } else if (a == "--list") {
      result.list = true;
    } else if (const char* file = value_after(a, "--rivals="); file != nullptr && takes_rivals) {
      result.rivals = file;
    } else {
      std::fprintf(
          stderr,
          "%s: '%s' is not understood; --report[=text], --effort=factor, --list, --small%s "
          "are\n",
          program, argv[i], takes_rivals ? ", --rivals=FILE" : "");
      std::exit(2);
    }
  }
  return result;
}

std::vector<comparison> chosen_from(std::vector<comparison> all, const report_request& request) {
  std::vector<comparison> chosen;
  for (comparison& c : all)
    if (c.name.find(request.wanted) != std::string::npos) chosen.push_back(std::move(c));
  if (!chosen.empty()) return chosen;
  std::fprintf(stderr, "%s: no name contains '%s'\n", request.program, request.wanted.c_str());
  std::exit(2);
}

int report_on(std::vector<comparison> all, const report_request& request,
              const std::function<void(comparison&)>& shrink) {
  std::vector<comparison> chosen = chosen_from(std::move(all), request);
  if (request.list) {
    for (const comparison& c : chosen) std::printf("%s\n", c.name.c_str());
    return 0;
  }
  if (request.small)
    for (comparison& c : chosen) shrink(c);
  return print_report(chosen, request.effort) == 0 ? 0 : 1;
}

}  // namespace bench
