// SPDX-License-Identifier: Apache-2.0
// Plans that a command of another graph runs: repeatedly, or one of several.
#pragma once
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>

#include "plan.hpp"

namespace pianola::planner {

// A recorded plan, and what the buffers of it are called where it is run from.
struct body {
  const plan* what = nullptr;
  model::array_view<const model::buffer_id> buffers;  // index: the plan's buffer
};

struct body_requirements {
  // Of the command that runs the bodies. Each names its memory.
  std::vector<model::requirement> needed;
  // Buffers of which the bodies leave some part in different memories: nobody could tell where it is afterwards. Then
  // `needed` is of no use. Ascending.
  std::vector<model::buffer_id> apart;
};

// What is needed before and holds after any number of runs of the one body, or one run of any of them. `always`: there is
// one body, which runs at least once; else nothing at all may run, so what would be written has to be there already.
// Of the memories where a body leaves what it writes, `preferred` is named, or the lowest one.
[[nodiscard]] body_requirements requirements_of(model::array_view<const body> bodies,
                                                model::memory_id preferred, bool always);

// Whether the plan finds what it needs wherever it has left it itself: then its runs may follow each other with nothing in
// between.
[[nodiscard]] bool follows_itself(const plan& p);

}  // namespace pianola::planner
