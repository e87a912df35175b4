// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "comparison.hpp"

namespace bench {

// What the command line of a program asks for that does nothing but report.
struct report_request {
  const char* program;
  std::string wanted;  // part of the names that are reported
  double effort = 1;   // so many times the usual number of rounds
  bool small = false;  // once, on small problems: does it run and compute the same?
  bool list = false;   // names only
  std::string rivals;  // --rivals=FILE
};

// A bad argument gives one line and exit status 2. `takes_rivals`: --rivals=FILE is understood.
report_request read_report_request(const char* program, int argc, char** argv,
                                   bool takes_rivals = false);

// Those whose name contains the text. None: one line and exit status 2.
std::vector<comparison> chosen_from(std::vector<comparison> all, const report_request&);

// The exit status: 0 unless the two sides of a comparison computed different things. `shrink` makes a comparison
// a small one.
int report_on(std::vector<comparison> all, const report_request&,
              const std::function<void(comparison&)>& shrink);

// A factor between 0 and 1000, else one line and exit status 2.
double read_effort(const char* program, const std::string& argument);

}  // namespace bench
