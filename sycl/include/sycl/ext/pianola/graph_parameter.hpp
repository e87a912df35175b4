// SPDX-License-Identifier: Apache-2.0
// Parameters of graphs: each launch works on other buffers and other memory, without an update. Described in
// docs/recorded-graphs.md.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include <pianola/runtime/graph_parameters.hpp>

#include <sycl/buffer.hpp>
#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/pianola/graph_argument.hpp>
#include <sycl/ext/pianola/in_flight.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

/// graph_parameter<buffer<T, Dimensions>> stands for a buffer, graph_parameter<T*> for memory that a USM function gave. They
/// are used in their places when a graph is recorded, and `parameter = buffer` or `parameter = pointer` says what one launch
/// works on: q.ext_oneapi_graph(executable, {in = x, out = y}). Copies name the same parameter. The graph keeps what it
/// needs of a parameter.
template <class T>
class graph_parameter;

template <class T, int Dimensions, class AllocatorT>
class graph_parameter<buffer<T, Dimensions, AllocatorT>> {
 public:
  using type = buffer<T, Dimensions, AllocatorT>;

  /// Of buffers of this range; the properties are a buffer's (page size). Throws exception (errc::invalid) for properties of
  /// temporary or evictable buffers.
  explicit graph_parameter(const range<Dimensions>& r, const property_list& properties = {})
      : buffer_(std::make_shared<type>(r, properties)) {
    sycl::detail::translate([this] { ::pianola::runtime::make_parameter(key(*buffer_)); });
  }

  // Copies only: one that is moved from stands for what it did.
  graph_parameter(const graph_parameter&) = default;
  graph_parameter& operator=(const graph_parameter&) = default;

  /// For accessors of recorded commands. It holds no data: to use it elsewhere throws exception (errc::invalid).
  type& operator*() const noexcept { return *buffer_; }
  type* operator->() const noexcept { return buffer_.get(); }

  /// For one launch. Throws exception (errc::invalid) for a sub-buffer, and for a buffer that can only be read where an
  /// accessor of the parameter may write.
  graph_argument operator=(const type& b) const {
    if (b.is_sub_buffer())
      sycl::detail::throw_error(errc::invalid,
                                "graph_parameter: a sub-buffer cannot stand for a parameter; give "
                                "the buffer that it is a part of");
    // What a launch writes is written back as anything else.
    if (sycl::detail::buffer_access::state(*buffer_)->may_be_written())
      sycl::detail::buffer_access::state(b)->note_access(::pianola::model::access_mode::write);
    ::pianola::runtime::parameter_value value;
    value.parameter = key(*buffer_);
    value.buffer = key(b);
    return graph_argument(value);
  }

 private:
  static ::pianola::runtime::buffer_key key(const type& b) {
    return sycl::detail::buffer_access::state(b)->key();
  }
  std::shared_ptr<type> buffer_;
};

template <class T>
class graph_parameter<T*> {
 public:
  /// Of allocations of this kind with at least so many elements, which the queue's device reaches. Throws exception:
  /// errc::invalid for 0 elements and for too many, errc::feature_not_supported if the device has no such memory.
  graph_parameter(std::size_t count, const queue& q, usm::alloc kind = usm::alloc::device)
      : pointer_(sycl::detail::translate([&] {
          return static_cast<T*>(::pianola::runtime::create_memory_parameter(
              sycl::detail::checked_bytes("graph_parameter", count, sizeof(T)),
              sycl::detail::checked_usm_kind(kind, q.get_device(), q.get_context()),
              sycl::detail::device_access::id(q.get_device())));
        })) {}

  /// For recorded commands, which may also hold pointers to elements behind the first. Nothing is there: whoever follows it
  /// elsewhere ends as with any wrong pointer.
  T* get() const noexcept { return pointer_; }

  /// For one launch.
  graph_argument operator=(T* pointer) const noexcept {
    ::pianola::runtime::parameter_value value;
    value.memory_parameter = pointer_;
    value.pointer = const_cast<std::remove_cv_t<T>*>(pointer);
    return graph_argument(value);
  }

 private:
  T* pointer_;
};

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
