// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/host_staging.hpp"

#include <pianola/executors/backend.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/share_storage.hpp>

#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"

namespace pianola::runtime {

using model::user_error;

host_staging::host_staging(const machine& m, const graph_snapshot& recorded) {
  if (recorded.staged.empty()) return;
  std::vector<planner::storage_request> requests;
  for (const recorder::staging& s : recorded.staged) requests.push_back({s.bytes, s.in, s.out});
  const planner::storage_layout layout =
      planner::share_storage(requests, planner::command_edges(recorded.commands, recorded.buffers));
  offsets_ = layout.offsets;
  const device_entry& host = m.device(m.host_device());
  void* pointer = nullptr;
  const executors::status status =
      host.owner->allocate(host.index, executors::memory_kind::host, layout.bytes, 0, pointer);
  if (!status.ok())
    throw user_error(status.code, status.reason +
                                      "; a graph's copies between devices of different "
                                      "backends go through memory of the host");
  block_.reset(pointer, [&host](void* p) {
    pointer_registry::instance().remove(p);
    host.owner->deallocate(host.index, executors::memory_kind::host, p);
  });
  pointer_registry::instance().add(pointer, layout.bytes, usm_kind::host, m.host_device(),
                                   allocation_use::other);
}

}  // namespace pianola::runtime
