// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/control_step.hpp"

#include "replay/executable/control_on_device.hpp"
#include "replay/executable/control_runner.hpp"

namespace pianola::runtime {

std::shared_ptr<control_step> make_control_step(const control& what, step_context::replay_state& of,
                                                std::size_t command, bool node_times) {
  if (what.on_device) return std::make_shared<control_on_device>(what);
  return std::make_shared<control_runner>(what, of, command, node_times);
}

}  // namespace pianola::runtime
