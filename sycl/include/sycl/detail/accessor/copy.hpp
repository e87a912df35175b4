// SPDX-License-Identifier: Apache-2.0
// Explicit copies and fills through accessors: what an accessor covers, as rows of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include <pianola/model/command.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/accessor.hpp>
#include <sycl/detail/handler/memory_operand.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/glue/internal_kernel.hpp>
#include <sycl/kernel/memory_enums.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// `depth` slices of `height` rows of `width` bytes, and where they are.
struct accessor_operand {
  pianola::model::memory_operand operand;
  std::uint64_t width = 0;
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  // From the address that the accessor holds to its first element.
  std::uint64_t first_byte = 0;

  std::uint64_t bytes() const noexcept { return width * height * depth; }
  /// Whether the rows follow each other without gaps.
  bool contiguous() const noexcept {
    return (height == 1 && depth == 1) ||
           (operand.row_pitch == width && (depth == 1 || operand.slice_pitch == width * height));
  }
};

template <access_mode Mode>
constexpr void check_copy_source() {
  static_assert(Mode == access_mode::read || Mode == access_mode::read_write,
                "the source of a copy is an accessor that may read");
}
template <access_mode Mode>
constexpr void check_copy_destination() {
  static_assert(Mode != access_mode::read,
                "the destination of a copy or fill is an accessor that may write");
}

[[noreturn]] inline void refuse_short_destination(std::uint64_t source, std::uint64_t destination) {
  throw_error(errc::invalid, "handler::copy: the source has " + std::to_string(source) +
                                 " bytes, the destination only " + std::to_string(destination));
}

/// Which of the command group's requirements the accessor is. Throws exception (errc::kernel_argument) for
/// a placeholder that was not required.
inline std::uint32_t request_index(const pianola::runtime::submission& s, std::uint64_t cookie) {
  // From the end: an accessor may have been required twice.
  for (std::size_t i = s.accessors.size(); i-- > 0;)
    if (s.accessors[i].cookie == cookie) return static_cast<std::uint32_t>(i);
  throw_error(errc::kernel_argument,
              "handler: the accessor does not belong to this command group; call handler::require "
              "for a placeholder first");
}

template <class T, int D, access_mode M, target G, accessor_variant V>
std::uint32_t request_index(const pianola::runtime::submission& s,
                            const accessor<T, D, M, G, V>& a) {
  return request_index(s, accessor_access::cookie(a));
}

/// What the accessor covers. Elements of its buffer (or view) follow each other in row-major order.
template <class T, int D, access_mode M, target G, accessor_variant V>
accessor_operand operand_of(const pianola::runtime::submission& s,
                            const accessor<T, D, M, G, V>& a) {
  static_assert(V != accessor_variant::raw,
                "a raw accessor does not know its range: copy and fill through another variant");
  static_assert(G == target::device || G == target::constant_buffer,
                "copies and fills are commands of a device: their accessors have target::device");
  accessor_operand o;
  o.operand.requirement = request_index(s, a);
  pianola::model::box part{{}, {{1, 1, 1}}};
  if constexpr (D > 0) part = to_box(a.get_offset(), a.get_range());
  const pianola::model::extent3 inner = accessor_access::inner_extents(a);
  const pianola::model::extent3 covered = part.extent();
  o.width = covered[2] * sizeof(T);
  o.height = covered[1];
  o.depth = covered[0];
  // Where there is one row or one slice, how far it is to the next one does not matter.
  o.operand.row_pitch = D > 1 ? inner[2] * sizeof(T) : o.width;
  o.operand.slice_pitch = D > 2 ? inner[1] * o.operand.row_pitch : o.operand.row_pitch * o.height;
  o.first_byte = part.lo[0] * o.operand.slice_pitch + part.lo[1] * o.operand.row_pitch +
                 part.lo[2] * sizeof(T);
  o.operand.byte_offset = s.accessors[o.operand.requirement].byte_offset + o.first_byte;
  return o;
}

/// Consecutive bytes at a pointer, cut into rows as `shape` is.
inline accessor_operand contiguous_like(const accessor_operand& shape, const volatile void* pointer,
                                        const char* what) {
  accessor_operand o = shape;
  o.operand = to_operand(const_cast<void*>(pointer), what);
  o.operand.row_pitch = shape.width;
  o.operand.slice_pitch = shape.width * shape.height;
  return o;
}

inline void set_copy(pianola::model::copy_command& command, const accessor_operand& from,
                     const accessor_operand& to) {
  command.source = from.operand;
  command.destination = to.operand;
  command.width = from.width;
  command.height = from.height;
  command.depth = from.depth;
}

/// Gives both operands the same rows, as long as the source's bytes are the destination's first ones.
/// False if no single box copy does it.
inline bool make_alike(accessor_operand& from, accessor_operand& to) {
  if (from.width == to.width && from.height == to.height && from.depth <= to.depth) return true;
  const auto flatten = [](accessor_operand& o, std::uint64_t bytes) {
    o.width = bytes;
    o.height = o.depth = 1;
    o.operand.row_pitch = o.operand.slice_pitch = bytes;
  };
  if (from.contiguous() && to.contiguous()) {
    const std::uint64_t bytes = from.bytes();
    flatten(from, bytes);
    flatten(to, bytes);
    return true;
  }
  // A contiguous side takes the rows of the other one.
  if (to.contiguous()) {
    const pianola::model::memory_operand place = to.operand;
    to = from;
    to.operand = place;
    to.operand.row_pitch = from.width;
    to.operand.slice_pitch = from.width * from.height;
    return true;
  }
  if (from.contiguous() && from.bytes() == to.bytes()) {
    const pianola::model::memory_operand place = from.operand;
    from = to;
    from.operand = place;
    from.operand.row_pitch = to.width;
    from.operand.slice_pitch = to.width * to.height;
    return true;
  }
  return false;
}

/// The same as part of a function object: whole words only, for the runtime looks for accessors in the
/// bytes of a function object, and padding holds anything.
struct byte_rows {
  explicit byte_rows(const accessor_operand& o)
      : width(o.width),
        height(o.height),
        depth(o.depth),
        row_pitch(o.operand.row_pitch),
        slice_pitch(o.operand.slice_pitch),
        first_byte(o.first_byte) {}

  std::uint64_t bytes() const noexcept { return width * height * depth; }
  std::uint64_t offset_of_row(std::uint64_t row) const noexcept {
    return first_byte + row / height * slice_pitch + row % height * row_pitch;
  }
  /// Calls f(offset in the rows' memory, offset in their row-major bytes, bytes) for every row.
  template <class F>
  void for_each_row(const F& f) const {
    for (std::uint64_t row = 0; row < height * depth; ++row)
      f(offset_of_row(row), row * width, width);
  }

  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t depth;
  std::uint64_t row_pitch;
  std::uint64_t slice_pitch;
  std::uint64_t first_byte;
};

/// Kernels that fill with patterns which are too large to be part of a fill command.
template <class T>
class fill_objects : pianola::glue::internal_kernel {
 public:
  fill_objects(T* destination, const T& pattern) : destination_(destination), pattern_(pattern) {}
  void operator()(id<1> i) const { destination_[i.get(0)] = pattern_; }

 private:
  T* destination_;
  T pattern_;
};

template <class Accessor, class T>
class fill_elements : pianola::glue::internal_kernel {
 public:
  fill_elements(const Accessor& destination, const T& pattern)
      : destination_(destination), pattern_(pattern) {}
  template <class Index>
  void operator()(const Index& i) const {
    destination_[i] = pattern_;
  }

 private:
  Accessor destination_;
  T pattern_;
};

/// Host tasks that copy between an accessor and memory that is kept alive by sharing it.
template <class Accessor, class T>
class copy_out {
 public:
  copy_out(const Accessor& source, std::shared_ptr<T> destination, const accessor_operand& rows)
      : source_(source), destination_(std::move(destination)), rows_(rows) {}
  void operator()() const {
    const auto* from = static_cast<const unsigned char*>(accessor_access::base(source_));
    auto* to = reinterpret_cast<unsigned char*>(destination_.get());
    rows_.for_each_row([&](std::uint64_t a, std::uint64_t b, std::uint64_t n) {
      std::memcpy(to + b, from + a, n);
    });
  }

 private:
  Accessor source_;
  std::shared_ptr<T> destination_;
  byte_rows rows_;
};

/// Host task that brings the program's data up to date where the buffer has storage of its own.
template <class Accessor>
class copy_to_mirror {
 public:
  copy_to_mirror(const Accessor& source, const pianola::runtime::host_mirror& mirror,
                 const accessor_operand& rows)
      : source_(source),
        to_(static_cast<unsigned char*>(mirror.data) + rows.operand.byte_offset),
        mutex_(mirror.mutex),
        rows_(rows) {}
  void operator()() const {
    const auto* from = static_cast<const unsigned char*>(accessor_access::base(source_));
    std::unique_lock<std::mutex> lock;
    if (mutex_ != nullptr) lock = std::unique_lock<std::mutex>(*mutex_);
    rows_.for_each_row([&](std::uint64_t a, std::uint64_t, std::uint64_t n) {
      std::memcpy(to_ + (a - rows_.first_byte), from + a, n);
    });
  }

 private:
  Accessor source_;
  unsigned char* to_;  // the first byte that the accessor covers
  std::mutex* mutex_;
  byte_rows rows_;
};

template <class T, class Accessor>
class copy_in {
 public:
  copy_in(std::shared_ptr<T> source, const Accessor& destination, const accessor_operand& rows)
      : source_(std::move(source)), destination_(destination), rows_(rows) {}
  void operator()() const {
    const auto* from = reinterpret_cast<const unsigned char*>(source_.get());
    auto* to = static_cast<unsigned char*>(accessor_access::base(destination_));
    rows_.for_each_row([&](std::uint64_t a, std::uint64_t b, std::uint64_t n) {
      std::memcpy(to + a, from + b, n);
    });
  }

 private:
  std::shared_ptr<T> source_;
  Accessor destination_;
  byte_rows rows_;
};

/// Kernel that copies between boxes of different shapes, in row-major order of their bytes.
template <class Source, class Destination>
class copy_reshaped : pianola::glue::internal_kernel {
 public:
  copy_reshaped(const Source& source, const Destination& destination, const accessor_operand& from,
                const accessor_operand& to)
      : source_(source), destination_(destination), from_(from), to_(to) {}
  void operator()() const {
    const auto* source = static_cast<const unsigned char*>(accessor_access::base(source_));
    auto* destination = static_cast<unsigned char*>(accessor_access::base(destination_));
    from_.for_each_row([&](std::uint64_t at, std::uint64_t done, std::uint64_t n) {
      // This row may end in the middle of a row of the destination.
      while (n > 0) {
        const std::uint64_t inside = done % to_.width;
        const std::uint64_t rest = to_.width - inside;
        const std::uint64_t step = n < rest ? n : rest;
        std::memcpy(destination + to_.offset_of_row(done / to_.width) + inside, source + at, step);
        at += step;
        done += step;
        n -= step;
      }
    });
  }

 private:
  Source source_;
  Destination destination_;
  byte_rows from_;
  byte_rows to_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
