// SPDX-License-Identifier: Apache-2.0
// The driver's own handles behind devices, queues, events and graphs, and the way back.
//
// Everything throws model::user_error: feature_not_supported where the backend has no such handles (the
// processors and simulated devices have none), invalid where the object does not stand for one.
#pragma once
#include <memory>

#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/native_kind.hpp>

#include "events.hpp"
#include "graphs.hpp"
#include "queues.hpp"

namespace pianola::runtime {

// The handle of a device, or of its context. They live as long as the process.
[[nodiscard]] void* native_handle(model::device_id, model::native_kind device_or_context);
// The stream that the queue's commands go to from now on, in the order of submission; what was submitted before
// is waited for there. The first call gives the queue a stream of its own, which lives as long as the process.
[[nodiscard]] void* native_handle(queue&);
// Reached when the command has finished. Lives as long as the process.
[[nodiscard]] void* native_handle(const event&);
// The executable graph, or the graph that it was made of. They live as long as the executable graph. Throws
// feature_not_supported where the plan is of more than one part (several backends, host tasks).
[[nodiscard]] void* native_handle(const executable_graph&, model::native_kind graph_or_executable);

// The device whose handle it is.
[[nodiscard]] model::device_id device_of_native(const char* backend, void* device);
// That of these devices, all of one backend, which a stream of the program's is of. Throws user_error (invalid) where it
// is of none of them, and (feature_not_supported) where there are several and the driver does not tell.
[[nodiscard]] model::device_id device_of_stream(model::array_view<const model::device_id>,
                                                void* stream);
// A queue whose commands go to a stream of the program's, which outlives it.
[[nodiscard]] std::shared_ptr<queue> adopt_queue(queue_description, void* stream);
// Has finished when the program's event, which was recorded, has.
[[nodiscard]] event adopt_event(model::device_id, void* native_event);

}  // namespace pianola::runtime
