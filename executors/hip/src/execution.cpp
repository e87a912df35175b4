// SPDX-License-Identifier: Apache-2.0
// Memory, streams, events, immediate work and images.
#include <algorithm>

#include <pianola/gpu/driver_calls.hpp>

#include "descriptions.hpp"
#include "hip_driver.hpp"

namespace pianola::hip {

using gpu::code;
using gpu::has_whole_slices;
using gpu::within;

// --- memory ---

void hip_driver::enable_peers(std::uint32_t device) noexcept {
  const functions& call = library_.call;
  std::lock_guard<std::mutex> lock(mutex_);
  if (in_use_[device]) return;
  in_use_[device] = true;
  // Direct copies between devices that are in use. Where they cannot be enabled, hipMemcpyPeerAsync goes through the
  // host by itself; nothing else does.
  const auto enabled = [](result r) { return r == success || r == peer_access_already_enabled; };
  for (std::uint32_t other = 0; other < ordinals_.size(); ++other) {
    if (other == device || !in_use_[other]) continue;
    if (descriptions_[device].peers[other])
      reaches_[device][other] = enabled(call.hipDeviceEnablePeerAccess(ordinals_[other], 0));
    if (!descriptions_[other].peers[device]) continue;
    const on_device there(*this, other);
    if (there.code() == success)
      reaches_[other][device] = enabled(call.hipDeviceEnablePeerAccess(ordinals_[device], 0));
  }
}

bool hip_driver::reaches_in_graphs(std::uint32_t device, std::uint32_t other) noexcept {
  if (device == other) return true;
  std::lock_guard<std::mutex> lock(mutex_);
  return reaches_[device][other];
}

code hip_driver::allocate_device(std::uint32_t device, std::size_t bytes, void*& out) noexcept {
  const beside_captures these(*this);
  const on_device here(*this, device);
  if (here.code() != success) return here.code();
  enable_peers(device);
  return library_.call.hipMalloc(&out, std::max<std::size_t>(bytes, 1));
}

code hip_driver::free_device(std::uint32_t device, void* memory) noexcept {
  const beside_captures these(*this);
  return within<on_device>(*this, device, library_.call.hipFree, memory);
}

code hip_driver::allocate_host(std::uint32_t device, std::size_t bytes, void*& out) noexcept {
  const beside_captures these(*this);
  return within<on_device>(*this, device, library_.call.hipHostMalloc, &out,
                           std::max<std::size_t>(bytes, 1), host_portable | host_mapped);
}

code hip_driver::free_host(std::uint32_t device, void* memory) noexcept {
  const beside_captures these(*this);
  return within<on_device>(*this, device, library_.call.hipHostFree, memory);
}

code hip_driver::allocate_managed(std::uint32_t device, std::size_t bytes, void*& out) noexcept {
  const beside_captures these(*this);
  return within<on_device>(*this, device, library_.call.hipMallocManaged, &out,
                           std::max<std::size_t>(bytes, 1), attach_global);
}

code hip_driver::free_managed(std::uint32_t device, void* memory) noexcept {
  return free_device(device, memory);
}

code hip_driver::free_memory(std::uint32_t device, std::size_t& bytes) noexcept {
  std::size_t total = 0;
  return within<on_device>(*this, device, library_.call.hipMemGetInfo, &bytes, &total);
}

bool hip_driver::lock_pages(std::uint32_t device, void* start, std::size_t bytes) noexcept {
  const beside_captures these(*this);
  if (library_.call.hipHostRegister == nullptr || library_.call.hipHostUnregister == nullptr)
    return false;
  return within<on_device>(*this, device, library_.call.hipHostRegister, start, bytes,
                           host_portable) == success;
}

void hip_driver::unlock_pages(std::uint32_t device, void* start) noexcept {
  const beside_captures these(*this);
  (void)within<on_device>(*this, device, library_.call.hipHostUnregister, start);
}

// --- streams and events ---

code hip_driver::make_stream(std::uint32_t device, gpu::stream& out) noexcept {
  const beside_captures these(*this);
  const result made = within<on_device>(*this, device, library_.call.hipStreamCreateWithFlags,
                                        &out.native, stream_non_blocking);
  if (made != success) return made;
  try {
    std::lock_guard<std::mutex> lock(mutex_);
    own_streams_.insert(out.native);
  } catch (...) {  // taken for one of the program's
  }
  return success;
}

void hip_driver::destroy(std::uint32_t device, gpu::stream s) noexcept {
  const beside_captures these(*this);
  if (s.native == nullptr) return;
  forget_launches_in(s.native);
  (void)within<on_device>(*this, device, library_.call.hipStreamDestroy, s.native);
}

// Their ends are known by events that were recorded there.
void hip_driver::forget_launches_in(handle s) noexcept {
  for (;;) {
    end_of_launches last;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      own_streams_.erase(s);
      const auto found = std::find_if(launches_.begin(), launches_.end(),
                                      [s](const auto& l) { return l.second.in == s; });
      if (found == launches_.end()) return;
      last = found->second;
      launches_.erase(found);
    }
    (void)library_.call.hipEventSynchronize(last.event);
    destroy(last.device, gpu::event{last.event});
  }
}

code hip_driver::device_of(gpu::stream s, std::uint32_t& device) noexcept {
  device = untold;
  if (library_.call.hipStreamGetDevice == nullptr) return success;
  int theirs = -1;
  const result asked = library_.call.hipStreamGetDevice(s.native, &theirs);
  if (asked != success) return asked;
  device = elsewhere;
  for (std::uint32_t i = 0; i < ordinals_.size(); ++i)
    if (ordinals_[i] == theirs) device = i;
  return success;
}

code hip_driver::make_event(std::uint32_t device, bool with_time, gpu::event& out) noexcept {
  const beside_captures these(*this);
  const result made =
      within<on_device>(*this, device, library_.call.hipEventCreateWithFlags, &out.native,
                        event_blocking_sync | (with_time ? 0u : event_disable_timing));
  if (made != success || !with_time) return made;
  try {
    std::lock_guard<std::mutex> lock(mutex_);
    timed_events_.insert(out.native);
  } catch (...) {  // its times are those of a stream beside
  }
  return success;
}

void hip_driver::destroy(std::uint32_t device, gpu::event e) noexcept {
  const beside_captures these(*this);
  if (e.native == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    timed_events_.erase(e.native);
  }
  (void)within<on_device>(*this, device, library_.call.hipEventDestroy, e.native);
}

code hip_driver::record(std::uint32_t device, gpu::stream s, gpu::event e) noexcept {
  const on_device here(*this, device);
  if (here.code() != success) return here.code();
  handle in = s.native;
  bool timed = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    timed = timed_events_.count(e.native) != 0;
  }
  // Nobody asks for those but for their times.
  if (!timed)
    if (const code c = stream_for_events(device, s, in); c != success) return c;
  return library_.call.hipEventRecord(e.native, in);
}

code hip_driver::stream_for_events(std::uint32_t device, gpu::stream s, handle& out) noexcept {
  out = s.native;
  if (s.native == nullptr) return success;
  companion beside;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (own_streams_.count(s.native) != 0) return success;
    if (const auto found = companions_.find(s.native); found != companions_.end())
      beside = found->second;
  }
  // (A stream is used by one thread at a time.)
  if (beside.own.native == nullptr) {
    gpu::event reached;
    if (const code c = make_event(device, false, reached); c != success) return c;
    beside.reached = reached.native;
    code c = make_stream(device, beside.own);
    if (c == success) {
      try {
        std::lock_guard<std::mutex> lock(mutex_);
        companions_[s.native] = beside;
      } catch (...) {
        c = out_of_memory;
      }
    }
    if (c != success) {
      destroy(device, beside.own);
      destroy(device, reached);
      return c;
    }
  }
  result r = library_.call.hipEventRecord(beside.reached, s.native);
  if (r == success) r = library_.call.hipStreamWaitEvent(beside.own.native, beside.reached, 0);
  if (r == success) out = beside.own.native;
  return r;
}

void hip_driver::forget(std::uint32_t device, gpu::stream s) noexcept {
  companion beside;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = companions_.find(s.native);
    if (found == companions_.end()) return;
    beside = found->second;
    companions_.erase(found);
  }
  destroy(device, beside.own);
  destroy(device, gpu::event{beside.reached});
}

code hip_driver::wait(std::uint32_t device, gpu::stream s, gpu::event e) noexcept {
  return within<on_device>(*this, device, library_.call.hipStreamWaitEvent, s.native, e.native, 0);
}

gpu::event_state hip_driver::query(gpu::event e, code& why) noexcept {
  const beside_captures these(*this);
  why = library_.call.hipEventQuery(e.native);
  if (why == success) return gpu::event_state::reached;
  if (why != not_ready) return gpu::event_state::broken;
  why = success;
  return gpu::event_state::not_reached;
}

code hip_driver::synchronize(gpu::event e) noexcept {
  const beside_captures these(*this);
  return library_.call.hipEventSynchronize(e.native);
}

code hip_driver::elapsed(gpu::event from, gpu::event to, float& milliseconds) noexcept {
  return library_.call.hipEventElapsedTime(&milliseconds, from.native, to.native);
}

// --- immediate work ---

code hip_driver::copy(gpu::stream s, const gpu::copy_operation& c) noexcept {
  const executors::resolved_copy& box = c.box;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return success;
  const on_device here(*this, c.device);
  if (here.code() != success) return here.code();
  const functions& call = library_.call;
  if (is_linear(box)) {
    if (c.from >= 0 && c.to >= 0 && c.from != c.to)
      return call.hipMemcpyPeerAsync(box.destination, ordinals_[static_cast<std::size_t>(c.to)],
                                     box.source, ordinals_[static_cast<std::size_t>(c.from)],
                                     box.width, s.native);
    return call.hipMemcpyAsync(box.destination, box.source, box.width, memcpy_default, s.native);
  }
  if (c.from >= 0 && c.to >= 0 && c.from != c.to &&
      !(reaches_in_graphs(c.device, static_cast<std::uint32_t>(c.from)) &&
        reaches_in_graphs(c.device, static_cast<std::uint32_t>(c.to))))
    return copy_rows(s, c);
  if (box.depth == 1)
    return call.hipMemcpy2DAsync(box.destination, box.destination_row_pitch, box.source,
                                 box.source_row_pitch, box.width, box.height, memcpy_default,
                                 s.native);
  if (!has_whole_slices(box)) return not_supported;
  const memcpy_3d d = description_of(c);
  return call.hipMemcpy3DAsync(&d, s.native);
}

// Row by row: there is no call for boxes that goes through the host.
code hip_driver::copy_rows(gpu::stream s, const gpu::copy_operation& c) noexcept {
  const executors::resolved_copy& box = c.box;
  gpu::copy_operation row = c;
  row.box.height = row.box.depth = 1;
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y) {
      row.box.source = static_cast<const std::byte*>(box.source) + z * box.source_slice_pitch +
                       y * box.source_row_pitch;
      row.box.destination = static_cast<std::byte*>(box.destination) +
                            z * box.destination_slice_pitch + y * box.destination_row_pitch;
      if (const code made = copy(s, row); made != success) return made;
    }
  return success;
}

code hip_driver::fill(gpu::stream s, const gpu::fill_operation& f) noexcept {
  if (f.width == 0 || f.rows == 0) return success;
  const on_device here(*this, f.device);
  if (here.code() != success) return here.code();
  const functions& call = library_.call;
  if (f.element_bytes == 1 && f.rows > 1)
    return call.hipMemset2DAsync(f.destination, f.pitch, static_cast<int>(f.value & 0xff), f.width,
                                 f.rows, s.native);
  result done = success;
  if (f.element_bytes == 1)
    done = call.hipMemsetD8Async(f.destination, static_cast<unsigned char>(f.value), f.width,
                                 s.native);
  else if (f.element_bytes == 2)
    done = call.hipMemsetD16Async(f.destination, static_cast<unsigned short>(f.value), f.width,
                                  s.native);
  else
    done = call.hipMemsetD32Async(f.destination, static_cast<int>(f.value), f.width, s.native);
  if (f.rows == 1 || done != success) return done;
  try {
    for (const gpu::copy_operation& c : further_rows(f)) {
      done = copy(s, c);
      if (done != success) return done;
    }
  } catch (...) {
    return out_of_memory;
  }
  return success;
}

code hip_driver::launch(gpu::stream s, const gpu::kernel_launch& k) noexcept {
  return within<on_device>(*this, k.device, library_.call.hipModuleLaunchKernel, k.function.native,
                           k.groups[2], k.groups[1], k.groups[0], k.group_size[2], k.group_size[1],
                           k.group_size[0], k.dynamic_local_bytes, s.native, k.parameters, nullptr);
}

code hip_driver::run_on(std::uint32_t device, void (*function)(void*), void* argument) noexcept {
  const on_device here(*this, device);
  if (here.code() == success) function(argument);
  return here.code();
}

// --- images ---

code hip_driver::load(std::uint32_t device, const void* bytes, std::size_t /*size*/,
                      gpu::module& out, std::string& /*log*/) noexcept {
  const beside_captures these(*this);
  return within<on_device>(*this, device, library_.call.hipModuleLoadData, &out.native, bytes);
}

void hip_driver::unload(std::uint32_t device, gpu::module m) noexcept {
  const beside_captures these(*this);
  if (m.native == nullptr) return;
  (void)within<on_device>(*this, device, library_.call.hipModuleUnload, m.native);
}

code hip_driver::find(std::uint32_t device, gpu::module m, const char* symbol, gpu::kernel& out,
                      gpu::kernel_limits& limits) noexcept {
  const beside_captures these(*this);
  const on_device here(*this, device);
  if (here.code() != success) return here.code();
  return gpu::find_kernel(library_.call.hipModuleGetFunction, library_.call.hipFuncGetAttribute, m,
                          symbol, out, limits);
}

code hip_driver::find_variable(std::uint32_t device, gpu::module m, const char* symbol,
                               void*& out) noexcept {
  out = nullptr;
  const beside_captures these(*this);
  const on_device here(*this, device);
  if (here.code() != success) return here.code();
  void* found = nullptr;
  std::size_t bytes = 0;
  const result c = library_.call.hipModuleGetGlobal(&found, &bytes, m.native, symbol);
  if (c == success) out = found;
  return c == not_found ? success : c;
}

// All local memory of a group is for every kernel; nothing need be asked for.
code hip_driver::allow_local_memory(std::uint32_t device, gpu::kernel,
                                    std::uint32_t bytes) noexcept {
  return bytes <= descriptions_[device].max_dynamic_local_bytes ? success : invalid_value;
}

std::uint32_t hip_driver::preferred_group_size(std::uint32_t device, gpu::kernel k) noexcept {
  constexpr std::uint32_t usual = 256;
  const on_device here(*this, device);
  int groups = 0, size = 0;
  if (here.code() != success || library_.call.hipModuleOccupancyMaxPotentialBlockSize(
                                    &groups, &size, k.native, 0, 0) != success)
    return usual;
  return size > 0 ? static_cast<std::uint32_t>(size) : usual;
}

std::uint32_t hip_driver::resident_groups(std::uint32_t device, gpu::kernel k,
                                          std::uint32_t group_size,
                                          std::uint32_t local_bytes) noexcept {
  const on_device here(*this, device);
  int groups = 0;
  if (here.code() != success ||
      library_.call.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
          &groups, k.native, static_cast<int>(group_size), local_bytes) != success)
    return 0;
  return groups > 0 ? static_cast<std::uint32_t>(groups) : 0;
}

}  // namespace pianola::hip
