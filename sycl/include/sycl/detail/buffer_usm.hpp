// SPDX-License-Identifier: Apache-2.0
// The members of buffer for USM interoperation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pianola/runtime/buffers.hpp>

#include <sycl/detail/buffer_allocation.hpp>
#include <sycl/detail/buffer_class.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

bool has_allocation(pianola::runtime::buffer_key key, const device& dev);

[[noreturn]] inline void refuse_missing_allocation(const char* who) {
  throw_error(errc::invalid,
              std::string(who) +
                  ": this buffer has no such allocation; has_allocation(device) tells, "
                  "and a command on the device that uses the buffer makes one");
}

unsigned char* allocation_on(pianola::runtime::buffer_key key, const device& dev, const char* who);

/// The device whose allocation starts at the address.
device device_of_allocation(pianola::runtime::buffer_key key, const void* address, const char* who);

void set_owned(pianola::runtime::buffer_key key, const device& dev, bool owned, const char* who);

template <class T>
std::vector<pianola::runtime::external_allocation> to_external(
    const std::vector<buffer_allocation::tracked_descriptor<T>>& allocations) {
  std::vector<pianola::runtime::external_allocation> all;
  if (allocations.empty())
    throw_error(errc::invalid,
                "buffer: the list of USM allocations is empty; use the constructor "
                "that takes only a range");
  for (const auto& a : allocations) {
    if (a.desc.ptr == nullptr)
      throw_error(errc::invalid, "buffer: a USM allocation of the list is a null pointer");
    if (reinterpret_cast<std::uintptr_t>(a.desc.ptr) % alignof(T) != 0)
      throw_error(errc::invalid, "buffer: a USM allocation of the list is not aligned to " +
                                     std::to_string(alignof(T)) + " bytes");
    pianola::runtime::external_allocation e;
    e.device = device_access::id(a.desc.dev);
    e.pointer = const_cast<std::remove_const_t<T>*>(a.desc.ptr);
    e.holds_data = a.is_recent;
    e.owned = a.desc.is_owned;
    for (const auto& other : all)
      if (other.device == e.device)
        throw_error(errc::invalid,
                    "buffer: two USM allocations of the list are for the same device; a buffer has "
                    "one per device");
    all.push_back(e);
  }
  return all;
}

}  // namespace detail

/// The buffer's contents are those of the allocations that hold data. Nothing is written back
/// unless set_final_data asks for it; the buffer's end waits for the work on it. Throws exception
/// (errc::invalid) for an empty list, null or misaligned pointers and two allocations for one
/// device.
template <class T, int Dimensions, class AllocatorT>
buffer<T, Dimensions, AllocatorT>::buffer(
    const std::vector<buffer_allocation::tracked_descriptor<T>>& allocations,
    const range<Dimensions>& bufferRange, AllocatorT allocator, const property_list& propList)
    : range_(bufferRange), allocator_(std::move(allocator)) {
  const std::vector<pianola::runtime::external_allocation> external =
      detail::to_external(allocations);
  detail::buffer_source source;
  source.external = external.data();
  source.external_count = external.size();
  make(std::move(source), propList);
}

template <class T, int Dimensions, class AllocatorT>
buffer<T, Dimensions, AllocatorT>::buffer(
    const std::vector<buffer_allocation::tracked_descriptor<T>>& allocations,
    const range<Dimensions>& bufferRange, const property_list& propList)
    : buffer(allocations, bufferRange, AllocatorT(), propList) {}

template <class T, int Dimensions, class AllocatorT>
bool buffer<T, Dimensions, AllocatorT>::has_allocation(const device& dev) const {
  return detail::has_allocation(checked()->key(), dev);
}

/// Null if there is no allocation on the device.
template <class T, int Dimensions, class AllocatorT>
T* buffer<T, Dimensions, AllocatorT>::get_pointer(const device& dev) const {
  const auto& state = checked();
  if (!detail::has_allocation(state->key(), dev)) return nullptr;
  state->note_possible_write();
  return reinterpret_cast<T*>(detail::allocation_on(state->key(), dev, "buffer::get_pointer") +
                              view_.byte_offset);
}

template <class T, int Dimensions, class AllocatorT>
buffer_allocation::descriptor<T> buffer<T, Dimensions, AllocatorT>::get_allocation(
    const device& dev) const {
  const auto key = checked()->key();
  checked()->note_possible_write();
  void* const base = detail::allocation_on(key, dev, "buffer::get_allocation");
  const bool owned = detail::translate(
      [&] { return pianola::runtime::is_allocation_owned(key, detail::device_access::id(dev)); });
  return {static_cast<T*>(base), dev, owned};
}

template <class T, int Dimensions, class AllocatorT>
buffer_allocation::descriptor<T> buffer<T, Dimensions, AllocatorT>::get_allocation(
    const T* ptr) const {
  return get_allocation(
      detail::device_of_allocation(checked()->key(), ptr, "buffer::get_allocation"));
}

template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::own_allocation(const device& dev) {
  detail::set_owned(checked()->key(), dev, true, "buffer::own_allocation");
}
template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::own_allocation(const T* ptr) {
  own_allocation(detail::device_of_allocation(checked()->key(), ptr, "buffer::own_allocation"));
}
template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::disown_allocation(const device& dev) {
  detail::set_owned(checked()->key(), dev, false, "buffer::disown_allocation");
}
template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::disown_allocation(const T* ptr) {
  disown_allocation(
      detail::device_of_allocation(checked()->key(), ptr, "buffer::disown_allocation"));
}

template <class T, int Dimensions, class AllocatorT>
template <class Handler>
void buffer<T, Dimensions, AllocatorT>::for_each_allocation(Handler&& h) const {
  std::vector<const void*> seen;
  for (const device& dev : detail::all_devices()) {
    if (!has_allocation(dev)) continue;
    const buffer_allocation::descriptor<T> d = get_allocation(dev);
    // Devices that share a memory share its allocation.
    bool again = false;
    for (const void* s : seen) again = again || s == d.ptr;
    if (again) continue;
    seen.push_back(d.ptr);
    h(d);
  }
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
