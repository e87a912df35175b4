// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "layout.hpp"
#include "pianola/executable/file.hpp"

namespace pianola::executable {

namespace {

using model::error_code;
using model::user_error;

[[noreturn]] void too_much(const char* what) {
  throw user_error(error_code::invalid,
                   fmt::format("the executable graph has more {} than a file can hold", what));
}

std::uint32_t number(std::size_t n, const char* what) {
  if (n >= none) too_much(what);
  return static_cast<std::uint32_t>(n);
}

// Records of which equal ones are there once.
template <class Record>
class distinct {
 public:
  std::uint32_t add(const Record& record, const char* what) {
    // Looked up by its bytes: records have no padding.
    const std::string_view bytes(reinterpret_cast<const char*>(&record), sizeof record);
    const std::uint32_t next = number(all.size(), what);
    const auto [at, fresh] = known_.emplace(bytes, next);
    if (fresh) all.push_back(record);
    return at->second;
  }
  std::vector<Record> all;

 private:
  std::unordered_map<std::string, std::uint32_t> known_;
};

class writer {
 public:
  explicit writer(const contents& what) : what_(what) {}
  std::string write();

 private:
  void add_machine();
  void add_buffers();
  void add_command(std::size_t index);
  void add_plan();
  void add_parameters();

  std::uint32_t add_text(std::string_view);
  std::uint32_t add_box(const model::box&);
  std::uint32_t add_kernel(const model::kernel_command&);
  std::uint64_t add_arguments(std::size_t command, const model::kernel_command&,
                              launch_record& launch);
  operand_record operand(std::size_t command, const model::memory_operand&, int side) const;
  std::uint32_t allocation(std::size_t command, int side) const;

  std::uint32_t payload(std::size_t command, const model::kernel_command&);
  std::uint32_t payload(std::size_t command, const model::copy_command&);
  std::uint32_t payload(std::size_t command, const model::fill_command&);
  std::uint32_t payload(std::size_t command, const model::prefetch_command&);
  std::uint32_t payload(std::size_t command, const model::advise_command&);
  std::uint32_t payload(std::size_t command, const model::subgraph_command&);
  std::uint32_t payload(std::size_t, const model::empty_command&) { return 0; }
  std::uint32_t payload(std::size_t, const model::barrier_command&) { return 0; }
  std::uint32_t payload(std::size_t, const model::acquire_command& a) { return a.on_device; }
  std::uint32_t payload(std::size_t command, const model::host_task_command&) { no_kind(command); }
  std::uint32_t payload(std::size_t command, const model::host_access_command&) {
    no_kind(command);
  }
  std::uint32_t payload(std::size_t command, const model::allocate_command&) { no_kind(command); }
  std::uint32_t payload(std::size_t command, const model::free_command&) { no_kind(command); }
  [[noreturn]] void no_kind(std::size_t command) const {
    refuse(command, "a file cannot hold commands of this kind");
  }
  [[noreturn]] void refuse(std::size_t command, const std::string& why) const;

  [[nodiscard]] std::string assemble() const;

  const contents& what_;
  std::size_t next_word_ = 0, next_control_ = 0;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> kernel_numbers_;
  std::vector<memory_record> memories_;
  std::vector<device_record> devices_;
  std::vector<link_record> links_;
  std::vector<kernel_record> kernels_;
  std::vector<buffer_record> buffers_;
  std::vector<allocation_record> allocations_;
  distinct<box_record> distinct_boxes_;
  distinct<geometry_record> distinct_geometries_;
  std::vector<command_record> commands_;
  std::vector<requirement_record> requirements_;
  std::vector<std::uint32_t> after_;
  std::vector<launch_record> launches_;
  std::vector<slot_record> slots_;
  std::vector<pointer_record> pointers_;
  std::vector<parameter_record> parameters_;
  std::vector<place_record> places_;
  std::vector<copy_record> copies_;
  std::vector<fill_record> fills_;
  std::vector<hint_record> hints_;
  std::vector<staged_record> staged_;
  std::vector<control_record> controls_;
  std::vector<body_record> bodies_;
  std::vector<std::uint32_t> outer_;
  std::vector<lane_record> lanes_;
  std::vector<step_record> steps_;
  std::vector<std::uint32_t> waits_;
  std::vector<transfer_record> transfers_;
  std::vector<validity_record> contract_, exit_;
  std::vector<access_record> accesses_;
  std::vector<storage_record> storage_;
  std::vector<use_record> uses_;
  std::vector<unsigned char> bytes_;
  std::string nested_;
  std::string text_;
};

void writer::refuse(std::size_t command, const std::string& why) const {
  const std::string name = formats::full_name(what_.commands[command]);
  throw user_error(
      error_code::feature_not_supported,
      fmt::format("command {} of the graph ('{}') cannot be saved: {}", command,
                  formats::one_line(name.empty() ? formats::kind_name(what_.commands[command])
                                                 : name.c_str()),
                  why));
}

std::uint32_t writer::add_text(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  const auto [at, fresh] = texts_.emplace(text, number(text_.size(), "text"));
  if (fresh) {
    text_ += text;
    text_ += '\0';
  }
  return at->second;
}

std::uint32_t writer::add_box(const model::box& b) {
  box_record r{};
  std::memcpy(r.lo, b.lo.c, sizeof r.lo);
  std::memcpy(r.hi, b.hi.c, sizeof r.hi);
  return distinct_boxes_.add(r, "boxes");
}

void writer::add_machine() {
  for (const auto& m : what_.machine->memories) memories_.push_back({add_text(m.name)});
  for (const auto& d : what_.machine->devices)
    devices_.push_back({add_text(d.name), add_text(d.backend), d.memory.value(),
                        static_cast<std::uint16_t>(d.listed ? 0 : 1)});
  for (const auto& l : what_.machine->links) links_.push_back({l.from.value(), l.to.value()});
}

void writer::add_buffers() {
  for (const named_buffer& b : what_.buffers) {
    buffer_record& r = buffers_.emplace_back();
    r = {};
    const model::extent3 range = b.info.grid.range(), page = b.info.grid.page();
    const model::extent3 bound = volume(b.bound_page) != 0 ? b.bound_page : page;
    std::memcpy(r.range, range.c, sizeof r.range);
    std::memcpy(r.page, page.c, sizeof r.page);
    std::memcpy(r.bound_page, bound.c, sizeof r.bound_page);
    r.element_size = b.info.element_size;
    r.dimensions = b.info.dimensions;
    r.own = b.own ? 1 : 0;
    r.temporary = b.info.temporary ? 1 : 0;
    r.evictable = b.info.evictable ? 1 : 0;
    r.has_constants = b.constants.empty() ? 0 : 1;
    r.constants = b.constants.empty() ? 0 : bytes_.size();
    bytes_.insert(bytes_.end(), b.constants.begin(), b.constants.end());
    r.name = add_text(b.name);
  }
  for (const named_allocation& a : what_.allocations)
    allocations_.push_back({a.what.bytes, add_text(a.name), a.what.memory.value(),
                            static_cast<std::uint16_t>(a.what.what)});
  for (const staged_copy& s : what_.staged) staged_.push_back({s.bytes, s.in, s.out});
}

std::uint32_t writer::add_kernel(const model::kernel_command& k) {
  const auto [at, fresh] =
      kernel_numbers_.emplace(k.kernel->id.value(), number(kernels_.size(), "kernels"));
  if (fresh)
    kernels_.push_back({k.kernel->id.value(), add_text(k.kernel->name), k.arguments.size,
                        k.kernel->argument_alignment, 0});
  return at->second;
}

// The words that are addresses here go as zeroes, or as offsets with a pointer that tells of what.
std::uint64_t writer::add_arguments(std::size_t command, const model::kernel_command& k,
                                    launch_record& launch) {
  constexpr std::uint64_t word = 8;
  bytes_.resize((bytes_.size() + word - 1) / word * word);
  const std::uint64_t at = bytes_.size();
  const auto* from = static_cast<const unsigned char*>(k.arguments.bytes);
  bytes_.insert(bytes_.end(), from, from + k.arguments.size);
  const auto blank = [&](std::uint32_t offset) {
    if (offset + word > k.arguments.size) refuse(command, "an address is beyond its arguments");
    std::memset(bytes_.data() + at + offset, 0, word);
  };
  for (const model::argument_slot& s : k.slots)
    if (s.what == model::argument_slot::kind::buffer) blank(s.offset);
  launch.first_pointer = number(pointers_.size(), "pointers");
  for (; next_word_ < what_.words.size() && what_.words[next_word_].command == command;
       ++next_word_) {
    const argument_word& w = what_.words[next_word_];
    blank(w.offset);
    if (w.allocation == model::no_allocation) continue;
    pointers_.push_back({w.byte_offset, w.offset, w.allocation});
  }
  const std::size_t count = pointers_.size() - launch.first_pointer;
  if (count > std::numeric_limits<std::uint16_t>::max()) too_much("pointers in one kernel");
  launch.pointer_count = static_cast<std::uint16_t>(count);
  return at;
}

std::uint32_t writer::payload(std::size_t command, const model::kernel_command& k) {
  if (k.kernel == nullptr) refuse(command, "nothing is known of its kernel");
  if (k.arguments.operations != nullptr)
    refuse(command,
           "its function object is not trivially copyable, so its bytes mean nothing elsewhere; "
           "capture plain values, pointers and accessors only");
  launch_record r{};
  r.kernel = add_kernel(k);
  if (kernels_[r.kernel].argument_bytes != k.arguments.size)
    refuse(command, "another kernel of the graph has the same identity");
  geometry_record g{};
  std::memcpy(g.global, k.geometry.global.c, sizeof g.global);
  std::memcpy(g.local, k.geometry.local.c, sizeof g.local);
  std::memcpy(g.offset, k.geometry.offset.c, sizeof g.offset);
  std::memcpy(g.logical_group, k.logical_group.c, sizeof g.logical_group);
  g.dimensions = k.geometry.dimensions;
  g.grouped = k.geometry.grouped ? 1 : 0;
  g.part = k.geometry.part != nullptr ? add_box(*k.geometry.part) : none;
  r.geometry = distinct_geometries_.add(g, "index spaces");
  r.local_memory_bytes = k.local_memory_bytes;
  r.work_bytes = k.work.bytes;
  r.work_operations = k.work.operations;
  r.first_slot = number(slots_.size(), "arguments");
  constexpr auto most = std::numeric_limits<std::uint16_t>::max();
  if (k.slots.size() > most) too_much("arguments in one kernel");
  r.slot_count = static_cast<std::uint16_t>(k.slots.size());
  for (const model::argument_slot& s : k.slots) {
    if (s.requirement > most) too_much("accessors in one kernel");
    slots_.push_back({s.byte_offset, s.offset, static_cast<std::uint16_t>(s.requirement),
                      static_cast<std::uint8_t>(s.what), 0});
  }
  r.arguments = add_arguments(command, k, r);
  launches_.push_back(r);
  return number(launches_.size() - 1, "kernels");
}

std::uint32_t writer::allocation(std::size_t command, int side) const {
  return command < what_.operands.size() ? what_.operands[command].allocation[side]
                                         : model::no_allocation;
}

operand_record writer::operand(std::size_t command, const model::memory_operand& o,
                               int side) const {
  operand_record r{};
  r.byte_offset = o.byte_offset;
  r.row_pitch = o.row_pitch;
  r.slice_pitch = o.slice_pitch;
  r.requirement = o.requirement;
  r.allocation = allocation(command, side);
  r.memory = o.memory.value();
  return r;
}

std::uint32_t writer::payload(std::size_t command, const model::copy_command& c) {
  copies_.push_back({operand(command, c.source, 0), operand(command, c.destination, 1), c.width,
                     c.height, c.depth});
  return number(copies_.size() - 1, "copies");
}

std::uint32_t writer::payload(std::size_t command, const model::fill_command& f) {
  fill_record r{};
  r.destination = operand(command, f.destination, 0);
  r.width = f.width;
  r.height = f.height;
  r.depth = f.depth;
  r.pattern = bytes_.size();
  r.pattern_bytes = f.pattern_bytes;
  const auto* pattern =
      f.large_pattern != nullptr ? static_cast<const unsigned char*>(f.large_pattern) : f.pattern;
  bytes_.insert(bytes_.end(), pattern, pattern + f.pattern_bytes);
  fills_.push_back(r);
  return number(fills_.size() - 1, "fills");
}

std::uint32_t writer::payload(std::size_t command, const model::prefetch_command& p) {
  hints_.push_back(
      {reinterpret_cast<std::uintptr_t>(p.pointer), p.bytes, allocation(command, 0), 0});
  return number(hints_.size() - 1, "hints");
}

std::uint32_t writer::payload(std::size_t command, const model::advise_command& a) {
  hints_.push_back(
      {reinterpret_cast<std::uintptr_t>(a.pointer), a.bytes, allocation(command, 0), a.advice});
  return number(hints_.size() - 1, "hints");
}

std::uint32_t writer::payload(std::size_t command, const model::subgraph_command& s) {
  if (next_control_ == what_.controls.size() || what_.controls[next_control_].command != command)
    refuse(command, "nothing is known of the graphs that it runs");
  const auto& c = what_.controls[next_control_++];
  control_record r{};
  r.count = s.count;
  r.nodes = s.nodes;
  r.byte_offset = c.byte_offset;
  r.condition = s.condition;
  r.allocation = c.allocation;
  r.first_body = number(bodies_.size(), "graphs in commands");
  r.body_count = number(c.bodies.size(), "graphs in commands");
  r.kind = static_cast<std::uint8_t>(s.control);
  r.condition_bytes = static_cast<std::uint8_t>(c.condition_bytes);
  r.is_signed = c.is_signed ? 1 : 0;
  r.on_device = c.on_device ? 1 : 0;
  for (const auto& b : c.bodies) {
    body_record to{};
    to.first_buffer = number(outer_.size(), "buffers");
    to.buffer_count = number(b.buffers.size(), "buffers");
    outer_.insert(outer_.end(), b.buffers.begin(), b.buffers.end());
    to.first_allocation = number(outer_.size(), "allocations");
    to.allocation_count = number(b.allocations.size(), "allocations");
    outer_.insert(outer_.end(), b.allocations.begin(), b.allocations.end());
    nested_.resize((nested_.size() + section_alignment - 1) / section_alignment *
                   section_alignment);
    const std::string file = to_bytes(*b.what);
    to.place = nested_.size();
    to.bytes = file.size();
    nested_ += file;
    bodies_.push_back(to);
  }
  controls_.push_back(r);
  return number(controls_.size() - 1, "loops");
}

void writer::add_command(std::size_t index) {
  const model::command& c = what_.commands[index];
  command_record r{};
  r.kind = static_cast<std::uint8_t>(model::kind_of(c.payload));
  r.device = c.device.value();
  r.label = add_text(c.label);
  r.first_requirement = number(requirements_.size(), "requirements");
  r.requirement_count = number(c.requirements.size(), "requirements");
  for (const model::requirement& q : c.requirements)
    requirements_.push_back({q.buffer.value(), add_box(q.elements), q.memory.value(),
                             static_cast<std::uint8_t>(q.mode),
                             static_cast<std::uint8_t>(q.no_init ? 1 : 0)});
  r.first_after = number(after_.size(), "edges");
  r.after_count = number(c.after.size(), "edges");
  for (const std::uint64_t a : c.after) after_.push_back(number(a, "commands"));
  r.payload =
      std::visit([&](const auto& payload) { return this->payload(index, payload); }, c.payload);
  commands_.push_back(r);
}

void writer::add_plan() {
  const planner::plan& plan = *what_.plan;
  if (plan.steps.size() >= step_record::transfer_bit) too_much("steps");
  for (const planner::lane_info& lane : plan.lanes) lanes_.push_back({lane.device.value()});
  for (const planner::step& s : plan.steps) {
    step_record r{};
    r.lane = s.lane.value();
    r.first_wait = number(waits_.size(), "waits");
    r.wait_count = s.wait_count;
    for (const model::step_id w : plan.waits_of(s)) waits_.push_back(number(w.value(), "steps"));
    if (const auto* t = std::get_if<planner::transfer_step>(&s.action)) {
      r.action = number(transfers_.size(), "transfers") | step_record::transfer_bit;
      transfers_.push_back(
          {t->buffer.value(), add_box(t->elements), t->from.value(), t->to.value()});
    } else {
      const auto& e = std::get<planner::execute_step>(s.action);
      r.action = e.command.value();
      // What the plan has chosen is where the command runs.
      commands_[e.command.value()].device = e.device.value();
    }
    steps_.push_back(r);
  }
  const auto add_validity = [this](const std::vector<planner::validity_entry>& from,
                                   std::vector<validity_record>& to) {
    for (const planner::validity_entry& e : from)
      for (std::size_t w = 0; w < words_of_validity(what_.machine->memories.size()); ++w)
        to.push_back({e.memories.word(w), e.buffer.value(), add_box(e.elements)});
  };
  add_validity(plan.contract, contract_);
  add_validity(plan.exit, exit_);
  for (const planner::access_entry& a : plan.accesses)
    accesses_.push_back({a.buffer.value(), add_box(a.elements), a.written ? 1U : 0U});
  for (const planner::storage_slot& s : plan.slots)
    storage_.push_back({s.offset, s.buffer.value(), s.memory.value(), s.first, s.last});
  for (const planner::memory_use& u : plan.memories)
    uses_.push_back({u.peak, u.block, u.apart, u.budget, u.memory.value(), 0});
}

void writer::add_parameters() {
  for (const named_parameter& p : what_.parameters) {
    parameters_.push_back({add_text(p.name), p.bytes, number(places_.size(), "parameters"),
                           number(p.places.size(), "parameters")});
    for (const named_parameter::place& at : p.places) places_.push_back({at.command, at.offset});
  }
}

std::string writer::assemble() const {
  file_header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.version = format_version;
  header.byte_order = byte_order_mark;
  header.graph_hash = what_.graph_hash;
  header.device = what_.device.value();
  header.sections = section_count;
  const std::vector<box_record>& boxes_ = distinct_boxes_.all;
  const std::vector<geometry_record>& geometries_ = distinct_geometries_.all;
  std::string out(sizeof header, '\0');
  std::size_t section = 0;
  const auto append = [&](const auto& records) {
    out.resize((out.size() + section_alignment - 1) / section_alignment * section_alignment);
    header.places[section++] = {out.size(), records.size()};
    out.append(reinterpret_cast<const char*>(records.data()),
               records.size() * sizeof *records.data());
  };
#define PIANOLA_APPEND(name, record) append(name##_);
  PIANOLA_EXECUTABLE_SECTIONS(PIANOLA_APPEND)
#undef PIANOLA_APPEND
  header.file_bytes = out.size();
  std::memcpy(out.data(), &header, sizeof header);
  constexpr std::size_t behind =
      offsetof(file_header, checksum) + sizeof header.checksum;  // what the checksum is of
  header.checksum =
      checksum(reinterpret_cast<const unsigned char*>(out.data()) + behind, out.size() - behind);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

std::string writer::write() {
  add_text("");
  add_machine();
  add_buffers();
  for (std::size_t i = 0; i < what_.commands.size(); ++i) add_command(i);
  add_plan();
  add_parameters();
  return assemble();
}

}  // namespace

std::string to_bytes(const contents& what) { return writer(what).write(); }

void write(const std::string& path, const contents& what) {
  formats::write_file(path, to_bytes(what));
}

}  // namespace pianola::executable
