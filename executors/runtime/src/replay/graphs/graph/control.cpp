// SPDX-License-Identifier: Apache-2.0
// Loops and branches are added to graphs: what they run is planned here, as what their commands need follows from that.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/model/error.hpp>
#include <pianola/planner/bodies.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/controls.hpp>
#include <pianola/runtime/usm.hpp>

#include "commands/launch_checks.hpp"
#include "data/buffer_table.hpp"
#include "data/memory_parameters.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/graphs/condition_use.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/plans/find_plan.hpp"
#include "replay/recorded/control.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::control_kind;
using model::error_code;
using model::user_error;

namespace {

constexpr std::size_t no_buffer = ~std::size_t{0};

// As programs call it.
const char* word_for(control_kind what) noexcept {
  switch (what) {
    case control_kind::once:
      break;
    case control_kind::repeat:
      return "repeat";
    case control_kind::loop:
      return "while";
    case control_kind::branch:
      return "if";
    case control_kind::choice:
      return "switch";
  }
  return "graph";
}

std::string subject(control_kind what) { return std::string("add_") + word_for(what) + ": "; }

std::size_t find_buffer(const graph::snapshot& of, buffer_key key) {
  const auto at = std::find(of.externals.begin(), of.externals.end(), key.value() + 1);
  return at == of.externals.end() ? no_buffer : static_cast<std::size_t>(at - of.externals.begin());
}

bool writes_to(const graph::snapshot& g, std::size_t buffer, const model::box& elements) {
  for (const model::command& c : g.commands)
    for (const model::requirement& r : c.requirements)
      if (r.buffer.value() == buffer && model::writes(r.mode) && overlap(r.elements, elements))
        return true;
  return false;
}

// One more command at the end, which has the buffer up to date in the memory.
void append_acquire(graph::snapshot& to, std::size_t buffer, const model::box& elements,
                    model::device_id device, model::memory_id memory) {
  const auto needed = std::make_shared<model::requirement>();
  needed->buffer = model::buffer_id(static_cast<std::uint32_t>(buffer));
  needed->mode = model::access_mode::read;
  needed->memory = memory;
  needed->elements = elements;
  model::command c;
  c.payload = model::acquire_command{memory != model::host_memory};
  c.requirements = {needed.get(), 1};
  c.device = device;
  to.commands.push_back(c);
  to.kept_alive.push_back(needed);
}

// Whether the condition is in memory that the host does not reach.
bool is_on_device(const process& rt, const control_request& wanted, model::device_id device) {
  if (wanted.pointer == nullptr) return false;
  const memory_parameters::parameter p = memory_parameters::instance().find(wanted.pointer);
  pointer_query at = query_pointer(wanted.pointer);
  if (p.begin != 0) {
    at.kind = p.kind;
    at.device = p.device;
  }
  if (at.kind == usm_kind::device) {
    if (rt.machine.memory_of(at.device) != rt.machine.memory_of(device))
      throw user_error(error_code::feature_not_supported,
                       subject(wanted.what) +
                           "the condition is in the memory of another device than the graph's; use "
                           "a buffer of one element, which moves");
    return true;
  }
  if (at.kind != usm_kind::host && at.kind != usm_kind::shared)
    throw user_error(error_code::invalid,
                     subject(wanted.what) +
                         "the pointer to the condition points to no USM allocation; allocate it "
                         "with malloc_shared or malloc_host, or use a buffer of one element");
  return false;
}

// Whether graphs of the device can hold it, see backend::holds_control.
bool runs_on_one_device(const graph::snapshot& body, model::device_id device,
                        model::memory_id memory) {
  const auto is_there = [&](const model::memory_operand& o) {
    return o.requirement != model::memory_operand::no_requirement || o.memory == memory;
  };
  const auto runs_there = [&](const model::command& c) {
    switch (model::kind_of(c.payload)) {
      case model::command_kind::kernel:
        return !std::get<model::kernel_command>(c.payload).indirect.used;
      case model::command_kind::copy: {
        const auto& copy = std::get<model::copy_command>(c.payload);
        return is_there(copy.source) && is_there(copy.destination);
      }
      case model::command_kind::fill:
        return is_there(std::get<model::fill_command>(c.payload).destination);
      case model::command_kind::subgraph:
        return control_of(c) != nullptr && control_of(c)->on_device;
      case model::command_kind::host_task:
      case model::command_kind::host_access:
        return false;
      case model::command_kind::empty:
      case model::command_kind::barrier:
      case model::command_kind::prefetch:
      case model::command_kind::advise:
      case model::command_kind::acquire:
      case model::command_kind::allocate:
      case model::command_kind::free:
        break;
    }
    return true;
  };
  return body.staged.empty() &&
         std::all_of(body.commands.begin(), body.commands.end(), [&](const model::command& c) {
           return c.device == device && c.candidates.empty() && runs_there(c) &&
                  std::all_of(c.requirements.begin(), c.requirements.end(), [&](const auto& r) {
                    return !r.memory.valid() || r.memory == memory;
                  });
         });
}

class control_maker {
 public:
  control_maker(process& rt, const control_request& wanted, model::device_id device)
      : rt_(rt), wanted_(wanted), made_(std::make_shared<control>()) {
    made_->what = wanted.what;
    made_->count = wanted.count;
    made_->bytes = wanted.bytes;
    made_->is_signed = wanted.is_signed;
    made_->pointer = wanted.pointer;
    made_->device = device;
  }

  // Where the command runs: a thread that looks at conditions belongs to the team.
  [[nodiscard]] model::device_id where() const {
    return made_->on_device || rt_.machine.runs_on_team(made_->device) ? made_->device
                                                                       : rt_.machine.host_device();
  }
  // Where it finds the condition; invalid: where it runs.
  [[nodiscard]] model::memory_id memory() const {
    return made_->on_device ? model::memory_id() : model::host_memory;
  }

  // Plans it for the device's own graph, with the condition that is an accessor of the submission. False if it cannot run
  // there; then another one is to be made.
  [[nodiscard]] bool try_on_device(const submission& s) {
    const device_entry& d = rt_.machine.device(made_->device);
    // Negative numbers must be beyond the last body.
    const bool small = wanted_.bytes > 1 || made_->bodies.size() < 128;
    made_->on_device =
        small &&
        std::all_of(made_->bodies.begin(), made_->bodies.end(),
                    [&](const control::body& b) {
                      return runs_on_one_device(b.recorded, made_->device,
                                                rt_.machine.memory_of(made_->device));
                    }) &&
        d.owner->holds_control(d.index, wanted_.what, made_->bodies.size());
    if (!made_->on_device) return false;
    if (wanted_.in_buffer) {
      const std::lock_guard runtime_lock(rt_.mutex);
      take_condition(s.accessors[0]);
    }
    make_plans();
    return std::all_of(made_->bodies.begin(), made_->bodies.end(), [](const control::body& b) {
      return planner::follows_itself(b.plan) && !moves_anything(b.plan);
    });
  }

  void take_bodies(const recorder::command_graph& into) {
    for (const auto& given : wanted_.bodies) {
      if (given->is_of(into))
        throw user_error(error_code::invalid,
                         subject(wanted_.what) +
                             "a graph cannot be its own body; record the body into another graph");
      if (given->device() != made_->device)
        throw user_error(error_code::invalid, subject(wanted_.what) +
                                                  "the body was finalized for another device than "
                                                  "the graph's");
      graph::snapshot body = given->recorded();
      if (body.commands.empty())
        throw user_error(error_code::invalid, subject(wanted_.what) +
                                                  "the body is a graph without nodes, which would "
                                                  "do nothing; add nodes to it first");
      if (wanted_.what == control_kind::loop && wanted_.pointer != nullptr &&
          !may_use(rt_, body, wanted_.pointer))
        throw user_error(error_code::invalid,
                         subject(wanted_.what) +
                             "no command of the body uses the memory of the condition, so the loop "
                             "would never end; have a kernel of the body write it, or, if another "
                             "thread is to end the loop, a host task read it");
      // What they hold outlasts an iteration.
      for (model::buffer_info& b : body.buffers) b.temporary = b.evictable = false;
      const std::size_t own = body.commands.size();
      made_->bodies.push_back({std::move(body), {}, own});
    }
  }

  // In device memory: a buffer of the graph's gets it from there, after each iteration, and decides.
  accessor_request copy_condition() {
    buffer_description d;
    d.info.grid = model::page_grid(model::extent3{{1, 1, 1}});
    d.info.element_size = wanted_.bytes;
    d.own = true;
    const buffer_key key = create_buffer(d);
    kept_ = std::shared_ptr<void>(nullptr, [key](std::nullptr_t) { destroy_buffer(key, false); });
    made_->pointer = nullptr;
    accessor_request a;
    a.buffer = key;
    a.mode = model::access_mode::read;
    a.elements = model::box::of({{1, 1, 1}});
    if (wanted_.what != control_kind::loop) return a;
    // Memory makes no edges: behind everything.
    graph::snapshot& body = made_->bodies.front().recorded;
    struct referred {
      model::requirement flag;
      std::vector<std::uint64_t> after;
    };
    const auto own = std::make_shared<referred>();
    std::vector<char> followed(body.commands.size(), 0);
    for (const model::command& c : body.commands)
      for (const std::uint64_t before : c.after) followed[before] = 1;
    for (std::size_t i = 0; i < followed.size(); ++i)
      if (followed[i] == 0) own->after.push_back(i);
    own->flag = written_flag(model::buffer_id(static_cast<std::uint32_t>(body.buffers.size())));
    body.buffers.push_back(d.info);
    body.externals.push_back(key.value() + 1);
    body.labels.push_back("");
    body.commands.push_back(copy_to_flag(own->flag, own->after));
    body.kept_alive.push_back(own);
    body.kept_alive.push_back(kept_);
    return a;
  }
  static model::requirement written_flag(model::buffer_id flag) {
    return {flag, model::access_mode::write, true, {}, model::box::of({{1, 1, 1}})};
  }
  [[nodiscard]] model::command copy_to_flag(const model::requirement& flag,
                                            const std::vector<std::uint64_t>& after) const {
    model::copy_command copy;
    copy.source.pointer = const_cast<void*>(wanted_.pointer);
    copy.source.memory = rt_.machine.memory_of(made_->device);
    copy.destination.requirement = 0;
    copy.width = wanted_.bytes;
    model::command c;
    c.payload = copy;
    c.requirements = {&flag, 1};
    c.after = after;
    c.device = made_->device;
    c.label = "condition";
    return c;
  }
  // What lives as long as the command.
  [[nodiscard]] const std::shared_ptr<void>& kept() const noexcept { return kept_; }

  // It is looked at after each iteration. The runtime's lock is held.
  void take_condition(const accessor_request& a) {
    const model::buffer_info& info = rt_.buffers.living(a.buffer).info;
    check_request(a, info);
    made_->byte_offset = linear(a.elements.lo, info.grid.range()) * info.element_size;
    if (wanted_.what != control_kind::loop) return;
    graph::snapshot& body = made_->bodies.front().recorded;
    const std::size_t known = find_buffer(body, a.buffer);
    if (known == no_buffer || !writes_to(body, known, a.elements))
      throw user_error(error_code::invalid,
                       subject(wanted_.what) +
                           "no command of the body writes the condition, so the loop would never "
                           "end; have a kernel of the body write it");
    append_acquire(body, known, a.elements, where(), memory());
  }

  // What every body leaves is brought where every other one leaves it.
  void bring_together(const std::vector<std::uint64_t>& externals) {
    const model::memory_id memory = rt_.machine.memory_of(made_->device);
    for (control::body& b : made_->bodies)
      for (std::size_t i = 0; i < b.recorded.externals.size(); ++i)
        if (std::find(externals.begin(), externals.end(), b.recorded.externals[i]) !=
            externals.end())
          append_acquire(b.recorded, i, model::box::of(b.recorded.buffers[i].grid.range()),
                         made_->device, memory);
  }

  void plan() {
    make_plans();
    for (const control::body& b : made_->bodies)
      if (!planner::follows_itself(b.plan))
        throw user_error(error_code::feature_not_supported,
                         subject(wanted_.what) +
                             "the body leaves data elsewhere than it needs it in the next "
                             "iteration; a graph of one device does not do that");
  }

  // A loop whose data does not stay where it is takes its time for moving: nothing is wrong with it, but few mean it. The
  // condition has to move.
  void tell_what_moves() const {
    if (wanted_.what != control_kind::loop && wanted_.what != control_kind::repeat) return;
    if (current_log_level() < log_level::info) return;
    std::uint64_t moved = 0, most = 0;
    const planner::transfer_step* largest = nullptr;
    const control::body& body = made_->bodies.front();
    for (const planner::step& step : body.plan.steps) {
      const auto* const t = std::get_if<planner::transfer_step>(&step.action);
      if (t == nullptr) continue;
      const std::uint64_t bytes =
          t->elements.count() * body.recorded.buffers[t->buffer.value()].element_size;
      if (bytes <= wanted_.bytes) continue;
      moved += bytes;
      if (bytes <= most) continue;
      most = bytes;
      largest = t;
    }
    if (largest == nullptr) return;
    const std::string& label = body.recorded.labels[largest->buffer.value()];
    log_info(
        "add_{}: the body moves {} bytes in each iteration, {} of them of buffer {} from memory {} "
        "to memory {}; what stays on one device is faster",
        word_for(wanted_.what), moved, most,
        label.empty() ? std::to_string(largest->buffer.value()) : fmt::format("'{}'", label),
        largest->from.value(), largest->to.value());
  }

  [[nodiscard]] std::uint64_t nodes() const {
    std::uint64_t n = 0;
    for (const control::body& b : made_->bodies) n += b.recorded.commands.size();
    return n;
  }
  [[nodiscard]] const std::shared_ptr<control>& made() const noexcept { return made_; }

 private:
  void make_plans() {
    for (control::body& b : made_->bodies) {
      b.recorded.hash = recorder::structural_hash(b.recorded.commands, b.recorded.buffers);
      b.plan = find_plan(rt_, b.recorded, {}, true, [&](model::buffer_id id) {
                 return fmt::format("buffer {}", id.value());
               }).plan;
    }
  }
  static bool moves_anything(const planner::plan& p) noexcept {
    return std::any_of(p.steps.begin(), p.steps.end(), [](const planner::step& s) {
      return std::holds_alternative<planner::transfer_step>(s.action);
    });
  }
  static std::uint64_t linear(const model::point3& at, const model::extent3& whole) noexcept {
    return (at.c[0] * whole.c[1] + at.c[1]) * whole.c[2] + at.c[2];
  }

  process& rt_;
  const control_request& wanted_;
  std::shared_ptr<control> made_;
  std::shared_ptr<void> kept_;
};

}  // namespace

// What the bodies need and leave, as requirements of the command that runs them; `names`: their buffers here.
static std::vector<model::requirement> requirements_of_bodies(
    process& rt, control_maker& maker, const control_request& wanted, model::device_id device,
    const recorder::command_graph& storage, const std::vector<std::vector<model::buffer_id>>& names,
    bool planned) {
  const auto find = [&] {
    std::vector<planner::body> bodies;
    for (std::size_t i = 0; i < names.size(); ++i)
      bodies.push_back({&maker.made()->bodies[i].plan, names[i]});
    return planner::requirements_of(bodies, rt.machine.memory_of(device),
                                    wanted.what == control_kind::repeat && wanted.count != 0);
  };
  if (!planned) maker.plan();
  planner::body_requirements found = find();
  if (!found.apart.empty()) {
    std::vector<std::uint64_t> externals;
    for (const model::buffer_id b : found.apart) externals.push_back(storage.external(b));
    maker.bring_together(externals);
    maker.plan();
    found = find();
  }
  if (!found.apart.empty())
    throw user_error(error_code::feature_not_supported,
                     subject(wanted.what) +
                         "its graphs leave what they write in memories of different devices; have "
                         "each of them end on the graph's own device");
  return std::move(found.needed);
}

model::command_id graph::append_control(submission& s, std::vector<std::uint64_t> after) {
  process& rt = process::instance();
  const control_request& wanted = *s.control;
  if (s.accessors.size() != (wanted.in_buffer ? 1U : 0U))
    throw user_error(error_code::invalid,
                     subject(wanted.what) +
                         "the command group has accessors, of which a loop or branch has no use: "
                         "what its graphs work on is known");
  const bool beyond_host = is_on_device(rt, wanted, device_);
  std::optional<control_maker> maker(std::in_place, rt, wanted, device_);
  maker->take_bodies(*recorded_.storage());
  const bool on_device = !loops_are_the_hosts_ && maker->try_on_device(s);
  if (!on_device) {
    maker.emplace(rt, wanted, device_);
    maker->take_bodies(*recorded_.storage());
  }
  const std::shared_ptr<control>& made = maker->made();

  model::subgraph_command payload{made.get(), maker->nodes(), wanted.what, wanted.count,
                                  static_cast<std::uint32_t>(made->bodies.size())};
  std::vector<model::requirement> requirements;
  const bool copied = beyond_host && !on_device;
  if (wanted.in_buffer || copied) {
    const accessor_request a = copied ? maker->copy_condition() : s.accessors[0];
    const std::lock_guard runtime_lock(rt.mutex);
    const buffer_entry& b = rt.buffers.living(a.buffer);
    if (!on_device) maker->take_condition(a);
    payload.condition = 0;
    if (copied) {
      const model::requirement flag =
          maker->written_flag(recorded_.add_buffer(b.info, a.buffer.value() + 1, ""));
      recorded_.keep(maker->kept());
      after.assign(1, recorded_.append(maker->copy_to_flag(flag, after)).value());
    }
    requirements.push_back({recorded_.add_buffer(b.info, a.buffer.value() + 1, b.label.c_str()),
                            model::access_mode::read, false, maker->memory(), a.elements});
  }
  std::vector<std::vector<model::buffer_id>> names;
  for (const control::body& b : made->bodies) {
    take_turns_with(b.recorded, after);
    std::vector<model::buffer_id>& own = names.emplace_back();
    for (std::size_t i = 0; i < b.recorded.buffers.size(); ++i)
      own.push_back(recorded_.add_buffer(b.recorded.buffers[i], b.recorded.externals[i],
                                         b.recorded.labels[i]));
  }
  const std::vector<model::requirement> of_bodies =
      requirements_of_bodies(rt, *maker, wanted, device_, *recorded_.storage(), names, on_device);
  requirements.insert(requirements.end(), of_bodies.begin(), of_bodies.end());

  maker->tell_what_moves();

  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  model::command command;
  command.payload = payload;
  command.requirements = requirements;
  command.after = after;
  command.device = maker->where();
  command.label = *s.label != '\0' ? s.label : word_for(wanted.what);
  for (const std::shared_ptr<void>& kept : s.kept_alive) recorded_.keep(kept);
  recorded_.keep(made);
  const model::command_id last = recorded_.append(command);
  for (const control::body& b : made->bodies) note_turn(b.recorded, last);
  return last;
}

void graph::keep_buffers_of_bodies(snapshot& s) {
  bool any = false;
  for (const model::command& c : s.commands) {
    if (control_of(c) == nullptr) continue;
    for (const model::requirement& r : c.requirements) {
      model::buffer_info& b = s.buffers[r.buffer.value()];
      any = any || b.temporary || b.evictable;
      b.temporary = b.evictable = false;
    }
  }
  if (any) s.hash = recorder::structural_hash(s.commands, s.buffers);
}

}  // namespace pianola::runtime
