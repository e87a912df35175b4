// SPDX-License-Identifier: Apache-2.0
// The members of buffer for USM interoperation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pianola/runtime/buffers.hpp>

#include <sycl/detail/buffer/allocation.hpp>
#include <sycl/detail/buffer/definition.hpp>
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

/// The device with the allocation that begins at the address, or `offset` bytes in front of it.
device device_of_allocation(pianola::runtime::buffer_key key, const void* address,
                            std::size_t offset, const char* who);

void set_owned(pianola::runtime::buffer_key key, const device& dev, bool owned, const char* who);

/// Collects and checks the allocations of a new buffer. Throw exception (errc::invalid) for what no buffer can be over.
class external_list {
 public:
  explicit external_list(std::size_t count);
  external_list(const external_list&) = delete;
  external_list& operator=(const external_list&) = delete;
  ~external_list();

  void add(const device& dev, void* pointer, std::size_t alignment, bool holds_data, bool owned);
  const pianola::runtime::external_allocation* data() const noexcept { return all_; }
  std::size_t size() const noexcept { return size_; }

 private:
  pianola::runtime::external_allocation* all_;
  std::size_t size_ = 0;
};

/// One device for each allocation that the buffer has: those that share a memory share its allocation.
std::vector<device> devices_with_allocations(pianola::runtime::buffer_key key);

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
  detail::external_list external(allocations.size());
  for (const auto& a : allocations)
    external.add(a.desc.dev, const_cast<std::remove_const_t<T>*>(a.desc.ptr), alignof(T),
                 a.is_recent, a.desc.is_owned);
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
  return get_allocation(detail::device_of_allocation(checked()->key(), ptr, view_.byte_offset,
                                                     "buffer::get_allocation"));
}

template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::own_allocation(const device& dev) {
  detail::set_owned(checked()->key(), dev, true, "buffer::own_allocation");
}
template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::own_allocation(const T* ptr) {
  own_allocation(detail::device_of_allocation(checked()->key(), ptr, view_.byte_offset,
                                              "buffer::own_allocation"));
}
template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::disown_allocation(const device& dev) {
  detail::set_owned(checked()->key(), dev, false, "buffer::disown_allocation");
}
template <class T, int Dimensions, class AllocatorT>
void buffer<T, Dimensions, AllocatorT>::disown_allocation(const T* ptr) {
  disown_allocation(detail::device_of_allocation(checked()->key(), ptr, view_.byte_offset,
                                                 "buffer::disown_allocation"));
}

template <class T, int Dimensions, class AllocatorT>
template <class Handler>
void buffer<T, Dimensions, AllocatorT>::for_each_allocation(Handler&& h) const {
  for (const device& dev : detail::devices_with_allocations(checked()->key())) {
    const auto allocation = get_allocation(dev);  // a name: handlers may take references
    h(allocation);
  }
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
