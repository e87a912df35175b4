// SPDX-License-Identifier: Apache-2.0
// The library's words for those of the model and the planner, whose headers its users do not see. A word without its
// counterpart does not compile.
#pragma once
#include <cstddef>

#include <pianola/model/allocation.hpp>
#include <pianola/model/command_kind.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/planner/check/check.hpp>
#include <pianola/planner/options.hpp>

#include "pianola/planning/graph.hpp"
#include "pianola/planning/plan.hpp"

namespace pianola::planning::detail {

// These are cast: their numbers are the same.
template <class One, class Other>
constexpr bool same(One one, Other other) noexcept {
  return static_cast<std::size_t>(one) == static_cast<std::size_t>(other);
}

#define PIANOLA_SAME(word) static_assert(same(access::word, model::access_mode::word));
PIANOLA_ACCESS_MODES(PIANOLA_SAME)
#undef PIANOLA_SAME

#define PIANOLA_SAME(word) static_assert(same(usm_kind::word, model::usm_kind::word));
PIANOLA_USM_KINDS(PIANOLA_SAME)
#undef PIANOLA_SAME

#define PIANOLA_SAME(word) static_assert(same(command_kind::word, model::command_kind::word));
PIANOLA_COMMAND_KINDS(PIANOLA_SAME)
#undef PIANOLA_SAME

// Of these compilers tell that a word has no case.
constexpr finding_kind from_planner(planner::finding::kind k) noexcept {
  switch (k) {
    case planner::finding::kind::race:
      return finding_kind::race;
    case planner::finding::kind::freed_in_use:
      return finding_kind::freed_in_use;
    case planner::finding::kind::use_after_free:
      return finding_kind::use_after_free;
    case planner::finding::kind::never_written:
      return finding_kind::never_written;
    case planner::finding::kind::out_of_bounds:
      return finding_kind::out_of_bounds;
  }
  return {};
}
constexpr planner::objective to_planner(objective o) noexcept {
  switch (o) {
    case objective::makespan:
      return planner::objective::makespan;
    case objective::bytes:
      return planner::objective::bytes;
    case objective::memory:
      return planner::objective::memory;
  }
  return {};
}
constexpr planner::placing to_planner(placement p) noexcept {
  switch (p) {
    case placement::as_submitted:
      return planner::placing::as_submitted;
    case placement::list_scheduling:
      return planner::placing::list_scheduling;
    case placement::heft:
      return planner::placing::heft;
    case placement::exact:
      return planner::placing::exact;
    case placement::refined:
      return planner::placing::refined;
    case placement::anywhere:
      return planner::placing::anywhere;
  }
  return {};
}

}  // namespace pianola::planning::detail
