// SPDX-License-Identifier: Apache-2.0
// What docs/buffer-extensions.md describes: buffers that say how they behave, and USM
// interoperation.
#pragma once

#include <type_traits>
#include <vector>

#include <sycl/buffer.hpp>
#include <sycl/detail/buffer/allocation.hpp>
#include <sycl/detail/buffer/policies.hpp>
#include <sycl/detail/buffer/usm.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class T, int Dim>
using plain_buffer = buffer<T, Dim, buffer_allocator<std::remove_const_t<T>>>;

property_list policies(bool view, bool writes_back, bool blocks);

}  // namespace detail

/// Own storage, no write-back, the end waits.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_sync_buffer(range<Dim> r) {
  return {r, detail::policies(false, false, true)};
}
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_sync_buffer(const T* ptr, range<Dim> r) {
  return {ptr, r, detail::policies(false, false, true)};
}

/// Own storage, no write-back, the end waits for nothing.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_async_buffer(range<Dim> r) {
  return {r, detail::policies(false, false, false)};
}
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_async_buffer(const T* ptr, range<Dim> r) {
  return {ptr, r, detail::policies(false, false, false)};
}

/// The host data is the storage; it is up to date when the buffer has ended.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_sync_writeback_view(T* host_view_ptr, range<Dim> r) {
  return {host_view_ptr, r, detail::policies(true, true, true)};
}

/// The host data is the storage; it is up to date, and may be used, when `q` has finished all work
/// submitted to it up to the buffer's end.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_async_writeback_view(T* host_view_ptr, range<Dim> r,
                                                       const queue& q) {
  namespace policy = ext::pianola::property::buffer;
  return {host_view_ptr, r,
          property_list{policy::uses_external_storage(true), policy::writes_back(true),
                        policy::destructor_blocks(false),
                        detail::write_back_queue_property{detail::queue_access::state(q).runtime}}};
}
/// The same, but nothing tells when: prefer the form with a queue.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_async_writeback_view(T* host_view_ptr, range<Dim> r) {
  return {host_view_ptr, r, detail::policies(true, true, false)};
}

/// The host data is the storage, its contents unspecified afterwards; the end waits.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_sync_view(T* host_view_ptr, range<Dim> r) {
  return {host_view_ptr, r, detail::policies(true, false, true)};
}
/// The same; the end waits for nothing, so the host data must outlive the work on the buffer.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_async_view(T* host_view_ptr, range<Dim> r) {
  return {host_view_ptr, r, detail::policies(true, false, false)};
}

/// Over USM allocations, no write-back; the end waits.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_sync_view(
    const std::vector<buffer_allocation::tracked_descriptor<T>>& input_allocations, range<Dim> r) {
  return {input_allocations, r, detail::policies(true, false, true)};
}
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_sync_usm_view(
    const std::vector<buffer_allocation::tracked_descriptor<T>>& input_allocations, range<Dim> r) {
  return make_sync_view(input_allocations, r);
}
/// The same; the end waits for nothing, so the allocations must outlive the work on the buffer.
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_async_view(
    const std::vector<buffer_allocation::tracked_descriptor<T>>& input_allocations, range<Dim> r) {
  return {input_allocations, r, detail::policies(true, false, false)};
}
template <class T, int Dim>
detail::plain_buffer<T, Dim> make_async_usm_view(
    const std::vector<buffer_allocation::tracked_descriptor<T>>& input_allocations, range<Dim> r) {
  return make_async_view(input_allocations, r);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
