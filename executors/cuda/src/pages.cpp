// SPDX-License-Identifier: Apache-2.0
// Physical memory apart from addresses. The driver maps handles from their first byte only, so each page has one of its own.
#include <vector>

#include <pianola/gpu/driver_calls.hpp>

#include "cuda_driver.hpp"
#include "descriptions.hpp"

namespace pianola::cuda {

using gpu::code;
using gpu::within;

namespace {

allocation_properties page_on(ordinal device) noexcept {
  allocation_properties wanted{};
  wanted.type = allocation_pinned;
  wanted.location = {location_device, device};
  return wanted;
}

}  // namespace

std::size_t cuda_driver::page_bytes(std::uint32_t device) noexcept {
  device_state& state = *states_[device];
  std::size_t bytes = state.page_bytes.load(std::memory_order_relaxed);
  if (bytes != SIZE_MAX) return bytes;
  const functions& call = library_.call;
  bytes = 0;
  const bool whole = call.cuMemGetAllocationGranularity != nullptr &&
                     call.cuMemAddressReserve != nullptr && call.cuMemAddressFree != nullptr &&
                     call.cuMemCreate != nullptr && call.cuMemRelease != nullptr &&
                     call.cuMemMap != nullptr && call.cuMemSetAccess != nullptr &&
                     call.cuMemUnmap != nullptr;
  if (whole && attributes(call.cuDeviceGetAttribute, state.native).has(virtual_memory_management)) {
    const allocation_properties wanted = page_on(state.native);
    if (within<beside_captures>(*this, device, call.cuMemGetAllocationGranularity, &bytes, &wanted,
                                granularity_recommended) != success ||
        (bytes & (bytes - 1)) != 0)
      bytes = 0;
  }
  state.page_bytes.store(bytes, std::memory_order_relaxed);
  return bytes;
}

code cuda_driver::make_page(std::uint32_t device, std::uint64_t& out) noexcept {
  const allocation_properties wanted = page_on(states_[device]->native);
  memory_handle made = 0;
  const result r = within<beside_captures>(*this, device, library_.call.cuMemCreate, &made,
                                           page_bytes(device), &wanted, 0ULL);
  out = made;
  return r;
}

void cuda_driver::destroy_page(std::uint32_t device, std::uint64_t page) noexcept {
  (void)within<beside_captures>(*this, device, library_.call.cuMemRelease, memory_handle{page});
}

code cuda_driver::reserve_addresses(std::uint32_t device, std::size_t bytes, void*& out) noexcept {
  address at = 0;
  const result r = within<beside_captures>(*this, device, library_.call.cuMemAddressReserve, &at,
                                           bytes, std::size_t{0}, address{0}, 0ULL);
  if (r == success) out = pointer_to(at);
  return r;
}

void cuda_driver::release_addresses(std::uint32_t device, void* at, std::size_t bytes) noexcept {
  (void)within<beside_captures>(*this, device, library_.call.cuMemAddressFree, address_of(at),
                                bytes);
}

code cuda_driver::map_page(std::uint32_t device, void* at, std::uint64_t page) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuMemMap, address_of(at),
                                 page_bytes(device), std::size_t{0}, memory_handle{page}, 0ULL);
}

code cuda_driver::allow_access(std::uint32_t device, void* at, std::size_t bytes) noexcept {
  try {
    std::vector<access_description> who;
    // What is allowed between contexts does not hold for such memory.
    for (std::size_t other = 0; other < states_.size(); ++other)
      if (other == device || descriptions_[other].peers[device])
        who.push_back({{location_device, states_[other]->native}, access_read_write});
    return within<beside_captures>(*this, device, library_.call.cuMemSetAccess, address_of(at),
                                   bytes, who.data(), who.size());
  } catch (...) {
    return out_of_memory;
  }
}

void cuda_driver::unmap_pages(std::uint32_t device, void* at, std::size_t bytes) noexcept {
  (void)within<beside_captures>(*this, device, library_.call.cuMemUnmap, address_of(at), bytes);
}

}  // namespace pianola::cuda
