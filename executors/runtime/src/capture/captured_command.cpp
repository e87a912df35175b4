// SPDX-License-Identifier: Apache-2.0
#include "capture/captured_command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <variant>

#include <boost/container_hash/hash.hpp>

#include <pianola/model/command.hpp>

#include "commands/launch_checks.hpp"
#include "commands/reaching_device.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

namespace {

class shape_hash {
 public:
  template <class T>
  void add(T value) noexcept {
    boost::hash_combine(hash_, static_cast<std::uint64_t>(value));
  }
  void add(const void* pointer) noexcept { add(reinterpret_cast<std::uintptr_t>(pointer)); }
  void add(const model::memory_operand& o) noexcept {
    add(o.requirement);
    add(o.byte_offset);
    add(o.row_pitch);
    add(o.slice_pitch);
  }
  // A sum of products, which do not wait for each other: 3.3 ns an accessor, where a hash_combine for each member takes
  // 12.2.
  void add(std::uint64_t buffer, const accessor_request& a) noexcept {
    constexpr std::uint64_t factors[] = {
        0xa0761d6478bd642fU, 0xe7037ed1a0b428dbU, 0x8ebc6af09c88c6e3U,
        0x589965cc75374cc3U, 0x1d8e4e27c47d124fU, 0xeb44accab455d165U,
        0x9c6e6877736c46e3U, 0xd6e8feb86659fd93U, 0xc2b2ae3d27d4eb4fU};
    std::uint64_t sum = buffer * factors[0] + a.byte_offset * factors[1] +
                        (static_cast<unsigned>(a.mode) + (a.no_init ? 8U : 0U)) * factors[2];
    for (int d = 0; d < 3; ++d)
      sum += a.elements.lo.c[d] * factors[3 + d] + a.elements.hi.c[d] * factors[6 + d];
    add(sum);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  std::size_t hash_ = 0;
};

bool is_pointer(const model::memory_operand& o) noexcept {
  return o.requirement == model::memory_operand::no_requirement;
}

bool same_place(const model::memory_operand& a, const model::memory_operand& b) noexcept {
  return a.requirement == b.requirement && a.byte_offset == b.byte_offset &&
         a.row_pitch == b.row_pitch && a.slice_pitch == b.slice_pitch;
}

bool same_home(const pointer_query& a, const pointer_query& b) noexcept {
  return a.kind == b.kind && a.device == b.device;
}

bool same_request(const accessor_request& a, const accessor_request& b) noexcept {
  return a.mode == b.mode && a.no_init == b.no_init && a.byte_offset == b.byte_offset &&
         (a.cookie == 0) == (b.cookie == 0) && a.elements == b.elements;
}

bool same_geometry(const model::launch_geometry& a, const model::launch_geometry& b) noexcept {
  return a.global == b.global && a.local == b.local && a.offset == b.offset;
}

bool same_slots(const model::array_view<const model::argument_slot>& a,
                const std::vector<model::argument_slot>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.offset == y.offset && x.what == y.what && x.requirement == y.requirement &&
           x.byte_offset == y.byte_offset;
  });
}

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::uint64_t word_at(const unsigned char* bytes, std::size_t at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, bytes + at, word_bytes);
  return word;
}

// Copies and fills: the parts that no other value takes the place of.
likeness compare_transfers(const model::copy_command& a, const model::copy_command& b) noexcept {
  if (!same_place(a.source, b.source) || !same_place(a.destination, b.destination) ||
      a.width != b.width || a.height != b.height || a.depth != b.depth)
    return likeness::different;
  return a.source.pointer == b.source.pointer && a.destination.pointer == b.destination.pointer
             ? likeness::same
             : likeness::other_values;
}

likeness compare_fills(const model::fill_command& a, const model::fill_command& b) noexcept {
  if (!same_place(a.destination, b.destination) || a.width != b.width || a.height != b.height ||
      a.depth != b.depth || a.pattern_bytes != b.pattern_bytes)
    return likeness::different;
  return a.destination.pointer == b.destination.pointer &&
                 std::memcmp(a.pattern, b.pattern, a.pattern_bytes) == 0
             ? likeness::same
             : likeness::other_values;
}

void copy_asked(const submission& from, submission& to) {
  for (const accessor_request& a : from.accessors) to.accessors.push_back(a);
  to.payload = from.payload;
  const model::argument_block& block = from.arguments.block();
  if (block.size != 0) to.arguments.store(block.bytes, block.size, block.alignment, nullptr);
  to.has_payload = from.has_payload;
  to.local_memory_bytes = from.local_memory_bytes;
  to.device = from.device;
  to.preferred_lane = from.preferred_lane;
}

}  // namespace

std::uint64_t shape_of(process& rt, buffer_names& names, const submission& s) {
  shape_hash h;
  h.add(s.payload.index());
  if (const auto* k = std::get_if<model::kernel_command>(&s.payload)) {
    h.add(static_cast<const void*>(k->kernel));
    h.add(k->geometry.dimensions + (k->geometry.grouped ? 8 : 0));
    h.add(s.local_memory_bytes);
    h.add(s.arguments.block().size);
  } else if (const auto* copy = std::get_if<model::copy_command>(&s.payload)) {
    h.add(copy->source);
    h.add(copy->destination);
    h.add(copy->width);
    h.add(copy->height);
    h.add(copy->depth);
  } else if (const auto* fill = std::get_if<model::fill_command>(&s.payload)) {
    h.add(fill->destination);
    h.add(fill->width);
    h.add(fill->height);
    h.add(fill->depth);
    h.add(fill->pattern_bytes);
  }
  for (const accessor_request& a : s.accessors) h.add(names.name_of(rt, a.buffer), a);
  return h.value();
}

std::uint8_t key_of(const submission& s) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;
  std::uint64_t h = s.payload.index();
  if (const auto* k = std::get_if<model::kernel_command>(&s.payload))
    h += reinterpret_cast<std::uintptr_t>(k->kernel);
  else if (const auto* copy = std::get_if<model::copy_command>(&s.payload))
    h += copy->width * 16;
  else if (const auto* fill = std::get_if<model::fill_command>(&s.payload))
    h += fill->width * 16;
  if (s.accessors.size() != 0) {
    const accessor_request& first = s.accessors[0];
    h += first.elements.hi.c[2] * 256 + static_cast<std::uint64_t>(first.mode) * 16 +
         s.accessors.size();
  }
  // Kernels differ in few bits; and what grows in equal steps must not become a pattern.
  h = (h ^ h >> 32) * odd;
  h = (h ^ h >> 29) * odd;
  return static_cast<std::uint8_t>(h >> 56);
}

bool is_plain(const submission& s, model::device_id of_queue) noexcept {
  return s.next == nullptr && s.graph == nullptr && s.control == nullptr && s.memory == nullptr &&
         s.place == nullptr && s.kept_alive.empty() && !s.uses_parameters &&
         (!s.device.valid() || s.device == of_queue) && s.preferred_lane == submission::any_lane &&
         s.arguments.block().operations == nullptr;
}

bool can_be_captured(const submission& s, model::device_id of_queue) noexcept {
  if (!s.has_payload || !is_plain(s, of_queue)) return false;
  for (const accessor_request& a : s.accessors)
    if (a.memory.valid() || a.for_order) return false;
  if (const auto* k = std::get_if<model::kernel_command>(&s.payload))
    return k->kernel != nullptr && k->geometry.part == nullptr;
  if (const auto* fill = std::get_if<model::fill_command>(&s.payload))
    return fill->pattern_bytes <= model::fill_command::inline_pattern_bytes;
  return std::holds_alternative<model::copy_command>(s.payload) ||
         std::holds_alternative<model::barrier_command>(s.payload);
}

captured_command::captured_command(const submission& s, const found_slots& slots,
                                   std::uint64_t shape, const buffer_names& names)
    : label_(s.label),
      buffer_slots_(slots.buffers.begin(), slots.buffers.end()),
      local_slots_(slots.local.begin(), slots.local.end()),
      shape_(shape),
      names_events_(!s.after.empty()) {
  copy_asked(s, asked_);
  for (const accessor_request& a : s.accessors) buffers_.push_back(names.find(a.buffer));
  compared_.assign(s.arguments.block().size / word_bytes, ~std::uint64_t{0});
  for (const model::argument_slot& slot : buffer_slots_) compared_[slot.offset / word_bytes] = 0;
  locate();
}

captured_command::captured_command(const captured_command& other)
    : before(other.before),
      label_(other.label_),
      buffer_slots_(other.buffer_slots_),
      local_slots_(other.local_slots_),
      compared_(other.compared_),
      buffers_(other.buffers_),
      shape_(other.shape_),
      names_events_(other.names_events_),
      from_(other.from_),
      to_(other.to_) {
  copy_asked(other.asked_, asked_);
}

void captured_command::locate() {
  if (const auto* copy = std::get_if<model::copy_command>(&asked_.payload)) {
    if (is_pointer(copy->source)) from_ = query_pointer(copy->source.pointer);
    if (is_pointer(copy->destination)) to_ = query_pointer(copy->destination.pointer);
  } else if (const auto* fill = std::get_if<model::fill_command>(&asked_.payload)) {
    if (is_pointer(fill->destination)) to_ = query_pointer(fill->destination.pointer);
  }
}

bool captured_command::has_other_buffers(const submission& s) const noexcept {
  for (std::size_t i = 0; i < s.accessors.size(); ++i)
    if (s.accessors[i].buffer != asked_.accessors[i].buffer) return true;
  return false;
}

void captured_command::take_buffers(const submission& s) {
  for (std::size_t i = 0; i < s.accessors.size(); ++i)
    asked_.accessors[i].buffer = s.accessors[i].buffer;
}

likeness captured_command::compare(process& rt, buffer_names& names, submission& s,
                                   model::device_id device) const {
  if (s.payload.index() != asked_.payload.index() ||
      s.accessors.size() != asked_.accessors.size() ||
      s.local_memory_bytes != asked_.local_memory_bytes)
    return likeness::different;
  for (std::size_t i = 0; i < s.accessors.size(); ++i)
    if (!same_request(s.accessors[i], asked_.accessors[i]) ||
        (s.accessors[i].buffer != asked_.accessors[i].buffer &&
         names.name_of(rt, s.accessors[i].buffer) != buffers_[i]))
      return likeness::different;
  if (const auto* k = std::get_if<model::kernel_command>(&s.payload)) {
    const auto& mine = std::get<model::kernel_command>(asked_.payload);
    if (k->kernel != mine.kernel || k->geometry.dimensions != mine.geometry.dimensions ||
        k->geometry.grouped != mine.geometry.grouped || !(k->logical_group == mine.logical_group))
      return likeness::different;
    likeness found = compare_arguments(s);
    if (found == likeness::same && !same_geometry(k->geometry, mine.geometry))
      found = likeness::other_values;
    // What the program hears of a launch that makes no sense it hears now.
    if (found == likeness::other_values) check_command(rt.machine, s, device);
    return found;
  }
  // Memory may have been freed, and there may be other memory at its address.
  if (const auto* copy = std::get_if<model::copy_command>(&s.payload)) {
    if ((is_pointer(copy->source) && !same_home(from_, query_pointer(copy->source.pointer))) ||
        (is_pointer(copy->destination) &&
         !same_home(to_, query_pointer(copy->destination.pointer))))
      return likeness::different;
    return compare_transfers(std::get<model::copy_command>(asked_.payload), *copy);
  }
  if (const auto* fill = std::get_if<model::fill_command>(&s.payload)) {
    if (is_pointer(fill->destination) && !same_home(to_, query_pointer(fill->destination.pointer)))
      return likeness::different;
    return compare_fills(std::get<model::fill_command>(asked_.payload), *fill);
  }
  // A barrier that names no events waits for everything.
  return s.after.empty() == names_events_ ? likeness::different : likeness::same;
}

// No branch for each word: what differs is collected.
bool captured_command::has_same_arguments(const submission& s) const noexcept {
  const model::argument_block& theirs = s.arguments.block();
  const model::argument_block& mine = asked_.arguments.block();
  if (theirs.size != mine.size || theirs.alignment != mine.alignment) return false;
  const auto* const a = static_cast<const unsigned char*>(theirs.bytes);
  const auto* const b = static_cast<const unsigned char*>(mine.bytes);
  const std::uint64_t* const compared = compared_.data();
  const std::size_t words = compared_.size();
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < words; ++i)
    differing |= (word_at(a, i * word_bytes) ^ word_at(b, i * word_bytes)) & compared[i];
  const accessor_request* const accessors = s.accessors.data();
  for (const model::argument_slot& slot : buffer_slots_)
    differing |= word_at(a, slot.offset) ^ accessors[slot.requirement].cookie;
  const std::size_t whole = words * word_bytes;
  return differing == 0 &&
         (whole == theirs.size || std::memcmp(a + whole, b + whole, theirs.size - whole) == 0);
}

likeness captured_command::compare_arguments(submission& s) const {
  if (has_same_arguments(s)) return likeness::same;
  const model::argument_block& theirs = s.arguments.block();
  const model::argument_block& mine = asked_.arguments.block();
  if (theirs.size != mine.size || theirs.alignment != mine.alignment) return likeness::different;
  // There may be cookies elsewhere.
  const found_slots found = find_slots(s);
  return !found.dynamic_memory && found.textures.empty() &&
                 same_slots(found.buffers, buffer_slots_) && same_slots(found.local, local_slots_)
             ? likeness::other_values
             : likeness::different;
}

bool captured_command::may_be_like(const submission& s) const noexcept {
  if (s.payload.index() != asked_.payload.index() || s.accessors.size() != asked_.accessors.size())
    return false;
  const auto* const kernel = std::get_if<model::kernel_command>(&s.payload);
  return kernel == nullptr ||
         kernel->kernel == std::get<model::kernel_command>(asked_.payload).kernel;
}

void captured_command::take_values(const submission& s) {
  for (std::size_t i = 0; i < s.accessors.size(); ++i)
    asked_.accessors[i].cookie = s.accessors[i].cookie;
  asked_.payload = s.payload;
  const model::argument_block& block = s.arguments.block();
  if (block.size != 0) std::memcpy(asked_.arguments.block().bytes, block.bytes, block.size);
}

void captured_command::copy_to(submission& s) const {
  copy_asked(asked_, s);
  s.label = label_.c_str();
}

model::command_payload captured_command::payload() const {
  model::command_payload p = asked_.payload;
  if (auto* k = std::get_if<model::kernel_command>(&p)) k->arguments = asked_.arguments.block();
  return p;
}

}  // namespace pianola::runtime
