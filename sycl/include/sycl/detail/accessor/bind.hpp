// SPDX-License-Identifier: Apache-2.0
// From a buffer object and an access range to what the runtime asks for.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/detail/accessor/storage.hpp>
#include <sycl/detail/buffer/definition.hpp>
#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

[[noreturn]] inline void refuse_reading_no_init() {
  throw_error(errc::invalid,
              "accessor: no_init contradicts access_mode::read; there would be nothing to read");
}
[[noreturn]] inline void refuse_dead_buffer() {
  throw_error(errc::invalid,
              "handler::require: the buffer of this placeholder accessor has ended; keep it alive "
              "until the command group is submitted");
}
[[noreturn]] inline void refuse_default_constructed() {
  throw_error(errc::invalid,
              "handler::require: this accessor was default-constructed and has no buffer");
}

/// Throws exception (errc::invalid) if an accessor to `part` of the buffer from `offset` makes no sense, and notes it.
template <class T, int Dimensions, class AllocatorT>
[[gnu::always_inline]] inline void check_access(const buffer<T, Dimensions, AllocatorT>& b,
                                                access_mode mode, bool no_init,
                                                const range<Dimensions>& part,
                                                const id<Dimensions>& offset, const char* who) {
  buffer_state& state = *buffer_access::state(b);
  check_inside(who, offset, part, b.get_range());
  if (no_init && mode == access_mode::read) refuse_reading_no_init();
  state.note_access(to_model(mode));
}

/// Fills in what such an accessor asks for, which was checked, but for the cookie. Where the request is to be: what is
/// copied right after it was written in parts waits for these.
template <class T, int Dimensions, class AllocatorT>
[[gnu::always_inline]] inline void fill_request(pianola::runtime::accessor_request& request,
                                                const buffer<T, Dimensions, AllocatorT>& b,
                                                access_mode mode, bool no_init,
                                                const range<Dimensions>& part,
                                                const id<Dimensions>& offset) {
  const buffer_state& state = *buffer_access::state(b);
  const buffer_view& view = buffer_access::view(b);
  request.buffer = state.key();
  request.mode = to_model(mode);
  request.no_init = no_init || is_discard(mode);
  request.byte_offset = view.byte_offset;
  if (view.direct && view.byte_offset == 0) {
    if (part.size() == 0) return;
    for (std::size_t d = 0; d < 3; ++d) {
      constexpr std::size_t first = 3 - Dimensions;
      const bool given = d >= first;
      const int own = given ? static_cast<int>(d - first) : 0;
      request.elements.lo[d] = given ? offset.get(own) : 0;
      request.elements.hi[d] = given ? offset.get(own) + part.get(own) : 1;
    }
    return;
  }
  request.elements = storage_box(state.storage(), view, to_extent3(b.get_range()), sizeof(T),
                                 to_box(offset, part));
}

/// The request of an accessor to `part` of the buffer from `offset`; the cookie is the caller's.
/// Throws exception (errc::invalid) if that leaves the buffer.
template <class T, int Dimensions, class AllocatorT>
pianola::runtime::accessor_request make_request(const buffer<T, Dimensions, AllocatorT>& b,
                                                access_mode mode, bool no_init,
                                                const range<Dimensions>& part,
                                                const id<Dimensions>& offset,
                                                const char* who = "accessor") {
  check_access(b, mode, no_init, part, offset, who);
  pianola::runtime::accessor_request request;
  fill_request(request, b, mode, no_init, part, offset);
  return request;
}

/// The request of an accessor that remembers its buffer. Throws exception (errc::invalid) if the
/// buffer has ended.
template <class T, int Dimensions, accessor_variant Variant>
pianola::runtime::accessor_request request_again(
    const accessor_storage<Variant, Dimensions>& storage, access_mode mode) {
  const accessor_identity& identity = storage;
  if (!identity.key.valid()) refuse_default_constructed();
  if (!pianola::runtime::buffer_alive(identity.key)) refuse_dead_buffer();
  pianola::runtime::accessor_request request;
  request.buffer = identity.key;
  request.mode = to_model(mode);
  request.no_init = identity.no_init || is_discard(mode);
  request.cookie = reinterpret_cast<std::uint64_t>(storage.pointer);
  pianola::model::extent3 whole{{1, 1, 1}};
  pianola::model::box elements{{}, {{1, 1, 1}}};
  if constexpr (Dimensions > 0) {
    elements = to_box(id<Dimensions>(storage.offset()), storage.access_range());
  } else if (storage.pointer == nullptr) {
    elements = {};  // of an empty buffer
  }
  if constexpr (Dimensions > 1)
    for (int d = 1; d < Dimensions; ++d) whole[3 - Dimensions + d] = storage.extent(d);
  if (identity.view == 0) {
    request.elements = elements;
  } else {
    const buffer_view_table::entry at = buffer_view_table::instance().at(identity.view);
    request.byte_offset = at.view.byte_offset;
    request.elements = storage_box(at.storage, at.view, whole, sizeof(T), elements);
  }
  return request;
}

/// What the accessor holds in place of an address: a cookie, or for host tasks the address itself.
template <target Target>
void* initial_pointer(pianola::runtime::accessor_request& request, bool placeholder) {
  if constexpr (Target == target::host_task) {
    void* const address = translate([&]() -> void* {
      return static_cast<unsigned char*>(pianola::runtime::host_storage(request.buffer)) +
             request.byte_offset;
    });
    request.host_address = address;
    return address;
  } else {
    request.cookie = placeholder ? pianola::runtime::next_placeholder_cookie()
                                 : pianola::runtime::next_accessor_cookie();
    return reinterpret_cast<void*>(request.cookie);
  }
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
