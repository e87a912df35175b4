// SPDX-License-Identifier: Apache-2.0
// Properties that say outright what a buffer otherwise infers from how it was constructed.
// Described in docs/buffer-extensions.md.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <pianola/runtime/ids.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/pianola/buffer_memory.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/properties.hpp>

namespace pianola::runtime {
class queue;
}

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola::property::buffer {

/// Granularity of data management and of dependencies, in elements per dimension. Every extent
/// must be positive; one larger than the buffer's means the buffer's. Without it one page is the
/// whole buffer.
template <int Dimensions>
class page_size {
 public:
  page_size(const range<Dimensions>& elements) : elements_(elements) {}
  range<Dimensions> get_range() const { return elements_; }

 private:
  range<Dimensions> elements_;
};

namespace detail {
/// A choice that is otherwise made by the buffer's constructor.
class choice {
 public:
  explicit choice(bool enabled) : enabled_(enabled) {}
  bool is_enabled() const { return enabled_; }

 private:
  bool enabled_;
};
}  // namespace detail

/// true: the host data is the buffer's storage; the program does not touch it while the buffer
/// lives. false: the host data is only copied at construction.
class uses_external_storage : public detail::choice {
 public:
  using choice::choice;
};

/// Whether the contents go back to the host data when the buffer ends.
class writes_back : public detail::choice {
 public:
  using choice::choice;
};

/// true: the buffer's end waits for all work on it. false: it waits for nothing; storage stays
/// until the work has finished, and writing back, if asked for, is itself asynchronous.
class destructor_blocks : public detail::choice {
 public:
  using choice::choice;
};

}  // namespace ext::pianola::property::buffer

namespace detail {

/// The queue that runs an asynchronous write-back, so that the program can wait for it.
struct write_back_queue_property {
  std::shared_ptr<::pianola::runtime::queue> queue;
};

}  // namespace detail

namespace property::buffer {

/// AdaptiveCpp's names. The hipSYCL ones are those it had before.
template <int Dimensions>
class AdaptiveCpp_page_size : public ext::pianola::property::buffer::page_size<Dimensions> {
  using base = ext::pianola::property::buffer::page_size<Dimensions>;

 public:
  using same_property_as = base;
  AdaptiveCpp_page_size(const range<Dimensions>& elements) : base(elements) {}
  explicit AdaptiveCpp_page_size(const base& other) : base(other) {}
};
template <int Dimensions>
class hipSYCL_page_size : public ext::pianola::property::buffer::page_size<Dimensions> {
  using base = ext::pianola::property::buffer::page_size<Dimensions>;

 public:
  using same_property_as = base;
  hipSYCL_page_size(const range<Dimensions>& elements) : base(elements) {}
  explicit hipSYCL_page_size(const base& other) : base(other) {}
};

using AdaptiveCpp_buffer_uses_external_storage =
    ext::pianola::property::buffer::uses_external_storage;
using AdaptiveCpp_buffer_writes_back = ext::pianola::property::buffer::writes_back;
using AdaptiveCpp_buffer_destructor_blocks = ext::pianola::property::buffer::destructor_blocks;
using hipSYCL_buffer_uses_external_storage = AdaptiveCpp_buffer_uses_external_storage;
using hipSYCL_buffer_writes_back = AdaptiveCpp_buffer_writes_back;
using hipSYCL_buffer_destructor_blocks = AdaptiveCpp_buffer_destructor_blocks;

}  // namespace property::buffer

template <int D>
struct is_property<ext::pianola::property::buffer::page_size<D>>
    : detail::known_property<detail::property_key("ext::pianola::property::buffer::page_size", D)> {
};
template <int D>
struct is_property<property::buffer::AdaptiveCpp_page_size<D>>
    : detail::known_property<detail::property_key("property::buffer::AdaptiveCpp_page_size", D)> {};
template <int D>
struct is_property<property::buffer::hipSYCL_page_size<D>>
    : detail::known_property<detail::property_key("property::buffer::hipSYCL_page_size", D)> {};
template <>
struct is_property<ext::pianola::property::buffer::uses_external_storage>
    : detail::known_property<detail::property_key(
          "ext::pianola::property::buffer::uses_external_storage")> {};
template <>
struct is_property<ext::pianola::property::buffer::writes_back>
    : detail::known_property<detail::property_key("ext::pianola::property::buffer::writes_back")> {
};
template <>
struct is_property<ext::pianola::property::buffer::destructor_blocks>
    : detail::known_property<detail::property_key(
          "ext::pianola::property::buffer::destructor_blocks")> {};
template <>
struct is_property<detail::write_back_queue_property>
    : detail::known_property<detail::property_key("detail::write_back_queue_property")> {};

template <int D, class T, int Dimensions, class AllocatorT>
struct is_property_of<ext::pianola::property::buffer::page_size<D>,
                      buffer<T, Dimensions, AllocatorT>> : std::bool_constant<D == Dimensions> {};
template <int D, class T, int Dimensions, class AllocatorT>
struct is_property_of<property::buffer::AdaptiveCpp_page_size<D>, buffer<T, Dimensions, AllocatorT>>
    : std::bool_constant<D == Dimensions> {};
template <int D, class T, int Dimensions, class AllocatorT>
struct is_property_of<property::buffer::hipSYCL_page_size<D>, buffer<T, Dimensions, AllocatorT>>
    : std::bool_constant<D == Dimensions> {};
template <class T>
struct is_property_of<ext::pianola::property::buffer::uses_external_storage, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};
template <class T>
struct is_property_of<ext::pianola::property::buffer::writes_back, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};
template <class T>
struct is_property_of<ext::pianola::property::buffer::destructor_blocks, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};
template <class T>
struct is_property_of<ext::pianola::property::buffer::temporary, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};
template <class T>
struct is_property_of<ext::pianola::property::buffer::evictable, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
