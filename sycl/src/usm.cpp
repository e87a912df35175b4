// SPDX-License-Identifier: Apache-2.0
#include <sycl/usm.hpp>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

pianola::runtime::usm_kind checked_usm_kind(usm::alloc kind, const device& d, const context& c) {
  if (!context_access::contains(c, d))
    throw_error(errc::invalid, "USM allocation: the device is not one of the context's");
  const auto need = [&](aspect a, const char* what) {
    if (!d.has(a))
      throw_error(errc::feature_not_supported,
                  fmt::format("USM allocation: {} has no {} allocations; ask device::has()",
                              device_access::properties(d).name, what));
  };
  switch (kind) {
    case usm::alloc::host:
      need(aspect::usm_host_allocations, "host");
      break;
    case usm::alloc::device:
      need(aspect::usm_device_allocations, "device");
      break;
    case usm::alloc::shared:
      need(aspect::usm_shared_allocations, "shared");
      break;
    case usm::alloc::unknown:
      throw_error(errc::invalid, "USM allocation: usm::alloc::unknown is no kind of allocation");
  }
  return static_cast<pianola::runtime::usm_kind>(kind);  // the same words and numbers
}

void* allocate_usm(usm::alloc kind, std::size_t bytes, std::size_t alignment, const device& d,
                   const context& c) {
  const pianola::runtime::usm_kind what = checked_usm_kind(kind, d, c);
  if (bytes == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  return pianola::runtime::usm_allocate(what, bytes, alignment, device_access::id(d));
}

device first_device(const context& c) { return c.get_devices().front(); }

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

void* malloc_host(std::size_t bytes, const context& c, const property_list&) {
  return detail::allocate_usm(usm::alloc::host, bytes, 0, detail::first_device(c), c);
}

void* malloc_host(std::size_t bytes, const queue& q, const property_list&) {
  return detail::allocate_usm(usm::alloc::host, bytes, 0, q.get_device(), q.get_context());
}

void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context& c,
                         const property_list&) {
  return detail::allocate_usm(usm::alloc::host, bytes, alignment, detail::first_device(c), c);
}

void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const queue& q,
                         const property_list&) {
  return detail::allocate_usm(usm::alloc::host, bytes, alignment, q.get_device(), q.get_context());
}

void* malloc(std::size_t bytes, const device& d, const context& c, usm::alloc kind,
             const property_list&) {
  return detail::allocate_usm(kind, bytes, 0, d, c);
}

void* malloc(std::size_t bytes, const queue& q, usm::alloc kind, const property_list&) {
  return detail::allocate_usm(kind, bytes, 0, q.get_device(), q.get_context());
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes, const device& d, const context& c,
                    usm::alloc kind, const property_list&) {
  return detail::allocate_usm(kind, bytes, alignment, d, c);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes, const queue& q, usm::alloc kind,
                    const property_list&) {
  return detail::allocate_usm(kind, bytes, alignment, q.get_device(), q.get_context());
}

void free(void* pointer, const context&) {
  detail::translate([=] { pianola::runtime::usm_free(pointer); });
}

void free(void* pointer, const queue&) {
  detail::translate([=] { pianola::runtime::usm_free(pointer); });
}

usm::alloc get_pointer_type(const void* pointer, const context& c) {
  const pianola::runtime::pointer_query q = pianola::runtime::query_pointer(pointer);
  if (q.kind != pianola::runtime::usm_kind::host && q.device.valid() &&
      !detail::context_access::contains(c, detail::device_access::make(q.device)))
    return usm::alloc::unknown;
  return static_cast<usm::alloc>(q.kind);  // the same words and numbers
}

device get_pointer_device(const void* pointer, const context& c) {
  const usm::alloc kind = get_pointer_type(pointer, c);
  if (kind == usm::alloc::unknown)
    detail::throw_error(
        errc::invalid,
        "get_pointer_device: the pointer is into no USM allocation of the context; ask "
        "get_pointer_type() first");
  if (kind == usm::alloc::host) return detail::first_device(c);
  return detail::device_access::make(pianola::runtime::query_pointer(pointer).device);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
