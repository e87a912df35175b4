// SPDX-License-Identifier: Apache-2.0
#include "pianola/journal/run_log.hpp"

#include <algorithm>
#include <utility>

#include <boost/container_hash/hash.hpp>

#include <pianola/model/payload_members.hpp>

namespace pianola::journal {

namespace {

constexpr std::uint32_t is_transfer = 0x80000000U;

// Everything of a payload that files show, as words.
class words_of_payload {
 public:
  explicit words_of_payload(std::vector<std::uint64_t>& to) : to_(to) {}

  void operator()(const model::kernel_command& c) const {
    add(c.id.value());
    add(c.geometry.global);
    add(c.geometry.local);
    add(c.geometry.offset);
    add(std::uint64_t{c.geometry.dimensions} << 1 | (c.geometry.grouped ? 1U : 0U));
    add(c.local_memory_bytes);
  }
  void operator()(const model::copy_command& c) const {
    add({{c.width, c.height, c.depth}});
    add(c.source);
    add(c.destination);
  }
  void operator()(const model::fill_command& c) const {
    add({{c.width, c.height, c.depth}});
    add(c.destination);
    add(c.pattern_bytes);
    for (const unsigned char byte : c.pattern) add(byte);
  }
  void operator()(const model::prefetch_command& c) const { add(c.bytes); }
  void operator()(const model::advise_command& c) const {
    add(c.bytes);
    add(static_cast<std::uint64_t>(static_cast<std::int64_t>(c.advice)));
  }
  void operator()(const model::subgraph_command& c) const {
    add(c.nodes);
    add(static_cast<std::uint64_t>(c.control));
    add(c.count);
  }
  void operator()(const model::allocate_command& c) const {
    add(c.allocation);
    add(c.bytes);
    add(c.place);
    add(c.zero ? 1 : 0);
  }
  void operator()(const model::free_command& c) const {
    add(c.allocation);
    add(c.bytes);
  }
  void operator()(const model::empty_command&) const {}
  void operator()(const model::host_task_command&) const {}
  void operator()(const model::barrier_command&) const {}
  void operator()(const model::host_access_command&) const {}
  void operator()(const model::acquire_command&) const {}

 private:
  void add(std::uint64_t word) const { to_.push_back(word); }
  void add(const model::point3& p) const { to_.insert(to_.end(), p.c, p.c + 3); }
  void add(const model::memory_operand& o) const {
    add(std::uint64_t{o.requirement} << 32 | o.memory.value());
    add(o.byte_offset);
    add(o.row_pitch);
    add(o.slice_pitch);
  }
  std::vector<std::uint64_t>& to_;
};

// What would dangle once the command has run.
void leave_out_pointers(model::command_payload& payload) {
  using model::command_kind;
  if (auto* const arguments = model::arguments_of(payload)) *arguments = {};
  if (auto* const slots = model::slots_of(payload)) *slots = {};
  model::for_each_memory(
      payload, [](model::memory_operand& o, const auto&) { o.pointer = nullptr; },
      [](const void*& pointer) { pointer = nullptr; });
  switch (kind_of(payload)) {
    case command_kind::kernel:
      std::get_if<model::kernel_command>(&payload)->kernel = nullptr;
      break;
    case command_kind::host_task:
      payload = model::host_task_command{};
      break;
    case command_kind::fill:
      std::get_if<model::fill_command>(&payload)->large_pattern = nullptr;
      break;
    case command_kind::subgraph:
      std::get_if<model::subgraph_command>(&payload)->graph = nullptr;
      break;
    case command_kind::allocate:
      std::get_if<model::allocate_command>(&payload)->pointer = nullptr;
      break;
    case command_kind::free:
      std::get_if<model::free_command>(&payload)->pointer = nullptr;
      break;
    case command_kind::empty:
    case command_kind::copy:
    case command_kind::barrier:
    case command_kind::prefetch:
    case command_kind::advise:
    case command_kind::host_access:
    case command_kind::acquire:
      break;
  }
}

}  // namespace

void run_log::make_key(const model::command& command, std::uint64_t label,
                       model::array_view<const std::uint32_t> allocations) {
  key_.clear();
  key_.push_back(label);
  key_.push_back(allocations.size());
  for (const std::uint32_t a : allocations) key_.push_back(a);
  key_.push_back(std::uint64_t{command.payload.index()} << 32 | command.device.value());
  key_.push_back(command.requirements.size());
  for (const model::requirement& r : command.requirements) {
    key_.push_back(std::uint64_t{r.buffer.value()} << 32 | std::uint64_t{r.memory.value()} << 8 |
                   static_cast<std::uint64_t>(r.mode) << 1 | (r.no_init ? 1U : 0U));
    key_.insert(key_.end(), r.elements.lo.c, r.elements.lo.c + 3);
    key_.insert(key_.end(), r.elements.hi.c, r.elements.hi.c + 3);
  }
  std::visit(words_of_payload(key_), command.payload);
  key_hash_ = boost::hash_range(key_.begin(), key_.end());
}

std::uint32_t run_log::find_shape() const noexcept {
  const auto [first, last] = shape_of_hash_.equal_range(key_hash_);
  for (auto it = first; it != last; ++it) {
    const std::size_t begin = it->second == 0 ? 0 : key_ends_[it->second - 1];
    const std::size_t size = key_ends_[it->second] - begin;
    if (size == key_.size() &&
        std::equal(key_.begin(), key_.end(), keys_.begin() + static_cast<std::ptrdiff_t>(begin)))
      return it->second;
  }
  return none;
}

std::uint32_t run_log::add_shape(const model::command& command, const std::string& label,
                                 model::array_view<const std::uint32_t> allocations) {
  model::command c = command;
  c.after = {};
  c.lane = {};
  c.label = label.c_str();
  leave_out_pointers(c.payload);
  const std::uint32_t shape = shapes_.append(c).value();
  shapes_.set_allocations(model::command_id(shape), allocations);
  label_bytes_ += label.size();
  keys_.insert(keys_.end(), key_.begin(), key_.end());
  key_ends_.push_back(keys_.size());
  shape_of_hash_.emplace(key_hash_, shape);
  return shape;
}

void run_log::add_waits(step_record& s, model::array_view<const std::uint32_t> waits) {
  s.first_wait = static_cast<std::uint32_t>(waits_.size());
  s.wait_count = static_cast<std::uint32_t>(waits.size());
  waits_.insert(waits_.end(), waits.begin(), waits.end());
}

std::uint32_t run_log::add_step(std::uint32_t lane, std::uint32_t command, model::device_id device,
                                model::array_view<const std::uint32_t> waits,
                                std::uint32_t finished) {
  step_record s{lane, command, 0, 0, finished, device.value()};
  add_waits(s, waits);
  steps_.push_back(s);
  return steps() - 1;
}

std::uint32_t run_log::add_step(std::uint32_t lane, const planner::transfer_step& transfer,
                                model::array_view<const std::uint32_t> waits,
                                std::uint32_t finished) {
  step_record s{lane, static_cast<std::uint32_t>(transfers_.size()) | is_transfer, 0, 0, finished,
                0};
  add_waits(s, waits);
  transfers_.push_back(transfer);
  steps_.push_back(s);
  return steps() - 1;
}

std::uint64_t run_log::bytes() const noexcept {
  // What shapes take besides their keys: the command, its requirements, places in tables.
  constexpr std::uint64_t per_shape = sizeof(model::command) + 128;
  return key_ends_.size() * per_shape + keys_.size() * 2 * sizeof(std::uint64_t) + label_bytes_ +
         (words_.size() + waits_.size()) * sizeof(std::uint32_t) +
         steps_.size() * sizeof(step_record) + transfers_.size() * sizeof(planner::transfer_step);
}

std::uint64_t run_log::bytes_of_run() const noexcept {
  const std::uint64_t edges = words_.size() - 2 * std::uint64_t{commands_};
  // The first command of each shape has what it refers to, the others share that.
  return commands_ * (sizeof(model::command) + sizeof(model::array_view<const std::uint32_t>)) +
         keys_.size() * sizeof(std::uint64_t) + label_bytes_ +
         (edges + waits_.size()) * sizeof(std::uint64_t) + steps_.size() * sizeof(planner::step);
}

run_log::run run_log::take() {
  run all;
  for (std::uint32_t b = 0; b < shapes_.buffer_count(); ++b) {
    const model::buffer_id id(b);
    all.graph.add_buffer(shapes_.buffer(id), 0, shapes_.buffer_label(id));
    if (shapes_.is_unwritten(id)) all.graph.set_unwritten(id);
  }
  for (const model::usm_allocation& a : shapes_.allocations()) all.graph.add_allocation(a);
  std::vector<std::uint64_t> after;
  std::vector<model::command_id> first_of(key_ends_.size());
  for (auto word = words_.begin(); word != words_.end();) {
    const model::command_id shape(*word++);
    after.clear();
    for (std::uint32_t n = *word++; n != 0; --n) after.push_back(*word++);
    model::command_id& first = first_of[shape.value()];
    if (first.valid()) {
      all.graph.append_again(first, after);
      continue;
    }
    model::command c = shapes_.command(shape);
    c.after = after;
    first = all.graph.append(c);
    all.graph.set_allocations(first, shapes_.allocations_of(shape));
  }
  words_.clear();
  for (const std::uint32_t w : waits_) all.plan.waits.emplace_back(w);
  std::uint32_t finished = 0;
  for (const step_record& r : steps_) {
    planner::step s;
    s.lane = model::lane_id(r.lane);
    s.first_wait = r.first_wait;
    s.wait_count = r.wait_count;
    if ((r.what & is_transfer) != 0)
      s.action = transfers_[r.what & ~is_transfer];
    else
      s.action = planner::execute_step{model::command_id(r.what), model::device_id(r.device)};
    if (r.finished > finished) {
      finished = r.finished;
      all.plan.finished.push_back(
          {model::step_id(all.plan.steps.size()), model::step_id(finished)});
    }
    all.plan.steps.push_back(s);
  }
  return all;
}

}  // namespace pianola::journal
