// SPDX-License-Identifier: Apache-2.0
#include "execute/waiting.hpp"

#include <exception>

#include <pianola/host/team.hpp>

#include "data/held_accesses.hpp"
#include "execute/wait_hint.hpp"
#include "process.hpp"

namespace pianola::runtime {

void wait_until_reached(process& rt, model::array_view<const executors::lane_position> positions,
                        std::string_view what, model::lane_id mine) noexcept {
  if (rt.held.any()) [[unlikely]] {
    try {
      wait_for_hint(rt, positions, what, mine);
    } catch (const std::exception&) {
      // No memory for a hint.
    }
  }
  for (const executors::lane_position& p : positions)
    host::team::instance().wait(*p.lane, p.position);
}

}  // namespace pianola::runtime
