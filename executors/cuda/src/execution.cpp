// SPDX-License-Identifier: Apache-2.0
// Contexts, memory, streams, events, immediate work and images.
#include <algorithm>
#include <new>

#include <pianola/gpu/driver_calls.hpp>

#include "cuda_driver.hpp"
#include "descriptions.hpp"

namespace pianola::cuda {

using gpu::code;
using gpu::has_whole_slices;
using gpu::within;

// --- contexts ---

result cuda_driver::enter(std::uint32_t device, handle& context) const noexcept {
  device_state& state = *states_[device];
  context = state.context.load(std::memory_order_acquire);
  if (context != nullptr) return success;
  std::lock_guard<std::mutex> lock(contexts_mutex_);
  context = state.context.load(std::memory_order_relaxed);
  if (context != nullptr) return success;

  const functions& call = library_.call;
  handle made = nullptr;
  if (const result r = call.cuDevicePrimaryCtxRetain(&made, state.native); r != success) return r;
  handle former = nullptr;
  (void)call.cuCtxGetCurrent(&former);
  if (const result r = call.cuCtxSetCurrent(made); r != success) return r;
  if (can_.node_priorities)
    (void)call.cuCtxGetStreamPriorityRange(&state.least_priority, &state.greatest_priority);
  // Direct copies between devices that are in use. Where they cannot be enabled, which is so for want of memory or of
  // connections too, the driver goes through the host by itself; but not in graphs.
  const auto enabled = [](result r) { return r == success || r == peer_access_already_enabled; };
  for (std::size_t other = 0; other < states_.size(); ++other) {
    const handle theirs = states_[other]->context.load(std::memory_order_relaxed);
    if (other == device || theirs == nullptr) continue;
    if (descriptions_[device].peers[other])
      state.reaches[other] = enabled(call.cuCtxEnablePeerAccess(theirs, 0));
    if (descriptions_[other].peers[device] && call.cuCtxSetCurrent(theirs) == success)
      states_[other]->reaches[device] = enabled(call.cuCtxEnablePeerAccess(made, 0));
    (void)call.cuCtxSetCurrent(made);
  }
  if (former != nullptr) (void)call.cuCtxSetCurrent(former);
  context = made;
  state.context.store(made, std::memory_order_release);
  return success;
}

handle cuda_driver::context_of(std::uint32_t device) const noexcept {
  handle context = nullptr;
  return enter(device, context) == success ? context : nullptr;
}

bool cuda_driver::reaches_in_graphs(std::uint32_t device, std::uint32_t other) noexcept {
  if (device == other) return true;
  // Access is asked for when the second of the two contexts is made.
  if (context_of(device) == nullptr || context_of(other) == nullptr) return false;
  std::lock_guard<std::mutex> lock(contexts_mutex_);
  return states_[device]->reaches[other];
}

std::uint32_t cuda_driver::device_in_use() const noexcept {
  for (std::uint32_t device = 0; device < states_.size(); ++device)
    if (states_[device]->context.load(std::memory_order_acquire) != nullptr) return device;
  return 0;
}

// --- memory ---

code cuda_driver::allocate_device(std::uint32_t device, std::size_t bytes, void*& out) noexcept {
  const beside_captures here(*this, device);
  if (here.code() != success) return here.code();
  address at = 0;
  const result made = library_.call.cuMemAlloc(&at, std::max<std::size_t>(bytes, 1));
  if (made == success) out = pointer_to(at);
  return made;
}

code cuda_driver::free_device(std::uint32_t device, void* memory) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuMemFree, address_of(memory));
}

code cuda_driver::allocate_host(std::uint32_t device, std::size_t bytes, void*& out) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuMemHostAlloc, &out,
                                 std::max<std::size_t>(bytes, 1), host_portable | host_device_map);
}

code cuda_driver::free_host(std::uint32_t device, void* memory) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuMemFreeHost, memory);
}

code cuda_driver::allocate_managed(std::uint32_t device, std::size_t bytes, void*& out) noexcept {
  const beside_captures here(*this, device);
  if (here.code() != success) return here.code();
  address at = 0;
  const result made =
      library_.call.cuMemAllocManaged(&at, std::max<std::size_t>(bytes, 1), attach_global);
  if (made == success) out = pointer_to(at);
  return made;
}

code cuda_driver::free_managed(std::uint32_t device, void* memory) noexcept {
  return free_device(device, memory);
}

code cuda_driver::free_memory(std::uint32_t device, std::size_t& bytes) noexcept {
  std::size_t total = 0;
  return within<in_context>(*this, device, library_.call.cuMemGetInfo, &bytes, &total);
}

bool cuda_driver::lock_pages(std::uint32_t device, void* start, std::size_t bytes) noexcept {
  if (library_.call.cuMemHostRegister == nullptr || library_.call.cuMemHostUnregister == nullptr)
    return false;
  return within<beside_captures>(*this, device, library_.call.cuMemHostRegister, start, bytes,
                                 host_portable) == success;
}

void cuda_driver::unlock_pages(std::uint32_t device, void* start) noexcept {
  (void)within<beside_captures>(*this, device, library_.call.cuMemHostUnregister, start);
}

// --- streams and events ---

code cuda_driver::make_stream(std::uint32_t device, gpu::stream& out) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuStreamCreate, &out.native,
                                 stream_non_blocking);
}

void cuda_driver::destroy(std::uint32_t device, gpu::stream s) noexcept {
  if (s.native == nullptr) return;
  (void)within<beside_captures>(*this, device, library_.call.cuStreamDestroy, s.native);
}

code cuda_driver::device_of(gpu::stream s, std::uint32_t& device) noexcept {
  device = elsewhere;
  handle theirs = nullptr;
  const result asked =
      within<in_context>(*this, device_in_use(), library_.call.cuStreamGetCtx, s.native, &theirs);
  if (asked != success) return asked;
  // Only primary contexts are used here. Those that are there already first: asking for one makes it.
  for (const bool made : {true, false})
    for (std::uint32_t i = 0; i < states_.size() && device == elsewhere; ++i)
      if ((states_[i]->context.load(std::memory_order_acquire) != nullptr) == made &&
          context_of(i) == theirs)
        device = i;
  return success;
}

code cuda_driver::make_event(std::uint32_t device, bool with_time, gpu::event& out) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuEventCreate, &out.native,
                                 event_blocking_sync | (with_time ? 0u : event_disable_timing));
}

void cuda_driver::destroy(std::uint32_t device, gpu::event e) noexcept {
  if (e.native == nullptr) return;
  (void)within<beside_captures>(*this, device, library_.call.cuEventDestroy, e.native);
}

code cuda_driver::record(std::uint32_t device, gpu::stream s, gpu::event e) noexcept {
  return within<in_context>(*this, device, library_.call.cuEventRecord, e.native, s.native);
}

code cuda_driver::wait(std::uint32_t device, gpu::stream s, gpu::event e) noexcept {
  return within<in_context>(*this, device, library_.call.cuStreamWaitEvent, s.native, e.native, 0);
}

// Questions about events may be asked in any context, but not in none.
gpu::event_state cuda_driver::query(gpu::event e, code& why) noexcept {
  const beside_captures here(*this, device_in_use());
  why = here.code() != success ? here.code() : library_.call.cuEventQuery(e.native);
  if (why == success) return gpu::event_state::reached;
  if (why != not_ready) return gpu::event_state::broken;
  why = success;
  return gpu::event_state::not_reached;
}

code cuda_driver::synchronize(gpu::event e) noexcept {
  return within<beside_captures>(*this, device_in_use(), library_.call.cuEventSynchronize,
                                 e.native);
}

code cuda_driver::elapsed(gpu::event from, gpu::event to, float& milliseconds) noexcept {
  return within<in_context>(*this, device_in_use(), library_.call.cuEventElapsedTime, &milliseconds,
                            from.native, to.native);
}

// The driver prints when it is waited for, at launches outside of graphs and when modules go; never at exit.
void cuda_driver::print_output(gpu::event e) noexcept { (void)synchronize(e); }

// --- immediate work ---

code cuda_driver::copy(gpu::stream s, const gpu::copy_operation& operation) noexcept {
  const executors::resolved_copy& box = operation.box;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return success;
  const in_context here(*this, operation.device);
  if (here.code() != success) return here.code();
  const functions& call = library_.call;
  const bool from_device = operation.from >= 0;
  const bool to_device = operation.to >= 0;
  const bool between_devices = from_device && to_device && operation.from != operation.to;
  const address source = address_of(box.source);
  const address destination = address_of(box.destination);

  if (box.height == 1 && box.depth == 1) {
    if (between_devices)
      return call.cuMemcpyPeerAsync(
          destination, context_of(static_cast<std::uint32_t>(operation.to)), source,
          context_of(static_cast<std::uint32_t>(operation.from)), box.width, s.native);
    if (from_device && to_device)
      return call.cuMemcpyDtoDAsync(destination, source, box.width, s.native);
    if (from_device) return call.cuMemcpyDtoHAsync(box.destination, source, box.width, s.native);
    if (to_device) return call.cuMemcpyHtoDAsync(destination, box.source, box.width, s.native);
    return call.cuMemcpyAsync(destination, source, box.width, s.native);
  }
  memcpy_3d description = description_of(operation);
  if (!has_whole_slices(box)) return not_supported;
  if (between_devices) {
    description.srcContext = context_of(static_cast<std::uint32_t>(operation.from));
    description.dstContext = context_of(static_cast<std::uint32_t>(operation.to));
    return call.cuMemcpy3DPeerAsync(&description, s.native);
  }
  // Two dimensions, too: cuMemcpy2DAsync may refuse pitches within a device that are not of its own making.
  return call.cuMemcpy3DAsync(&description, s.native);
}

code cuda_driver::fill(gpu::stream s, const gpu::fill_operation& f) noexcept {
  if (f.width == 0 || f.rows == 0) return success;
  const in_context here(*this, f.device);
  if (here.code() != success) return here.code();
  const functions& call = library_.call;
  const address at = address_of(f.destination);
  const auto byte = static_cast<unsigned char>(f.value);
  const auto word = static_cast<unsigned short>(f.value);
  if (f.rows == 1) {
    if (f.element_bytes == 1) return call.cuMemsetD8Async(at, byte, f.width, s.native);
    if (f.element_bytes == 2) return call.cuMemsetD16Async(at, word, f.width, s.native);
    return call.cuMemsetD32Async(at, f.value, f.width, s.native);
  }
  if (f.element_bytes == 1)
    return call.cuMemsetD2D8Async(at, f.pitch, byte, f.width, f.rows, s.native);
  if (f.element_bytes == 2)
    return call.cuMemsetD2D16Async(at, f.pitch, word, f.width, f.rows, s.native);
  return call.cuMemsetD2D32Async(at, f.pitch, f.value, f.width, f.rows, s.native);
}

code cuda_driver::launch(gpu::stream s, const gpu::kernel_launch& k) noexcept {
  const in_context here(*this, k.device);
  if (here.code() != success) return here.code();
  if (k.overlapping) [[unlikely]] {
    launch_attribute overlapping{};
    overlapping.id = launch_attribute_programmatic_serialization;
    overlapping.value.programmaticStreamSerializationAllowed = 1;
    launch_configuration c{};
    c.gridDimX = k.groups[2];
    c.gridDimY = k.groups[1];
    c.gridDimZ = k.groups[0];
    c.blockDimX = k.group_size[2];
    c.blockDimY = k.group_size[1];
    c.blockDimZ = k.group_size[0];
    c.sharedMemBytes = k.dynamic_local_bytes;
    c.hStream = s.native;
    c.attrs = &overlapping;
    c.numAttrs = 1;
    return library_.call.cuLaunchKernelEx(&c, k.function.native, k.parameters, nullptr);
  }
  return library_.call.cuLaunchKernel(k.function.native, k.groups[2], k.groups[1], k.groups[0],
                                      k.group_size[2], k.group_size[1], k.group_size[0],
                                      k.dynamic_local_bytes, s.native, k.parameters, nullptr);
}

code cuda_driver::run_on(std::uint32_t device, void (*function)(void*), void* argument) noexcept {
  const in_context here(*this, device);
  if (here.code() == success) function(argument);
  return here.code();
}

// --- images ---

code cuda_driver::load(std::uint32_t device, const void* bytes, std::size_t /*size*/,
                       gpu::module& out, std::string& log) noexcept {
  const beside_captures here(*this, device);
  if (here.code() != success) return here.code();
  constexpr std::size_t log_bytes = 8192;
  std::unique_ptr<char[]> errors(new (std::nothrow) char[log_bytes]());
  if (errors == nullptr) return out_of_memory;
  jit_option options[] = {jit_error_log_buffer, jit_error_log_buffer_size_bytes};
  // Numbers are passed in the place of pointers.
  void* values[] = {errors.get(), reinterpret_cast<void*>(log_bytes)};
  const result loaded = library_.call.cuModuleLoadDataEx(&out.native, bytes, 2, options, values);
  errors[log_bytes - 1] = '\0';
  if (loaded != success && errors[0] != '\0') {
    try {
      log = errors.get();
      while (!log.empty() && log.back() == '\n') log.pop_back();
    } catch (...) {
      log.clear();
    }
  }
  return loaded;
}

void cuda_driver::unload(std::uint32_t device, gpu::module m) noexcept {
  if (m.native == nullptr) return;
  (void)within<beside_captures>(*this, device, library_.call.cuModuleUnload, m.native);
}

code cuda_driver::find(std::uint32_t device, gpu::module m, const char* symbol, gpu::kernel& out,
                       gpu::kernel_limits& limits) noexcept {
  const beside_captures here(*this, device);
  if (here.code() != success) return here.code();
  return gpu::find_kernel(library_.call.cuModuleGetFunction, library_.call.cuFuncGetAttribute, m,
                          symbol, out, limits);
}

code cuda_driver::find_variable(std::uint32_t device, gpu::module m, const char* symbol,
                                void*& out) noexcept {
  out = nullptr;
  const beside_captures here(*this, device);
  if (here.code() != success) return here.code();
  address found = 0;
  std::size_t bytes = 0;
  const result c = library_.call.cuModuleGetGlobal(&found, &bytes, m.native, symbol);
  if (c == success) out = reinterpret_cast<void*>(found);
  return c == not_found ? success : c;
}

code cuda_driver::allow_local_memory(std::uint32_t device, gpu::kernel k,
                                     std::uint32_t bytes) noexcept {
  const beside_captures here(*this, device);
  if (here.code() != success) return here.code();
  int allowed = 0;
  const result asked =
      library_.call.cuFuncGetAttribute(&allowed, function_max_dynamic_shared_size_bytes, k.native);
  if (asked != success || static_cast<std::int64_t>(bytes) <= allowed) return asked;
  return library_.call.cuFuncSetAttribute(k.native, function_max_dynamic_shared_size_bytes,
                                          static_cast<int>(bytes));
}

std::uint32_t cuda_driver::preferred_group_size(std::uint32_t device, gpu::kernel k) noexcept {
  constexpr std::uint32_t usual = 256;
  const beside_captures here(*this, device);
  int groups = 0, size = 0;
  if (here.code() != success || library_.call.cuOccupancyMaxPotentialBlockSize(
                                    &groups, &size, k.native, nullptr, 0, 0) != success)
    return usual;
  return size > 0 ? static_cast<std::uint32_t>(size) : usual;
}

std::uint32_t cuda_driver::resident_groups(std::uint32_t device, gpu::kernel k,
                                           std::uint32_t group_size,
                                           std::uint32_t local_bytes) noexcept {
  const in_context here(*this, device);
  int groups = 0;
  if (here.code() != success ||
      library_.call.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &groups, k.native, static_cast<int>(group_size), local_bytes) != success)
    return 0;
  return groups > 0 ? static_cast<std::uint32_t>(groups) : 0;
}

}  // namespace pianola::cuda
