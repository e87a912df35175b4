// SPDX-License-Identifier: Apache-2.0
// What sycl::stream leaves in memory for the host to print: values with their formats, for work-items cannot format.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pianola::runtime {

struct stream_header {
  std::uint32_t used = 0;     // units of the records; counts on when there is no more room
  std::uint32_t tickets = 0;  // statements begun
};

// Records consist of units of 16 bytes. The first has what follows, then 8 bytes of a value; or characters, which go
// on in further units.
struct stream_record {
  std::uint32_t ticket;  // of the statement
  std::uint32_t format;
  std::uint64_t value;
};
inline constexpr std::size_t stream_unit = sizeof(stream_record);
inline constexpr std::uint32_t most_stream_characters = 248;

// stream_record::format: kind, then flags, then precision or the number of characters, then width.
enum class stream_kind : std::uint32_t {
  end,  // nothing follows: there was no room for what should be here
  characters,
  boolean,
  signed_integer,
  unsigned_integer,
  single_precision,  // the float's bits in the value's low half
  double_precision,
  pointer
};
inline constexpr std::uint32_t stream_kind_mask = 15;
inline constexpr std::uint32_t stream_hexadecimal = 1U << 4;
inline constexpr std::uint32_t stream_octal = 1U << 5;
inline constexpr std::uint32_t stream_show_base = 1U << 6;
inline constexpr std::uint32_t stream_show_sign = 1U << 7;
inline constexpr std::uint32_t stream_fixed = 1U << 8;
inline constexpr std::uint32_t stream_scientific = 1U << 9;  // with stream_fixed: hexadecimal
inline constexpr std::uint32_t stream_length_shift = 16;     // of precision + 1, or 0 for 6; 8 bits
inline constexpr std::uint32_t stream_width_shift = 24;      // 8 bits

// Writes what a kernel has streamed to standard output: statements in the order in which they were begun, without
// anything in between, and no more than `characters`. Then the header is as new.
void print_stream(stream_header& header, const stream_record* records, std::size_t units,
                  std::size_t characters);

}  // namespace pianola::runtime
