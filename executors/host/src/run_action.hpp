// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>

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
  };
  std::visit(visitor{hooks, home, thread}, action);
}

// Ends the function object if the step owns it.
inline void release_action(executors::resolved_action& action) noexcept {
  const auto release = [](const model::argument_block& b) {
    if (b.operations != nullptr) b.operations->destroy(b.bytes);
    ::operator delete(b.bytes, std::align_val_t(b.alignment));
  };
  if (const auto* k = std::get_if<executors::resolved_kernel>(&action)) {
    if (k->owns_arguments) release(k->arguments);
  } else if (const auto* t = std::get_if<executors::resolved_host_task>(&action)) {
    if (t->owns_arguments) release(t->arguments);
  }
}

}  // namespace pianola::host
