// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/indirect_range.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

namespace pianola::host {

model::box part_that_runs(const executors::resolved_kernel& kernel, const model::box& units) {
  if (kernel.kernel->read_range == nullptr) return units;
  const model::launch_geometry& g = kernel.geometry;
  const model::extent3 read = kernel.kernel->read_range(kernel.arguments.bytes);
  model::box part = units;
  for (int d = 0; d < 3; ++d) {
    const std::uint64_t size = g.grouped ? g.local.c[d] : 1;
    if (read.c[d] > g.global.c[d] || read.c[d] % size != 0)
      throw model::user_error(model::error_code::invalid, beyond_bound(kernel, read.c[d]));
    part.hi.c[d] = std::max(part.lo.c[d], std::min(part.hi.c[d], read.c[d] / size));
  }
  return part;
}

std::string beyond_bound(const executors::resolved_kernel& kernel, std::uint64_t number) {
  const model::launch_geometry& g = kernel.geometry;
  std::string bound;
  for (int d = 3 - g.dimensions; d < 3; ++d)
    bound += fmt::format("{}{}", bound.empty() ? "" : ", ", g.global.c[d]);
  return fmt::format(
      "kernel '{}' reads {} as its range, whose bound is {{{}}}{}; it did not run. Check what "
      "writes the range, or state a larger bound",
      kernel.kernel->name,
      number == model::no_such_range ? "a negative number" : fmt::to_string(number), bound,
      g.grouped ? " in whole work-groups" : "");
}

}  // namespace pianola::host
