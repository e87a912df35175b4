// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/executors/resolved_step.hpp>

#include "pianola/host/kernel_runner.hpp"
#include "pianola/host/lane.hpp"

namespace pianola::host {

// Runs one step on the calling thread. What the user's code or the hooks throw comes out.
inline void run_action(const executors::resolved_action& action, step_hooks& hooks, team& home,
                       unsigned thread) {
  struct visitor {
    step_hooks& hooks;
    team& home;
    unsigned thread;
    void operator()(const executors::resolved_nothing&) const {}
    void operator()(const executors::resolved_kernel& k) const {
      run_kernel(k, home, thread, hooks.parallel_kernels());
    }
    void operator()(const executors::resolved_copy& c) const { hooks.copy(c); }
    void operator()(const executors::resolved_fill& f) const { hooks.fill(f); }
    void operator()(const executors::resolved_host_task& t) const { t(); }
    void operator()(const executors::resolved_control&) const {}  // holds_control() is false
  };
  std::visit(visitor{hooks, home, thread}, action);
}

}  // namespace pianola::host
