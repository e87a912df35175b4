// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <pianola/executable/file.hpp>
#include <pianola/executable/verify_control.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>
#include <pianola/planner/machine_difference.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/constant_buffers.hpp>
#include <pianola/runtime/executables.hpp>
#include <pianola/runtime/kernels.hpp>

#include "commands/launch_checks.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "recording/allocation_names.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/plans/plan_checks.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// A buffer of the graph's own, which ends when nothing needs it any more.
class own_buffer {
 public:
  explicit own_buffer(const executable::named_buffer& b) {
    buffer_description d;
    d.info = b.info;
    d.info.grid = model::page_grid(b.info.grid.range(), b.bound_page);
    d.label = "partial results";
    d.own = true;
    key_ = create_buffer(d);
  }
  own_buffer(const own_buffer&) = delete;
  own_buffer& operator=(const own_buffer&) = delete;
  ~own_buffer() { destroy_buffer(key_, false); }
  [[nodiscard]] buffer_key key() const noexcept { return key_; }

 private:
  buffer_key key_;
};

// Puts what this program has in the place of what a file names.
class loader {
 public:
  loader(const std::string& path, model::device_id device, const std::vector<binding>& bindings)
      : path_(formats::one_line(path)),
        device_(device),
        bindings_(bindings),
        used_(bindings.size(), false),
        machine_(process::instance().whole_topology()),
        file_(executable::file::load(path)) {
    for (std::size_t i = 0; i < bindings.size(); ++i) {
      if (bindings[i].name.empty())
        by_number_.emplace(bindings[i].number, i);
      else
        by_name_.emplace(bindings[i].name, i);
    }
  }

  std::shared_ptr<executable_graph> load(bool verify);

 private:
  // A graph of a file, which is the whole one, or one that a command of another one runs; with its pointers and buffers.
  struct loaded_graph {
    graph_snapshot recorded;
    planner::plan plan;
  };
  using kernel_list = std::vector<const model::kernel_descriptor*>;
  loaded_graph load_graph(executable::file& from, const kernel_list& kernels,
                          graph_snapshot with_buffers, const std::vector<void*>& pointers,
                          bool verify);
  void load_controls(executable::file& from, graph_snapshot& graph,
                     const std::vector<void*>& pointers, bool verify);
  std::shared_ptr<control> load_control(
      executable::file& from, const executable::control<std::shared_ptr<executable::file>>& c,
      const graph_snapshot& graph, const std::vector<void*>& pointers, bool verify);

  [[noreturn]] void fail(const std::string& why, error_code code = error_code::invalid) const {
    throw user_error(code, fmt::format("{}: {}", path_, why));
  }

  void check_machine() const;
  kernel_list kernels_of(const executable::file& from);
  void bind_buffers();
  void bind_memories();
  void refuse_unused() const;
  void check_command(std::size_t index, const model::command& c) const;
  enum class what : std::uint8_t { buffer, memory, parameter };
  // Null if there is none.
  const binding* look_for(const std::string& name, std::uint64_t number, what);
  const binding* find(const std::string& name, std::uint64_t number, what);
  std::vector<binding> values_of_parameters();
  void check_shape(const executable::named_buffer& saved, const model::buffer_info& here) const;

  std::string path_;
  model::device_id device_;
  const std::vector<binding>& bindings_;
  std::unordered_multimap<std::string_view, std::size_t> by_name_;  // bindings
  std::unordered_multimap<std::uint64_t, std::size_t> by_number_;   // those without a name
  std::vector<bool> used_;
  model::topology machine_;
  std::shared_ptr<executable::file> file_;
  std::unordered_map<std::uint64_t, const model::kernel_descriptor*> kernels_here_;
  std::vector<void*> pointers_;
  graph_snapshot graph_;
};

void loader::check_machine() const {
  if (const auto difference = planner::machine_difference(file_->machine(), machine_))
    fail(fmt::format("was saved on another machine: {}; save it on this one", *difference));
  if (file_->device() != device_)
    fail(fmt::format("was saved for queues of device {} ('{}'), this one is of device {}",
                     file_->device().value(),
                     formats::one_line(machine_.devices[file_->device().value()].name),
                     device_.value()));
}

loader::kernel_list loader::kernels_of(const executable::file& from) {
  if (kernels_here_.empty())
    for (const model::kernel_descriptor* k : all_kernels()) kernels_here_.emplace(k->id.value(), k);
  kernel_list kernels;
  for (const executable::named_kernel& k : from.kernels()) {
    const auto found = kernels_here_.find(k.id.value());
    if (found == kernels_here_.end())
      fail(fmt::format(
               "this program has no kernel '{}' ({}), in itself or in a library that is loaded; "
               "save the graph again with a program that was built from the same sources",
               formats::one_line(k.name), formats::hex(k.id.value())),
           error_code::kernel_not_supported);
    const model::kernel_descriptor& d = *found->second;
    if (d.argument_bytes != k.argument_bytes || d.argument_alignment != k.argument_alignment ||
        d.operations != nullptr)
      fail(fmt::format("the kernel '{}' takes other arguments in this program ({} bytes, saved "
                       "were {}); save the graph again",
                       formats::one_line(k.name), d.argument_bytes, k.argument_bytes),
           error_code::kernel_not_supported);
    kernels.push_back(&d);
  }
  return kernels;
}

const binding* loader::look_for(const std::string& name, std::uint64_t number, what kind) {
  const binding* found = nullptr;
  const auto look_at = [&](const auto& range) {
    for (auto at = range.first; at != range.second; ++at) {
      const binding& b = bindings_[at->second];
      const what is = b.buffer.valid()   ? what::buffer
                      : b.parameter != 0 ? what::parameter
                                         : what::memory;
      if (is != kind) continue;
      if (found != nullptr) fail(fmt::format("'{}' is bound twice", formats::one_line(name)));
      used_[at->second] = true;
      found = &b;
    }
  };
  look_at(by_name_.equal_range(name));
  look_at(by_number_.equal_range(number));
  return found;
}

const binding* loader::find(const std::string& name, std::uint64_t number, what kind) {
  const binding* const found = look_for(name, number, kind);
  if (found == nullptr)
    fail(fmt::format("the {} '{}' (number {}) is not bound",
                     kind == what::buffer ? "buffer" : "memory", formats::one_line(name), number));
  return found;
}

// Parameters that are not bound keep the values that they were saved with.
std::vector<binding> loader::values_of_parameters() {
  std::vector<binding> values;
  const std::vector<executable::named_parameter>& all = file_->parameters();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const binding* const b = look_for(all[i].name, i, what::parameter)) values.push_back(*b);
  return values;
}

void loader::check_shape(const executable::named_buffer& saved,
                         const model::buffer_info& here) const {
  const model::buffer_info& was = saved.info;
  const std::string name = fmt::format("the buffer '{}' ", formats::one_line(saved.name));
  const auto differs = [&](const char* what, const std::string& then, const std::string& now) {
    fail(fmt::format("{}{} {}, the one that is bound {}", name, what, then, now));
  };
  const unsigned n = was.dimensions;
  if (was.dimensions != here.dimensions)
    differs("had", fmt::format("{} dimensions", n), fmt::format("has {}", here.dimensions));
  if (was.grid.range() != here.grid.range())
    differs("had", formats::extent_text(was.grid.range(), n) + " elements",
            "has " + formats::extent_text(here.grid.range(), n));
  if (was.element_size != here.element_size)
    differs("had elements of", fmt::format("{} bytes", was.element_size),
            fmt::format("of {}", here.element_size));
  if (!(saved.bound_page == here.grid.page()))
    differs("had pages of", formats::extent_text(saved.bound_page, n) + " elements",
            "of " + formats::extent_text(here.grid.page(), n));
  const auto kind = [](const model::buffer_info& b) {
    return b.temporary ? "temporary" : b.evictable ? "evictable" : "an ordinary one";
  };
  if (was.temporary != here.temporary || was.evictable != here.evictable)
    differs("was", kind(was), std::string("is ") + kind(here));
}

void loader::bind_buffers() {
  std::unordered_map<std::uint64_t, std::string> bound;
  std::uint64_t number = 0;
  for (const executable::named_buffer& b : file_->buffers()) {
    buffer_key key;
    if (b.own) {
      const auto keep = [&](auto made) {
        key = made->key();
        graph_.kept_alive.push_back(std::move(made));
      };
      if (b.constants.empty())
        keep(std::make_shared<own_buffer>(b));
      else
        keep(std::make_shared<constant_buffer>(b.constants.data(), b.constants.size(), "constants",
                                               true));
    } else {
      key = find(b.name, number++, what::buffer)->buffer;
      process& rt = process::instance();
      const std::lock_guard lock(rt.mutex);
      check_shape(b, rt.buffers.living(key).info);
      // The plan orders what commands do to each buffer, and takes two for two.
      const auto [at, fresh] = bound.emplace(key.value(), b.name);
      if (!fresh)
        fail(fmt::format("'{}' and '{}' are bound to one buffer", formats::one_line(at->second),
                         formats::one_line(b.name)));
    }
    graph_.buffers.push_back(b.info);
    graph_.externals.push_back(key.value() + 1);
    graph_.labels.push_back(b.name.c_str());
  }
}

void loader::bind_memories() {
  struct range {
    std::uintptr_t begin, end;
    const std::string* name;
  };
  std::vector<range> ranges;
  std::uint64_t number = 0;
  for (const executable::named_allocation& a : file_->allocations()) {
    const void* const pointer = find(a.name, number++, what::memory)->pointer;
    const std::string name = fmt::format("the memory '{}' ", formats::one_line(a.name));
    const user_allocation found = pointer_registry::instance().find_user(pointer);
    if (found.serial == 0) fail(name + "is bound to no USM allocation");
    const model::usm_allocation here = allocation_for_files(machine_, found);
    if (here.what != a.what.what)
      fail(fmt::format("{}was a {} allocation, it is bound to a {} one", name,
                       model::name_of(a.what.what), model::name_of(here.what)));
    if (here.memory != a.what.memory)
      fail(fmt::format("{}was in memory {}, it is bound to {}", name, a.what.memory.value(),
                       here.memory.value()));
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(found.base) + found.bytes;
    if (end - at < a.what.bytes)
      fail(fmt::format("{}had {} bytes, it is bound to {}", name, a.what.bytes, end - at));
    ranges.push_back({at, at + a.what.bytes, &a.name});
    pointers_.push_back(const_cast<void*>(pointer));
  }
  // What was not the same memory when it was recorded was not ordered as such.
  std::sort(ranges.begin(), ranges.end(),
            [](const range& a, const range& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].begin < ranges[i - 1].end)
      fail(fmt::format("'{}' and '{}' are bound to the same memory",
                       formats::one_line(*ranges[i - 1].name), formats::one_line(*ranges[i].name)));
}

void loader::refuse_unused() const {
  for (std::size_t i = 0; i < bindings_.size(); ++i)
    if (!used_[i])
      fail(fmt::format("has nothing of the name of a binding: '{}'",
                       bindings_[i].name.empty() ? fmt::format("number {}", bindings_[i].number)
                                                 : formats::one_line(bindings_[i].name)));
}

// What submissions are checked for when they are recorded.
void loader::check_command(std::size_t index, const model::command& c) const {
  const machine& m = process::instance().machine;
  const auto reaches = [&](const model::command& c, const model::memory_operand& o) {
    if (o.requirement == model::memory_operand::no_requirement)
      return m.reaches(c.device, o.memory);
    const model::requirement& r = c.requirements[o.requirement];
    return m.reaches(c.device, r.memory.valid() ? r.memory : m.memory_of(c.device));
  };
  try {
    if (const auto* k = std::get_if<model::kernel_command>(&c.payload))
      check_launch(*k, m.properties(c.device));
  } catch (const user_error& e) {
    fail(fmt::format("commands/{}: {}", index, e.what()), e.code());
  }
  bool all = true;
  model::for_each_operand(
      c.payload, [&](const model::memory_operand& o, const auto&) { all = all && reaches(c, o); });
  if (!all)
    fail(fmt::format("commands/{}: its device does not reach the memory that it works on", index));
}

loader::loaded_graph loader::load_graph(executable::file& from, const kernel_list& kernels,
                                        graph_snapshot with_buffers,
                                        const std::vector<void*>& pointers, bool verify) {
  loaded_graph made{std::move(with_buffers), {}};
  graph_snapshot& g = made.recorded;
  run_check runs(machine_);
  g.commands =
      from.take_commands(kernels, pointers, [&](std::size_t index, const model::command& c) {
        check_command(index, c);
        // Those of the file run where they are.
        if (const auto why = runs.cannot_execute(c, c.device)) fail(*why);
      });
  for (const executable::staged_copy& s : from.staged()) g.staged.push_back({s.in, s.out, s.bytes});
  g.hash = from.graph_hash();
  made.plan = from.plan();
  from.give_back_records();
  if (const auto why = runs.cannot_arrange(made.plan)) fail(*why);
  if (verify)
    if (const auto wrong = planner::verify(g.commands, g.buffers, machine_, made.plan))
      fail("its plan is not right: " + formats::one_line(wrong->reason));
  load_controls(from, g, pointers, verify);
  return made;
}

void loader::load_controls(executable::file& from, graph_snapshot& graph,
                           const std::vector<void*>& pointers, bool verify) {
  for (const auto& c : from.controls()) {
    model::command& command = graph.commands[c.command];
    const std::shared_ptr<control> made = load_control(from, c, graph, pointers, verify);
    std::get<model::subgraph_command>(command.payload).graph = made.get();
    if (verify) {
      std::vector<const planner::plan*> plans;
      for (const control::body& b : made->bodies) plans.push_back(&b.plan);
      if (const auto wrong = executable::wrong_control(
              command, c, plans, process::instance().machine.memory_of(from.device())))
        fail(fmt::format("commands/{}: {}", c.command, *wrong));
    }
    graph.kept_alive.push_back(made);
  }
}

std::shared_ptr<control> loader::load_control(
    executable::file& from, const executable::control<std::shared_ptr<executable::file>>& c,
    const graph_snapshot& graph, const std::vector<void*>& pointers, bool verify) {
  const auto& s = std::get<model::subgraph_command>(graph.commands[c.command].payload);
  auto made = std::make_shared<control>();
  made->what = s.control;
  made->count = s.count;
  made->bytes = c.condition_bytes;
  made->is_signed = c.is_signed;
  made->byte_offset = c.byte_offset;
  made->device = from.device();
  made->on_device = c.on_device;
  if (c.allocation != model::no_allocation)
    made->pointer = static_cast<const std::byte*>(pointers[c.allocation]) + c.byte_offset;
  const machine& m = process::instance().machine;
  const device_entry& d = m.device(made->device);
  if (c.on_device && !d.owner->holds_control(d.index, made->what, c.bodies.size()))
    fail(
        "has a loop or branch that the device runs by itself, which this device's driver cannot; "
        "save it on this machine");
  if (!c.on_device && c.allocation != model::no_allocation &&
      from.allocations()[c.allocation].what.what == model::usm_kind::device &&
      !m.runs_on_team(made->device))
    fail("has a condition that the host cannot read");
  for (const auto& b : c.bodies) {
    graph_snapshot with_buffers;
    for (std::size_t i = 0; i < b.buffers.size(); ++i) {
      with_buffers.buffers.push_back(b.what->buffers()[i].info);
      with_buffers.externals.push_back(graph.externals[b.buffers[i]]);
      with_buffers.labels.push_back(graph.labels[b.buffers[i]]);
    }
    std::vector<void*> at;
    for (const std::uint32_t a : b.allocations) at.push_back(pointers[a]);
    loaded_graph body =
        load_graph(*b.what, kernels_of(*b.what), std::move(with_buffers), at, verify);
    body.recorded.kept_alive.push_back(b.what);
    body.recorded.kept_alive.push_back(file_);
    made->bodies.push_back({std::move(body.recorded), std::move(body.plan)});
  }
  return made;
}

std::shared_ptr<executable_graph> loader::load(bool verify) {
  check_machine();
  // So that a kernel that is not there is told before what is not bound.
  const kernel_list kernels = kernels_of(*file_);
  bind_buffers();
  bind_memories();
  const std::vector<binding> values = values_of_parameters();
  refuse_unused();
  loaded_graph made = load_graph(*file_, kernels, std::move(graph_), pointers_, verify);
  made.recorded.kept_alive.push_back(file_);
  auto graph = executable_graph::make_planned(std::move(made.recorded), device_,
                                              std::move(made.plan), file_->parameters());
  if (!values.empty()) graph->set_parameters(values);
  return graph;
}

}  // namespace

std::shared_ptr<executable_graph> load(const std::string& path, model::device_id device,
                                       const std::vector<binding>& bindings, bool verify) {
  return loader(path, device, bindings).load(verify);
}

}  // namespace pianola::runtime
