// SPDX-License-Identifier: Apache-2.0
// Memory that commands allocate and free (sycl_ext_oneapi_async_memory_alloc): it may be used by what comes after the one
// and before the other. In a queue, or a graph, that records the memory belongs to the graph.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <pianola/runtime/async_memory.hpp>

#include <sycl/context.hpp>
#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

/// Properties of memory pools. Bytes that a pool keeps when the program waits for a queue or an event; what it has beyond
/// them, and nobody uses, goes back to the device then.
struct initial_threshold {
  constexpr explicit initial_threshold(std::size_t bytes) : bytes_(bytes) {}
  constexpr std::size_t get_initial_threshold() const { return bytes_; }

 private:
  std::size_t bytes_;
};
/// Bytes that a pool may hold, in use or not.
struct maximum_size {
  constexpr explicit maximum_size(std::size_t bytes) : bytes_(bytes) {}
  constexpr std::size_t get_maximum_size() const { return bytes_; }

 private:
  std::size_t bytes_;
};
/// Kernels will only read the memory; a hint that is not taken.
struct read_only {
  constexpr explicit read_only(bool on = true) : on_(on) {}
  constexpr bool get_read_only() const { return on_; }

 private:
  bool on_;
};
/// Memory is filled with zeroes by the command that allocates it, each time.
struct zero_init {
  constexpr explicit zero_init(bool on = true) : on_(on) {}
  constexpr bool get_zero_init() const { return on_; }

 private:
  bool on_;
};
template <>
struct is_property_key<initial_threshold> : std::true_type {};
template <>
struct is_property_key<maximum_size> : std::true_type {};
template <>
struct is_property_key<read_only> : std::true_type {};
template <>
struct is_property_key<zero_init> : std::true_type {};

/// Memory of one device and kind, from which async_malloc takes and to which async_free returns. Copies name the same
/// pool. What it holds when it ends is freed once nobody uses it any more.
class memory_pool {
 public:
  /// Throws exception (errc::invalid) if the device is not one of the context's or the kind is unknown, and exception
  /// (errc::feature_not_supported) if the device lacks the kind of memory.
  template <class... Properties>
  memory_pool(const context& c, const device& d, usm::alloc kind,
              properties<Properties...> list = properties<Properties...>())
      : memory_pool(c, d, kind, settings_of(list), nullptr) {}
  template <class... Properties>
  memory_pool(const queue& q, usm::alloc kind,
              properties<Properties...> list = properties<Properties...>())
      : memory_pool(q.get_context(), q.get_device(), kind, settings_of(list), nullptr) {}
  memory_pool(const context& c, const device& d, usm::alloc kind);
  memory_pool(const queue& q, usm::alloc kind);

  context get_context() const;
  device get_device() const;
  usm::alloc get_alloc_kind() const;
  /// Bytes.
  std::size_t get_threshold() const;
  std::size_t get_reserved_size_current() const;
  std::size_t get_reserved_size_high() const;
  std::size_t get_used_size_current() const;
  std::size_t get_used_size_high() const;

  /// Lower thresholds than the present one change nothing.
  void increase_threshold_to(std::size_t bytes);
  /// The name of an earlier revision. Throws exception (errc::invalid) for lower thresholds.
  void set_new_threshold(std::size_t bytes);
  void reset_reserved_size_high();
  void reset_used_size_high();

  template <class Property>
  bool has_property() const noexcept {
    const settings& s = state_->given;
    if constexpr (std::is_same<Property, initial_threshold>::value)
      return s.has_threshold;
    else if constexpr (std::is_same<Property, maximum_size>::value)
      return s.has_maximum;
    else if constexpr (std::is_same<Property, read_only>::value)
      return s.has_read_only;
    else
      return std::is_same<Property, zero_init>::value && s.has_zero_init;
  }
  /// Throws exception (errc::invalid) if the pool was made without the property.
  template <class Property>
  Property get_property() const {
    if (!has_property<Property>())
      sycl::detail::throw_error(errc::invalid,
                                "memory_pool::get_property: the pool was made without it");
    const settings& s = state_->given;
    if constexpr (std::is_same<Property, initial_threshold>::value)
      return initial_threshold(s.threshold);
    else if constexpr (std::is_same<Property, maximum_size>::value)
      return maximum_size(s.maximum);
    else if constexpr (std::is_same<Property, read_only>::value)
      return read_only(s.only_read);
    else
      return zero_init(s.zero);
  }

  friend bool operator==(const memory_pool& a, const memory_pool& b) noexcept {
    return a.state_->pool == b.state_->pool;
  }
  friend bool operator!=(const memory_pool& a, const memory_pool& b) noexcept { return !(a == b); }

 private:
  friend class sycl::context;
  friend struct std::hash<memory_pool>;
  friend void* async_malloc(handler&, usm::alloc, std::size_t);
  friend void* async_malloc_from_pool(handler&, std::size_t, const memory_pool&);

  struct settings {
    std::size_t threshold = 0;
    std::size_t maximum = 0;
    bool zero = false, only_read = false;
    bool has_threshold = false, has_maximum = false, has_read_only = false, has_zero_init = false;
  };
  template <class List>
  static settings settings_of(const List& list) {
    settings s;
    if constexpr (List::template has_property<initial_threshold>()) {
      s.has_threshold = true;
      s.threshold = list.template get_property<initial_threshold>().get_initial_threshold();
    }
    if constexpr (List::template has_property<maximum_size>()) {
      s.has_maximum = true;
      s.maximum = list.template get_property<maximum_size>().get_maximum_size();
    }
    if constexpr (List::template has_property<read_only>()) {
      s.has_read_only = true;
      s.only_read = list.template get_property<read_only>().get_read_only();
    }
    if constexpr (List::template has_property<zero_init>()) {
      s.has_zero_init = true;
      s.zero = list.template get_property<zero_init>().get_zero_init();
    }
    return s;
  }

  struct state {
    context the_context;
    device the_device;
    usm::alloc kind;
    settings given;
    std::shared_ptr<::pianola::runtime::memory_pool> pool;
  };

  /// `shared` null: a pool of its own.
  memory_pool(const context& c, const device& d, usm::alloc kind, const settings& given,
              std::shared_ptr<::pianola::runtime::memory_pool> shared);
  static memory_pool shared_pool(const context& c, const device& d, usm::alloc kind);
  ::pianola::runtime::pool_figures figures() const;

  sycl::detail::shared_state<const state> state_;
};

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

inline ext::oneapi::experimental::memory_pool context::ext_oneapi_get_default_memory_pool(
    const device& d, usm::alloc kind) const {
  return ext::oneapi::experimental::memory_pool::shared_pool(*this, d, kind);
}

namespace detail {

/// What allocation by a handler needs to know of where its command goes.
struct allocation_target {
  explicit allocation_target(handler& h)
      : submission(handler_access::submission_of(h)), owner(handler_access::queue_of(h)) {}

  bool known() const noexcept { return owner != nullptr || submission.place != nullptr; }
  const sycl::context& context() const noexcept {
    return owner != nullptr ? owner->the_context : *node()->of_context;
  }
  const sycl::device& device() const noexcept {
    return owner != nullptr ? owner->the_device : *node()->of_device;
  }
  pianola::runtime::queue* queue() const noexcept {
    return owner == nullptr ? nullptr : owner->runtime.get();
  }

  pianola::runtime::submission& submission;
  const queue_state* owner;  // null: a graph's node, or nothing at all
  const node_place* node() const noexcept {
    return static_cast<const node_place*>(submission.place);
  }
};

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

/// The command allocates; its address is known at once. Null for 0 bytes. Throws exception: errc::memory_allocation if
/// there is no memory or the pool is full, errc::invalid if the pool is of another context or device than the queue or
/// the handler belongs to no queue and no graph (a dynamic_command_group).
inline void* async_malloc_from_pool(handler& h, std::size_t bytes, const memory_pool& pool) {
  const sycl::detail::allocation_target to(h);
  if (to.known() && (to.context() != pool.get_context() || to.device() != pool.get_device()))
    sycl::detail::throw_error(errc::invalid,
                              "async_malloc_from_pool: the pool is of another context or device "
                              "than the queue or the graph");
  sycl::detail::handler_access::set_empty(h);
  return sycl::detail::translate([&] {
    return ::pianola::runtime::allocate_asynchronously(to.submission, to.queue(), pool.state_->pool,
                                                       bytes);
  });
}
/// From the default pool of the queue's (the graph's) context and device.
inline void* async_malloc(handler& h, usm::alloc kind, std::size_t bytes) {
  const sycl::detail::allocation_target to(h);
  if (!to.known())
    sycl::detail::throw_error(errc::invalid,
                              "async_malloc: the handler belongs to no queue and no graph");
  return async_malloc_from_pool(h, bytes,
                                memory_pool::shared_pool(to.context(), to.device(), kind));
}
inline void* async_malloc(const queue& q, usm::alloc kind, std::size_t bytes) {
  void* pointer = nullptr;
  queue(q).submit([&](handler& h) { pointer = async_malloc(h, kind, bytes); });
  return pointer;
}
inline void* async_malloc_from_pool(const queue& q, std::size_t bytes, const memory_pool& pool) {
  void* pointer = nullptr;
  queue(q).submit([&](handler& h) { pointer = async_malloc_from_pool(h, bytes, pool); });
  return pointer;
}

/// The command ends the allocation. Null is ignored. Throws exception (errc::invalid) if async_malloc did not return the
/// pointer, in this context or in the same graph, or a command frees it already.
inline void async_free(handler& h, void* pointer) {
  const sycl::detail::allocation_target from(h);
  sycl::detail::handler_access::set_empty(h);
  const void* const context_of_queue =
      from.owner == nullptr ? nullptr
                            : sycl::detail::context_access::identity(from.owner->the_context).get();
  sycl::detail::translate([&] {
    ::pianola::runtime::free_asynchronously(from.submission, from.queue(), context_of_queue,
                                            pointer);
  });
}
inline void async_free(const queue& q, void* pointer) {
  queue(q).submit([&](handler& h) { async_free(h, pointer); });
}

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::ext::oneapi::experimental::memory_pool> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::memory_pool& p) const noexcept {
    return std::hash<const void*>()(p.state_->pool.get());
  }
};
