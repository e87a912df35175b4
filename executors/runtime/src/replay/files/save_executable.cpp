// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <pianola/executable/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>
#include <pianola/runtime/constant_buffers.hpp>
#include <pianola/runtime/executables.hpp>

#include "commands/names.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "process.hpp"
#include "recording/allocation_names.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/files/mapped_memory.hpp"
#include "replay/recorded/control.hpp"
#include "replay/values/parameter_cookies.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Words that no allocation of a process has: numbers, and what is no address at all.
bool may_be_address(std::uint64_t word) noexcept { return word >= 4096 && word >> 47 == 0; }

// Makes the contents of a file of what an executable graph holds, or what a command of one runs.
class saver {
 public:
  saver(executable_graph::contents now, model::device_id device, const std::vector<binding>& names,
        bool any_arguments, std::string graph = "the graph")
      : now_(std::move(now)),
        names_(names),
        any_arguments_(any_arguments),
        graph_(std::move(graph)),
        machine_(process::instance().whole_topology()) {
    file_.device = device;
    file_.machine = &machine_;
    file_.plan = &now_.plan;
    file_.graph_hash = now_.recorded.hash;
    is_staged_.resize(now_.recorded.commands.size(), false);
    for (const recorder::staging& s : now_.recorded.staged) {
      file_.staged.push_back({s.in, s.out, s.bytes});
      is_staged_[s.in] = is_staged_[s.out] = true;
    }
  }

  executable::contents& make() {
    name_buffers();
    name_parameters();
    commands_ = now_.recorded.commands;
    file_.operands.resize(commands_.size());
    for (std::size_t i = 0; i < commands_.size(); ++i) describe(i);
    name_allocations();
    check_parameters();
    file_.commands = commands_;
    return file_;
  }

 private:
  [[noreturn]] void refuse(std::size_t command, const std::string& why) const {
    throw user_error(
        error_code::feature_not_supported,
        fmt::format("command {} of {} ('{}') cannot be saved: {}", command, graph_,
                    formats::one_line(display_name(now_.recorded.commands[command])), why));
  }

  void name_buffers();
  void name_parameters();
  void name_allocations();
  void check_parameters() const;
  void describe(std::size_t index);
  void describe_arguments(std::size_t index, const model::kernel_command&);
  void describe_control(std::size_t index, const control&);
  void add_body(const control& of, const control::body&, std::size_t index,
                executable::control<const executable::contents*>& to);
  void note_parameter(std::size_t index, const model::kernel_command&, std::uint32_t at,
                      std::uint64_t cookie);
  // Its number among those of the graph; and how far the pointer is into it.
  std::optional<std::pair<std::uint32_t, std::uint64_t>> place_of(const void* pointer);
  std::pair<std::uint32_t, std::uint64_t> named_place(std::size_t index, const void* pointer);
  void take_name(const std::string& name);

  executable_graph::contents now_;
  const std::vector<binding>& names_;
  bool any_arguments_;
  std::string graph_;  // for messages
  model::topology machine_;
  executable::contents file_;
  std::vector<model::command> commands_;
  std::vector<bool> is_staged_;  // index: command; half of a copy through memory in between
  std::vector<user_allocation> allocations_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of allocations, by serial number
  std::set<std::string> taken_;
  struct given_parameter {
    const binding* given;
    std::size_t number;
  };
  std::unordered_map<std::uint64_t, given_parameter> parameters_;  // by what is in front of values
  std::optional<mapped_memory> mapped_;                            // made when it is first asked
  std::vector<std::unique_ptr<saver>> bodies_;  // of commands; the contents refer to theirs
};

void saver::take_name(const std::string& name) {
  if (!taken_.insert(name).second)
    throw user_error(error_code::invalid,
                     fmt::format("save: two buffers, memories or parameters have the name '{}'; "
                                 "give them names of their own",
                                 formats::one_line(name)));
}

void saver::name_buffers() {
  const graph_snapshot& g = now_.recorded;
  std::vector<const std::string*> given(g.buffers.size(), nullptr);
  for (const binding& b : names_) {
    if (!b.buffer.valid()) continue;
    const auto at = std::find(g.externals.begin(), g.externals.end(), b.buffer.value() + 1);
    if (at == g.externals.end())
      throw user_error(error_code::invalid,
                       fmt::format("save: the graph uses no such buffer as that named '{}'",
                                   formats::one_line(b.name)));
    given[static_cast<std::size_t>(at - g.externals.begin())] = &b.name;
  }
  std::vector<std::string> bytes;
  for (std::size_t i = 0; i < g.buffers.size(); ++i) {
    constants held = constants_in(g.key(i));
    if (!held.portable)
      throw user_error(error_code::feature_not_supported,
                       fmt::format("{} cannot be saved: a kernel of it has specialization "
                                   "constants in memory, which are known by addresses of this "
                                   "process unless pianolacc has compiled the program; compile it "
                                   "with pianolacc, or capture the values",
                                   graph_));
    bytes.push_back(std::move(held.bytes));
  }
  process& rt = process::instance();
  const std::lock_guard lock(rt.mutex);
  std::size_t number = 0;
  for (std::size_t i = 0; i < g.buffers.size(); ++i) {
    executable::named_buffer& to = file_.buffers.emplace_back();
    const buffer_entry& here = rt.buffers[buffer_table::id_of(g.key(i))];
    to.info = g.buffers[i];
    to.constants = std::move(bytes[i]);
    to.own = here.own || !to.constants.empty();
    to.bound_page = here.info.grid.page();
    if (to.own) continue;
    to.name = given[i] != nullptr ? *given[i] : g.labels[i];
    if (to.name.empty()) to.name = fmt::format("buffer {}", number);
    ++number;
    take_name(to.name);
  }
}

std::optional<std::pair<std::uint32_t, std::uint64_t>> saver::place_of(const void* pointer) {
  const user_allocation found = pointer_registry::instance().find_user(pointer);
  if (found.serial == 0) return std::nullopt;
  const auto [at, fresh] =
      numbers_.emplace(found.serial, static_cast<std::uint32_t>(allocations_.size()));
  if (fresh) allocations_.push_back(found);
  return std::pair(at->second,
                   static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) -
                                              static_cast<const std::byte*>(found.base)));
}

std::pair<std::uint32_t, std::uint64_t> saver::named_place(std::size_t index, const void* pointer) {
  if (const auto found = place_of(pointer)) return *found;
  refuse(index,
         "it works on memory that is no USM allocation of the program, and so has no name in "
         "another process; use a buffer, or memory of sycl::malloc_host");
}

// Those that have come from a file, and those that are named now.
void saver::name_parameters() {
  file_.parameters = std::move(now_.parameters);
  for (const executable::named_parameter& p : file_.parameters) take_name(p.name);
  for (const binding& b : names_) {
    if (b.parameter == 0) continue;
    const std::size_t number = file_.parameters.size();
    if (!parameters_.emplace(b.parameter, given_parameter{&b, number}).second)
      throw user_error(error_code::invalid,
                       fmt::format("save: a dynamic_parameter is named twice, the second time '{}'",
                                   formats::one_line(b.name)));
    executable::named_parameter& to = file_.parameters.emplace_back();
    to.name = b.name.empty() ? fmt::format("parameter {}", number) : b.name;
    to.bytes = static_cast<std::uint32_t>(b.value.size());
    take_name(to.name);
  }
}

void saver::note_parameter(std::size_t index, const model::kernel_command& k, std::uint32_t at,
                           std::uint64_t cookie) {
  const auto found = parameters_.find(cookie);
  if (found == parameters_.end()) return;
  const binding& b = *found->second.given;
  const std::uint64_t offset = std::uint64_t{at} + b.value_offset;
  // Else a word that something left behind.
  if (offset + b.value.size() <= k.arguments.size)
    file_.parameters[found->second.number].places.push_back(
        {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(offset)});
}

void saver::check_parameters() const {
  for (const executable::named_parameter& p : file_.parameters)
    if (p.places.empty())
      throw user_error(error_code::invalid,
                       fmt::format("save: no kernel of the graph uses the parameter '{}'",
                                   formats::one_line(p.name)));
}

void saver::name_allocations() {
  std::vector<const std::string*> given(allocations_.size(), nullptr);
  for (const binding& b : names_) {
    if (b.buffer.valid() || b.parameter != 0) continue;
    const user_allocation found = pointer_registry::instance().find_user(b.pointer);
    const auto at = numbers_.find(found.serial);
    if (at == numbers_.end())
      throw user_error(error_code::invalid,
                       fmt::format("save: the graph uses no such memory as that named '{}'",
                                   formats::one_line(b.name)));
    given[at->second] = &b.name;
  }
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    executable::named_allocation& to = file_.allocations.emplace_back();
    to.what = allocation_for_files(machine_, allocations_[i]);
    to.name = given[i] != nullptr ? *given[i] : fmt::format("memory {}", i);
    take_name(to.name);
  }
}

void saver::describe_arguments(std::size_t index, const model::kernel_command& k) {
  const auto* bytes = static_cast<const unsigned char*>(k.arguments.bytes);
  // What is no plain bytes is refused where it is written.
  if (k.arguments.operations != nullptr) return;
  const auto number = static_cast<std::uint32_t>(index);
  for (std::uint32_t at = 0; at + 8 <= k.arguments.size; at += 8) {
    const bool is_slot = std::any_of(k.slots.begin(), k.slots.end(),
                                     [&](const auto& slot) { return slot.offset == at; });
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (is_slot) continue;
    // A marker in front of a value; nothing of this process can change that elsewhere.
    if (is_parameter(word)) {
      file_.words.push_back({number, at, model::no_allocation, 0});
      note_parameter(index, k, at, word);
      continue;
    }
    if (!may_be_address(word)) continue;
    auto found = place_of(reinterpret_cast<const void*>(word));
    // The end of an array.
    if (!found && (found = place_of(reinterpret_cast<const void*>(word - 1)))) ++found->second;
    if (found) {
      file_.words.push_back({number, at, found->first, found->second});
      continue;
    }
    if (any_arguments_) continue;
    if (!mapped_) mapped_.emplace();
    if (mapped_->holds(word))
      refuse(index,
             fmt::format("its arguments hold what looks like an address of this process, at byte "
                         "{}, which is in no USM allocation and so has no name in another one; if "
                         "it is a number, say so with property::executable::any_arguments",
                         at));
  }
}

void saver::describe_control(std::size_t index, const control& what) {
  auto& to = file_.controls.emplace_back();
  to.command = static_cast<std::uint32_t>(index);
  to.on_device = what.on_device;
  if (model::has_condition(what.what)) {
    to.condition_bytes = what.bytes;
    to.is_signed = what.is_signed;
    to.byte_offset = what.byte_offset;
    const auto& s = std::get<model::subgraph_command>(now_.recorded.commands[index].payload);
    if (s.condition == model::memory_operand::no_requirement)
      std::tie(to.allocation, to.byte_offset) = named_place(index, what.pointer);
  }
  for (const control::body& b : what.bodies) add_body(what, b, index, to);
}

// Its buffers and allocations are the graph's as well, which names them.
void saver::add_body(const control& of, const control::body& b, std::size_t index,
                     executable::control<const executable::contents*>& to) {
  static const std::vector<binding> no_names;
  bodies_.push_back(std::make_unique<saver>(
      executable_graph::contents{b.recorded.copy(), b.plan, {}}, of.device, no_names,
      any_arguments_, fmt::format("a graph that command {} of {} runs", index, graph_)));
  saver& body = *bodies_.back();
  auto& nested = to.bodies.emplace_back();
  nested.what = &body.make();
  for (std::size_t i = 0; i < body.file_.buffers.size(); ++i) {
    body.file_.buffers[i].name.clear();
    body.file_.buffers[i].constants.clear();
    const auto& all = now_.recorded.externals;
    const auto at = std::find(all.begin(), all.end(), b.recorded.externals[i]);
    nested.buffers.push_back(static_cast<std::uint32_t>(at - all.begin()));
  }
  for (std::size_t i = 0; i < body.allocations_.size(); ++i) {
    body.file_.allocations[i].name.clear();
    nested.allocations.push_back(place_of(body.allocations_[i].base)->first);
  }
}

// Pointers become numbers of allocations, and offsets.
void saver::describe(std::size_t index) {
  model::command& c = commands_[index];
  executable::operand_names& operands = file_.operands[index];
  const auto name_operand = [&](model::memory_operand& o, int side) {
    if (o.requirement != model::memory_operand::no_requirement) return;
    if (o.pointer == nullptr && is_staged_[index]) return;
    const auto [allocation, offset] = named_place(index, o.pointer);
    operands.allocation[side] = allocation;
    o.pointer = nullptr;
    o.byte_offset += offset;
  };
  const auto name_hint = [&](const void*& pointer) {
    const auto [allocation, offset] = named_place(index, pointer);
    operands.allocation[0] = allocation;
    pointer = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(offset));
  };
  switch (kind_of(c.payload)) {
    case model::command_kind::kernel:
      return describe_arguments(index, *std::get_if<model::kernel_command>(&c.payload));
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
      return model::for_each_memory(
          c.payload,
          [&, side = 0](model::memory_operand& o, const auto&) mutable { name_operand(o, side++); },
          name_hint);
    case model::command_kind::host_task:
      refuse(index,
             "it is a host task, a function of this program that no file can name; do what it "
             "does between the replays");
    case model::command_kind::subgraph:
      if (const control* const what = control_of(c)) describe_control(index, *what);
      return;
    case model::command_kind::allocate:
    case model::command_kind::free:
      refuse(index,
             "the graph allocates memory of its own; allocate it before the recording, and bind "
             "it");
    case model::command_kind::empty:
    case model::command_kind::barrier:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
      return;
  }
}

}  // namespace

void save(const executable_graph& g, const std::string& path, const std::vector<binding>& names,
          bool any_arguments) {
  if (g.has_parameters())
    throw user_error(error_code::feature_not_supported,
                     "the graph has parameters (graph_parameter), for which a file has no place; "
                     "record it with buffers and memory, which are bound when the file is loaded");
  executable_graph::contents now = g.planned();
  for (const planner::step& s : now.plan.steps)
    if (const auto* e = std::get_if<planner::execute_step>(&s.action))
      now.recorded.commands[e->command.value()].device = e->device;
  saver one(std::move(now), g.device(), names, any_arguments);
  executable::write(path, one.make());
}

}  // namespace pianola::runtime
