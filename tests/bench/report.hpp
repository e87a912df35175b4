// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "comparison.hpp"

namespace bench {

// Measures every comparison in alternating rounds and prints one line per comparison and state of the cores.
// Returns the number of comparisons whose two sides computed different things.
int print_report(const std::vector<comparison>& all, double effort);

}  // namespace bench
