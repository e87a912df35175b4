// SPDX-License-Identifier: Apache-2.0
#include "commands/addresses.hpp"

#include <cstring>
#include <variant>

namespace pianola::runtime {

namespace {

struct place {
  unsigned char* base;
  model::memory_id memory;
};

place place_of(const model::memory_operand& o, const address_book& book) {
  if (o.requirement == model::memory_operand::no_requirement)
    return {static_cast<unsigned char*>(o.pointer) + o.byte_offset, o.memory};
  return {static_cast<unsigned char*>(book.address(o.requirement)) + o.byte_offset,
          book.memory(o.requirement)};
}

}  // namespace

executors::resolved_copy resolve_copy(const model::copy_command& c, const address_book& book) {
  const place from = place_of(c.source, book), to = place_of(c.destination, book);
  executors::resolved_copy r;
  r.source = from.base;
  r.destination = to.base;
  r.from = from.memory;
  r.to = to.memory;
  r.width = c.width;
  r.height = c.height;
  r.depth = c.depth;
  r.source_row_pitch = c.source.row_pitch;
  r.source_slice_pitch = c.source.slice_pitch;
  r.destination_row_pitch = c.destination.row_pitch;
  r.destination_slice_pitch = c.destination.slice_pitch;
  return r;
}

executors::resolved_fill resolve_fill(const model::fill_command& f, const address_book& book) {
  const place to = place_of(f.destination, book);
  executors::resolved_fill r;
  r.destination = to.base;
  r.memory = to.memory;
  r.width = f.width;
  r.height = f.height;
  r.depth = f.depth;
  r.row_pitch = f.destination.row_pitch;
  r.slice_pitch = f.destination.slice_pitch;
  r.pattern_bytes = f.pattern_bytes;
  std::memcpy(r.pattern, f.pattern, sizeof r.pattern);
  r.large_pattern = f.large_pattern;
  return r;
}

bool zeroes(const model::command_payload& payload, executors::resolved_fill& fill) {
  const auto* a = std::get_if<model::allocate_command>(&payload);
  if (a == nullptr || !a->zero) return false;
  fill = {};
  fill.destination = a->pointer;
  fill.memory = a->memory;
  fill.width = a->bytes;
  fill.height = fill.depth = 1;
  fill.pattern_bytes = 1;
  return true;
}

executors::resolved_copy copy_of_box(const model::buffer_info& info, const model::box& elements,
                                     void* to, model::memory_id to_memory, const void* from,
                                     model::memory_id from_memory) noexcept {
  const model::extent3 range = info.grid.range(), e = elements.extent();
  const std::uint64_t size = info.element_size;
  const std::uint64_t row = range.c[2] * size, slice = row * range.c[1];
  executors::resolved_copy c;
  const std::uint64_t offset =
      elements.lo.c[0] * slice + elements.lo.c[1] * row + elements.lo.c[2] * size;
  c.destination = static_cast<unsigned char*>(to) + offset;
  c.source = static_cast<const unsigned char*>(from) + offset;
  c.to = to_memory;
  c.from = from_memory;
  c.width = e.c[2] * size;
  c.height = e.c[1];
  c.depth = e.c[0];
  c.source_row_pitch = c.destination_row_pitch = row;
  c.source_slice_pitch = c.destination_slice_pitch = slice;
  // Whole rows and whole slices follow each other without a gap.
  if (c.width == row) {
    c.width *= c.height;
    c.height = 1;
    if (c.width == slice) {
      c.width *= c.depth;
      c.depth = 1;
    }
  }
  return c;
}

}  // namespace pianola::runtime
