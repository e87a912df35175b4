// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/control_on_device.hpp"

#include "process.hpp"
#include "replay/executable/graph_instance.hpp"

namespace pianola::runtime {

control_on_device::control_on_device(const control& what) : control_step(what) {
  bodies_.reserve(what.bodies.size());
  for (const control::body& b : what.bodies)
    bodies_.push_back(graph_instance::make_body(b.recorded.copy(), what.device, b.plan,
                                                graph_instance::role::inner, false));
  steps_.resize(bodies_.size());
}

void control_on_device::bind(process& rt, const planned_graph& holder) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) steps_[i] = bodies_[i]->inner_steps(rt, holder);
}

executors::resolved_action control_on_device::action() noexcept {
  executors::resolved_control c;
  c.what = what_.what;
  c.count = what_.count;
  c.condition = const_cast<void*>(condition_);
  c.bytes = what_.bytes;
  c.bodies = steps_;
  return c;
}

}  // namespace pianola::runtime
