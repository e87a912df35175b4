// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <pianola/model/command.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/accessor.hpp>
#include <sycl/detail/accessor/copy.hpp>
#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/handler/memory_operand.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/kernel/device_copyable.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// A custom operation may take its handle by reference.
template <class Function>
struct custom_operation {
  Function function;
  void operator()(interop_handle h) { function(h); }
};

/// Objects in rows, for patterns that are too large for a fill.
template <class T>
struct fill_rows {
  char* first;
  std::size_t pitch;
  T pattern;
  void operator()(const item<2>& at) const {
    reinterpret_cast<T*>(first + at.get_id(0) * pitch)[at.get_id(1)] = pattern;
  }
};

inline void check_pitch(std::size_t pitch, std::size_t width, const char* what) {
  if (pitch < width)
    throw_error(errc::invalid, std::string(what) + ": a pitch of " + std::to_string(pitch) +
                                   " is less than the width of " + std::to_string(width));
}

/// Commands of the handler that extensions add.
template <class Handler>
class handler_extensions {
 public:
  /// Brings what the accessor covers up to date on the command's device, where memory is allocated if there is none: data
  /// moves before a kernel needs it. What the accessor may do besides reading does not matter.
  template <class T, int D, access_mode M, target G, accessor_variant V>
  void update(const accessor<T, D, M, G, V>& a) {
    pianola::runtime::accessor_request& request =
        self().submission_.accessors[request_index(self().submission_, a)];
    request.mode = pianola::model::access_mode::read;
    request.no_init = false;
    self().template set<pianola::model::acquire_command>().on_device = true;
  }

  /// A hint that the host is next to use this shared memory.
  void prefetch_host(const void* pointer, std::size_t bytes) { self().prefetch(pointer, bytes); }

  /// Calls the function with an interop_handle when the command's turn comes, to put work of the driver's on the stream
  /// of the command. On devices without a driver it is a host task.
  template <class Function>
  void AdaptiveCpp_enqueue_custom_operation(Function function) {
    static_assert(std::is_invocable_v<Function&, interop_handle&>,
                  "a custom operation takes an interop_handle");
    self().ext_codeplay_enqueue_native_command(custom_operation<Function>{std::move(function)});
  }
  template <class Function>
  void hipSYCL_enqueue_custom_operation(Function function) {
    AdaptiveCpp_enqueue_custom_operation(std::move(function));
  }

  /// sycl_ext_oneapi_memcpy2d: `height` rows of `width` bytes (or objects), which are `pitch` bytes (or objects) apart. Throw
  /// exception (errc::invalid) for a pitch that is less than the width and for null pointers with a size.
  void ext_oneapi_memcpy2d(void* destination, std::size_t destination_pitch, const void* source,
                           std::size_t source_pitch, std::size_t width, std::size_t height) {
    check_pitch(destination_pitch, width, "memcpy2d: the destination");
    check_pitch(source_pitch, width, "memcpy2d: the source");
    if (width == 0 || height == 0) return self().set_empty();
    const std::size_t source_slice = checked_bytes("memcpy2d", height, source_pitch);
    const std::size_t destination_slice = checked_bytes("memcpy2d", height, destination_pitch);
    auto& command = self().template set<pianola::model::copy_command>();
    command.source = to_operand(const_cast<void*>(source), "memcpy2d: the source");
    command.destination = to_operand(destination, "memcpy2d: the destination");
    command.source.row_pitch = source_pitch;
    command.source.slice_pitch = source_slice;
    command.destination.row_pitch = destination_pitch;
    command.destination.slice_pitch = destination_slice;
    command.width = width;
    command.height = height;
  }
  template <class T>
  void ext_oneapi_copy2d(const T* source, std::size_t source_pitch, T* destination,
                         std::size_t destination_pitch, std::size_t width, std::size_t height) {
    ext_oneapi_memcpy2d(destination, checked_bytes("copy2d", destination_pitch, sizeof(T)), source,
                        checked_bytes("copy2d", source_pitch, sizeof(T)),
                        checked_bytes("copy2d", width, sizeof(T)), height);
  }
  void ext_oneapi_memset2d(void* destination, std::size_t pitch, int value, std::size_t width,
                           std::size_t height) {
    ext_oneapi_fill2d(destination, pitch, static_cast<unsigned char>(value), width, height);
  }
  /// pitch and width count objects.
  template <class T>
  void ext_oneapi_fill2d(void* destination, std::size_t pitch, const T& pattern, std::size_t width,
                         std::size_t height) {
    static_assert(is_device_copyable_v<std::remove_cv_t<T>>,
                  "the pattern of a fill is copied as bytes");
    check_pitch(pitch, width, "fill2d");
    if (width == 0 || height == 0) return self().set_empty();
    const pianola::model::memory_operand to = to_operand(destination, "fill2d: the destination");
    const std::size_t row = checked_bytes("fill2d", pitch, sizeof(T));
    [[maybe_unused]] const std::size_t slice = checked_bytes("fill2d", height, row);
    if constexpr (Handler::template is_pattern<T>) {
      auto& command = self().template set<pianola::model::fill_command>();
      command.destination = to;
      command.destination.row_pitch = row;
      command.destination.slice_pitch = slice;
      command.width = width * sizeof(T);
      command.height = height;
      self().set_pattern(command, pattern);
    } else {
      self().parallel_for(range<2>(height, width),
                          fill_rows<T>{static_cast<char*>(destination), row, pattern});
    }
  }

 private:
  friend Handler;
  handler_extensions() = default;
  Handler& self() noexcept { return static_cast<Handler&>(*this); }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
