// SPDX-License-Identifier: Apache-2.0
// Command groups that become several commands. Each carries what those before it require, so that the last one
// stands for all: who waits for it, or for any buffer of the command group, waits for the whole.
#pragma once
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

class machine;
class process;

// All commands of a command group: what can be known to be wrong is said before the first of them is submitted, and
// what they need of memory is allocated, if that is asked for. Takes the lock.
void check_group(process& rt, submission& first, model::device_id device, bool allocate);

// Notes in the accessors of a command, before another one of its command group, what they came to require.
void note_requirements(submission& s, const std::vector<model::requirement>& requirements,
                       model::memory_id memory);
// Adds to `next` what the command before it, with what it carries itself, has noted.
void carry_requirements(const machine& m, const submission& before, submission& next,
                        model::device_id device);

}  // namespace pianola::runtime
