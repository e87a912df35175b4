// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "comparison.hpp"

namespace bench {

// One OpenMP task per command, ordered by a dependence on one of `counters` counters in turn.
[[nodiscard]] subject dependent_tasks(std::size_t counters);

// One parallel region per command: the shortest way to have other threads take part and to wait for them.
[[nodiscard]] subject region_each();

}  // namespace bench
