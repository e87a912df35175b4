// SPDX-License-Identifier: Apache-2.0
// Streams, events, images and launches of the CUDA double.
#include <cstdio>
#include <cstring>

#include "front.hpp"

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::cuda;

namespace {

// A launch that leaves the choice of the group's size to the driver gets groups of this size.
constexpr int preferred_group_size = 64;

int make_stream(const char* name, void** out, unsigned flags, int priority) {
  return enter(name, [&](lock&) {
    if (flags > 1) violate(codes::invalid_value, "flags");
    result(out) = e().make_stream(current(), flags, flags == 1, priority)->handle;
  });
}

std::shared_ptr<stream> get_stream(void* s) {
  if (s == nullptr) return current()->default_stream;
  return e().handles.get<stream>(s);
}

const CUlaunchConfig_t* how_or_fail(const CUlaunchConfig_t* how) {
  if (how == nullptr) violate(codes::invalid_value, "the configuration is null");
  return how;
}

}  // namespace

PIANOLA_CUDA_ENTRY cuStreamCreate(void** out, unsigned flags) {
  return make_stream("cuStreamCreate", out, flags, 0);
}

PIANOLA_CUDA_ENTRY cuStreamCreateWithPriority(void** out, unsigned flags, int priority) {
  return make_stream("cuStreamCreateWithPriority", out, flags, priority);
}

PIANOLA_CUDA_ENTRY cuStreamDestroy_v2(void* s) {
  return enter("cuStreamDestroy_v2", [&](lock&) { e().destroy(*e().handles.get<stream>(s)); });
}

PIANOLA_CUDA_ENTRY cuStreamQuery(void* s) {
  return enter("cuStreamQuery", [&](lock&) { return e().query(*get_stream(s)); });
}

PIANOLA_CUDA_ENTRY cuStreamSynchronize(void* s) {
  return enter("cuStreamSynchronize", [&](lock& held) {
    const auto it = get_stream(s);
    e().synchronize(held, *it);
  });
}

PIANOLA_CUDA_ENTRY cuStreamGetCtx(void* s, void** out) {
  return enter("cuStreamGetCtx", [&](lock&) { result(out) = get_stream(s)->owner->handle; });
}

PIANOLA_CUDA_ENTRY cuStreamWaitEvent(void* s, void* event_handle, unsigned flags) {
  return enter("cuStreamWaitEvent", [&](lock&) {
    if (flags > 1) violate(codes::invalid_value, "flags");
    current();
    e().wait(get_stream(s), *e().handles.get<event>(event_handle));
  });
}

PIANOLA_CUDA_ENTRY cuEventCreate(void** out, unsigned flags) {
  return enter("cuEventCreate", [&](lock&) {
    if (flags > 7 || (flags & 6U) == 4U) violate(codes::invalid_value, "flags");
    result(out) = e().make_event(current(), (flags & 2U) == 0)->handle;
  });
}

PIANOLA_CUDA_ENTRY cuEventDestroy_v2(void* it) {
  return enter("cuEventDestroy_v2",
               [&](lock&) { e().handles.remove(*e().handles.get<event>(it)); });
}

PIANOLA_CUDA_ENTRY cuEventRecord(void* it, void* s) {
  return enter("cuEventRecord", [&](lock&) {
    current();
    e().record(*e().handles.get<event>(it), get_stream(s));
  });
}

PIANOLA_CUDA_ENTRY cuEventQuery(void* it) {
  return enter("cuEventQuery", [&](lock&) {
    e().check_captures();
    return e().query(*e().handles.get<event>(it));
  });
}

PIANOLA_CUDA_ENTRY cuEventSynchronize(void* it) {
  return enter("cuEventSynchronize", [&](lock& held) {
    const auto kept = e().handles.get<event>(it);
    e().check_captures();
    e().synchronize(held, *kept);
  });
}

PIANOLA_CUDA_ENTRY cuEventElapsedTime(float* out, void* from, void* to) {
  return enter("cuEventElapsedTime", [&](lock&) {
    result(out) = e().milliseconds(*e().handles.get<event>(from), *e().handles.get<event>(to));
  });
}

PIANOLA_CUDA_ENTRY cuModuleLoadDataEx(void** out, const void* image, unsigned count,
                                      const int* options, void** values) {
  return enter("cuModuleLoadDataEx", [&](lock&) {
    result(out);
    e().check_captures();
    if (count != 0 && (options == nullptr || values == nullptr))
      violate(codes::invalid_value, "options are null");
    try {
      *out = e().load(current(), image, 0)->handle;
    } catch (const failure& x) {
      char* log = nullptr;
      std::size_t bytes = 0;
      for (unsigned i = 0; i < count; ++i) {
        if (options[i] == 5) log = static_cast<char*>(values[i]);               // ERROR_LOG_BUFFER
        if (options[i] == 6) bytes = reinterpret_cast<std::size_t>(values[i]);  // its size
      }
      if (log != nullptr && bytes != 0) std::snprintf(log, bytes, "%s\n", x.text.c_str());
      throw;
    }
  });
}

PIANOLA_CUDA_ENTRY cuModuleLoadData(void** out, const void* image) {
  return enter("cuModuleLoadData", [&](lock&) {
    e().check_captures();
    result(out) = e().load(current(), image, 0)->handle;
  });
}

PIANOLA_CUDA_ENTRY cuModuleUnload(void* m) {
  return enter("cuModuleUnload", [&](lock& held) {
    current();
    e().check_captures();
    const auto kept = e().handles.get<module>(m);
    e().unload(held, *kept);
  });
}

PIANOLA_CUDA_ENTRY cuModuleGetFunction(void** out, void* m, const char* symbol) {
  return enter("cuModuleGetFunction", [&](lock&) {
    if (symbol == nullptr) violate(codes::invalid_value, "the name is null");
    result(out) = e().find(*e().handles.get<module>(m), symbol)->handle;
  });
}

PIANOLA_CUDA_ENTRY cuModuleGetGlobal_v2(unsigned long long* out, std::size_t* bytes, void* m,
                                        const char* symbol) {
  return enter("cuModuleGetGlobal", [&](lock&) {
    if (symbol == nullptr) violate(codes::invalid_value, "the name is null");
    e().check_captures();
    const module_variable v = e().find_variable(*e().handles.get<module>(m), symbol);
    if (out != nullptr) *out = reinterpret_cast<unsigned long long>(v.start);
    if (bytes != nullptr) *bytes = v.bytes;
  });
}

PIANOLA_CUDA_ENTRY cuFuncGetAttribute(int* out, int attribute, void* f) {
  return enter("cuFuncGetAttribute", [&](lock&) {
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
      case 4:  // NUM_REGS
        result(out) = 32;
        return;
      case 5:  // PTX_VERSION
      case 6:  // BINARY_VERSION
        result(out) = 90;
        return;
      case 8:  // MAX_DYNAMIC_SHARED_SIZE_BYTES
        result(out) = static_cast<int>(it->max_dynamic_local_bytes);
        return;
      default:
        violate(codes::invalid_value, "attribute " + std::to_string(attribute) + " is not known");
    }
  });
}

PIANOLA_CUDA_ENTRY cuFuncSetAttribute(void* f, int attribute, int value) {
  return enter("cuFuncSetAttribute", [&](lock&) {
    const auto it = e().handles.get<function>(f);
    if (attribute == 8)
      e().allow_local_memory(*it, value);
    else if (attribute != 9)  // PREFERRED_SHARED_MEMORY_CARVEOUT
      violate(codes::invalid_value, "attribute " + std::to_string(attribute) + " cannot be set");
  });
}

PIANOLA_CUDA_ENTRY cuOccupancyMaxPotentialBlockSize(int* groups, int* size, void* f,
                                                    std::size_t (*)(int), std::size_t, int limit) {
  return enter("cuOccupancyMaxPotentialBlockSize", [&](lock&) {
    e().handles.get<function>(f);
    result(groups) = 8;
    result(size) = limit > 0 && limit < preferred_group_size ? limit : preferred_group_size;
  });
}

PIANOLA_CUDA_ENTRY cuOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, void* f, int size,
                                                               std::size_t local_bytes) {
  return enter("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&](lock&) {
    const auto it = e().handles.get<function>(f);
    result(groups) = e().resident_groups(*it, size, local_bytes);
  });
}

PIANOLA_CUDA_ENTRY cuLaunchKernel(void* f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z,
                                  unsigned local_bytes, void* s, void** parameters, void** extra) {
  return enter("cuLaunchKernel", [&](lock&) {
    kernel_run run;
    run.function = e().handles.get<function>(f);
    const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    std::memcpy(run.grid, grid, sizeof grid);
    std::memcpy(run.block, block, sizeof block);
    run.dynamic_local_bytes = local_bytes;
    engine::bind(run, parameters, extra);
    const auto c = current();
    e().launch(c, get_stream(s), std::move(run));
  });
}

PIANOLA_CUDA_ENTRY cuLaunchKernelEx(const CUlaunchConfig_t* how, void* f, void** parameters,
                                    void** extra) {
  return enter("cuLaunchKernelEx", [&](lock&) {
    const CUlaunchConfig_t& h = *how_or_fail(how);
    if (h.numAttrs != 0 && h.attrs == nullptr) violate(codes::invalid_value, "attributes are null");
    for (unsigned i = 0; i < h.numAttrs; ++i) {
      const CUlaunchAttribute_t& a = h.attrs[i];
      if (a.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION_v) {
        if (a.value.programmaticStreamSerializationAllowed > 1)
          violate(codes::invalid_value, "the attribute is 0 or 1");
      } else if (a.id != CU_LAUNCH_ATTRIBUTE_PRIORITY_v) {
        violate(codes::invalid_value, "attribute " + std::to_string(a.id) + " is not known");
      }
    }
    kernel_run run;
    run.function = e().handles.get<function>(f);
    const unsigned grid[3] = {h.gridDimX, h.gridDimY, h.gridDimZ};
    const unsigned block[3] = {h.blockDimX, h.blockDimY, h.blockDimZ};
    std::memcpy(run.grid, grid, sizeof grid);
    std::memcpy(run.block, block, sizeof block);
    run.dynamic_local_bytes = h.sharedMemBytes;
    engine::bind(run, parameters, extra);
    const auto c = current();
    e().launch(c, get_stream(h.hStream), std::move(run));
  });
}
