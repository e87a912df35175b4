// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/access_checks.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include <pianola/host/access_windows.hpp>
#include <pianola/host/kernel_runner.hpp>
#include <pianola/model/error.hpp>
#include <pianola/runtime/address_spaces.hpp>
#include <pianola/runtime/compiled_kernels.hpp>

#include "data/access_padding.hpp"
#include "data/pointer_registry.hpp"

namespace pianola::runtime {

namespace {

using model::accessible_box;

std::atomic<bool> expected{false};

// Bytes of the storage of one buffer, from its start.
struct piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::uintptr_t start_of(const executors::resolved_kernel& kernel, const accessible_box& box) {
  std::uintptr_t address = 0;
  std::memcpy(&address,
              static_cast<const unsigned char*>(kernel.arguments.bytes) + box.argument_offset,
              sizeof address);
  return address - box.byte_offset;
}

std::uint64_t bytes_of(const accessible_box& box) {
  return model::volume(box.range) * box.element_bytes;
}

// Coordinates of the element that the byte is of.
model::point3 element_at(const accessible_box& box, std::uint64_t byte) {
  std::uint64_t index = byte / box.element_bytes;
  model::point3 p;
  for (int d = 2; d > 0; --d) {
    p.c[d] = index % box.range.c[d];
    index /= box.range.c[d];
  }
  p.c[0] = index;
  return p;
}

// The bytes from there on that are in the box, to the end of its row, or of all that follows without a gap; empty if that one
// is not.
piece run_from(const accessible_box& box, std::uint64_t byte) {
  const std::uint64_t row = box.range.c[2] * box.element_bytes;
  if (box.elements == model::box::of(box.range)) return {0, bytes_of(box)};
  if (model::volume(box.range) == 0) return {byte, byte};
  const model::point3 at = element_at(box, byte);
  for (int d = 0; d < 3; ++d)
    if (at.c[d] < box.elements.lo.c[d] || at.c[d] >= box.elements.hi.c[d]) return {byte, byte};
  const std::uint64_t begin = byte / row * row;
  return {begin + box.elements.lo.c[2] * box.element_bytes,
          begin + box.elements.hi.c[2] * box.element_bytes};
}

// The first byte of the piece that is not in the box; its end if all are.
std::uint64_t first_outside(const accessible_box& box, piece p) {
  while (p.begin < p.end) {
    const piece run = run_from(box, p.begin);
    if (run.end <= p.begin) return p.begin;
    p.begin = run.end;
  }
  return p.end;
}

std::string in_braces(const std::uint64_t* numbers, unsigned count) {
  std::string text = "{";
  for (unsigned d = 0; d < count; ++d) text += fmt::format("{}{}", d == 0 ? "" : ", ", numbers[d]);
  return text + "}";
}

// Of a buffer whose dimensions are padded on the left.
unsigned dimensions_of(const accessible_box& box) {
  return box.range.c[0] != 1 ? 3 : box.range.c[1] != 1 ? 2 : 1;
}

std::string the_kernel(const executors::resolved_kernel& kernel, const char* where) {
  std::string text = fmt::format("kernel '{}'", kernel.kernel->name);
  if (where != nullptr) text += std::string(" at ") + where;
  return text;
}

std::string touches(std::uint64_t bytes, bool writes) {
  return fmt::format("{}{}{}", writes ? " writes " : " reads ", bytes,
                     bytes == 1 ? " byte" : " bytes");
}

[[noreturn]] void refuse(const std::string& what) {
  throw model::user_error(model::error_code::accessor, what);
}

// It touches what `box` does not allow, from `first` on.
[[noreturn]] void refuse_piece(const executors::resolved_kernel& kernel, const accessible_box& box,
                               piece p, std::uint64_t first, bool writes, const char* where) {
  const unsigned n = dimensions_of(box);
  const auto element = [n](const model::point3& at) { return in_braces(at.c + 3 - n, n); };
  const std::string who = the_kernel(kernel, where) + touches(p.end - p.begin, writes);
  const std::string accessor = fmt::format("accessor {} of its command group", box.requirement);
  if (first >= bytes_of(box))
    refuse(fmt::format("{} behind the last element of a buffer of {} elements, which {} is of", who,
                       in_braces(box.range.c + 3 - n, n), accessor));
  if (first == p.end)
    refuse(fmt::format("{} at element {} of a buffer that {} only reads", who,
                       element(element_at(box, p.begin)), accessor));
  model::point3 last = box.elements.hi;
  for (std::uint64_t& c : last.c) c -= c == 0 ? 0 : 1;
  refuse(fmt::format(
      "{} at element {} of a buffer of which {}{}", who, element(element_at(box, first)), accessor,
      box.elements.empty()
          ? " gives it none"
          : fmt::format(" gives it elements {} to {}", element(box.elements.lo), element(last))));
}

void check(const executors::resolved_kernel& kernel, std::uintptr_t address, std::uint64_t bytes,
           bool writes, const char* where) {
  const accessible_box* nearest = nullptr;
  std::uint64_t outside = 0;
  for (const accessible_box& box : kernel.accessible) {
    const std::uint64_t begin = address - start_of(kernel, box);
    if (begin >= bytes_of(box)) continue;
    const std::uint64_t first = first_outside(box, {begin, begin + bytes});
    if (first == begin + bytes && (!writes || model::writes(box.mode))) {
      const piece run = run_from(box, begin);
      const std::uintptr_t start = start_of(kernel, box);
      host::access_windows::here().add(start + run.begin, start + run.end, model::writes(box.mode));
      return;
    }
    // What names the bytes and does not write says more than what does not name them.
    if (nearest == nullptr || first > outside) {
      nearest = &box;
      outside = first;
    }
  }
  if (nearest != nullptr) {
    const std::uint64_t begin = address - start_of(kernel, *nearest);
    refuse_piece(kernel, *nearest, {begin, begin + bytes}, outside, writes, where);
  }
  const void* const pointer = reinterpret_cast<const void*>(address);
  if (address_space_of(pointer) != in_global_memory) return;
  const auto [storage, inside, begin_of_others, end_of_others] =
      pointer_registry::instance().find_buffer_storage(pointer);
  if (storage == nullptr) {
    host::access_windows::here().add(begin_of_others, end_of_others, true);
    return;
  }
  for (const accessible_box& box : kernel.accessible)
    if (!inside && start_of(kernel, box) == reinterpret_cast<std::uintptr_t>(storage)) {
      const std::uint64_t begin = address - start_of(kernel, box);
      refuse_piece(kernel, box, {begin, begin + bytes}, begin, writes, where);
    }
  refuse(fmt::format(
      "{}{} of a buffer that no accessor of its command group names; make one in the command group",
      the_kernel(kernel, where), touches(bytes, writes)));
}

}  // namespace

void expect_access_checks() noexcept { expected.store(true, std::memory_order_relaxed); }

std::size_t padding_of_buffers() noexcept {
  return expected.load(std::memory_order_relaxed) ? padding_for_checks : 0;
}

std::string place_of_subscript() {
  const executors::resolved_kernel* const kernel = host::kernel_here();
  return kernel == nullptr ? "" : the_kernel(*kernel, host::access_windows::here().place()) + ": ";
}

}  // namespace pianola::runtime

void pianola_check_access_v1(const void* pointer, std::uint64_t bytes, std::uint32_t flags,
                             const char* where) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (pianola::host::access_windows::here().know(address, bytes, (flags & 1) != 0)) return;
  const pianola::executors::resolved_kernel* const kernel = pianola::host::kernel_here();
  if (kernel == nullptr || bytes == 0) return;
  // Most accesses that are not a buffer's are to variables.
  if (address < reinterpret_cast<std::uintptr_t>(pianola::host::kernel_frame()) &&
      address >= reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))
    return;
  pianola::runtime::check(*kernel, address, bytes, (flags & 1) != 0, where);
}

void pianola_note_place_v1(const char* where) {
  pianola::host::access_windows::here().note_place(where);
}
