// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/json_geometry.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/allocation.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/memory_set.hpp>
#include <pianola/model/texture.hpp>

namespace pianola::executable {

namespace {

using formats::maximum_extent;
using kind = model::command_kind;

// Loops over millions of records: what is tested is inline, what is said when a test fails is not.
class checker {
 public:
  checker(const file_layout& in, const std::string& source) : in_(in), source_(source) {}

  void check() {
    check_text();
    check_machine();
    check_buffers();
    check_geometries();
    check_commands();
    check_parameters();
    check_staged();
    check_plan();
    check_storage();
  }

 private:
  [[noreturn, gnu::noinline]] void fail(const char* section, std::size_t index,
                                        const char* reason) const {
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("{}: {}/{}: {}", formats::one_line(source_), section, index, reason));
  }

  void check_text() const {
    if (in_.text.empty() || in_.text.back() != '\0') fail("text", 0, "does not end with a zero");
  }
  [[nodiscard]] bool is_text(std::uint32_t at) const { return at < in_.text.size(); }

  void check_machine() const;
  void check_buffers();
  void check_geometries() const;
  void check_commands();
  void check_requirements(std::size_t index, const command_record&) const;
  void check_launch(std::size_t index, const command_record&) const;
  void check_slots(const command_record&, const launch_record&) const;
  void check_texture(const command_record&, const launch_record&, const slot_record&,
                     std::size_t number) const;
  void check_operand(std::size_t index, const command_record&, const operand_record&,
                     std::uint64_t width, std::uint64_t height, std::uint64_t depth,
                     bool may_be_staged) const;
  void check_payload(std::size_t index, const command_record&);
  void check_hint(std::size_t index, const command_record&) const;
  void check_control(std::size_t index, const command_record&);
  void check_parameters() const;
  void check_staged() const;
  void check_plan() const;
  void check_storage() const;
  void check_validity(model::array_view<const validity_record>, const char* section) const;

  // Of millions each does, so all is compared without a branch in between.
  // Of a command that needs no elements.
  [[nodiscard]] bool box_is_nothing(std::uint32_t buffer, std::uint32_t box) const {
    return buffer < ranges_.size() && box < in_.boxes.size() &&
           to_box(in_.boxes[box]) == model::box();
  }
  [[nodiscard]] bool box_fits(std::uint32_t buffer, std::uint32_t box) const {
    if (buffer >= ranges_.size() || box >= in_.boxes.size()) return false;
    const box_record& b = in_.boxes[box];
    const model::extent3& end = ranges_[buffer];
    bool fits = true;
    for (int d = 0; d < 3; ++d) {
      const bool some = b.lo[d] < b.hi[d], within = b.hi[d] <= end.c[d];
      fits = fits & some & within;
    }
    return fits;
  }

  const file_layout& in_;
  const std::string& source_;
  std::vector<model::extent3> ranges_;  // of buffers
  std::vector<std::uint64_t> sizes_;    // of buffers, in bytes
  std::uint32_t next_control_ = 0, next_body_ = 0;
  std::uint64_t nested_end_ = 0;
};

void checker::check_machine() const {
  if (in_.memories.empty() || in_.memories.size() > model::max_memories)
    fail("memories", in_.memories.size(),
         fmt::format("there must be from 1 to {}", model::max_memories).c_str());
  for (std::size_t i = 0; i < in_.memories.size(); ++i)
    if (!is_text(in_.memories[i].name)) fail("memories", i, "unknown text");
  if (in_.devices.empty() || in_.devices.size() >= model::device_id::invalid_value)
    fail("devices", in_.devices.size(), "there must be from 1 to 65534");
  for (std::size_t i = 0; i < in_.devices.size(); ++i) {
    const device_record& d = in_.devices[i];
    if (!is_text(d.name) || !is_text(d.backend)) fail("devices", i, "unknown text");
    if (d.memory >= in_.memories.size()) fail("devices", i, "unknown memory");
    if (d.unlisted > 1) fail("devices", i, "it is listed or it is not");
  }
  for (std::size_t i = 0; i < in_.links.size(); ++i)
    if (in_.links[i].from >= in_.memories.size() || in_.links[i].to >= in_.memories.size())
      fail("links", i, "unknown memory");
  if (in_.header->device >= in_.devices.size())
    fail("header", 0, "the graph is of an unknown device");
}

void checker::check_buffers() {
  for (std::size_t i = 0; i < in_.kernels.size(); ++i) {
    const kernel_record& k = in_.kernels[i];
    if (!is_text(k.name)) fail("kernels", i, "unknown text");
    if (k.argument_alignment == 0 || (k.argument_alignment & (k.argument_alignment - 1)) != 0)
      fail("kernels", i, "an alignment is a power of two");
  }
  ranges_.reserve(in_.buffers.size());
  sizes_.reserve(in_.buffers.size());
  for (std::size_t i = 0; i < in_.buffers.size(); ++i) {
    const buffer_record& b = in_.buffers[i];
    if (!is_text(b.name)) fail("buffers", i, "unknown text");
    model::extent3 range;
    for (int d = 0; d < 3; ++d) {
      range.c[d] = b.range[d];
      if (b.range[d] == 0 || b.page[d] == 0 || b.page[d] > b.range[d] || b.bound_page[d] == 0 ||
          b.bound_page[d] > b.range[d])
        fail("buffers", i, "a range has no zeroes, and pages lie within it");
    }
    if (b.dimensions == 0 || b.dimensions > 3) fail("buffers", i, "has 1, 2 or 3 dimensions");
    if (b.own > 1) fail("buffers", i, "is the library's own, or is not");
    if (b.temporary > 1 || b.evictable > 1)
      fail("buffers", i, "is temporary or evictable, or is not");
    if (b.element_size == 0 || !formats::volume_fits(range, b.element_size))
      fail("buffers", i, "has from 1 to 2^62 bytes");
    ranges_.push_back(range);
    sizes_.push_back(volume(range) * b.element_size);
    if (b.has_constants > 1 || b.has_constants > b.own)
      fail("buffers", i, "is one of the library's own with constants, or is not");
    if (b.has_constants == 1 &&
        (b.constants > in_.bytes.size() || sizes_.back() > in_.bytes.size() - b.constants))
      fail("buffers", i, "has constants that are not there");
  }
  for (std::size_t i = 0; i < in_.allocations.size(); ++i) {
    const allocation_record& a = in_.allocations[i];
    if (!is_text(a.name)) fail("allocations", i, "unknown text");
    if (a.memory >= in_.memories.size()) fail("allocations", i, "unknown memory");
    if (a.kind >= model::word_count<model::usm_kind>) fail("allocations", i, "unknown kind");
    if (a.bytes > maximum_extent) fail("allocations", i, "has at most 2^62 bytes");
  }
}

void checker::check_geometries() const {
  for (std::size_t i = 0; i < in_.geometries.size(); ++i) {
    const geometry_record& g = in_.geometries[i];
    if (g.dimensions == 0 || g.dimensions > 3) fail("geometries", i, "has 1, 2 or 3 dimensions");
    if (g.grouped > 1) fail("geometries", i, "has groups, or has not");
    model::extent3 global, local, logical;
    for (int d = 0; d < 3; ++d) {
      global.c[d] = g.global[d];
      local.c[d] = g.local[d];
      logical.c[d] = g.logical_group[d];
      if (g.local[d] == 0) fail("geometries", i, "a work-group has at least one work-item");
      if (g.grouped == 1 && g.global[d] % g.local[d] != 0)
        fail("geometries", i, "work-groups do not divide the range");
      if (g.offset[d] > maximum_extent) fail("geometries", i, "an offset is at most 2^62");
    }
    if (!formats::volume_fits(global, 1) || !formats::volume_fits(local, 1) ||
        !formats::volume_fits(logical, 1))
      fail("geometries", i, "has at most 2^62 work-items");
    if (g.part == none) continue;
    model::extent3 units = global;
    for (int d = 0; d < 3 && g.grouped == 1; ++d) units.c[d] /= local.c[d];
    if (g.part >= in_.boxes.size() || to_box(in_.boxes[g.part]).empty() ||
        !contains(model::box::of(units), to_box(in_.boxes[g.part])))
      fail("geometries", i, "is a part that its index space has not");
  }
}

void checker::check_requirements(std::size_t index, const command_record& c) const {
  if (c.first_requirement > in_.requirements.size() ||
      c.requirement_count > in_.requirements.size() - c.first_requirement)
    fail("commands", index, "has requirements that are not there");
  for (std::uint32_t i = 0; i < c.requirement_count; ++i) {
    const requirement_record& r = in_.requirements[c.first_requirement + i];
    if (!box_fits(r.buffer, r.box) && !box_is_nothing(r.buffer, r.box))
      fail("requirements", c.first_requirement + i, "names elements that its buffer has not");
    if (r.mode >= model::word_count<model::access_mode> || r.no_init > 1)
      fail("requirements", c.first_requirement + i, "unknown mode");
    if (r.memory != model::memory_id::invalid_value && r.memory >= in_.memories.size())
      fail("requirements", c.first_requirement + i, "unknown memory");
  }
  if (c.first_after > in_.after.size() || c.after_count > in_.after.size() - c.first_after)
    fail("commands", index, "has edges that are not there");
  for (std::uint32_t i = 0; i < c.after_count; ++i)
    if (in_.after[c.first_after + i] >= index)
      fail("commands", index, "comes after a command that does not come before it");
}

void checker::check_slots(const command_record& c, const launch_record& l) const {
  const std::uint32_t size = in_.kernels[l.kernel].argument_bytes;
  if (l.first_slot > in_.slots.size() || l.slot_count > in_.slots.size() - l.first_slot)
    fail("launches", c.payload, "has slots that are not there");
  if (l.first_pointer > in_.pointers.size() ||
      l.pointer_count > in_.pointers.size() - l.first_pointer)
    fail("launches", c.payload, "has pointers that are not there");
  using slot_kind = model::argument_slot::kind;
  std::uint8_t last = 0;
  for (std::uint32_t i = 0; i < l.slot_count; ++i) {
    const slot_record& s = in_.slots[l.first_slot + i];
    const std::size_t number = l.first_slot + i;
    if (s.offset > size || size - s.offset < sizeof(std::uint64_t))
      fail("slots", number, "lies outside of the arguments");
    if (s.kind < last) fail("slots", number, "they come one kind after the other");
    last = s.kind;
    if (s.kind == static_cast<std::uint8_t>(slot_kind::buffer)) {
      if (s.requirement >= c.requirement_count) fail("slots", number, "unknown requirement");
      const requirement_record& r = in_.requirements[c.first_requirement + s.requirement];
      if (s.byte_offset > sizes_[r.buffer]) fail("slots", number, "begins behind its buffer");
    } else if (s.kind == static_cast<std::uint8_t>(slot_kind::local_memory)) {
      if (s.byte_offset > l.local_memory_bytes)
        fail("slots", number, "begins behind the local memory");
    } else if (s.kind == static_cast<std::uint8_t>(slot_kind::texture)) {
      check_texture(c, l, s, number);
    } else {
      fail("slots", number, "unknown kind");
    }
  }
  for (std::uint32_t i = 0; i < l.pointer_count; ++i) {
    const pointer_record& p = in_.pointers[l.first_pointer + i];
    const std::size_t number = l.first_pointer + i;
    if (p.offset > size || size - p.offset < sizeof(std::uint64_t))
      fail("pointers", number, "lies outside of the arguments");
    if (p.allocation >= in_.allocations.size()) fail("pointers", number, "unknown allocation");
    if (p.byte_offset > in_.allocations[p.allocation].bytes)
      fail("pointers", number, "leads behind its allocation");
  }
}

// A device may read an image as it is described there: it ends within its buffer, to whose beginning its address is set.
void checker::check_texture(const command_record& c, const launch_record& l, const slot_record& s,
                            std::size_t number) const {
  const std::uint32_t size = in_.kernels[l.kernel].argument_bytes;
  if (s.requirement >= c.requirement_count) fail("slots", number, "unknown requirement");
  if (s.byte_offset != 0 || s.offset > size || size - s.offset < sizeof(model::texture_argument))
    fail("slots", number, "has no room for an image");
  const auto* const buffers = in_.slots.data() + l.first_slot;
  const bool patched = std::any_of(buffers, buffers + l.slot_count, [&](const slot_record& other) {
    return other.kind == static_cast<std::uint8_t>(model::argument_slot::kind::buffer) &&
           other.offset == s.offset + offsetof(model::texture_argument, texels) &&
           other.requirement == s.requirement && other.byte_offset == 0;
  });
  if (!patched) fail("slots", number, "is an image without an address");
  const unsigned char* const at = in_.bytes.data() + l.arguments + s.offset;
  const auto read = [at](std::size_t offset, auto to) {
    std::memcpy(&to, at + offset, sizeof to);
    return to;
  };
  using model::texture_argument;
  using model::texture_description;
  constexpr std::size_t description = offsetof(texture_argument, description);
  const auto pitch = read(description + offsetof(texture_description, row_pitch), std::uint64_t{});
  const auto width = read(description + offsetof(texture_description, width), std::uint32_t{});
  const auto height = read(description + offsetof(texture_description, height), std::uint32_t{});
  const auto type = read(description + offsetof(texture_description, type), std::uint8_t{});
  if (read(offsetof(texture_argument, texels), std::uint64_t{}) != 0)
    fail("slots", number, "is an image that has an address already");
  if (read(offsetof(texture_argument, handle), std::uint64_t{}) != model::no_texture ||
      type > static_cast<std::uint8_t>(model::texel_type::float32) ||
      read(description + offsetof(texture_description, addressing), std::uint8_t{}) >
          static_cast<std::uint8_t>(model::texture_addressing::mirror) ||
      read(description + offsetof(texture_description, linear), std::uint8_t{}) > 1 ||
      read(description + offsetof(texture_description, normalized), std::uint8_t{}) > 1)
    fail("slots", number, "is an image of no kind that there is");
  const std::uint64_t row = std::uint64_t{width} * model::texel_bytes(model::texel_type{type});
  const std::uint64_t bytes = sizes_[in_.requirements[c.first_requirement + s.requirement].buffer];
  if (width == 0 || height == 0 || pitch < row || pitch > bytes / height)
    fail("slots", number, "is an image that leaves its buffer");
}

void checker::check_launch(std::size_t index, const command_record& c) const {
  if (c.payload >= in_.launches.size()) fail("commands", index, "unknown launch");
  const launch_record& l = in_.launches[c.payload];
  if (l.kernel >= in_.kernels.size()) fail("launches", c.payload, "unknown kernel");
  if (l.geometry >= in_.geometries.size()) fail("launches", c.payload, "unknown index space");
  if (l.arguments > in_.bytes.size() ||
      in_.kernels[l.kernel].argument_bytes > in_.bytes.size() - l.arguments)
    fail("launches", c.payload, "has arguments that are not there");
  if (!(l.work_bytes >= 0) || !(l.work_operations >= 0) || std::isinf(l.work_bytes) ||
      std::isinf(l.work_operations))
    fail("launches", c.payload, "its work is no number");
  check_slots(c, l);
}

void checker::check_operand(std::size_t index, const command_record& c, const operand_record& o,
                            std::uint64_t width, std::uint64_t height, std::uint64_t depth,
                            bool may_be_staged) const {
  if (o.memory >= in_.memories.size()) fail("commands", index, "unknown memory");
  std::uint64_t size = 0;
  if (o.requirement != none) {
    if (o.requirement >= c.requirement_count) fail("commands", index, "unknown requirement");
    if (o.allocation != none) fail("commands", index, "works on two memories at one place");
    size = sizes_[in_.requirements[c.first_requirement + o.requirement].buffer];
  } else if (o.allocation != none) {
    if (o.allocation >= in_.allocations.size()) fail("commands", index, "unknown allocation");
    size = in_.allocations[o.allocation].bytes;
  } else if (may_be_staged) {
    return;  // looked at with the memory in between
  } else {
    fail("commands", index, "works on no memory");
  }
  if (width == 0 || height == 0 || depth == 0) return;
  // Each below 2^62, and so the sums of two.
  const model::extent3 rows{{1, height, o.row_pitch}}, slices{{1, depth, o.slice_pitch}};
  const bool small = width <= maximum_extent && o.byte_offset <= maximum_extent &&
                     formats::volume_fits(rows, 1) && formats::volume_fits(slices, 1);
  if (!small || o.byte_offset > size ||
      (height - 1) * o.row_pitch + (depth - 1) * o.slice_pitch > size - o.byte_offset ||
      width > size - o.byte_offset - (height - 1) * o.row_pitch - (depth - 1) * o.slice_pitch)
    fail("commands", index, "leaves the memory that it works on");
}

void checker::check_hint(std::size_t index, const command_record& c) const {
  if (c.payload >= in_.hints.size()) fail("commands", index, "unknown hint");
  const hint_record& h = in_.hints[c.payload];
  if (h.allocation >= in_.allocations.size()) fail("hints", c.payload, "unknown allocation");
  const std::uint64_t size = in_.allocations[h.allocation].bytes;
  if (h.byte_offset > size || h.bytes > size - h.byte_offset)
    fail("hints", c.payload, "leaves its allocation");
}

// Of the graphs that it runs, what they are is told when they are read.
void checker::check_control(std::size_t index, const command_record& c) {
  // In their order, so that none is read twice: graphs in graphs could double with each level.
  if (c.payload != next_control_ || c.payload >= in_.controls.size())
    fail("commands", index, "is not the next loop or branch");
  ++next_control_;
  const std::size_t at = c.payload;
  const control_record& r = in_.controls[at];
  using model::control_kind;
  const auto what = static_cast<control_kind>(r.kind);
  if (r.kind >= model::word_count<control_kind> || what == control_kind::once)
    fail("controls", at, "is neither a loop nor a branch");
  if (r.is_signed > 1 || r.on_device > 1)
    fail("controls", at, "is signed or on the device, or is not");
  const bool one = what == control_kind::repeat || what == control_kind::loop;
  if (r.body_count == 0 || (one && r.body_count != 1) ||
      (what == control_kind::branch && r.body_count > 2))
    fail("controls", at, "has another number of graphs than it can run");
  if (r.first_body != next_body_ || r.body_count > in_.bodies.size() - r.first_body)
    fail("controls", at, "does not run the next graphs");
  next_body_ += r.body_count;
  for (std::uint32_t i = r.first_body; i < next_body_; ++i) {
    const body_record& b = in_.bodies[i];
    if (b.place % section_alignment != 0 || b.place < nested_end_ || b.place > in_.nested.size() ||
        b.bytes > in_.nested.size() - b.place)
      fail("bodies", i, "lies outside of its section, or in another graph");
    nested_end_ = b.place + b.bytes;
    if (b.first_buffer > in_.outer.size() || b.buffer_count > in_.outer.size() - b.first_buffer ||
        b.first_allocation > in_.outer.size() ||
        b.allocation_count > in_.outer.size() - b.first_allocation)
      fail("bodies", i, "has buffers or allocations that are not there");
  }
  if (!model::has_condition(what)) {
    if (r.condition != none || r.allocation != none || r.condition_bytes != 0)
      fail("controls", at, "has a condition and no use of it");
    return;
  }
  if (r.condition_bytes != 1 && r.condition_bytes != 2 && r.condition_bytes != 4 &&
      r.condition_bytes != 8)
    fail("controls", at, "its condition has 1, 2, 4 or 8 bytes");
  if ((r.condition == none) == (r.allocation == none))
    fail("controls", at, "its condition is in one place");
  if (r.condition != none && r.condition >= c.requirement_count)
    fail("controls", at, "unknown requirement");
  if (r.allocation != none && r.allocation >= in_.allocations.size())
    fail("controls", at, "unknown allocation");
  const std::uint64_t size =
      r.condition != none ? sizes_[in_.requirements[c.first_requirement + r.condition].buffer]
                          : in_.allocations[r.allocation].bytes;
  if (r.byte_offset > size || r.condition_bytes > size - r.byte_offset)
    fail("controls", at, "its condition leaves the memory that it is in");
}

void checker::check_commands() {
  if (in_.commands.size() >= step_record::transfer_bit)
    fail("commands", in_.commands.size(), "there are too many");
  for (std::size_t i = 0; i < in_.commands.size(); ++i) {
    const command_record& c = in_.commands[i];
    if (!is_text(c.label)) fail("commands", i, "unknown text");
    if (c.device >= in_.devices.size()) fail("commands", i, "unknown device");
    check_requirements(i, c);
    check_payload(i, c);
  }
}

// The kind is whatever byte the file has there.
void checker::check_payload(std::size_t i, const command_record& c) {
  switch (static_cast<kind>(c.kind)) {
    case kind::kernel:
      check_launch(i, c);
      return;
    case kind::copy: {
      if (c.payload >= in_.copies.size()) fail("commands", i, "unknown copy");
      const copy_record& p = in_.copies[c.payload];
      check_operand(i, c, p.source, p.width, p.height, p.depth, true);
      check_operand(i, c, p.destination, p.width, p.height, p.depth, true);
      return;
    }
    case kind::fill: {
      if (c.payload >= in_.fills.size()) fail("commands", i, "unknown fill");
      const fill_record& f = in_.fills[c.payload];
      check_operand(i, c, f.destination, f.width, f.height, f.depth, false);
      if (f.pattern_bytes == 0 || f.width % f.pattern_bytes != 0)
        fail("fills", c.payload, "a row is made of whole patterns");
      if (f.pattern > in_.bytes.size() || f.pattern_bytes > in_.bytes.size() - f.pattern)
        fail("fills", c.payload, "has a pattern that is not there");
      return;
    }
    case kind::prefetch:
    case kind::advise:
      check_hint(i, c);
      return;
    case kind::acquire:
      if (c.payload > 1) fail("commands", i, "goes to the device, or does not");
      return;
    case kind::subgraph:
      check_control(i, c);
      return;
    case kind::empty:
    case kind::barrier:
      return;
    case kind::host_task:
    case kind::host_access:
    case kind::allocate:
    case kind::free:
      break;
  }
  fail("commands", i, "a file cannot hold commands of this kind");
}

void checker::check_parameters() const {
  for (std::size_t i = 0; i < in_.parameters.size(); ++i) {
    const parameter_record& p = in_.parameters[i];
    if (!is_text(p.name)) fail("parameters", i, "unknown text");
    if (p.first_place > in_.places.size() || p.place_count > in_.places.size() - p.first_place)
      fail("parameters", i, "has places that are not there");
    for (std::uint32_t at = 0; at < p.place_count; ++at) {
      const place_record& place = in_.places[p.first_place + at];
      if (place.command >= in_.commands.size() ||
          in_.commands[place.command].kind != static_cast<std::uint8_t>(kind::kernel))
        fail("places", p.first_place + at, "is in no kernel");
      const launch_record& l = in_.launches[in_.commands[place.command].payload];
      const std::uint32_t size = in_.kernels[l.kernel].argument_bytes;
      if (place.offset > size || p.bytes > size - place.offset)
        fail("places", p.first_place + at, "lies outside of the arguments");
    }
  }
}

// A copy without memory on one side is half of one that goes through memory in between, and nothing else is.
void checker::check_staged() const {
  std::vector<char> staged(in_.commands.size(), 0);
  enum : char { in = 1, out = 2 };
  for (std::size_t i = 0; i < in_.staged.size(); ++i) {
    const staged_record& s = in_.staged[i];
    if (s.in >= s.out || s.out >= in_.commands.size() || staged[s.in] != 0 || staged[s.out] != 0 ||
        in_.commands[s.in].kind != static_cast<std::uint8_t>(kind::copy) ||
        in_.commands[s.out].kind != static_cast<std::uint8_t>(kind::copy))
      fail("staged", i, "joins no two copies");
    staged[s.in] = in;
    staged[s.out] = out;
    for (const bool first : {true, false}) {
      const copy_record& c = in_.copies[in_.commands[first ? s.in : s.out].payload];
      const operand_record& side = first ? c.destination : c.source;
      if (side.requirement != none || side.allocation != none || side.byte_offset != 0 ||
          side.row_pitch != c.width || !formats::volume_fits({{c.depth, c.height, c.width}}, 1) ||
          side.slice_pitch != c.width * c.height || c.width * c.height * c.depth != s.bytes)
        fail("staged", i, "the memory in between has another shape");
    }
  }
  const auto nowhere = [](const operand_record& o) {
    return o.requirement == none && o.allocation == none;
  };
  for (std::size_t i = 0; i < in_.commands.size(); ++i) {
    if (in_.commands[i].kind != static_cast<std::uint8_t>(kind::copy)) continue;
    const copy_record& c = in_.copies[in_.commands[i].payload];
    if ((nowhere(c.source) && staged[i] != out) || (nowhere(c.destination) && staged[i] != in))
      fail("commands", i, "copies from or to no memory");
  }
}

void checker::check_validity(model::array_view<const validity_record> list,
                             const char* section) const {
  const std::size_t words = words_of_validity(in_.memories.size());
  if (list.size() % words != 0) fail(section, list.size(), "ends within an entry");
  const std::size_t in_last = in_.memories.size() - 64 * (words - 1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!box_fits(list[i].buffer, list[i].box))
      fail(section, i, "names elements that its buffer has not");
    const validity_record& first = list[i / words * words];
    if (list[i].buffer != first.buffer || list[i].box != first.box)
      fail(section, i, "does not go on with its entry");
    if (i % words == words - 1 && in_last < 64 && list[i].memories >> in_last != 0)
      fail(section, i, "unknown memory");
  }
}

void checker::check_plan() const {
  for (std::size_t i = 0; i < in_.lanes.size(); ++i)
    if (in_.lanes[i].device >= in_.devices.size()) fail("lanes", i, "unknown device");
  for (std::size_t i = 0; i < in_.transfers.size(); ++i) {
    const transfer_record& t = in_.transfers[i];
    if (!box_fits(t.buffer, t.box)) fail("transfers", i, "moves elements that its buffer has not");
    if (t.from == t.to || t.from >= in_.memories.size() || t.to >= in_.memories.size())
      fail("transfers", i, "joins no two memories");
  }
  std::vector<char> run(in_.commands.size(), 0);
  std::size_t commands_run = 0;
  for (std::size_t i = 0; i < in_.steps.size(); ++i) {
    const step_record& s = in_.steps[i];
    if (s.lane >= in_.lanes.size()) fail("steps", i, "unknown lane");
    if ((s.action & step_record::transfer_bit) != 0) {
      if ((s.action & ~step_record::transfer_bit) >= in_.transfers.size())
        fail("steps", i, "unknown transfer");
    } else {
      if (s.action >= in_.commands.size()) fail("steps", i, "unknown command");
      if (run[s.action] != 0) fail("steps", i, "runs a command again");
      run[s.action] = 1;
      ++commands_run;
      if (in_.commands[s.action].device != in_.lanes[s.lane].device)
        fail("steps", i, "its lane is of another device than its command");
    }
    if (s.first_wait > in_.waits.size() || s.wait_count > in_.waits.size() - s.first_wait)
      fail("steps", i, "has waits that are not there");
    for (std::uint32_t w = 0; w < s.wait_count; ++w)
      if (in_.waits[s.first_wait + w] >= i)
        fail("steps", i, "waits for a step that does not come before it");
  }
  if (commands_run != in_.commands.size()) fail("steps", commands_run, "not all commands are run");
  check_validity(in_.contract, "contract");
  check_validity(in_.exit, "exit");
  for (std::size_t i = 0; i < in_.accesses.size(); ++i)
    if (!box_fits(in_.accesses[i].buffer, in_.accesses[i].box) || in_.accesses[i].written > 1)
      fail("accesses", i, "names elements that its buffer has not");
}

void checker::check_storage() const {
  std::vector<const use_record*> of_memory(in_.memories.size(), nullptr);
  for (std::size_t i = 0; i < in_.uses.size(); ++i) {
    const use_record& u = in_.uses[i];
    if (u.memory >= in_.memories.size() || (i != 0 && u.memory <= in_.uses[i - 1].memory))
      fail("uses", i, "they are of memories that there are, in their order");
    if (u.peak > maximum_extent || u.block > maximum_extent || u.apart > maximum_extent)
      fail("uses", i, "has at most 2^62 bytes");
    of_memory[u.memory] = &u;
  }
  for (std::size_t i = 0; i < in_.storage.size(); ++i) {
    const storage_record& s = in_.storage[i];
    if (s.buffer >= in_.buffers.size()) fail("storage", i, "unknown buffer");
    if (s.memory >= in_.memories.size() || of_memory[s.memory] == nullptr)
      fail("storage", i, "is in a memory of which nothing is used");
    if (s.first > s.last || s.last >= in_.steps.size()) fail("storage", i, "unknown steps");
    if (in_.buffers[s.buffer].temporary == 0 && in_.buffers[s.buffer].evictable == 0)
      fail("storage", i, "is for a buffer that is neither temporary nor evictable");
    // The size of a buffer is at most 2^62, and the end of its room, too.
    const std::uint64_t room = (sizes_[s.buffer] + 255) / 256 * 256;
    const std::uint64_t block = of_memory[s.memory]->block;
    if (s.offset % 256 != 0 || block < room || s.offset > block - room)
      fail("storage", i, "does not lie in the block of its memory");
    if (i == 0) continue;
    const storage_record& before = in_.storage[i - 1];
    const bool same = before.buffer == s.buffer && before.memory == s.memory;
    const bool later = before.buffer != s.buffer ? before.buffer < s.buffer
                       : same                    ? before.last < s.first
                                                 : before.memory < s.memory;
    if (!later) fail("storage", i, "comes before the end of the one before it");
  }
}

}  // namespace

void check_records(const file_layout& layout, const std::string& source) {
  checker(layout, source).check();
}

}  // namespace pianola::executable
