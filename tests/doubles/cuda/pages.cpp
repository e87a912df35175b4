// SPDX-License-Identifier: Apache-2.0
// Physical memory apart from addresses, of the CUDA double.
#include <set>

#include "front.hpp"

namespace pianola::test::drivers::cuda {
namespace {

constexpr unsigned pinned = 1, on_device = 1, read_write = 3;

unsigned device_of(const CUmemAllocationProp_t* wanted) {
  if (wanted == nullptr || wanted->type != pinned || wanted->requestedHandleTypes != 0 ||
      wanted->location.type != on_device || wanted->win32HandleMetaData != nullptr)
    violate(codes::invalid_value, "memory of another kind than a device's own");
  e().check_device(wanted->location.id);
  return static_cast<unsigned>(wanted->location.id);
}

}  // namespace
}  // namespace pianola::test::drivers::cuda

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::cuda;

PIANOLA_CUDA_ENTRY cuMemGetAllocationGranularity(std::size_t* out,
                                                 const CUmemAllocationProp_t* wanted,
                                                 unsigned option) {
  return enter("cuMemGetAllocationGranularity", [&](lock&) {
    device_of(wanted);
    if (option > 1) violate(codes::invalid_value, "an option");
    result(out) = address_space::unit;
  });
}

PIANOLA_CUDA_ENTRY cuMemCreate(unsigned long long* out, std::size_t bytes,
                               const CUmemAllocationProp_t* wanted, unsigned long long flags) {
  return enter("cuMemCreate", [&](lock&) {
    const unsigned device = device_of(wanted);
    if (flags != 0) violate(codes::invalid_value, "flags");
    e().check_captures();
    result(out) = e().make_physical(device, bytes);
  });
}

PIANOLA_CUDA_ENTRY cuMemRelease(unsigned long long memory) {
  return enter("cuMemRelease", [&](lock&) { e().release_physical(memory); });
}

PIANOLA_CUDA_ENTRY cuMemAddressReserve(CUdeviceptr_t* out, std::size_t bytes, std::size_t alignment,
                                       CUdeviceptr_t /*wish*/, unsigned long long flags) {
  return enter("cuMemAddressReserve", [&](lock&) {
    if (flags != 0) violate(codes::invalid_value, "flags");
    if (alignment > address_space::unit) violate(codes::invalid_value, "an alignment");
    result(out) = address_of(e().reserve_addresses(bytes));
  });
}

PIANOLA_CUDA_ENTRY cuMemAddressFree(CUdeviceptr_t at, std::size_t bytes) {
  return enter("cuMemAddressFree", [&](lock&) { e().release_addresses(pointer_to(at), bytes); });
}

PIANOLA_CUDA_ENTRY cuMemMap(CUdeviceptr_t at, std::size_t bytes, std::size_t offset,
                            unsigned long long memory, unsigned long long flags) {
  return enter("cuMemMap", [&](lock&) {
    if (flags != 0) violate(codes::invalid_value, "flags");
    e().map(pointer_to(at), bytes, offset, memory);
  });
}

PIANOLA_CUDA_ENTRY cuMemUnmap(CUdeviceptr_t at, std::size_t bytes) {
  return enter("cuMemUnmap", [&](lock& held) { e().unmap(held, pointer_to(at), bytes); });
}

PIANOLA_CUDA_ENTRY cuMemSetAccess(CUdeviceptr_t at, std::size_t bytes, const CUmemAccessDesc_t* who,
                                  std::size_t count) {
  return enter("cuMemSetAccess", [&](lock&) {
    if (who == nullptr || count == 0) violate(codes::invalid_value, "nobody");
    std::set<unsigned> devices;
    for (const CUmemAccessDesc_t* d = who; d != who + count; ++d) {
      if (d->location.type != on_device || d->flags != read_write)
        violate(codes::invalid_value, "access of another kind than a device's, to read and write");
      e().check_device(d->location.id);
      devices.insert(static_cast<unsigned>(d->location.id));
    }
    e().allow(pointer_to(at), bytes, devices);
  });
}
