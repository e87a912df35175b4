// SPDX-License-Identifier: Apache-2.0
#include "pianola/executable/file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "check.hpp"
#include "layout.hpp"

namespace pianola::executable {

namespace {

using kind = model::command_kind;

model::memory_id to_memory(std::uint32_t m) noexcept {
  return model::memory_id(static_cast<model::memory_id::rep>(m));
}

model::device_id to_device(std::uint32_t d) noexcept {
  return model::device_id(static_cast<model::device_id::rep>(d));
}

// What commands refer to, one for each record; ranges of records are ranges of these.
struct references {
  model::array_view<model::requirement> requirements;
  model::array_view<model::argument_slot> slots;
  model::array_view<std::uint64_t> after;
  model::array_view<model::box> parts;  // by index space; empty where that is no part

  static std::size_t bytes_for(const file_layout& in) noexcept {
    return in.requirements.size() * sizeof(model::requirement) +
           in.slots.size() * sizeof(model::argument_slot) +
           in.after.size() * sizeof(std::uint64_t) + in.geometries.size() * sizeof(model::box);
  }

  // Lays them out in memory that has room for them, which begins at a page.
  references(const file_layout& in, unsigned char* room) {
    static_assert(alignof(model::requirement) == 8 && alignof(model::argument_slot) == 8);
    auto* const to = reinterpret_cast<model::requirement*>(room);
    for (std::size_t i = 0; i < in.requirements.size(); ++i) {
      const requirement_record& r = in.requirements[i];
      auto* const made = new (to + i) model::requirement;
      made->buffer = model::buffer_id(r.buffer);
      made->mode = static_cast<model::access_mode>(r.mode);
      made->no_init = r.no_init != 0;
      made->memory = to_memory(r.memory);
      // Those of no command have not been looked at.
      if (r.box < in.boxes.size()) made->elements = to_box(in.boxes[r.box]);
    }
    requirements = {to, in.requirements.size()};
    auto* const first_slot = reinterpret_cast<model::argument_slot*>(to + in.requirements.size());
    for (std::size_t i = 0; i < in.slots.size(); ++i) {
      const slot_record& s = in.slots[i];
      new (first_slot + i) model::argument_slot{
          s.offset, static_cast<model::argument_slot::kind>(s.kind), s.requirement, s.byte_offset};
    }
    slots = {first_slot, in.slots.size()};
    auto* const first_after = reinterpret_cast<std::uint64_t*>(first_slot + in.slots.size());
    for (std::size_t i = 0; i < in.after.size(); ++i) first_after[i] = in.after[i];
    after = {first_after, in.after.size()};
    static_assert(alignof(model::box) == 8);
    auto* const first_part = reinterpret_cast<model::box*>(first_after + in.after.size());
    for (std::size_t i = 0; i < in.geometries.size(); ++i) {
      const std::uint32_t part = in.geometries[i].part;
      new (first_part + i) model::box(part == none ? model::box() : to_box(in.boxes[part]));
    }
    parts = {first_part, in.geometries.size()};
  }
};

// Makes commands of the model from records that have been checked.
class command_maker {
 public:
  command_maker(const file_layout& in, unsigned char* file_bytes, const references& made,
                model::array_view<const model::kernel_descriptor* const> kernels,
                model::array_view<void* const> pointers)
      : in_(in),
        bytes_(file_bytes + (in.bytes.data() - reinterpret_cast<const unsigned char*>(in.header))),
        made_(made),
        kernels_(kernels),
        pointers_(pointers) {}

  void make(const command_record& from, model::command& to) {
    to.device = to_device(from.device);
    to.label = in_.text.data() + from.label;
    to.requirements = {made_.requirements.data() + from.first_requirement, from.requirement_count};
    to.after = {made_.after.data() + from.first_after, from.after_count};
    switch (static_cast<kind>(from.kind)) {
      case kind::kernel:
        make_kernel(in_.launches[from.payload], to.payload.emplace<model::kernel_command>());
        break;
      case kind::copy: {
        const copy_record& c = in_.copies[from.payload];
        auto& copy = to.payload.emplace<model::copy_command>();
        copy.source = operand(c.source);
        copy.destination = operand(c.destination);
        copy.width = c.width;
        copy.height = c.height;
        copy.depth = c.depth;
        break;
      }
      case kind::fill:
        make_fill(in_.fills[from.payload], to.payload.emplace<model::fill_command>());
        break;
      case kind::prefetch: {
        const hint_record& h = in_.hints[from.payload];
        to.payload = model::prefetch_command{address(h.allocation, h.byte_offset), h.bytes};
        break;
      }
      case kind::advise: {
        const hint_record& h = in_.hints[from.payload];
        to.payload = model::advise_command{address(h.allocation, h.byte_offset), h.bytes, h.advice};
        break;
      }
      case kind::acquire:
        to.payload = model::acquire_command{from.payload != 0};
        break;
      case kind::barrier:
        to.payload = model::barrier_command{};
        break;
      case kind::subgraph: {
        const control_record& c = in_.controls[from.payload];
        to.payload =
            model::subgraph_command{nullptr, c.nodes,      static_cast<model::control_kind>(c.kind),
                                    c.count, c.body_count, c.condition};
        break;
      }
      case kind::empty:
        break;
      case kind::host_task:
      case kind::host_access:
      case kind::allocate:
      case kind::free:
        break;  // refused when the file was read
    }
  }

 private:
  // Null, or the offset alone, where nobody says where the allocation is.
  void* address(std::uint32_t allocation, std::uint64_t byte_offset) const {
    auto base = std::uintptr_t{0};
    if (allocation != none) base = reinterpret_cast<std::uintptr_t>(pointers_[allocation]);
    return reinterpret_cast<void*>(base + byte_offset);
  }

  model::memory_operand operand(const operand_record& from) const {
    model::memory_operand o;
    o.requirement = from.requirement;
    o.memory = to_memory(from.memory);
    o.pointer = address(from.allocation, 0);
    o.byte_offset = from.byte_offset;
    o.row_pitch = from.row_pitch;
    o.slice_pitch = from.slice_pitch;
    return o;
  }

  void make_kernel(const launch_record& from, model::kernel_command& to) {
    const geometry_record& g = in_.geometries[from.geometry];
    to.kernel = kernels_[from.kernel];
    to.id = model::kernel_id(in_.kernels[from.kernel].id);
    std::memcpy(to.geometry.global.c, g.global, sizeof g.global);
    std::memcpy(to.geometry.local.c, g.local, sizeof g.local);
    std::memcpy(to.geometry.offset.c, g.offset, sizeof g.offset);
    std::memcpy(to.logical_group.c, g.logical_group, sizeof g.logical_group);
    to.geometry.dimensions = static_cast<std::uint8_t>(g.dimensions);
    to.geometry.grouped = g.grouped != 0;
    if (g.part != none) to.geometry.part = made_.parts.data() + from.geometry;
    to.local_memory_bytes = from.local_memory_bytes;
    to.work = {from.work_bytes, from.work_operations};
    to.arguments.bytes = bytes_ + from.arguments;
    to.arguments.size = in_.kernels[from.kernel].argument_bytes;
    to.arguments.alignment = in_.kernels[from.kernel].argument_alignment;
    for (std::uint32_t i = 0; i < from.pointer_count; ++i) {
      const pointer_record& p = in_.pointers[from.first_pointer + i];
      void* const at = address(p.allocation, p.byte_offset);
      std::memcpy(bytes_ + from.arguments + p.offset, &at, sizeof at);
    }
    to.slots = {made_.slots.data() + from.first_slot, from.slot_count};
  }

  void make_fill(const fill_record& from, model::fill_command& to) const {
    to.destination = operand(from.destination);
    to.width = from.width;
    to.height = from.height;
    to.depth = from.depth;
    to.pattern_bytes = from.pattern_bytes;
    if (from.pattern_bytes <= model::fill_command::inline_pattern_bytes)
      std::memcpy(to.pattern, bytes_ + from.pattern, from.pattern_bytes);
    else
      to.large_pattern = bytes_ + from.pattern;
  }

  const file_layout& in_;
  unsigned char* const bytes_;  // the section
  const references& made_;
  model::array_view<const model::kernel_descriptor* const> kernels_;
  model::array_view<void* const> pointers_;
};

}  // namespace

std::shared_ptr<file> file::load(const std::string& path) {
  formats::running_checksum sum;
  static_assert(before_sum % formats::running_checksum::block_bytes == 0 &&
                formats::file_bytes::piece_bytes % formats::running_checksum::block_bytes == 0);
  std::size_t skip = before_sum;
  formats::file_bytes bytes = formats::file_bytes::read(
      path, maximum_file_bytes, [&](const unsigned char* piece, std::size_t size) {
        const std::size_t left_out = std::min(size, std::exchange(skip, 0));
        sum.add(piece + left_out, size - left_out);
      });
  return std::shared_ptr<file>(new file(std::move(bytes), path, 0, sum.end()));
}

std::shared_ptr<file> file::from_bytes(formats::file_bytes bytes, const std::string& source) {
  return std::shared_ptr<file>(new file(std::move(bytes), source, 0));
}

file::file(formats::file_bytes bytes, const std::string& source, unsigned depth,
           std::optional<std::uint64_t> sum)
    : bytes_(std::move(bytes)),
      layout_(std::make_unique<const file_layout>(find_sections(bytes_, source, sum))) {
  check_records(*layout_, source);
  const file_layout& in = *layout_;
  const auto text = [&](std::uint32_t at) { return std::string(in.text.data() + at); };
  for (const memory_record& m : in.memories) machine_.memories.push_back({text(m.name), 0});
  for (const device_record& d : in.devices) {
    model::device_description& to = machine_.devices.emplace_back();
    to.name = text(d.name);
    to.backend = text(d.backend);
    to.memory = to_memory(d.memory);
    to.listed = d.unlisted == 0;
  }
  for (const link_record& l : in.links) {
    model::link_description& to = machine_.links.emplace_back();
    to.from = to_memory(l.from);
    to.to = to_memory(l.to);
  }
  for (const kernel_record& k : in.kernels)
    kernels_.push_back(
        {model::kernel_id(k.id), k.argument_bytes, k.argument_alignment, text(k.name)});
  for (const buffer_record& b : in.buffers) {
    named_buffer& to = buffers_.emplace_back();
    model::extent3 range, page;
    std::memcpy(range.c, b.range, sizeof b.range);
    std::memcpy(page.c, b.page, sizeof b.page);
    to.info.grid = model::page_grid(range, page);
    to.info.element_size = b.element_size;
    to.info.dimensions = b.dimensions;
    to.name = text(b.name);
    to.own = b.own != 0;
    to.info.temporary = b.temporary != 0;
    to.info.evictable = b.evictable != 0;
    if (b.has_constants != 0)
      to.constants.assign(reinterpret_cast<const char*>(in.bytes.data()) + b.constants,
                          static_cast<std::size_t>(to.info.bytes()));
    std::memcpy(to.bound_page.c, b.bound_page, sizeof b.bound_page);
  }
  for (const allocation_record& a : in.allocations)
    allocations_.push_back(
        {{static_cast<model::usm_kind>(a.kind), to_memory(a.memory), a.bytes}, text(a.name)});
  for (const staged_record& s : in.staged) staged_.push_back({s.in, s.out, s.bytes});
  for (const parameter_record& p : in.parameters) {
    named_parameter& to = parameters_.emplace_back();
    to.name = text(p.name);
    to.bytes = p.bytes;
    for (std::uint32_t i = 0; i < p.place_count; ++i) {
      const place_record& at = in.places[p.first_place + i];
      to.places.push_back({at.command, at.offset});
    }
  }
  read_controls(source, depth);
}

namespace {

// Loops in loops; nobody writes more.
constexpr unsigned most_nested = 32;

bool is_same_machine(const model::topology& a, const model::topology& b) {
  const auto equal = [](const auto& x, const auto& y, auto&& same) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  };
  return equal(a.memories, b.memories,
               [](const auto& x, const auto& y) { return x.name == y.name; }) &&
         equal(a.devices, b.devices,
               [](const auto& x, const auto& y) {
                 return x.name == y.name && x.backend == y.backend && x.memory == y.memory;
               }) &&
         equal(a.links, b.links,
               [](const auto& x, const auto& y) { return x.from == y.from && x.to == y.to; });
}

bool is_same_buffer(const named_buffer& a, const named_buffer& b) {
  return a.info.grid.range() == b.info.grid.range() && a.own == b.own &&
         a.info.element_size == b.info.element_size && a.info.dimensions == b.info.dimensions;
}

bool is_same_allocation(const named_allocation& a, const named_allocation& b) {
  return a.what.what == b.what.what && a.what.memory == b.what.memory &&
         a.what.bytes == b.what.bytes;
}

}  // namespace

void file::read_controls(const std::string& source, unsigned depth) {
  const file_layout& in = *layout_;
  for (std::uint32_t i = 0; i < in.commands.size(); ++i) {
    if (in.commands[i].kind != static_cast<std::uint8_t>(kind::subgraph)) continue;
    const control_record& c = in.controls[in.commands[i].payload];
    auto& to = controls_.emplace_back();
    to.command = i;
    to.condition_bytes = c.condition_bytes;
    to.is_signed = c.is_signed != 0;
    to.on_device = c.on_device != 0;
    to.byte_offset = c.byte_offset;
    to.allocation = c.allocation;
    for (std::uint32_t b = 0; b < c.body_count; ++b) {
      const body_record& from = in.bodies[c.first_body + b];
      const std::string where = fmt::format("{}: bodies/{}", source, c.first_body + b);
      const auto fail = [&](const char* why) {
        throw model::user_error(model::error_code::invalid,
                                fmt::format("{}: {}", formats::one_line(where), why));
      };
      if (depth == most_nested) fail("graphs are nested too deeply");
      auto& body = to.bodies.emplace_back();
      body.what.reset(new file(formats::file_bytes::copy_of(
                                   {reinterpret_cast<const char*>(in.nested.data()) + from.place,
                                    static_cast<std::size_t>(from.bytes)}),
                               where, depth + 1));
      const auto* const first = in.outer.data();
      body.buffers.assign(first + from.first_buffer, first + from.first_buffer + from.buffer_count);
      body.allocations.assign(first + from.first_allocation,
                              first + from.first_allocation + from.allocation_count);
      const auto same = [](const auto& own, const auto& outer, const auto& numbers, auto&& equal) {
        bool all = own.size() == numbers.size();
        for (std::size_t n = 0; all && n < own.size(); ++n)
          all = numbers[n] < outer.size() && equal(own[n], outer[numbers[n]]);
        return all;
      };
      if (!is_same_machine(body.what->machine(), machine_) || body.what->device() != device())
        fail("is a graph of another machine or device than the one around it");
      if (!same(body.what->buffers(), buffers_, body.buffers, is_same_buffer))
        fail("has other buffers than the graph around it");
      if (!same(body.what->allocations(), allocations_, body.allocations, is_same_allocation))
        fail("has other allocations than the graph around it");
      if (!body.what->parameters().empty()) fail("has parameters of its own");
      for (const named_buffer& one : body.what->buffers())
        if (!one.constants.empty()) fail("has constants of its own");
    }
  }
}

file::~file() = default;

std::uint64_t file::graph_hash() const noexcept { return layout_->header->graph_hash; }
model::device_id file::device() const noexcept { return to_device(layout_->header->device); }
std::size_t file::command_count() const noexcept { return layout_->commands.size(); }
std::size_t file::step_count() const noexcept { return layout_->steps.size(); }

std::vector<std::uint32_t> file::allocations_of(std::uint32_t command) const {
  const file_layout& in = *layout_;
  const command_record& c = in.commands[command];
  switch (static_cast<kind>(c.kind)) {
    case kind::kernel: {
      std::vector<std::uint32_t> all;
      const launch_record& l = in.launches[c.payload];
      for (std::uint32_t i = 0; i < l.pointer_count; ++i)
        all.push_back(in.pointers[l.first_pointer + i].allocation);
      return all;
    }
    case kind::copy: {
      const copy_record& p = in.copies[c.payload];
      if (p.source.allocation == none && p.destination.allocation == none) return {};
      return {p.source.allocation, p.destination.allocation};
    }
    case kind::fill: {
      const std::uint32_t a = in.fills[c.payload].destination.allocation;
      return a == none ? std::vector<std::uint32_t>() : std::vector<std::uint32_t>{a};
    }
    case kind::prefetch:
    case kind::advise:
      return {in.hints[c.payload].allocation};
    case kind::subgraph: {
      std::vector<std::uint32_t> all;
      const auto at = std::find_if(controls_.begin(), controls_.end(),
                                   [&](const auto& one) { return one.command == command; });
      if (at->allocation != none) all.push_back(at->allocation);
      for (const auto& body : at->bodies)
        all.insert(all.end(), body.allocations.begin(), body.allocations.end());
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      return all;
    }
    case kind::host_task:
    case kind::empty:
    case kind::barrier:
    case kind::host_access:
    case kind::acquire:
    case kind::allocate:
    case kind::free:
      return {};
  }
  return {};
}

std::vector<model::command> file::take_commands(
    model::array_view<const model::kernel_descriptor* const> kernels,
    model::array_view<void* const> pointers,
    const std::function<void(std::size_t, const model::command&)>& see) {
  const file_layout& in = *layout_;
  referred_to_ = formats::file_bytes::room_for(references::bytes_for(in));
  const references made(in, referred_to_.data());
  std::vector<model::command> commands;
  formats::reserve_for_filling(commands, in.commands.size());
  command_maker maker(in, bytes_.data(), made, kernels, pointers);
  for (const command_record& c : in.commands) {
    model::command& made_here = commands.emplace_back();
    maker.make(c, made_here);
    if (see) see(commands.size() - 1, made_here);
  }
  return commands;
}

void file::give_back_records() noexcept {
  const auto place = [&](const void* at) {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(at) - bytes_.data());
  };
  // From the first section that is not text to those that commands refer to, which come last.
  bytes_.give_back(sizeof(file_header), place(layout_->bytes.data()));
}

planner::plan file::plan() const {
  const file_layout& in = *layout_;
  planner::plan p;
  p.graph_hash = in.header->graph_hash;
  for (const lane_record& lane : in.lanes) p.lanes.push_back({to_device(lane.device)});
  formats::reserve_for_filling(p.waits, in.waits.size());
  for (const std::uint32_t w : in.waits) p.waits.emplace_back(w);
  formats::reserve_for_filling(p.steps, in.steps.size());
  for (const step_record& s : in.steps) {
    planner::step& to = p.steps.emplace_back();
    to.lane = model::lane_id(s.lane);
    to.first_wait = s.first_wait;
    to.wait_count = s.wait_count;
    if ((s.action & step_record::transfer_bit) != 0) {
      const transfer_record& t = in.transfers[s.action & ~step_record::transfer_bit];
      to.action = planner::transfer_step{model::buffer_id(t.buffer), to_memory(t.from),
                                         to_memory(t.to), to_box(in.boxes[t.box])};
    } else {
      to.action =
          planner::execute_step{model::command_id(s.action), to_device(in.lanes[s.lane].device)};
    }
  }
  const auto validity = [&](model::array_view<const validity_record> from,
                            std::vector<planner::validity_entry>& to) {
    const std::size_t count = words_of_validity(in.memories.size());
    std::array<std::uint64_t, model::max_memories / 64> words;
    for (std::size_t i = 0; i < from.size(); i += count) {
      for (std::size_t w = 0; w < count; ++w) words[w] = from[i + w].memories;
      to.push_back({model::buffer_id(from[i].buffer), to_box(in.boxes[from[i].box]),
                    model::memory_set::of_words(words.data(), count)});
    }
  };
  validity(in.contract, p.contract);
  validity(in.exit, p.exit);
  for (const access_record& a : in.accesses)
    p.accesses.push_back({model::buffer_id(a.buffer), to_box(in.boxes[a.box]), a.written != 0});
  for (const storage_record& s : in.storage)
    p.slots.push_back({model::buffer_id(s.buffer), to_memory(s.memory), s.offset, s.first, s.last});
  for (const use_record& u : in.uses)
    p.memories.push_back({to_memory(u.memory), u.peak, u.block, u.apart, u.budget});
  return p;
}

}  // namespace pianola::executable
