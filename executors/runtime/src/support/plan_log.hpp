// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/planner/options.hpp>

namespace pianola::runtime {

// How everything is planned. With PIANOLA_LOG=plan the log is told what is known after each pass.
[[nodiscard]] const planner::options& planning_options() noexcept;

}  // namespace pianola::runtime
