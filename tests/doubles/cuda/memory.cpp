// SPDX-License-Identifier: Apache-2.0
// Memory, copies and fills of the CUDA double.
#include "front.hpp"

namespace pianola::test::drivers::cuda {
namespace {

struct end_of_copy {
  const std::byte* start = nullptr;
  place where = place::unified;
};

end_of_copy side_of(int type, const void* host, CUdeviceptr_t device, const void* array,
                    const char* which) {
  switch (type) {
    case CU_MEMORYTYPE_HOST_v:
      return {static_cast<const std::byte*>(host), place::host};
    case CU_MEMORYTYPE_DEVICE_v:
      return {static_cast<const std::byte*>(pointer_to(device)), place::device};
    case CU_MEMORYTYPE_UNIFIED_v:
      return {static_cast<const std::byte*>(pointer_to(device)), place::unified};
    default:
      break;
  }
  violate(codes::invalid_value, std::string(which) + ": memory of type " + std::to_string(type) +
                                    (array != nullptr ? ", an array" : ""));
}

void check_rows(std::size_t pitch, std::size_t x, std::size_t width, bool several,
                const char* which) {
  // CU_DEVICE_ATTRIBUTE_MAX_PITCH
  if (pitch > 0x7fffffff)
    violate(codes::invalid_value,
            std::string(which) + ": a pitch of " + std::to_string(pitch) + " bytes is too large");
  if (several && pitch < x + width)
    violate(codes::invalid_value, std::string(which) + ": a pitch of " + std::to_string(pitch) +
                                      " bytes for rows that end at " + std::to_string(x + width));
}

}  // namespace

copy_box box_of(const CUDA_MEMCPY2D_t& d) {
  const auto from = side_of(d.srcMemoryType, d.srcHost, d.srcDevice, d.srcArray, "source");
  const auto to = side_of(d.dstMemoryType, d.dstHost, d.dstDevice, d.dstArray, "destination");
  check_rows(d.srcPitch, d.srcXInBytes, d.WidthInBytes, d.Height > 1, "source");
  check_rows(d.dstPitch, d.dstXInBytes, d.WidthInBytes, d.Height > 1, "destination");
  copy_box b;
  b.source = from.start + d.srcY * d.srcPitch + d.srcXInBytes;
  b.destination = const_cast<std::byte*>(to.start) + d.dstY * d.dstPitch + d.dstXInBytes;
  b.from = from.where;
  b.to = to.where;
  b.width = d.WidthInBytes;
  b.height = d.Height;
  b.source_pitch = d.srcPitch;
  b.destination_pitch = d.dstPitch;
  return b;
}

copy_box box_of(const CUDA_MEMCPY3D_t& d, bool peer) {
  if (d.srcLOD != 0 || d.dstLOD != 0) violate(codes::invalid_value, "a level of detail");
  if (!peer && (d.reserved0 != nullptr || d.reserved1 != nullptr))
    violate(codes::invalid_value, "reserved fields are not null");
  const auto from = side_of(d.srcMemoryType, d.srcHost, d.srcDevice, d.srcArray, "source");
  const auto to = side_of(d.dstMemoryType, d.dstHost, d.dstDevice, d.dstArray, "destination");
  const bool several = d.Height > 1 || d.Depth > 1;
  check_rows(d.srcPitch, d.srcXInBytes, d.WidthInBytes, several, "source");
  check_rows(d.dstPitch, d.dstXInBytes, d.WidthInBytes, several, "destination");
  if (d.Depth > 1 && (d.srcHeight < d.srcY + d.Height || d.dstHeight < d.dstY + d.Height))
    violate(codes::invalid_value, "slices have fewer rows than are copied");
  copy_box b;
  b.source = from.start + (d.srcZ * d.srcHeight + d.srcY) * d.srcPitch + d.srcXInBytes;
  b.destination = const_cast<std::byte*>(to.start) + (d.dstZ * d.dstHeight + d.dstY) * d.dstPitch +
                  d.dstXInBytes;
  b.from = from.where;
  b.to = to.where;
  b.width = d.WidthInBytes;
  b.height = d.Height;
  b.depth = d.Depth;
  b.source_pitch = d.srcPitch;
  b.source_slice = d.srcPitch * d.srcHeight;
  b.destination_pitch = d.dstPitch;
  b.destination_slice = d.dstPitch * d.dstHeight;
  return b;
}

namespace {

int allocate(const char* name, CUdeviceptr_t* out, std::size_t bytes, memory_type type) {
  return enter(name, [&](lock&) {
    if (bytes == 0) violate(codes::invalid_value, "0 bytes");
    e().check_captures();
    result(out) = address_of(e().allocate(current(), type, bytes));
  });
}

int copy(const char* name, const copy_box& box, void* s, bool asynchronous) {
  return enter(name,
               [&](lock& held) { e().copy(held, e().stream_of(current(), s), box, asynchronous); });
}

copy_box line(CUdeviceptr_t to, place to_place, CUdeviceptr_t from, place from_place,
              std::size_t bytes) {
  copy_box b;
  b.destination = pointer_to(to);
  b.to = to_place;
  b.source = pointer_to(from);
  b.from = from_place;
  b.width = bytes;
  return b;
}

int fill(const char* name, CUdeviceptr_t to, std::size_t pitch, std::uint32_t value,
         std::uint32_t element, std::size_t width, std::size_t height, void* s, bool asynchronous) {
  return enter(name, [&](lock& held) {
    fill_box b;
    b.destination = pointer_to(to);
    b.value = value;
    b.element_bytes = element;
    b.width = width;
    b.height = height;
    b.pitch = pitch;
    e().fill(held, e().stream_of(current(), s), b, asynchronous);
  });
}

// Memory of a context must be of that one.
void check_owner(CUdeviceptr_t memory, void* c, const char* which) {
  const auto owner = e().handles.get<context>(c, codes::invalid_context);
  const allocation* a = e().find(pointer_to(memory));
  if (a == nullptr || (a->type == memory_type::device &&
                       (a->apart ? a->device != owner->device : a->owner != owner.get())))
    violate(codes::invalid_value, std::string(which) + " is not of the context that is named");
}

}  // namespace
}  // namespace pianola::test::drivers::cuda

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::cuda;

PIANOLA_CUDA_ENTRY cuMemAlloc_v2(CUdeviceptr_t* out, std::size_t bytes) {
  return allocate("cuMemAlloc_v2", out, bytes, memory_type::device);
}

PIANOLA_CUDA_ENTRY cuMemAllocManaged(CUdeviceptr_t* out, std::size_t bytes, unsigned flags) {
  if (flags != 1 && flags != 2)
    return enter("cuMemAllocManaged", [&](lock&) { violate(codes::invalid_value, "flags"); });
  return allocate("cuMemAllocManaged", out, bytes, memory_type::managed);
}

PIANOLA_CUDA_ENTRY cuMemFree_v2(CUdeviceptr_t memory) {
  return enter("cuMemFree_v2", [&](lock& held) {
    current();
    if (memory == 0) return;
    e().check_captures();
    e().free(held, pointer_to(memory), false);
  });
}

PIANOLA_CUDA_ENTRY cuMemAllocAsync(CUdeviceptr_t* out, std::size_t bytes, void* s) {
  return enter("cuMemAllocAsync", [&](lock&) {
    if (bytes == 0) violate(codes::invalid_value, "0 bytes");
    result(out) = address_of(e().allocate(e().stream_of(current(), s), bytes));
  });
}

PIANOLA_CUDA_ENTRY cuMemFreeAsync(CUdeviceptr_t memory, void* s) {
  return enter("cuMemFreeAsync",
               [&](lock&) { e().free(e().stream_of(current(), s), pointer_to(memory)); });
}

PIANOLA_CUDA_ENTRY cuMemHostAlloc(void** out, std::size_t bytes, unsigned flags) {
  return enter("cuMemHostAlloc", [&](lock&) {
    if (bytes == 0) violate(codes::invalid_value, "0 bytes");
    if ((flags & ~7U) != 0) violate(codes::invalid_value, "flags");
    e().check_captures();
    result(out) = e().allocate(current(), memory_type::host, bytes);
  });
}

PIANOLA_CUDA_ENTRY cuMemFreeHost(void* memory) {
  return enter("cuMemFreeHost", [&](lock& held) {
    current();
    if (memory == nullptr) violate(codes::invalid_value, "null");
    e().check_captures();
    e().free(held, memory, true);
  });
}

PIANOLA_CUDA_ENTRY cuMemcpyAsync(CUdeviceptr_t to, CUdeviceptr_t from, std::size_t bytes, void* s) {
  return copy("cuMemcpyAsync", line(to, place::unified, from, place::unified, bytes), s, true);
}

PIANOLA_CUDA_ENTRY cuMemcpyHtoDAsync_v2(CUdeviceptr_t to, const void* from, std::size_t bytes,
                                        void* s) {
  return copy("cuMemcpyHtoDAsync_v2", line(to, place::device, address_of(from), place::host, bytes),
              s, true);
}

PIANOLA_CUDA_ENTRY cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr_t from, std::size_t bytes, void* s) {
  return copy("cuMemcpyDtoHAsync_v2", line(address_of(to), place::host, from, place::device, bytes),
              s, true);
}

PIANOLA_CUDA_ENTRY cuMemcpyDtoDAsync_v2(CUdeviceptr_t to, CUdeviceptr_t from, std::size_t bytes,
                                        void* s) {
  return copy("cuMemcpyDtoDAsync_v2", line(to, place::device, from, place::device, bytes), s, true);
}

PIANOLA_CUDA_ENTRY cuMemcpyHtoD_v2(CUdeviceptr_t to, const void* from, std::size_t bytes) {
  return copy("cuMemcpyHtoD_v2", line(to, place::device, address_of(from), place::host, bytes),
              nullptr, false);
}

PIANOLA_CUDA_ENTRY cuMemcpyDtoH_v2(void* to, CUdeviceptr_t from, std::size_t bytes) {
  return copy("cuMemcpyDtoH_v2", line(address_of(to), place::host, from, place::device, bytes),
              nullptr, false);
}

PIANOLA_CUDA_ENTRY cuMemcpyDtoD_v2(CUdeviceptr_t to, CUdeviceptr_t from, std::size_t bytes) {
  return copy("cuMemcpyDtoD_v2", line(to, place::device, from, place::device, bytes), nullptr,
              false);
}

PIANOLA_CUDA_ENTRY cuMemcpyPeerAsync(CUdeviceptr_t to, void* to_context, CUdeviceptr_t from,
                                     void* from_context, std::size_t bytes, void* s) {
  return enter("cuMemcpyPeerAsync", [&](lock& held) {
    check_owner(to, to_context, "destination");
    check_owner(from, from_context, "source");
    e().copy(held, e().stream_of(current(), s), line(to, place::device, from, place::device, bytes),
             true);
  });
}

PIANOLA_CUDA_ENTRY cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D_t* d, void* s) {
  return enter("cuMemcpy2DAsync_v2", [&](lock& held) {
    const copy_box box = box_of(result(d, "the description"));
    e().copy(held, e().stream_of(current(), s), box, true);
  });
}

PIANOLA_CUDA_ENTRY cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D_t* d, void* s) {
  return enter("cuMemcpy3DAsync_v2", [&](lock& held) {
    const copy_box box = box_of(result(d, "the description"), false);
    e().copy(held, e().stream_of(current(), s), box, true);
  });
}

PIANOLA_CUDA_ENTRY cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_t* d, void* s) {
  return enter("cuMemcpy3DPeerAsync", [&](lock& held) {
    const copy_box box = box_of(result(d, "the description"), true);
    if (d->srcMemoryType == CU_MEMORYTYPE_DEVICE_v)
      check_owner(d->srcDevice, d->reserved0, "source");
    if (d->dstMemoryType == CU_MEMORYTYPE_DEVICE_v)
      check_owner(d->dstDevice, d->reserved1, "destination");
    e().copy(held, e().stream_of(current(), s), box, true);
  });
}

PIANOLA_CUDA_ENTRY cuMemsetD8_v2(CUdeviceptr_t to, unsigned char value, std::size_t n) {
  return fill("cuMemsetD8_v2", to, 0, value, 1, n, 1, nullptr, false);
}
PIANOLA_CUDA_ENTRY cuMemsetD8Async(CUdeviceptr_t to, unsigned char value, std::size_t n, void* s) {
  return fill("cuMemsetD8Async", to, 0, value, 1, n, 1, s, true);
}
PIANOLA_CUDA_ENTRY cuMemsetD16Async(CUdeviceptr_t to, unsigned short value, std::size_t n,
                                    void* s) {
  return fill("cuMemsetD16Async", to, 0, value, 2, n, 1, s, true);
}
PIANOLA_CUDA_ENTRY cuMemsetD32Async(CUdeviceptr_t to, unsigned value, std::size_t n, void* s) {
  return fill("cuMemsetD32Async", to, 0, value, 4, n, 1, s, true);
}
PIANOLA_CUDA_ENTRY cuMemsetD2D8Async(CUdeviceptr_t to, std::size_t pitch, unsigned char value,
                                     std::size_t width, std::size_t height, void* s) {
  return fill("cuMemsetD2D8Async", to, pitch, value, 1, width, height, s, true);
}
PIANOLA_CUDA_ENTRY cuMemsetD2D16Async(CUdeviceptr_t to, std::size_t pitch, unsigned short value,
                                      std::size_t width, std::size_t height, void* s) {
  return fill("cuMemsetD2D16Async", to, pitch, value, 2, width, height, s, true);
}
PIANOLA_CUDA_ENTRY cuMemsetD2D32Async(CUdeviceptr_t to, std::size_t pitch, unsigned value,
                                      std::size_t width, std::size_t height, void* s) {
  return fill("cuMemsetD2D32Async", to, pitch, value, 4, width, height, s, true);
}

namespace {

// False: there is no answer for this memory. `a` null: memory that the driver does not know.
bool answer(void* out, int attribute, const allocation* a, CUdeviceptr_t pointer) {
  switch (attribute) {
    case 1:  // CONTEXT
      if (a == nullptr) return false;
      *static_cast<void**>(out) = a->owner->handle;
      return true;
    case 2:  // MEMORY_TYPE
      if (a == nullptr) return false;
      *static_cast<unsigned*>(out) =
          a->type == memory_type::host ? CU_MEMORYTYPE_HOST_v : CU_MEMORYTYPE_DEVICE_v;
      return true;
    case 3:  // DEVICE_POINTER
      if (a == nullptr) return false;
      *static_cast<CUdeviceptr_t*>(out) = pointer;
      return true;
    case 4:  // HOST_POINTER
      if (a == nullptr || a->type == memory_type::device) return false;
      *static_cast<CUdeviceptr_t*>(out) = pointer;
      return true;
    case 8:  // IS_MANAGED
      if (a == nullptr) return false;
      *static_cast<bool*>(out) = a->type == memory_type::managed;
      return true;
    case 9:  // DEVICE_ORDINAL
      if (a == nullptr) return false;
      *static_cast<int*>(out) = static_cast<int>(a->device);
      return true;
    case 11:  // RANGE_START_ADDR
      if (a == nullptr) return false;
      *static_cast<CUdeviceptr_t*>(out) = a->start;
      return true;
    case 12:  // RANGE_SIZE
      if (a == nullptr) return false;
      *static_cast<std::size_t*>(out) = a->bytes;
      return true;
    default:
      violate(codes::invalid_value, "attribute " + std::to_string(attribute) + " is not known");
  }
}

// What cuPointerGetAttributes writes where there is no answer.
void clear(void* out, int attribute) {
  switch (attribute) {
    case 2:
      *static_cast<unsigned*>(out) = 0;
      return;
    case 8:
      *static_cast<bool*>(out) = false;
      return;
    case 9:
      *static_cast<int*>(out) = -2;  // CU_DEVICE_INVALID
      return;
    default:
      *static_cast<CUdeviceptr_t*>(out) = 0;
  }
}

}  // namespace

PIANOLA_CUDA_ENTRY cuPointerGetAttribute(void* out, int attribute, CUdeviceptr_t pointer) {
  return enter("cuPointerGetAttribute", [&](lock&) {
    if (out == nullptr) violate(codes::invalid_value, "the result is null");
    const allocation* a = e().find(pointer_to(pointer));
    if (!answer(out, attribute, a, pointer))
      refuse(codes::invalid_value, a == nullptr ? "the driver does not know the memory"
                                                : "the host does not reach the memory");
  });
}

PIANOLA_CUDA_ENTRY cuPointerGetAttributes(unsigned count, int* attributes, void** out,
                                          CUdeviceptr_t pointer) {
  return enter("cuPointerGetAttributes", [&](lock&) {
    if (count == 0 || attributes == nullptr || out == nullptr)
      violate(codes::invalid_value, "nothing is asked for, or the results are null");
    // Memory that the driver does not know is no error here.
    const allocation* a = e().find(pointer_to(pointer));
    for (unsigned i = 0; i < count; ++i) {
      if (out[i] == nullptr) violate(codes::invalid_value, "a result is null");
      if (!answer(out[i], attributes[i], a, pointer)) clear(out[i], attributes[i]);
    }
  });
}

PIANOLA_CUDA_ENTRY cuMemHostRegister_v2(void* start, std::size_t bytes, unsigned flags) {
  return enter("cuMemHostRegister_v2", [&](lock&) {
    if ((flags & ~15U) != 0) violate(codes::invalid_value, "flags");
    e().check_captures();
    e().lock_pages(current(), start, bytes);
  });
}

PIANOLA_CUDA_ENTRY cuMemHostUnregister(void* start) {
  return enter("cuMemHostUnregister", [&](lock& held) {
    current();
    e().check_captures();
    e().unlock_pages(held, start);
  });
}
