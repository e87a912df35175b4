// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
// Its endl calls a flush that it has not declared yet: after `using namespace sycl` it would find the one below.
#include <ostream>
#include <type_traits>
#include <utility>

#include <pianola/runtime/streams.hpp>

#include <sycl/detail/accessor/storage.hpp>
#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/h_item.hpp>
#include <sycl/kernel/half.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/marray.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/type_traits.hpp>
#include <sycl/kernel/vec.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// SYCL 2020, 4.16.1. They change how what follows them in the same expression is printed.
enum class stream_manipulator {
  flush,
  dec,
  hex,
  oct,
  noshowbase,
  showbase,
  noshowpos,
  showpos,
  endl,
  fixed,
  scientific,
  hexfloat,
  defaultfloat
};

inline constexpr stream_manipulator flush = stream_manipulator::flush;
inline constexpr stream_manipulator dec = stream_manipulator::dec;
inline constexpr stream_manipulator hex = stream_manipulator::hex;
inline constexpr stream_manipulator oct = stream_manipulator::oct;
inline constexpr stream_manipulator noshowbase = stream_manipulator::noshowbase;
inline constexpr stream_manipulator showbase = stream_manipulator::showbase;
inline constexpr stream_manipulator noshowpos = stream_manipulator::noshowpos;
inline constexpr stream_manipulator showpos = stream_manipulator::showpos;
inline constexpr stream_manipulator endl = stream_manipulator::endl;
inline constexpr stream_manipulator fixed = stream_manipulator::fixed;
inline constexpr stream_manipulator scientific = stream_manipulator::scientific;
inline constexpr stream_manipulator hexfloat = stream_manipulator::hexfloat;
inline constexpr stream_manipulator defaultfloat = stream_manipulator::defaultfloat;

namespace detail {

struct precision_manipulator {
  std::uint32_t value;
};
struct width_manipulator {
  std::uint32_t value;
};
constexpr std::uint32_t eight_bits(int value, int most) noexcept {
  return static_cast<std::uint32_t>(value < 0 ? 0 : (value > most ? most : value));
}

class stream_statement;

}  // namespace detail

/// Digits behind the point, or significant ones where neither fixed nor scientific is set; at most 254.
constexpr detail::precision_manipulator setprecision(int precision) noexcept {
  return {detail::eight_bits(precision, 254)};
}
/// Characters that the next operand takes at least; at most 255.
constexpr detail::width_manipulator setw(int width) noexcept {
  return {detail::eight_bits(width, 255)};
}

/// Printing from kernels (SYCL 2020, 4.16). Operands of one expression stay together; expressions of one work-item are
/// printed in their order, those of several in the order in which they began. The text is on standard output when the
/// event of the command group is complete. What does not fit into the buffer is left out.
class stream {
 public:
  /// Sizes in bytes. Expressions may be longer than work_item_buffer_size. Throws exception (errc::invalid) if it is
  /// larger than total_buffer_size.
  stream(std::size_t total_buffer_size, std::size_t work_item_buffer_size, handler& group,
         const property_list& = {});

  std::size_t size() const noexcept { return total_; }
  /// Deprecated by SYCL 2020.
  std::size_t get_size() const noexcept { return total_; }
  std::size_t get_work_item_buffer_size() const noexcept { return per_item_; }
  /// Deprecated by SYCL 2020.
  std::size_t get_max_statement_size() const noexcept { return per_item_; }

  /// There are no properties of streams.
  template <class Property>
  bool has_property() const noexcept {
    return false;
  }
  template <class Property>
  Property get_property() const {
    detail::throw_error(errc::invalid, "stream: it has no such property; ask has_property first");
  }

  friend bool operator==(const stream& a, const stream& b) noexcept {
    return a.header_ == b.header_;
  }
  friend bool operator!=(const stream& a, const stream& b) noexcept { return !(a == b); }

 private:
  friend class detail::stream_statement;
  friend struct std::hash<stream>;

  pianola::runtime::stream_header* header_;
  pianola::runtime::stream_record* records_;
  std::uint64_t units_;
  std::uint64_t total_;
  std::uint64_t per_item_;
  // By it the runtime knows a stream of another command group.
  detail::accessor_identity identity_;
};

namespace detail {

/// An expression that prints, from its first operand on.
class stream_statement {
 public:
  explicit stream_statement(const stream& out) noexcept
      : out_(&out), ticket_(__atomic_fetch_add(&out.header_->tickets, 1U, __ATOMIC_RELAXED)) {}

  /// For the user's own operators of streams: they begin an expression of their own.
  operator const stream&() const noexcept { return *out_; }

  void value(pianola::runtime::stream_kind kind, std::uint64_t bits) const noexcept {
    if (pianola::runtime::stream_record* const r = reserve(1)) {
      r->ticket = ticket_;
      r->value = bits;
      r->format = format_ | static_cast<std::uint32_t>(kind);
    }
    format_ &= (1U << pianola::runtime::stream_width_shift) - 1;
  }
  /// Other bases than ten show the number's own bits.
  void signed_value(std::int64_t number, std::uint64_t bits) const noexcept {
    using pianola::runtime::stream_kind, pianola::runtime::stream_hexadecimal,
        pianola::runtime::stream_octal;
    value(stream_kind::signed_integer, (format_ & (stream_hexadecimal | stream_octal)) != 0
                                           ? bits
                                           : static_cast<std::uint64_t>(number));
  }
  void text(const char* characters, std::size_t count) const noexcept {
    // Only the last part is padded to the width, and a text that has several is longer than any width.
    while (count > pianola::runtime::most_stream_characters) {
      part(characters, pianola::runtime::most_stream_characters, 0);
      characters += pianola::runtime::most_stream_characters;
      count -= pianola::runtime::most_stream_characters;
      format_ &= (1U << pianola::runtime::stream_width_shift) - 1;
    }
    part(characters, static_cast<std::uint32_t>(count),
         format_ >> pianola::runtime::stream_width_shift);
    format_ &= (1U << pianola::runtime::stream_width_shift) - 1;
  }
  template <std::size_t N>
  void literal(const char (&characters)[N]) const noexcept {
    text(characters, N - 1);
  }

  void manipulate(stream_manipulator m) const noexcept {
    using pianola::runtime::stream_fixed, pianola::runtime::stream_hexadecimal,
        pianola::runtime::stream_octal, pianola::runtime::stream_scientific,
        pianola::runtime::stream_show_base, pianola::runtime::stream_show_sign;
    switch (m) {
      case stream_manipulator::flush:
        break;  // everything is printed behind the kernel
      case stream_manipulator::endl:
        literal("\n");
        break;
      case stream_manipulator::dec:
        format_ &= ~(stream_hexadecimal | stream_octal);
        break;
      case stream_manipulator::hex:
        format_ = (format_ & ~stream_octal) | stream_hexadecimal;
        break;
      case stream_manipulator::oct:
        format_ = (format_ & ~stream_hexadecimal) | stream_octal;
        break;
      case stream_manipulator::noshowbase:
        format_ &= ~stream_show_base;
        break;
      case stream_manipulator::showbase:
        format_ |= stream_show_base;
        break;
      case stream_manipulator::noshowpos:
        format_ &= ~stream_show_sign;
        break;
      case stream_manipulator::showpos:
        format_ |= stream_show_sign;
        break;
      case stream_manipulator::fixed:
        format_ = (format_ & ~stream_scientific) | stream_fixed;
        break;
      case stream_manipulator::scientific:
        format_ = (format_ & ~stream_fixed) | stream_scientific;
        break;
      case stream_manipulator::hexfloat:
        format_ |= stream_fixed | stream_scientific;
        break;
      case stream_manipulator::defaultfloat:
        format_ &= ~(stream_fixed | stream_scientific);
        break;
    }
  }
  void precision(std::uint32_t digits) const noexcept {
    format_ = (format_ & ~(255U << pianola::runtime::stream_length_shift)) |
              (digits + 1) << pianola::runtime::stream_length_shift;
  }
  void width(std::uint32_t characters) const noexcept {
    format_ = (format_ & ~(255U << pianola::runtime::stream_width_shift)) |
              characters << pianola::runtime::stream_width_shift;
  }

 private:
  pianola::runtime::stream_record* reserve(std::uint32_t units) const noexcept {
    std::uint32_t& used = out_->header_->used;
    if (__atomic_load_n(&used, __ATOMIC_RELAXED) >= out_->units_) return nullptr;
    const std::uint32_t at = __atomic_fetch_add(&used, units, __ATOMIC_RELAXED);
    if (at >= out_->units_) return nullptr;
    if (at + units <= out_->units_) return out_->records_ + at;
    out_->records_[at].format = static_cast<std::uint32_t>(pianola::runtime::stream_kind::end);
    return nullptr;
  }
  void part(const char* characters, std::uint32_t count, std::uint32_t width) const noexcept {
    constexpr std::uint32_t in_first = sizeof(pianola::runtime::stream_record::value);
    const std::uint32_t more = count > in_first ? count - in_first : 0;
    pianola::runtime::stream_record* const r = reserve(static_cast<std::uint32_t>(
        1 + (more + pianola::runtime::stream_unit - 1) / pianola::runtime::stream_unit));
    if (r == nullptr) return;
    r->ticket = ticket_;
    r->format = static_cast<std::uint32_t>(pianola::runtime::stream_kind::characters) |
                count << pianola::runtime::stream_length_shift |
                width << pianola::runtime::stream_width_shift;
    char* const to = reinterpret_cast<char*>(&r->value);
    for (std::uint32_t i = 0; i < count; ++i) to[i] = characters[i];
  }

  const stream* out_;
  std::uint32_t ticket_;
  mutable std::uint32_t format_ = 0;
};

template <class T>
inline constexpr bool is_index_space_type = false;
template <int D>
inline constexpr bool is_index_space_type<id<D>> = true;
template <int D>
inline constexpr bool is_index_space_type<range<D>> = true;
template <int D>
inline constexpr bool is_index_space_type<nd_range<D>> = true;
template <int D, bool O>
inline constexpr bool is_index_space_type<item<D, O>> = true;
template <int D>
inline constexpr bool is_index_space_type<nd_item<D>> = true;
template <int D>
inline constexpr bool is_index_space_type<h_item<D>> = true;
template <int D>
inline constexpr bool is_index_space_type<group<D>> = true;

/// multi_ptr and what else knows the pointer that it stands for.
template <class T, class = void>
inline constexpr bool is_pointer_class = false;
template <class T>
inline constexpr bool is_pointer_class<
    T, std::void_t<decltype(T::address_space), decltype(std::declval<const T&>().get_raw())>> =
    true;

template <class T>
inline constexpr bool is_streamable =
    std::is_arithmetic_v<T> || std::is_same_v<T, half> || std::is_pointer_v<T> ||
    std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, stream_manipulator> ||
    std::is_same_v<T, precision_manipulator> || std::is_same_v<T, width_manipulator> ||
    std::is_same_v<T, std::byte> || !is_single_v<T> || is_index_space_type<T> ||
    is_pointer_class<T>;

template <class T>
void print(const stream_statement& to, const T& value);

template <class Vector>
void print_numbers(const stream_statement& to, const Vector& numbers, int count) {
  to.literal("{");
  for (int i = 0; i < count; ++i) {
    if (i != 0) to.literal(", ");
    print(to, static_cast<std::size_t>(numbers[i]));
  }
  to.literal("}");
}
template <int D>
void print_index(const stream_statement& to, const id<D>& value) {
  print_numbers(to, value, D);
}
template <int D>
void print_index(const stream_statement& to, const range<D>& value) {
  print_numbers(to, value, D);
}
template <int D>
void print_index(const stream_statement& to, const nd_range<D>& value) {
  to.literal("nd_range(global_range: ");
  print_index(to, value.get_global_range());
  to.literal(", local_range: ");
  print_index(to, value.get_local_range());
  to.literal(", offset: ");
  print_index(to, value.get_offset());
  to.literal(")");
}
template <int D, bool O>
void print_index(const stream_statement& to, const item<D, O>& value) {
  to.literal("item(range: ");
  print_index(to, value.get_range());
  to.literal(", id: ");
  print_index(to, value.get_id());
  if constexpr (O) {
    to.literal(", offset: ");
    print_index(to, value.get_offset());
  }
  to.literal(")");
}
template <int D>
void print_index(const stream_statement& to, const nd_item<D>& value) {
  to.literal("nd_item(global_id: ");
  print_index(to, value.get_global_id());
  to.literal(", local_id: ");
  print_index(to, value.get_local_id());
  to.literal(")");
}
template <int D>
void print_index(const stream_statement& to, const h_item<D>& value) {
  to.literal("h_item(global: ");
  print_index(to, value.get_global_id());
  to.literal(", logical_local: ");
  print_index(to, value.get_logical_local_id());
  to.literal(", physical_local: ");
  print_index(to, value.get_physical_local_id());
  to.literal(")");
}
template <int D>
void print_index(const stream_statement& to, const group<D>& value) {
  to.literal("group(id: ");
  print_index(to, value.get_group_id());
  to.literal(", group_range: ");
  print_index(to, value.get_group_range());
  to.literal(")");
}

inline void print_text(const stream_statement& to, const char* characters) {
  std::size_t count = 0;
  while (characters[count] != '\0') ++count;
  to.text(characters, count);
}

/// Signed and unsigned char are numbers.
template <class T>
void print(const stream_statement& to, const T& value) {
  using kind = pianola::runtime::stream_kind;
  if constexpr (std::is_same_v<T, stream_manipulator>) {
    to.manipulate(value);
  } else if constexpr (std::is_same_v<T, precision_manipulator>) {
    to.precision(value.value);
  } else if constexpr (std::is_same_v<T, width_manipulator>) {
    to.width(value.value);
  } else if constexpr (std::is_same_v<T, char>) {
    to.text(&value, 1);
  } else if constexpr (std::is_same_v<T, bool>) {
    to.value(kind::boolean, value ? 1 : 0);
  } else if constexpr (std::is_same_v<T, std::byte>) {
    to.value(kind::unsigned_integer, static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, half>) {
    print(to, static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, float>) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    to.value(kind::single_precision, bits);
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto number = static_cast<double>(value);
    std::uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof(bits));
    to.value(kind::double_precision, bits);
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      to.signed_value(static_cast<std::int64_t>(value),
                      static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value)));
    else
      to.value(kind::unsigned_integer, value);
  } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
    to.value(kind::pointer, 0);
  } else if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) {
    print_text(to, value);
  } else if constexpr (std::is_pointer_v<T>) {
    to.value(kind::pointer, reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (is_swizzle_v<T>) {
    print(to, static_cast<value_type_of_t<T>>(value));
  } else if constexpr (!is_single_v<T>) {
    for (int i = 0; i < element_count_v<T>; ++i) {
      if (i != 0) to.literal(", ");
      print(to, static_cast<element_type_t<T>>(value[i]));
    }
  } else if constexpr (is_index_space_type<T>) {
    print_index(to, value);
  } else {
    to.value(kind::pointer, reinterpret_cast<std::uintptr_t>(value.get_raw()));
  }
}

}  // namespace detail

/// The types of SYCL 2020, table "Operand types supported by the stream class". long double is printed as double.
template <class T, class = std::enable_if_t<detail::is_streamable<T>>>
detail::stream_statement operator<<(const stream& out, const T& value) {
  const detail::stream_statement statement(out);
  detail::print(statement, value);
  return statement;
}
inline detail::stream_statement operator<<(const stream& out, const char* text) {
  const detail::stream_statement statement(out);
  detail::print_text(statement, text);
  return statement;
}

namespace detail {

template <class T, class = std::enable_if_t<is_streamable<T>>>
const stream_statement& operator<<(const stream_statement& statement, const T& value) {
  print(statement, value);
  return statement;
}
inline const stream_statement& operator<<(const stream_statement& statement, const char* text) {
  print_text(statement, text);
  return statement;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::stream> {
  std::size_t operator()(const sycl::stream& s) const noexcept {
    return std::hash<const void*>()(s.header_);
  }
};
