// SPDX-License-Identifier: Apache-2.0
// The end of function objects that steps own. Their destructors are the program's code and may wait: for a buffer that
// only the function object kept alive, say, whose destructor waits for this very step and for later ones. So they run
// when the step counts as done, on a thread that has no lane and no lock.
#pragma once
#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/command.hpp>

namespace pianola::host {

// What the action's step owns; without bytes if it owns nothing.
[[nodiscard]] inline model::argument_block owned_by(
    const executors::resolved_action& action) noexcept {
  if (const auto* k = std::get_if<executors::resolved_kernel>(&action))
    return k->owns_arguments ? k->arguments : model::argument_block();
  if (const auto* t = std::get_if<executors::resolved_host_task>(&action))
    return t->owns_arguments ? t->arguments : model::argument_block();
  return {};
}

// Destroys the function object, if there is one, and gives its memory back.
void end_function_object(const model::argument_block&) noexcept;
// The same, on a thread of its own if there is a destructor.
void end_function_object_elsewhere(const model::argument_block&) noexcept;

}  // namespace pianola::host
