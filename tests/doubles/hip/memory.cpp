// SPDX-License-Identifier: Apache-2.0
// Memory, copies and fills of the HIP double.
#include "front.hpp"

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::hip;

namespace pianola::test::drivers::hip {

void set_kind(copy_box& box, int kind) {
  if (kind < hipMemcpyHostToHost_v || kind > hipMemcpyDefault_v)
    violate(codes::invalid_memcpy_direction, "no such kind of copy: " + std::to_string(kind));
  if (kind == hipMemcpyDefault_v) return;
  const bool from_host = kind == hipMemcpyHostToHost_v || kind == hipMemcpyHostToDevice_v;
  const bool to_host = kind == hipMemcpyHostToHost_v || kind == hipMemcpyDeviceToHost_v;
  box.from = from_host ? place::host : place::device;
  box.to = to_host ? place::host : place::device;
}

void check_pitches(std::size_t from, std::size_t to) {
  if (from >= 0x7fffffff || to >= 0x7fffffff)
    violate(drivers::codes::invalid_value,
            "a pitch of " + std::to_string(from >= 0x7fffffff ? from : to) + " bytes is too large");
}

copy_box box_of(const hipMemcpy3DParms_t& d) {
  if (d.srcArray != nullptr || d.dstArray != nullptr) violate(1, "arrays are not known here");
  check_pitches(d.srcPtr.pitch, d.dstPtr.pitch);
  copy_box b;
  b.source = static_cast<std::byte*>(d.srcPtr.ptr) +
             (d.srcPos.z * d.srcPtr.ysize + d.srcPos.y) * d.srcPtr.pitch + d.srcPos.x;
  b.destination = static_cast<std::byte*>(d.dstPtr.ptr) +
                  (d.dstPos.z * d.dstPtr.ysize + d.dstPos.y) * d.dstPtr.pitch + d.dstPos.x;
  b.width = d.extent.width;
  b.height = d.extent.height;
  b.depth = d.extent.depth;
  b.source_pitch = d.srcPtr.pitch;
  b.source_slice = d.srcPtr.pitch * d.srcPtr.ysize;
  b.destination_pitch = d.dstPtr.pitch;
  b.destination_slice = d.dstPtr.pitch * d.dstPtr.ysize;
  set_kind(b, d.kind);
  return b;
}

}  // namespace pianola::test::drivers::hip

namespace {

int allocate(const char* name, void** out, std::size_t bytes, memory_type type) {
  return enter(name, [&](lock&) {
    result(out) = nullptr;
    e().check_captures();
    if (bytes != 0) *out = e().allocate(current(), type, bytes);
  });
}

int release(const char* name, void* memory, bool host) {
  return enter(name, [&](lock& held) {
    current();
    e().check_captures();
    if (memory != nullptr) e().free(held, memory, host);
  });
}

copy_box line_box(void* to, const void* from, std::size_t bytes, int kind) {
  copy_box b;
  b.destination = to;
  b.source = from;
  b.width = bytes;
  set_kind(b, kind);
  return b;
}

int fill(const char* name, void* to, std::size_t pitch, std::uint32_t value, std::uint32_t element,
         std::size_t width, std::size_t height, void* s, bool asynchronous) {
  return enter(name, [&](lock& held) {
    current();
    fill_box b;
    b.destination = to;
    b.value = value;
    b.element_bytes = element;
    b.width = width;
    b.height = height;
    b.pitch = pitch;
    e().fill(held, stream_of(s), b, asynchronous);
  });
}

void check_device_of(const void* memory, int ordinal, const char* which) {
  e().check_device(ordinal);
  const allocation* a = e().find(memory);
  if (a == nullptr ||
      (a->type == memory_type::device && a->device != static_cast<unsigned>(ordinal)))
    violate(1, std::string(which) + " is not of the device that is named");
}

}  // namespace

PIANOLA_HIP_ENTRY hipMalloc(void** out, std::size_t bytes) {
  return allocate("hipMalloc", out, bytes, memory_type::device);
}

PIANOLA_HIP_ENTRY hipFree(void* memory) { return release("hipFree", memory, false); }

PIANOLA_HIP_ENTRY hipHostMalloc(void** out, std::size_t bytes, unsigned flags) {
  // Portable, mapped, write-combined, numa-user, coherent, non-coherent.
  if ((flags & ~0xe0000007U) != 0)
    return enter("hipHostMalloc", [](lock&) { violate(1, "flags"); });
  return allocate("hipHostMalloc", out, bytes, memory_type::host);
}

PIANOLA_HIP_ENTRY hipHostFree(void* memory) { return release("hipHostFree", memory, true); }

PIANOLA_HIP_ENTRY hipHostRegister(void* start, std::size_t bytes, unsigned flags) {
  return enter("hipHostRegister", [&](lock&) {
    if ((flags & ~15U) != 0) violate(1, "flags");
    e().lock_pages(current(), start, bytes);
  });
}

PIANOLA_HIP_ENTRY hipHostUnregister(void* start) {
  return enter("hipHostUnregister", [&](lock& held) {
    current();
    e().unlock_pages(held, start);
  });
}

PIANOLA_HIP_ENTRY hipMallocManaged(void** out, std::size_t bytes, unsigned flags) {
  if (flags != 1 && flags != 2)
    return enter("hipMallocManaged", [](lock&) { violate(1, "flags"); });
  return allocate("hipMallocManaged", out, bytes, memory_type::managed);
}

PIANOLA_HIP_ENTRY hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* s) {
  return enter("hipMemcpyAsync", [&](lock& held) {
    current();
    e().copy(held, stream_of(s), line_box(to, from, bytes, kind), true);
  });
}

PIANOLA_HIP_ENTRY hipMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return enter("hipMemcpy", [&](lock& held) {
    e().copy(held, current()->default_stream, line_box(to, from, bytes, kind), false);
  });
}

PIANOLA_HIP_ENTRY hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                     std::size_t bytes, void* s) {
  return enter("hipMemcpyPeerAsync", [&](lock& held) {
    current();
    check_device_of(to, to_device, "destination");
    check_device_of(from, from_device, "source");
    e().copy(held, stream_of(s), line_box(to, from, bytes, hipMemcpyDeviceToDevice_v), true);
  });
}

PIANOLA_HIP_ENTRY hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                   std::size_t from_pitch, std::size_t width, std::size_t height,
                                   int kind, void* s) {
  return enter("hipMemcpy2DAsync", [&](lock& held) {
    current();
    copy_box b = line_box(to, from, width, kind);
    if (width > to_pitch || width > from_pitch) violate(1, "rows are longer than a pitch");
    check_pitches(from_pitch, to_pitch);
    b.height = height;
    b.source_pitch = from_pitch;
    b.destination_pitch = to_pitch;
    e().copy(held, stream_of(s), b, true);
  });
}

PIANOLA_HIP_ENTRY hipMemcpy3DAsync(const hipMemcpy3DParms_t* d, void* s) {
  return enter("hipMemcpy3DAsync", [&](lock& held) {
    current();
    e().copy(held, stream_of(s), box_of(result(d, "the description")), true);
  });
}

PIANOLA_HIP_ENTRY hipMemsetD8Async(void* to, unsigned char value, std::size_t n, void* s) {
  return fill("hipMemsetD8Async", to, 0, value, 1, n, 1, s, true);
}
PIANOLA_HIP_ENTRY hipMemsetD16Async(void* to, unsigned short value, std::size_t n, void* s) {
  return fill("hipMemsetD16Async", to, 0, value, 2, n, 1, s, true);
}
PIANOLA_HIP_ENTRY hipMemsetD32Async(void* to, int value, std::size_t n, void* s) {
  return fill("hipMemsetD32Async", to, 0, static_cast<std::uint32_t>(value), 4, n, 1, s, true);
}
PIANOLA_HIP_ENTRY hipMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                   std::size_t height, void* s) {
  return fill("hipMemset2DAsync", to, pitch, static_cast<std::uint32_t>(value), 1, width, height, s,
              true);
}
PIANOLA_HIP_ENTRY hipMemsetAsync(void* to, int value, std::size_t n, void* s) {
  return fill("hipMemsetAsync", to, 0, static_cast<std::uint32_t>(value), 1, n, 1, s, true);
}
