// SPDX-License-Identifier: Apache-2.0
// Streams, events, images and launches of the HIP double.
#include <cstring>

#include "front.hpp"

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::hip;

namespace {

constexpr int preferred_group_size = 64;

// Real runtimes look at the stream that an event was recorded in last, be it gone; 6.2 and 6.3 spoil a capture that has
// begun there since.
void look_at_stream_of(event& it) {
  const std::weak_ptr<stream> nowhere;
  if (!it.where.owner_before(nowhere) && !nowhere.owner_before(it.where)) return;
  const auto s = it.where.lock();
  if (s == nullptr || (!s->legacy && !e().handles.is_live(s->handle))) {
    e().note_violation("the stream that the event was recorded in is gone");
    return;
  }
  if (s->captured == nullptr || runtime_version() < 60200000 || runtime_version() >= 60400000)
    return;
  s->captured->invalid = true;
  violate(pianola::test::drivers::codes::captured_event,
          "the stream that the event was recorded in is captured");
}

}  // namespace

PIANOLA_HIP_ENTRY hipStreamCreateWithFlags(void** out, unsigned flags) {
  return enter("hipStreamCreateWithFlags", [&](lock&) {
    if (flags > 1) violate(1, "flags");
    result(out) = e().make_stream(current(), flags, flags == 1, 0)->handle;
  });
}

PIANOLA_HIP_ENTRY hipStreamDestroy(void* s) {
  return enter("hipStreamDestroy", [&](lock&) { e().destroy(*e().handles.get<stream>(s)); });
}

PIANOLA_HIP_ENTRY hipStreamQuery(void* s) {
  return enter("hipStreamQuery", [&](lock&) { return e().query(*stream_of(s)); });
}

PIANOLA_HIP_ENTRY hipStreamSynchronize(void* s) {
  return enter("hipStreamSynchronize", [&](lock& held) {
    const auto kept = stream_of(s);
    e().synchronize(held, *kept);
  });
}

PIANOLA_HIP_ENTRY hipStreamGetDevice(void* s, int* device) {
  return enter("hipStreamGetDevice",
               [&](lock&) { result(device) = static_cast<int>(stream_of(s)->owner->device); });
}

PIANOLA_HIP_ENTRY hipStreamWaitEvent(void* s, void* event_handle, unsigned flags) {
  return enter("hipStreamWaitEvent", [&](lock&) {
    if (flags != 0) violate(1, "flags must be 0");
    e().wait(stream_of(s), *e().handles.get<event>(event_handle));
  });
}

PIANOLA_HIP_ENTRY hipEventCreateWithFlags(void** out, unsigned flags) {
  return enter("hipEventCreateWithFlags", [&](lock&) {
    if ((flags & ~0xe0000007U) != 0 || (flags & 6U) == 4U) violate(1, "flags");
    result(out) = e().make_event(current(), (flags & 2U) == 0)->handle;
  });
}

PIANOLA_HIP_ENTRY hipEventDestroy(void* it) {
  return enter("hipEventDestroy", [&](lock&) { e().handles.remove(*e().handles.get<event>(it)); });
}

PIANOLA_HIP_ENTRY hipEventRecord(void* it, void* s) {
  return enter("hipEventRecord",
               [&](lock&) { e().record(*e().handles.get<event>(it), stream_of(s)); });
}

PIANOLA_HIP_ENTRY hipEventQuery(void* it) {
  return enter("hipEventQuery", [&](lock&) {
    const auto kept = e().handles.get<event>(it);
    e().check_captures();
    look_at_stream_of(*kept);
    return e().query(*kept);
  });
}

PIANOLA_HIP_ENTRY hipEventSynchronize(void* it) {
  return enter("hipEventSynchronize", [&](lock& held) {
    const auto kept = e().handles.get<event>(it);
    e().check_captures();
    look_at_stream_of(*kept);
    e().synchronize(held, *kept);
  });
}

PIANOLA_HIP_ENTRY hipEventElapsedTime(float* out, void* from, void* to) {
  return enter("hipEventElapsedTime", [&](lock&) {
    result(out) = e().milliseconds(*e().handles.get<event>(from), *e().handles.get<event>(to));
  });
}

PIANOLA_HIP_ENTRY hipModuleLoadData(void** out, const void* image) {
  return enter("hipModuleLoadData", [&](lock&) {
    e().check_captures();
    result(out) = e().load(current(), image, 0)->handle;
  });
}

PIANOLA_HIP_ENTRY hipModuleUnload(void* m) {
  return enter("hipModuleUnload", [&](lock& held) {
    e().check_captures();
    const auto kept = e().handles.get<module>(m);
    e().unload(held, *kept);
  });
}

PIANOLA_HIP_ENTRY hipModuleGetFunction(void** out, void* m, const char* symbol) {
  return enter("hipModuleGetFunction", [&](lock&) {
    if (symbol == nullptr) violate(1, "the name is null");
    result(out) = e().find(*e().handles.get<module>(m), symbol)->handle;
  });
}

PIANOLA_HIP_ENTRY hipModuleGetGlobal(void** out, std::size_t* bytes, void* m, const char* symbol) {
  return enter("hipModuleGetGlobal", [&](lock&) {
    if (symbol == nullptr) violate(1, "the name is null");
    e().check_captures();
    const module_variable v = e().find_variable(*e().handles.get<module>(m), symbol);
    if (out != nullptr) *out = v.start;
    if (bytes != nullptr) *bytes = v.bytes;
  });
}

PIANOLA_HIP_ENTRY hipFuncGetAttribute(int* out, int attribute, void* f) {
  return enter("hipFuncGetAttribute", [&](lock&) {
    const auto it = e().handles.get<function>(f);
    switch (attribute) {
      case 0:  // MAX_THREADS_PER_BLOCK
        result(out) = static_cast<int>(e().its_traits().max_group_size);
        return;
      case 1:  // SHARED_SIZE_BYTES
        result(out) = static_cast<int>(e().static_local_bytes(*it));
        return;
      case 2:  // CONST_SIZE_BYTES
      case 3:  // LOCAL_SIZE_BYTES
        result(out) = 0;
        return;
      case 8:  // MAX_DYNAMIC_SHARED_SIZE_BYTES
        result(out) = static_cast<int>(it->max_dynamic_local_bytes);
        return;
      default:
        violate(1, "attribute " + std::to_string(attribute) + " is not known");
    }
  });
}

PIANOLA_HIP_ENTRY hipModuleOccupancyMaxPotentialBlockSize(int* groups, int* size, void* f,
                                                          std::size_t, int limit) {
  return enter("hipModuleOccupancyMaxPotentialBlockSize", [&](lock&) {
    e().handles.get<function>(f);
    result(groups) = 8;
    result(size) = limit > 0 && limit < preferred_group_size ? limit : preferred_group_size;
  });
}

PIANOLA_HIP_ENTRY hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, void* f, int size,
                                                                     std::size_t local_bytes) {
  return enter("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", [&](lock&) {
    const auto it = e().handles.get<function>(f);
    result(groups) = e().resident_groups(*it, size, local_bytes);
  });
}

PIANOLA_HIP_ENTRY hipModuleLaunchKernel(void* f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                        unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned local_bytes, void* s, void** parameters,
                                        void** extra) {
  return enter("hipModuleLaunchKernel", [&](lock&) {
    kernel_run run;
    run.function = e().handles.get<function>(f);
    const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    std::memcpy(run.grid, grid, sizeof grid);
    std::memcpy(run.block, block, sizeof block);
    run.dynamic_local_bytes = local_bytes;
    engine::bind(run, parameters, extra);
    const auto it = stream_of(s);
    // The stream's device runs it, whatever the thread's is.
    e().launch(it->owner, it, std::move(run));
  });
}
