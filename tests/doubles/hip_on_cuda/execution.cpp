// SPDX-License-Identifier: Apache-2.0
// Streams, events, copies, fills, modules and kernels.
#include "shim.hpp"

using namespace pianola;
using hip_on_cuda::address_of;
using hip_on_cuda::handle;
using hip_on_cuda::shim;

namespace pianola::hip_on_cuda {

cuda::memcpy_3d description_of(const hip::memcpy_3d& copy) {
  shim& s = shim::instance();
  cuda::memcpy_3d d{};
  const auto side = [&s](const hip::pitched_pointer& p, cuda::memory_type& type, auto& host,
                         address& device, std::size_t& pitch, std::size_t& height) {
    type = s.is_on_device(p.ptr) ? cuda::memory_device : cuda::memory_host;
    if (type == cuda::memory_device)
      device = address_of(p.ptr);
    else
      host = p.ptr;
    pitch = p.pitch;
    height = p.ysize;
  };
  side(copy.srcPtr, d.srcMemoryType, d.srcHost, d.srcDevice, d.srcPitch, d.srcHeight);
  side(copy.dstPtr, d.dstMemoryType, d.dstHost, d.dstDevice, d.dstPitch, d.dstHeight);
  d.WidthInBytes = copy.size.width;
  d.Height = copy.size.height;
  d.Depth = copy.size.depth;
  return d;
}

namespace {

// What CUDA lets a kernel have without being asked.
constexpr unsigned usual_local_bytes = 48 << 10;

template <class Call>
int in_context(Call call) {
  shim& s = shim::instance();
  const int code = s.enter();
  return code != hip::success ? code : call(s.cu());
}

}  // namespace

}  // namespace pianola::hip_on_cuda

using hip_on_cuda::in_context;
using functions = cuda::functions;

// --- streams and events ---

HIP_ENTRY hipStreamCreateWithFlags(handle* out, unsigned flags) {
  return in_context([=](const functions& cu) { return cu.cuStreamCreate(out, flags); });
}
HIP_ENTRY hipStreamDestroy(handle stream) {
  return in_context([=](const functions& cu) { return cu.cuStreamDestroy(stream); });
}
HIP_ENTRY hipStreamGetDevice(handle stream, int* device) {
  return in_context([=](const functions& cu) {
    handle theirs = nullptr;
    const int code = cu.cuStreamGetCtx(stream, &theirs);
    if (code != hip::success) return code;
    *device = shim::instance().number_of(theirs);
    return *device < 0 ? static_cast<int>(hip::invalid_device) : static_cast<int>(hip::success);
  });
}
HIP_ENTRY hipStreamWaitEvent(handle stream, handle event, unsigned flags) {
  return in_context(
      [=](const functions& cu) { return cu.cuStreamWaitEvent(stream, event, flags); });
}
// By an event, because the backend for CUDA has no other means either.
HIP_ENTRY hipStreamSynchronize(handle stream) {
  return in_context([=](const functions& cu) {
    handle event = nullptr;
    int code = cu.cuEventCreate(&event, cuda::event_blocking_sync | cuda::event_disable_timing);
    if (code != hip::success) return code;
    code = cu.cuEventRecord(event, stream);
    if (code == hip::success) code = cu.cuEventSynchronize(event);
    (void)cu.cuEventDestroy(event);
    return code;
  });
}
HIP_ENTRY hipEventCreateWithFlags(handle* out, unsigned flags) {
  return in_context([=](const functions& cu) { return cu.cuEventCreate(out, flags); });
}
HIP_ENTRY hipEventDestroy(handle event) {
  return in_context([=](const functions& cu) { return cu.cuEventDestroy(event); });
}
HIP_ENTRY hipEventRecord(handle event, handle stream) {
  return in_context([=](const functions& cu) { return cu.cuEventRecord(event, stream); });
}
HIP_ENTRY hipEventQuery(handle event) {
  return in_context([=](const functions& cu) { return cu.cuEventQuery(event); });
}
HIP_ENTRY hipEventSynchronize(handle event) {
  return in_context([=](const functions& cu) { return cu.cuEventSynchronize(event); });
}
HIP_ENTRY hipEventElapsedTime(float* milliseconds, handle from, handle to) {
  return in_context(
      [=](const functions& cu) { return cu.cuEventElapsedTime(milliseconds, from, to); });
}

// --- copies and fills ---

HIP_ENTRY hipMemcpyAsync(void* to, const void* from, std::size_t bytes, unsigned kind,
                         handle stream) {
  if (kind != hip::memcpy_default) return hip::invalid_value;
  return in_context([=](const functions& cu) {
    return cu.cuMemcpyAsync(address_of(to), address_of(from), bytes, stream);
  });
}
HIP_ENTRY hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                             std::size_t bytes, handle stream) {
  shim& s = shim::instance();
  if (!s.is_device(to_device) || !s.is_device(from_device)) return hip::invalid_device;
  return in_context([&](const functions& cu) {
    return cu.cuMemcpyPeerAsync(address_of(to), s.context(to_device), address_of(from),
                                s.context(from_device), bytes, stream);
  });
}
HIP_ENTRY hipMemcpy3DAsync(const hip::memcpy_3d* copy, handle stream) {
  if (copy->kind != hip::memcpy_default) return hip::invalid_value;
  return in_context([=](const functions& cu) {
    const cuda::memcpy_3d d = hip_on_cuda::description_of(*copy);
    return cu.cuMemcpy3DAsync(&d, stream);
  });
}
HIP_ENTRY hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                           std::size_t width, std::size_t height, unsigned kind, handle stream) {
  hip::memcpy_3d copy{};
  copy.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
  copy.dstPtr = {to, to_pitch, width, height};
  copy.size = {width, height, 1};
  copy.kind = static_cast<hip::memcpy_kind>(kind);
  return hipMemcpy3DAsync(&copy, stream);
}
HIP_ENTRY hipMemsetD8Async(void* at, unsigned char value, std::size_t count, handle stream) {
  return in_context([=](const functions& cu) {
    return cu.cuMemsetD8Async(address_of(at), value, count, stream);
  });
}
HIP_ENTRY hipMemsetD16Async(void* at, unsigned short value, std::size_t count, handle stream) {
  return in_context([=](const functions& cu) {
    return cu.cuMemsetD16Async(address_of(at), value, count, stream);
  });
}
HIP_ENTRY hipMemsetD32Async(void* at, int value, std::size_t count, handle stream) {
  return in_context([=](const functions& cu) {
    return cu.cuMemsetD32Async(address_of(at), static_cast<unsigned>(value), count, stream);
  });
}
HIP_ENTRY hipMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width,
                           std::size_t height, handle stream) {
  return in_context([=](const functions& cu) {
    return cu.cuMemsetD2D8Async(address_of(at), pitch, static_cast<unsigned char>(value), width,
                                height, stream);
  });
}

// --- modules and kernels ---

HIP_ENTRY hipModuleLoadData(handle* out, const void* image) {
  return in_context(
      [=](const functions& cu) { return cu.cuModuleLoadDataEx(out, image, 0, nullptr, nullptr); });
}
HIP_ENTRY hipModuleUnload(handle module) {
  return in_context([=](const functions& cu) { return cu.cuModuleUnload(module); });
}
HIP_ENTRY hipModuleGetFunction(handle* out, handle module, const char* name) {
  return in_context([=](const functions& cu) { return cu.cuModuleGetFunction(out, module, name); });
}
HIP_ENTRY hipModuleGetGlobal(void** out, std::size_t* bytes, handle module, const char* name) {
  return in_context([=](const functions& cu) {
    cuda::address found = 0;
    const auto c = cu.cuModuleGetGlobal(&found, bytes, module, name);
    if (c == cuda::success) *out = reinterpret_cast<void*>(found);
    return c;
  });
}
HIP_ENTRY hipFuncGetAttribute(int* value, int what, handle function) {
  return in_context([=](const functions& cu) {
    return cu.cuFuncGetAttribute(value, static_cast<cuda::function_attribute>(what), function);
  });
}
HIP_ENTRY hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, handle function,
                                                  std::size_t local_bytes, int limit) {
  return in_context([=](const functions& cu) {
    return cu.cuOccupancyMaxPotentialBlockSize(grid, block, function, nullptr, local_bytes, limit);
  });
}
HIP_ENTRY hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, handle function, int size,
                                                             std::size_t local_bytes) {
  return in_context([=](const functions& cu) {
    return cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(groups, function, size, local_bytes);
  });
}
HIP_ENTRY hipModuleLaunchKernel(handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                unsigned block_x, unsigned block_y, unsigned block_z,
                                unsigned local_bytes, handle stream, void** parameters,
                                void** extra) {
  return in_context([=](const functions& cu) {
    if (local_bytes > hip_on_cuda::usual_local_bytes) {
      const int code = cu.cuFuncSetAttribute(function, cuda::function_max_dynamic_shared_size_bytes,
                                             static_cast<int>(local_bytes));
      if (code != hip::success) return code;
    }
    return cu.cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                             local_bytes, stream, parameters, extra);
  });
}
