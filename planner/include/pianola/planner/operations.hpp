// SPDX-License-Identifier: Apache-2.0
// What kernels compute: from the compiler's facts and a launch's arguments to a number.
#pragma once
#include <optional>

#include <pianola/model/command.hpp>

namespace pianola::planner {

struct operation_count {
  double simple = 0;     // sums, products, shifts, bits, minima
  double divisions = 0;  // also remainders and square roots
  double functions = 0;  // sin, exp and their like
};

// Of all work-items of the launch together: exact as long as a double is, which has 53 bits. Nothing if it is not known of
// the kernel, or depends on more than the arguments and the index space tell.
[[nodiscard]] std::optional<operation_count> count_operations(const model::kernel_command& kernel);

}  // namespace pianola::planner
