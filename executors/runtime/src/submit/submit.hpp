// SPDX-License-Identifier: Apache-2.0
// The steps of a submission that stand in files of their own; `submit` in pipeline.cpp is the walk.
#pragma once
#include <memory>

#include <pianola/runtime/events.hpp>
#include <pianola/runtime/queues.hpp>
#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

// Which of its command group's commands this one is, and what they share.
struct place_in_group {
  bool first = true;
  bool last = true;
  std::shared_ptr<event_record> record{};  // of queues that profile
};

// What becomes of a submission that is not held back.
event submit_now(queue& q, submission& s);
// One command of a command group.
event submit_one(queue& q, submission& s, place_in_group& place);
// A copy between devices of which neither reaches the other's memory: through memory of the host, in two commands.
event copy_over_host(queue& q, submission& s, place_in_group& place);

}  // namespace pianola::runtime
