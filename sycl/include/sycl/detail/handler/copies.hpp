// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <pianola/model/command.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/accessor.hpp>
#include <sycl/detail/accessor/copy.hpp>
#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/handler/memory_operand.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/device_copyable.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::oneapi::experimental {
template <class T, class PropertyListT>
class device_global;
}  // namespace ext::oneapi::experimental

namespace detail {

template <class T, class PropertyListT>
struct device_global_memory;
template <class T>
inline constexpr std::size_t elements_of =
    sizeof(T) / sizeof(std::remove_cv_t<std::remove_all_extents_t<T>>);

/// Commands of the handler that copy, fill and move memory (SYCL 2020, 4.9.4.3). All throw exception (errc::invalid) if the
/// group has a command.
template <class Handler>
class handler_copies {
 public:
  /// Pointers: to host memory or USM (SYCL 2020, 4.9.4.3). Throws exception (errc::invalid) for null
  /// pointers with a size.
  void memcpy(void* destination, const void* source, std::size_t bytes) {
    if (bytes == 0) return self().set_empty();
    set_copy(self().template set<pianola::model::copy_command>(), destination, source,
             checked_bytes("memcpy", bytes, 1));
  }
  template <class T>
  void copy(const T* source, T* destination, std::size_t count) {
    memcpy(destination, source, checked_bytes("copy", count, sizeof(T)));
  }
  /// Bytes, or elements, of a device_global (ext/oneapi/experimental/device_global.hpp). Throw exception: errc::invalid for
  /// those that it does not have, errc::feature_not_supported for a device that does not have it.
  template <class T, class P>
  void memcpy(ext::oneapi::experimental::device_global<T, P>& destination, const void* source,
              std::size_t bytes = sizeof(T), std::size_t offset = 0) {
    memcpy(device_global_memory<T, P>::written(destination, bytes, offset, self().own_device()),
           source, bytes);
  }
  template <class T, class P>
  void memcpy(void* destination, const ext::oneapi::experimental::device_global<T, P>& source,
              std::size_t bytes = sizeof(T), std::size_t offset = 0) {
    memcpy(destination,
           device_global_memory<T, P>::read(source, bytes, offset, self().own_device()), bytes);
  }
  template <class T, class P>
  void copy(const std::remove_cv_t<std::remove_all_extents_t<T>>* source,
            ext::oneapi::experimental::device_global<T, P>& destination,
            std::size_t count = elements_of<T>, std::size_t first = 0) {
    memcpy(destination, source, checked_bytes("copy", count, sizeof(*source)),
           checked_bytes("copy", first, sizeof(*source)));
  }
  template <class T, class P>
  void copy(const ext::oneapi::experimental::device_global<T, P>& source,
            std::remove_cv_t<std::remove_all_extents_t<T>>* destination,
            std::size_t count = elements_of<T>, std::size_t first = 0) {
    memcpy(destination, source, checked_bytes("copy", count, sizeof(*destination)),
           checked_bytes("copy", first, sizeof(*destination)));
  }
  void memset(void* destination, int value, std::size_t bytes) {
    const auto byte = static_cast<unsigned char>(value);
    fill(static_cast<unsigned char*>(destination), byte, bytes);
  }
  template <class T>
  void fill(void* destination, const T& pattern, std::size_t count) {
    static_assert(is_device_copyable_v<std::remove_cv_t<T>>,
                  "the pattern of a fill is copied as bytes");
    if (count == 0) return self().set_empty();
    [[maybe_unused]] const std::size_t bytes = checked_bytes("fill", count, sizeof(T));
    if constexpr (Handler::template is_pattern<T>) {
      auto& command = self().template set<pianola::model::fill_command>();
      command.destination = to_operand(destination, "fill: the destination");
      command.width = bytes;
      self().set_pattern(command, pattern);
    } else {
      self().parallel_for(range<1>(count), fill_objects<T>(static_cast<T*>(destination), pattern));
    }
  }
  void prefetch(const void* pointer, std::size_t bytes) {
    auto& command = self().template set<pianola::model::prefetch_command>();
    command.pointer = pointer;
    command.bytes = checked_bytes("prefetch", bytes, 1);
  }
  void mem_advise(const void* pointer, std::size_t bytes, int advice) {
    auto& command = self().template set<pianola::model::advise_command>();
    command.pointer = pointer;
    command.bytes = checked_bytes("mem_advise", bytes, 1);
    command.advice = advice;
  }

  /// From what the accessor covers, row by row, to consecutive objects (SYCL 2020, 4.9.4.3).
  template <class TSrc, int D, access_mode M, target G, accessor_variant V, class TDest>
  void copy(const accessor<TSrc, D, M, G, V>& source, TDest* destination) {
    check_copy_source<M>();
    const accessor_operand from = operand_of(self().submission_, source);
    if (from.bytes() == 0) return self().set_empty();
    set_copy(self().template set<pianola::model::copy_command>(), from,
             contiguous_like(from, destination, "copy: the destination"));
  }
  template <class TSrc, class TDest, int D, access_mode M, target G, accessor_variant V>
  void copy(const TSrc* source, const accessor<TDest, D, M, G, V>& destination) {
    check_copy_destination<M>();
    const accessor_operand to = operand_of(self().submission_, destination);
    if (to.bytes() == 0) return self().set_empty();
    set_copy(
        self().template set<pianola::model::copy_command>(),
        contiguous_like(to, const_cast<std::remove_const_t<TSrc>*>(source), "copy: the source"),
        to);
  }
  /// The pointer is shared until the copy has been made.
  template <class TSrc, int D, access_mode M, target G, accessor_variant V, class TDest>
  void copy(const accessor<TSrc, D, M, G, V>& source, std::shared_ptr<TDest> destination) {
    check_copy_source<M>();
    self().host_task(copy_out<accessor<TSrc, D, M, G, V>, TDest>(
        source, std::move(destination), operand_of(self().submission_, source)));
  }
  template <class TSrc, class TDest, int D, access_mode M, target G, accessor_variant V>
  void copy(std::shared_ptr<TSrc> source, const accessor<TDest, D, M, G, V>& destination) {
    check_copy_destination<M>();
    self().host_task(copy_in<TSrc, accessor<TDest, D, M, G, V>>(
        std::move(source), destination, operand_of(self().submission_, destination)));
  }
  /// Throws exception (errc::invalid) if the destination covers fewer bytes than the source. Shapes may
  /// differ: bytes are taken and put in row-major order.
  template <class TSrc, int DSrc, access_mode MSrc, target GSrc, accessor_variant VSrc, class TDest,
            int DDest, access_mode MDest, target GDest, accessor_variant VDest>
  void copy(const accessor<TSrc, DSrc, MSrc, GSrc, VSrc>& source,
            const accessor<TDest, DDest, MDest, GDest, VDest>& destination) {
    check_copy_source<MSrc>();
    check_copy_destination<MDest>();
    accessor_operand from = operand_of(self().submission_, source);
    accessor_operand to = operand_of(self().submission_, destination);
    if (from.bytes() > to.bytes()) refuse_short_destination(from.bytes(), to.bytes());
    if (from.bytes() == 0) return self().set_empty();
    if (make_alike(from, to))
      set_copy(self().template set<pianola::model::copy_command>(), from, to);
    else
      self().single_task(copy_reshaped<accessor<TSrc, DSrc, MSrc, GSrc, VSrc>,
                                       accessor<TDest, DDest, MDest, GDest, VDest>>(
          source, destination, from, to));
  }

  /// Brings what the accessor covers up to date in host memory, the program's, too, where the buffer has another (use_mutex).
  template <class T, int D, access_mode M, target G, accessor_variant V>
  void update_host(const accessor<T, D, M, G, V>& a) {
    pianola::runtime::accessor_request& request =
        self().submission_.accessors[request_index(self().submission_, a)];
    request.mode = pianola::model::access_mode::read;
    request.no_init = false;
    const pianola::runtime::host_mirror mirror = pianola::runtime::mirror_of(request.buffer);
    if (mirror.data == nullptr) {
      self().template set<pianola::model::acquire_command>();
      return;
    }
    const accessor_operand from = operand_of(self().submission_, a);
    if (from.bytes() == 0) return self().set_empty();
    self().host_task(copy_to_mirror<accessor<T, D, M, G, V>>(a, mirror, from));
  }

  template <class T, int D, access_mode M, target G, accessor_variant V>
  void fill(const accessor<T, D, M, G, V>& destination, const std::remove_const_t<T>& pattern) {
    check_copy_destination<M>();
    static_assert(is_device_copyable_v<std::remove_cv_t<T>>,
                  "the pattern of a fill is copied as bytes");
    const accessor_operand to = operand_of(self().submission_, destination);
    if (to.bytes() == 0) return self().set_empty();
    if constexpr (Handler::template is_pattern<T>) {
      auto& command = self().template set<pianola::model::fill_command>();
      command.destination = to.operand;
      command.width = to.width;
      command.height = to.height;
      command.depth = to.depth;
      self().set_pattern(command, pattern);
    } else {
      self().parallel_for(destination.get_range(),
                          fill_elements<accessor<T, D, M, G, V>, T>(destination, pattern));
    }
  }

 private:
  friend Handler;
  handler_copies() = default;
  Handler& self() noexcept { return static_cast<Handler&>(*this); }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
