// SPDX-License-Identifier: Apache-2.0
// How a queue comes to know sequences: commands are submitted as they come, and copied where one is expected to come again.
#include <algorithm>
#include <new>
#include <utility>

#include <boost/container_hash/hash.hpp>

#include <pianola/host/clock.hpp>
#include <pianola/model/error.hpp>

#include "capture/queue_capture.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "submit/submit.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

namespace {

// Among the shapes of commands: the program waited.
constexpr std::uint64_t waited = 0x77616974;

std::uint64_t hash_of(const std::vector<std::uint64_t>& shapes) noexcept {
  return boost::hash_range(shapes.begin(), shapes.end());
}

}  // namespace

event queue_capture::submit_one_more(queue& q, submission& s) {
  process& rt = process::instance();
  bool has_shape = false;
  std::uint64_t shape = 0;
  captured_sequence* known = nullptr;
  for (const auto& sequence : sequences_) {
    if (!(*sequence)[0].may_be_like(s)) continue;
    if (!std::exchange(has_shape, true)) shape = shape_of(rt, shared_.names, s);
    if ((*sequence)[0].shape() == shape && (known == nullptr || sequence->size() > known->size()))
      known = sequence.get();
  }
  if (known != nullptr) {
    held_ = std::make_shared<held_commands>(q.shared_from_this());
    set_current(known);
    event out;
    bool taken = false;
    try {
      taken = hold(q, s, out);
    } catch (...) {
      set_current(nullptr);
      held_ = nullptr;
      outside_.clear();
      throw;
    }
    if (taken) {
      held_since_ = host::nanoseconds_now();
      if (current_ != nullptr) shared_.watch->begin();
      copies_.clear();
      copying_ = none;
      return out;
    }
    set_current(nullptr);
    held_ = nullptr;
  }
  pace_.advance(copying_ != none, key_of(s));
  if (!pace_.is_searching()) return submit_unsearched(q, s);
  if (!has_shape) shape = shape_of(rt, shared_.names, s);
  copy_next(s, shape);
  event e;
  try {
    e = submit_now(q, s);
  } catch (...) {
    // Nothing was submitted. Where a copy was expected, it has not come.
    copies_.clear();
    copying_ = none;
    throw;
  }
  copied(e);
  after_cut_ = false;
  try {
    if (copying_ != none && copies_.size() == expected_[copying_].commands.size()) capture();
  } catch (const std::bad_alloc&) {
    forget_search();
  }
  look(shape);
  return e;
}

event queue_capture::submit_unsearched(queue& q, submission& s) {
  forget_what_came();
  event e = submit_now(q, s);
  last_lane_ = e.lane;
  return e;
}

// If the command is the next one of what is expected. Its arguments are still as the program gave them.
void queue_capture::copy_next(submission& s, std::uint64_t shape) {
  if (expected_.empty()) return;
  if (copying_ != none && expected_[copying_].commands[copies_.size()] != shape) {
    copies_.clear();
    copying_ = none;
    failed();
  }
  if (copying_ == none)
    for (std::size_t i = 0; i < expected_.size() && copying_ == none; ++i)
      if (expected_[i].commands[0] == shape && (after_cut_ || !expected_[i].follows_cut)) {
        copying_ = i;
        knows_predecessors_ = true;
      }
  if (std::exchange(expects_at_once_, false) && copying_ == none) expected_.clear();
  if (copying_ == none) return;
  const found_slots slots = find_slots(s);
  if (slots.dynamic_memory || !slots.textures.empty()) {
    refuse(expected_[copying_].commands);
    expected_.erase(expected_.begin() + static_cast<std::ptrdiff_t>(copying_));
    copies_.clear();
    copying_ = none;
    return;
  }
  copies_.push_back(std::make_unique<captured_command>(s, slots, shape, shared_.names));
  std::vector<std::uint32_t>& before = copies_.back()->before;
  for (const event& e : s.after) {
    if (!e.step.valid()) continue;
    const auto found = std::lower_bound(steps_.begin(), steps_.end(), e.step);
    if (found != steps_.end() && *found == e.step)
      before.push_back(static_cast<std::uint32_t>(steps_.end() - found));
    else if (status(e) != event_status::complete)
      knows_predecessors_ = false;
  }
  std::sort(before.begin(), before.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
}

void queue_capture::copied(const event& e) noexcept {
  last_lane_ = e.lane;
  if (!e.step.valid()) return steps_.clear();
  if (steps_.size() == most_steps) steps_.erase(steps_.begin(), steps_.begin() + most_steps / 2);
  try {
    steps_.push_back(e.step);
  } catch (const std::bad_alloc&) {
    steps_.clear();
  }
}

void queue_capture::look(std::uint64_t shape) noexcept {
  try {
    const std::uint32_t period = finder_.add(shape);
    if (period != 0 && copying_ == none) expect(period);
  } catch (const std::bad_alloc&) {
    forget_search();
  }
}

// There is no memory for it. What was submitted is submitted.
void queue_capture::forget_search() noexcept {
  forget_what_came();
  copies_.clear();
  copying_ = none;
}

void queue_capture::cut() {
  if (copying_ != none) {
    copies_.clear();
    copying_ = none;
    failed();
  }
  if (after_cut_) return;
  after_cut_ = true;
  if (pace_.is_searching()) look(waited);
}

bool queue_capture::is_refused(const shapes& wanted) const noexcept {
  return std::find(refused_.begin(), refused_.end(), hash_of(wanted)) != refused_.end();
}

void queue_capture::refuse(const shapes& unwanted) {
  if (refused_.size() == most_refused) refused_.erase(refused_.begin());
  refused_.push_back(hash_of(unwanted));
}

bool queue_capture::is_known(const shapes& wanted) const noexcept {
  return std::any_of(sequences_.begin(), sequences_.end(), [&](const auto& known) {
    if (known->unit() != wanted.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if ((*known)[i].shape() != wanted[i]) return false;
    return true;
  });
}

// The last numbers are those of one repetition. What is between two cuts comes as a sequence of its own.
void queue_capture::expect(std::uint32_t period) {
  expected_.clear();
  expects_at_once_ = period < few;
  shapes body;
  for (std::uint32_t i = period; i > 0; --i) body.push_back(finder_.back(i - 1));
  const auto first_cut = std::find(body.begin(), body.end(), waited);
  const auto add = [&](const shapes& commands, bool follows_cut) {
    if (!commands.empty() && !is_refused(commands) && !is_known(commands))
      expected_.push_back({commands, follows_cut});
  };
  if (first_cut == body.end()) {
    add(body, false);
    return;
  }
  std::rotate(body.begin(), first_cut, body.end());
  shapes between;
  for (std::size_t i = 1; i <= body.size(); ++i) {
    if (i < body.size() && body[i] != waited) {
      between.push_back(body[i]);
      continue;
    }
    if (between.size() > 1) add(between, true);
    between.clear();
  }
}

void queue_capture::failed() {
  asked_for_ = std::min<std::uint32_t>(2 * asked_for_ + 8, 4096);
  finder_.ask_for(asked_for_);
}

void queue_capture::capture() {
  const expected_sequence found = std::move(expected_[copying_]);
  expected_.erase(expected_.begin() + static_cast<std::ptrdiff_t>(copying_));
  copying_ = none;
  const std::size_t unit = copies_.size();
  std::size_t times = 1;
  if (!found.follows_cut && knows_predecessors_) times = (worth_a_graph + unit - 1) / unit;
  if (unit * times < 2) {
    copies_.clear();
    return;
  }
  make_room(unit * times);
  sequences_.push_back(std::make_unique<captured_sequence>(std::exchange(copies_, {}), times));
  sequences_.back()->last_use = ++uses_;
  shared_.counted.sequences += 1;
  pace_.start_over();
  log_info("a queue repeats {} commands, which are captured {} times", unit, times);
}

void queue_capture::make_room(std::size_t commands) {
  const auto too_much = [&] {
    std::size_t sum = commands;
    for (const auto& known : sequences_) sum += known->copies();
    return sequences_.size() >= most_sequences || sum > most_commands;
  };
  while (!sequences_.empty() && too_much()) {
    const auto oldest =
        std::min_element(sequences_.begin(), sequences_.end(),
                         [](const auto& a, const auto& b) { return a->last_use < b->last_use; });
    (*oldest)->give_up(shared_.ended);
    sequences_.erase(oldest);
  }
}

void queue_capture::give_up(std::size_t sequence) {
  captured_sequence& known = *sequences_[sequence];
  shapes unit;
  for (std::size_t i = 0; i < known.unit(); ++i) unit.push_back(known[i].shape());
  refuse(unit);
  known.give_up(shared_.ended);
  sequences_.erase(sequences_.begin() + static_cast<std::ptrdiff_t>(sequence));
  failed();
}

void queue_capture::ends(buffer_key buffer) {
  if (holds_use_of(buffer)) flush();
  const std::uint64_t name = shared_.names.find(buffer);
  if (name == buffer_names::none) return;
  for (const auto& known : sequences_) known->let_go(process::instance(), name, buffer);
}

void queue_capture::forget_all() {
  flush();
  for (const auto& known : sequences_) known->give_up(shared_.ended);
  sequences_.clear();
  expected_.clear();
  copies_.clear();
  copying_ = none;
}

}  // namespace pianola::runtime
