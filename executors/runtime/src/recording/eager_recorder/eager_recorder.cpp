// SPDX-License-Identifier: Apache-2.0
#include "recording/eager_recorder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>
#include <variant>

#include <unistd.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/json_writer.hpp>
#include <pianola/journal/run.hpp>
#include <pianola/model/payload_members.hpp>
#include <pianola/planner/check/check.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/run_folder.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "commands/names.hpp"
#include "commands/usm_accesses.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "queues/queue.hpp"
#include "recording/call_places.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using journal::head_of;
using journal::record_kind;

namespace {

std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

std::uint64_t* put_text(std::uint64_t* to, std::string_view text) {
  *to++ = text.size();
  if (text.empty()) return to;
  to[words_for(text.size()) - 1] = 0;
  std::memcpy(to, text.data(), text.size());
  return to + words_for(text.size());
}

std::uint64_t* put_point(std::uint64_t* to, const model::point3& p) {
  return std::copy(p.c, p.c + 3, to);
}

// Mostly none or one, for which a loop over vectors of words takes longer to begin than to run.
std::uint64_t* put_words(std::uint64_t* to, const std::vector<std::uint64_t>& words) {
  if (words.size() > 1) [[unlikely]]
    return std::copy(words.begin(), words.end(), to);
  if (!words.empty()) *to++ = words.front();
  return to;
}

// Numbers and cookies are none.
bool may_be_pointer(std::uint64_t word) { return word >= 4096 && word >> 47 == 0; }

}  // namespace

void eager_recorder::give_up() noexcept {
  over_ = true;
  log_warn("PIANOLA_RECORD: no memory to record more than the first {} commands", commands_);
}

void eager_recorder::tell(record_kind kind, std::initializer_list<std::uint64_t> words) {
  record_ring& ring = journal_->ring();
  std::uint64_t* const r = ring.reserve(1 + words.size());
  r[0] = head_of(kind, 1 + words.size());
  std::copy(words.begin(), words.end(), r + 1);
  ring.commit(r);
}

void eager_recorder::tell_time(std::uint64_t command, std::uint64_t from, std::uint64_t to) {
  tell(record_kind::measured, {command, to - from, from - std::min(from, began_)});
}

void eager_recorder::tell_machine() {
  told_devices_ = topology_.devices.size();
  const std::string text = recorder::to_json(topology_);
  record_ring& ring = journal_->ring();
  std::uint64_t* const r = ring.reserve(3 + words_for(text.size()));
  r[1] = host_.value();
  r[0] = head_of(record_kind::machine, static_cast<std::uint64_t>(put_text(r + 2, text) - r));
  ring.commit(r);
}

void eager_recorder::tell_text(std::uint32_t number, std::string_view text) {
  record_ring& ring = journal_->ring();
  std::uint64_t* const r = ring.reserve(3 + words_for(text.size()));
  r[1] = number;
  r[0] = head_of(record_kind::text, static_cast<std::uint64_t>(put_text(r + 2, text) - r));
  ring.commit(r);
}

std::uint32_t eager_recorder::text_number(std::string_view text) {
  if (next_text_ != 0 && text == last_text_) return last_text_number_;
  last_text_ = text;
  if (texts_.size() >= most_texts) texts_.clear();
  const auto [at, fresh] = texts_.try_emplace(last_text_, 0);
  if (fresh) {
    at->second = ++next_text_;
    tell_text(next_text_, text);
  }
  return last_text_number_ = at->second;
}

std::uint32_t eager_recorder::placed_number(std::string_view what) {
  const std::uint32_t place = call_place();
  if (place == 0) return text_number(what);
  if (placed_.size() >= most_texts) placed_.clear();
  placed_text& known = placed_[std::uint64_t{place} << 32 ^ std::hash<std::string_view>()(what)];
  if (known.number == 0 || known.place != place || known.what != what)
    known = {std::string(what), place, text_number(at_place(what, place))};
  return known.number;
}

std::uint32_t eager_recorder::label_of(const model::command& command) {
  const auto* k = std::get_if<model::kernel_command>(&command.payload);
  if (k == nullptr && *command.label == '\0') return placed_number(display_name(command));
  if (k == nullptr || k->kernel == nullptr) return placed_number(label_for_files(command));
  if (*command.label != '\0' && std::strcmp(command.label, k->kernel->name) != 0)
    return placed_number(command.label);
  if (k->id.value() == last_kernel_ && last_kernel_label_ != 0) return last_kernel_label_;
  last_kernel_ = k->id.value();
  const auto known = kernels_.find(last_kernel_);
  if (known != kernels_.end()) return last_kernel_label_ = known->second;
  if (kernels_.size() >= most_texts) kernels_.clear();
  // Where it is submitted first; looking each time would take longer than submitting.
  last_kernel_label_ = text_number(at_place(label_for_files(command), call_place()));
  kernels_[last_kernel_] = last_kernel_label_;
  return last_kernel_label_;
}

void eager_recorder::tell_buffer(model::buffer_id live, const buffer_entry& b, std::uint64_t key) {
  record_ring& ring = journal_->ring();
  std::uint64_t* const r = ring.reserve(10 + words_for(b.label.size()));
  r[1] = key;
  std::uint64_t* at = put_point(put_point(r + 2, b.info.grid.range()), b.info.grid.page());
  *at++ = std::uint64_t{b.info.element_size} << 8 | b.info.dimensions |
          (b.unwritten ? journal::unwritten_buffer : 0);
  r[0] = head_of(record_kind::buffer, static_cast<std::uint64_t>(put_text(at, b.label) - r));
  ring.commit(r);
  if (told_buffers_.size() <= live.value()) told_buffers_.resize(live.value() + 1, 0);
  told_buffers_[live.value()] = key + 1;
}

std::uint64_t eager_recorder::name(model::buffer_id live, const buffer_entry& b) {
  const std::uint64_t key = buffer_table::key_of(live, b).value();
  if (live.value() >= told_buffers_.size() || told_buffers_[live.value()] != key + 1) [[unlikely]]
    tell_buffer(live, b, key);
  return key;
}

// By what launches that are not the same seldom have in common.
static std::uint64_t hash_of_launch(const model::kernel_command& kernel,
                                    const model::argument_block& arguments) {
  const std::string_view bytes(static_cast<const char*>(arguments.bytes), arguments.size);
  return kernel.id.value() ^ std::hash<std::string_view>()(bytes);
}

static bool same_space(const model::launch_geometry& a, const model::launch_geometry& b) noexcept {
  return a.dimensions == b.dimensions && a.grouped == b.grouped && a.global == b.global &&
         a.local == b.local && a.offset == b.offset;
}

void eager_recorder::add_accesses(const model::kernel_command& kernel,
                                  const model::argument_block& arguments) {
  if (kernel.kernel == nullptr || kernel.kernel->facts == nullptr || arguments.bytes == nullptr)
    return;
  if (launches_known_.size() >= most_texts) launches_known_.clear();
  const auto* const bytes = static_cast<const unsigned char*>(arguments.bytes);
  known_launch& known = launches_known_[hash_of_launch(kernel, arguments)];
  // Finding out takes longer than submitting, and programs launch the same again.
  if (known.facts != kernel.kernel->facts || !same_space(known.geometry, kernel.geometry) ||
      !std::equal(known.arguments.begin(), known.arguments.end(), bytes, bytes + arguments.size)) {
    known.facts = kernel.kernel->facts;
    known.geometry = kernel.geometry;
    known.arguments.assign(bytes, bytes + arguments.size);
    known.accesses.clear();
    // Addresses of buffers are among them, which the journal knows no allocation for.
    for (const pointer_access& a : pointer_accesses(kernel, arguments, 0)) {
      const std::uint64_t how = (a.read ? journal::access_reads : 0) |
                                (a.written ? journal::access_writes : 0) |
                                (a.exact ? journal::access_is_exact : 0);
      known.accesses.insert(known.accesses.end(),
                            {journal::access_head(a.pointer, how), a.begin, a.end});
    }
  }
  accesses_.insert(accesses_.end(), known.accesses.begin(), known.accesses.end());
}

void eager_recorder::reads_buffers(const model::kernel_command& kernel,
                                   const model::argument_block& arguments,
                                   model::array_view<const model::argument_slot> slots,
                                   model::array_view<const model::requirement> requirements) {
  if (over_ || !facts_) return;
  const buffer_table& buffers = process::instance().buffers;
  if (std::none_of(requirements.begin(), requirements.end(),
                   [&](const model::requirement& r) { return buffers[r.buffer].unwritten; }))
    return;
  for (const certain_read& r : certain_reads(kernel, arguments, slots, requirements.size())) {
    const buffer_entry& b = buffers[requirements[r.requirement].buffer];
    const std::uint64_t end = std::min(r.end, b.info.bytes());
    if (!b.unwritten || r.begin >= end) continue;
    accesses_.push_back(journal::access_head(r.requirement, journal::access_reads |
                                                                journal::access_is_exact |
                                                                journal::access_of_buffer));
    accesses_.push_back(r.begin);
    accesses_.push_back(end);
  }
}

void eager_recorder::submitting(queue& q, const submission& s) {
  if (over_) return;
  replay_ = 0;
  queue_ = q.id();
  const bool in_order = q.description().in_order;
  flags_ = journal::from_queue | (in_order ? journal::in_order : 0);
  after_.clear();
  pointers_.clear();
  accesses_.clear();
  for (const event& e : s.after)
    if (e.step.valid()) after_.push_back(e.step.value());
  const model::step_id last = in_order ? q.last_step : q.barrier_step;
  if (last.valid()) after_.push_back(last.value());
  if (std::holds_alternative<model::barrier_command>(s.payload) && s.after.empty())
    flags_ |= journal::closes;
  const auto* kernel = std::get_if<model::kernel_command>(&s.payload);
  if (kernel == nullptr) return;
  const model::argument_block arguments = s.arguments.block();
  if (facts_) [[unlikely]]
    add_accesses(*kernel, arguments);
  const auto* bytes = static_cast<const unsigned char*>(arguments.bytes);
  for (std::size_t at = 0; bytes != nullptr && at + 8 <= arguments.size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (may_be_pointer(word)) pointers_.push_back(word);
  }
}

std::uint64_t* eager_recorder::write_steps(process& rt, std::uint64_t* to,
                                           const planner::plan& window) {
  for (const planner::step& s : window.steps) {
    const auto* e = std::get_if<planner::execute_step>(&s.action);
    const auto waits = window.waits_of(s);
    const model::device_id device = e != nullptr ? e->device : rt.state.device_of(s.lane);
    *to++ = journal::step_head(s.lane.value(), device.value(), waits.size(), e == nullptr);
    if (const auto* t = std::get_if<planner::transfer_step>(&s.action)) {
      *to++ = buffer_table::key_of(t->buffer, rt.buffers[t->buffer]).value();
      *to++ = t->from.value() | std::uint64_t{t->to.value()} << 16;
      to = put_point(put_point(to, t->elements.lo), t->elements.hi);
    }
    for (const model::step_id w : waits) *to++ = w.value();
  }
  return to;
}

void eager_recorder::add_operands(const model::command& command) {
  const auto add = [this](const void* pointer) {
    pointers_.push_back(reinterpret_cast<std::uintptr_t>(pointer));
  };
  model::for_each_memory(
      command.payload, [&](const model::memory_operand& o, const auto&) { add(o.pointer); }, add);
}

void eager_recorder::name_all(process& rt,
                              model::array_view<const model::requirement> requirements) {
  names_.clear();
  for (const model::requirement& r : requirements) {
    const buffer_entry& b = rt.buffers[r.buffer];
    names_.push_back({name(r.buffer, b), r.elements == model::box::of(b.info.grid.range())});
  }
}

void eager_recorder::name_graph(std::uint64_t recorded, std::string name) {
  graph_names_.try_emplace(recorded, std::move(name));
}

std::uint64_t eager_recorder::tell_replays(process& rt, const model::command& replay,
                                           const std::vector<model::requirement>& requirements,
                                           std::uint64_t recorded) {
  if (over_) return 0;
  name_all(rt, requirements);
  // They may be in several places.
  const auto name = graph_names_.find(recorded);
  const std::uint32_t label =
      text_number(name != graph_names_.end() ? name->second : label_for_files(replay));
  record_ring& ring = journal_->ring();
  std::uint64_t* const record = ring.reserve(
      2 + requirements.size() * journal::most_requirement_words + journal::most_payload_words);
  record[1] = ++replays_;
  const std::uint64_t* const end =
      journal::write_command(record + 2, replay, label, requirements, names_.data());
  record[0] = head_of(record_kind::replays, static_cast<std::uint64_t>(end - record));
  ring.commit(record);
  return replays_;
}

void eager_recorder::replaying(const process& rt, queue& q, const submission& s,
                               const outside_events& outside, std::uint64_t number) {
  if (over_) return;
  submitting(q, s);
  outside.for_each(rt.queues, [&](model::step_id step) {
    if (step.valid()) after_.push_back(step.value());
  });
  replay_ = number;
}

void eager_recorder::planned(process& rt, model::array_view<const model::command> commands,
                             const planner::plan& window) {
  const bool settlement = std::exchange(settling_, false);
  const model::command& command = commands[0];
  if (std::holds_alternative<model::host_access_command>(command.payload) || settlement ||
      flags_ == 0) {
    flags_ = settlement ? journal::settlement : 0;
    queue_ = 0;
    replay_ = 0;
    after_.clear();
    pointers_.clear();
    accesses_.clear();
  }
  if (over_) return;
  if (told_devices_ != topology_.devices.size()) tell_machine();
  std::uint32_t label = 0;
  std::size_t requirements = 0;
  if (replay_ != 0) {
    flags_ |= journal::by_number;
  } else if (!settlement) {
    requirements = command.requirements.size();
    name_all(rt, command.requirements);
    label = label_of(command);
    if (!std::holds_alternative<model::kernel_command>(command.payload)) add_operands(command);
  }
  for (const planner::step& s : window.steps)
    if (const auto* t = std::get_if<planner::transfer_step>(&s.action))
      static_cast<void>(name(t->buffer, rt.buffers[t->buffer]));

  record_ring& ring = journal_->ring();
  std::uint64_t* const record =
      ring.reserve(8 + after_.size() + pointers_.size() + accesses_.size() +
                   window.steps.size() * (1 + journal::transfer_words) + window.waits.size() +
                   requirements * journal::most_requirement_words + journal::most_payload_words);
  std::uint64_t* to = record + 1;
  *to++ = queue_;
  *to++ = rt.state.retired().value();
  *to++ = window.first_step;
  *to++ = after_.size() | std::uint64_t{window.steps.size()} << 32;
  *to++ = pointers_.size() | std::uint64_t{accesses_.size() / journal::access_words} << 32;
  to = put_words(to, after_);
  to = write_steps(rt, to, window);
  to = put_words(to, pointers_);
  to = put_words(to, accesses_);
  if (replay_ != 0)
    *to++ = replay_;
  else if (!settlement)
    to = journal::write_command(to, command, label, command.requirements, names_.data());
  record[0] = head_of(record_kind::command, static_cast<std::uint64_t>(to - record), flags_);
  ring.commit(record);
  if (!settlement) ++commands_;
  flags_ = 0;
  replay_ = 0;
}

void eager_recorder::allocated(const user_allocation& found) {
  const model::memory_id memory =
      found.kind == usm_kind::host ? model::host_memory : topology_.memory_of(found.device);
  journal_->ring().put_beside(
      {head_of(record_kind::allocation, 5), found.serial,
       reinterpret_cast<std::uintptr_t>(found.base), found.bytes,
       std::uint64_t{memory.value()} << 8 | static_cast<std::uint64_t>(found.kind)});
}

void eager_recorder::freed(std::uint64_t serial) noexcept {
  try {
    journal_->ring().put_beside({head_of(record_kind::freed, 2), serial});
  } catch (const std::bad_alloc&) {
    // It counts as there, then.
    return;
  }
}

void eager_recorder::replays_end(std::uint64_t number) noexcept {
  try {
    journal_->ring().put_beside({head_of(record_kind::replays_end, 2), number});
  } catch (const std::bad_alloc&) {
    // What is known of it stays.
    return;
  }
}

void eager_recorder::host_waited(model::step_id step, const char* how) {
  if (over_ || commands_ == 0 || step.value() == last_waited_step_) return;
  last_waited_step_ = step.value();
  tell(record_kind::host_waited, {step.value(), placed_number(how)});
}

void eager_recorder::host_waited_for_queue(const queue& q, std::uint64_t below) {
  const std::pair<std::uint64_t, std::uint64_t> now{q.id(), below};
  if (over_ || commands_ == 0 || now == last_waited_queue_) return;
  last_waited_queue_ = now;
  tell(record_kind::queue_waited, {q.id(), below, placed_number("host waits for queue")});
}

void eager_recorder::host_waited_for_buffer(process& rt, model::buffer_id buffer) {
  if (over_ || commands_ == 0) return;
  const std::uint64_t key = buffer_table::key_of(buffer, rt.buffers[buffer]).value();
  // Nothing has used another one.
  if (buffer.value() < told_buffers_.size() && told_buffers_[buffer.value()] == key + 1)
    tell(record_kind::buffer_ended, {key, placed_number("buffer ends")});
}

void note_host_wait(model::step_id step, const char* how) noexcept {
  process* rt = process::started();
  if (rt == nullptr || rt->recording == nullptr || !step.valid()) [[likely]]
    return;
  callback_lock lock(rt->mutex);
  try {
    rt->recording->host_waited(step, how);
  } catch (const std::bad_alloc&) {
    rt->recording->give_up();
  }
}

// Those that have ended are told at once, so that only what runs is kept.
void eager_recorder::write_settled_times() {
  for (int looks = 0; looks < 4 && !timed_.empty(); ++looks) {
    auto& [command, record] = timed_.front();
    const std::uint64_t from = record->started.load(std::memory_order_acquire);
    const std::uint64_t to = record->ended.load(std::memory_order_acquire);
    if (to == 0) {
      timed_.push_back(std::move(timed_.front()));
    } else if (from != 0 && to > from) {
      tell_time(command, from, to);
    }
    timed_.pop_front();
  }
}

bool eager_recorder::times_of(const queue& q) const noexcept {
  return times_ || (writes_files() && q.description().profiling);
}

void eager_recorder::timed(std::shared_ptr<event_record> record) {
  if (over_ || commands_ == 0) return;
  timed_.emplace_back(commands_ - 1, std::move(record));
  write_settled_times();
}

namespace {

// False: it has not ended.
bool take_times(graph_times& of, const event_record& launch) {
  if (launch.ended.load(std::memory_order_acquire) == 0) return false;
  const launch_times& all = *launch.nodes;
  graph_times::launch kept{launch.submitted.load(std::memory_order_relaxed), {}};
  for (std::size_t i = 0; i < std::min(of.count, all.count); ++i) {
    const std::uint64_t from = all.started[i].load(std::memory_order_relaxed);
    const std::uint64_t to = all.ended[i].load(std::memory_order_relaxed);
    kept.times.emplace_back(from, to);
    if (from == 0 || to <= from) continue;
    std::atomic<std::uint64_t>& least = of.least[i];
    const std::uint64_t before = least.load(std::memory_order_relaxed);
    if (before == 0 || to - from < before) least.store(to - from, std::memory_order_relaxed);
  }
  of.places = all.at;
  of.keep(std::move(kept));
  return true;
}

}  // namespace

void eager_recorder::timed_nodes(std::shared_ptr<graph_times> of,
                                 std::shared_ptr<event_record> launch) {
  if (over_) return;
  launches_.emplace_back(std::move(of), std::move(launch));
  for (int looks = 0; looks < 4 && !launches_.empty(); ++looks) {
    auto first = std::move(launches_.front());
    launches_.pop_front();
    if (!take_times(*first.first, *first.second)) launches_.push_back(std::move(first));
  }
}

void eager_recorder::keep_for_times(std::string path, recorder::command_graph graph,
                                    std::shared_ptr<const graph_times> times) {
  timed_graphs_.push_back({std::move(path), std::move(graph), std::move(times)});
}

// Format pianola.launches/1.
static std::string launches_json(const graph_times& of, std::uint64_t graph_hash) {
  using lines = formats::json_writer::layout;
  formats::json_writer json;
  json.open_object(lines::lines).key("format").text("pianola.launches/1");
  json.key("graph_hash").hexadecimal(graph_hash);
  json.key("commands").open_array(lines::lines);
  for (const command_places::place& p : of.places->places) {
    json.open_object().key("device");
    if (p.device.valid())
      json.number(std::uint64_t{p.device.value()});
    else
      json.null();
    json.key("lane").number(std::uint64_t{p.lane}).close();
  }
  json.close().key("left_out").number(of.left_out);
  // They are kept as somebody has seen them end.
  std::vector<const graph_times::launch*> launches;
  for (const graph_times::launch& l : of.launches) launches.push_back(&l);
  std::sort(launches.begin(), launches.end(),
            [](const auto* a, const auto* b) { return a->submitted < b->submitted; });
  json.key("launches").open_array(lines::lines);
  for (const graph_times::launch* l : launches) {
    json.open_object().key("submit").number(l->submitted).key("start").open_array();
    for (const auto& [from, to] : l->times) json.number(from);
    json.close().key("end").open_array();
    for (const auto& [from, to] : l->times) json.number(to);
    json.close().close();
  }
  json.close().close();
  return json.finish();
}

// The files of graphs have been there since they were finalized; here they get what was measured since.
void eager_recorder::write_times() const {
  for (const timed_graph& t : timed_graphs_) {
    if (t.times->changed) continue;
    recorder::measured_times measured;
    for (std::size_t i = 0; i < t.times->count; ++i)
      if (const std::uint64_t least = t.times->least[i].load(std::memory_order_relaxed); least != 0)
        measured.set(model::command_id(static_cast<std::uint32_t>(i)),
                     static_cast<double>(least) * 1e-9);
    formats::write_file(t.path, recorder::to_json(t.graph, topology_, measured));
    constexpr std::string_view ending = ".graph.json";
    if (t.times->places != nullptr && !t.times->places->in_parts)
      formats::write_file(t.path.substr(0, t.path.size() - ending.size()) + ".launches.json",
                          launches_json(*t.times, t.graph.structural_hash()));
  }
}

void eager_recorder::check(const recorder::command_graph& graph, const std::string& name) const {
  if (check_ == checking::off) return;
  constexpr std::size_t most = 20;
  const planner::graph_view view(graph);
  const std::vector<planner::finding> found =
      planner::check(view, graph.usm_accesses(), {check_ == checking::suspicions});
  if (found.empty()) return;
  std::fprintf(stderr, "pianola: PIANOLA_CHECK: %zu found in %s\n%s", found.size(), name.c_str(),
               planner::to_text(found, view, most).c_str());
}

void eager_recorder::write() noexcept {
  try {
    for (const auto& [of, launch] : launches_) static_cast<void>(take_times(*of, *launch));
    launches_.clear();
    write_times();
  } catch (const std::exception& e) {
    log_warn("PIANOLA_RECORD_TIMES: {}", e.what());
  }
  if (std::exchange(over_, true)) return;  // objects that end later may still submit
  try {
    for (std::size_t n = timed_.size(); n != 0; --n) {
      const auto& [command, record] = timed_.front();
      const std::uint64_t from = record->started.load(std::memory_order_acquire);
      const std::uint64_t to = record->ended.load(std::memory_order_acquire);
      if (from != 0 && to > from) tell_time(command, from, to);
      timed_.pop_front();
    }
    if (!journal_->finish()) return;
    const bool to_files = writes_files() && journal_->bytes() <= journal::most_bytes_of_short_run &&
                          journal_->words() <= most_converted_words;
    if (!to_files && check_ == checking::off) return;
    const journal::recorded_run run = journal::read_run(journal_->descriptor());
    check(run.graph, "the run");
    if (!to_files) return;
    journal::write_files(run, base_ + recorder::run_name);
    ::unlink((base_ + recorder::run_journal).c_str());
  } catch (const std::exception& e) {
    log_warn("PIANOLA_RECORD: {}", e.what());
  }
}

}  // namespace pianola::runtime
