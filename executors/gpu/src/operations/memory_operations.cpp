// SPDX-License-Identifier: Apache-2.0
#include "operations/memory_operations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "pianola/gpu/boxes.hpp"

namespace pianola::gpu {

using executors::resolved_copy;
using executors::resolved_fill;

bool simplify_copy(resolved_copy& b) noexcept {
  if (is_empty(b)) return false;
  const auto rows_are_joined = [&] {
    return b.height > 1 && b.source_row_pitch == b.width && b.destination_row_pitch == b.width;
  };
  // There is one row in each slice.
  const auto make_rows_of_slices = [&] {
    b.height = b.depth;
    b.source_row_pitch = b.source_slice_pitch;
    b.destination_row_pitch = b.destination_slice_pitch;
    b.depth = 1;
  };
  if (b.height == 1 && b.depth > 1) make_rows_of_slices();
  if (rows_are_joined()) {
    b.width *= b.height;
    make_rows_of_slices();
    if (rows_are_joined()) {
      b.width *= b.height;
      b.height = 1;
    }
  } else if (b.depth > 1 && b.source_slice_pitch == b.height * b.source_row_pitch &&
             b.destination_slice_pitch == b.height * b.destination_row_pitch) {
    b.height *= b.depth;
    b.depth = 1;
  }
  if (b.height == 1) b.source_row_pitch = b.destination_row_pitch = b.width;
  if (b.depth == 1) {
    b.source_slice_pitch = b.source_row_pitch * b.height;
    b.destination_slice_pitch = b.destination_row_pitch * b.height;
  }
  // A buffer may be copied onto itself; drivers leave overlapping copies undefined.
  return b.source != b.destination || b.source_row_pitch != b.destination_row_pitch ||
         b.source_slice_pitch != b.destination_slice_pitch;
}

unsigned dimensions_of(const resolved_copy& b) noexcept {
  return b.depth > 1 ? 3 : b.height > 1 ? 2 : 1;
}

void append_copy(const copy_operation& copy, std::vector<memory_operation>& out) {
  copy_operation c = copy;
  if (!simplify_copy(c.box)) return;
  const resolved_copy all = c.box;
  if (!has_whole_slices(all)) {
    c.box.depth = 1;
    c.box.source_slice_pitch = all.source_row_pitch * all.height;
    c.box.destination_slice_pitch = all.destination_row_pitch * all.height;
  }
  for (std::uint64_t z = 0; z < all.depth / c.box.depth; ++z) {
    c.box.source = static_cast<const std::byte*>(all.source) + z * all.source_slice_pitch;
    c.box.destination = static_cast<std::byte*>(all.destination) + z * all.destination_slice_pitch;
    out.emplace_back(c);
  }
}

namespace {

// The shortest of 1, 2 and 4 bytes that repeats to the pattern; its own size if there is none.
std::uint32_t period(const unsigned char* pattern, std::uint32_t bytes) noexcept {
  for (const std::uint32_t p : {1U, 2U, 4U})
    if (bytes % p == 0 && std::memcmp(pattern, pattern + p, bytes > p ? bytes - p : 0) == 0)
      return p;
  return bytes;
}

class fill_writer {
 public:
  fill_writer(const resolved_fill& f, std::int32_t where, std::uint32_t device,
              std::vector<memory_operation>& out) noexcept
      : out_(out), where_(where), device_(device) {
    pattern_ =
        f.large_pattern != nullptr ? static_cast<const unsigned char*>(f.large_pattern) : f.pattern;
    bytes_ = period(pattern_, f.pattern_bytes);
    at_ = static_cast<unsigned char*>(f.destination);
    // As few dimensions as possible, by the rules of copies.
    box_.destination = f.destination;
    box_.width = f.width;
    box_.height = f.height;
    box_.depth = f.depth;
    box_.source_row_pitch = box_.destination_row_pitch = f.row_pitch;
    box_.source_slice_pitch = box_.destination_slice_pitch = f.slice_pitch;
    something_ = simplify_copy(box_);
    // Elements of the driver's operations must be aligned.
    std::uintptr_t places = reinterpret_cast<std::uintptr_t>(at_) | bytes_;
    if (box_.height > 1) places |= box_.destination_row_pitch;
    if (box_.depth > 1) places |= box_.destination_slice_pitch;
    word_ = places % 4 == 0 ? 4 : places % 2 == 0 ? 2 : 1;
  }

  void write() {
    if (!something_) return;
    if (bytes_ == word_) {
      for (std::uint64_t z = 0; z < box_.depth; ++z)
        fill(at_ + z * box_.destination_slice_pitch, 0, box_.width / word_, box_.height,
             box_.destination_row_pitch);
      return;
    }
    // The start of the first row word by word of the pattern, the others from it, twice as much each time. A word is
    // a row of its own to the driver, and it is slow with those: only few are made so.
    const std::uint64_t count = box_.width / bytes_;
    const std::uint64_t first = std::min(count, few);
    for (std::uint32_t k = 0; k < bytes_; k += word_) fill(at_ + k, k, 1, first, bytes_);
    for (std::uint64_t done = first; done < count; done *= 2)
      lengthen(done * bytes_, std::min(done, count - done) * bytes_);
    for (std::uint64_t done = 1; done < box_.height; done *= 2)
      repeat(box_.destination_row_pitch * done, std::min(done, box_.height - done), 1);
    for (std::uint64_t done = 1; done < box_.depth; done *= 2)
      repeat(box_.destination_slice_pitch * done, box_.height, std::min(done, box_.depth - done));
  }

 private:
  static constexpr std::uint64_t few = 256;

  void fill(unsigned char* to, std::uint32_t pattern_offset, std::uint64_t width,
            std::uint64_t rows, std::uint64_t pitch) {
    fill_operation f;
    f.destination = to;
    std::memcpy(&f.value, pattern_ + pattern_offset, word_);
    f.element_bytes = word_;
    f.width = width;
    f.rows = rows;
    f.pitch = rows == 1 ? width * word_ : pitch;
    f.device = device_;
    out_.emplace_back(f);
  }
  // Copies the start of the first row to `distance` bytes from there.
  void lengthen(std::uint64_t distance, std::uint64_t bytes) {
    copy_operation c;
    c.box.source = at_;
    c.box.destination = at_ + distance;
    c.box.width = bytes;
    c.from = c.to = where_;
    c.device = device_;
    append_copy(c, out_);
  }
  // Copies what is at the start of the box to `distance` bytes from there.
  void repeat(std::uint64_t distance, std::uint64_t height, std::uint64_t depth) {
    copy_operation c;
    c.box = box_;
    c.box.source = at_;
    c.box.destination = at_ + distance;
    c.box.height = height;
    c.box.depth = depth;
    c.from = c.to = where_;
    c.device = device_;
    append_copy(c, out_);
  }

  std::vector<memory_operation>& out_;
  std::int32_t where_;
  std::uint32_t device_;
  const unsigned char* pattern_;
  std::uint32_t bytes_;
  unsigned char* at_;
  resolved_copy box_;
  bool something_ = false;
  std::uint32_t word_ = 1;
};

}  // namespace

void append_fill(const resolved_fill& f, std::int32_t where, std::uint32_t device,
                 std::vector<memory_operation>& out) {
  fill_writer(f, where, device, out).write();
}

}  // namespace pianola::gpu
