// SPDX-License-Identifier: Apache-2.0
#include "run_builder.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "malformed.hpp"

namespace pianola::journal {

namespace {

template <class T>
T& at_grown(std::vector<T>& list, std::size_t index, const T& fresh) {
  if (list.size() <= index) list.resize(index + 1, fresh);
  return list[index];
}

// More than a program can have had.
constexpr std::uint64_t most_steps = std::uint64_t{1} << 62;

}  // namespace

run_builder::step_place run_builder::place_of(std::uint64_t step) const noexcept {
  const auto behind =
      std::upper_bound(stretches_.begin(), stretches_.end(), step,
                       [](std::uint64_t s, const stretch& x) { return s < x.first; });
  if (behind == stretches_.begin()) return {};
  const stretch& in = behind[-1];
  const std::size_t end = behind == stretches_.end() ? places_.size() : behind->at;
  return step - in.first < end - in.at ? places_[in.at + (step - in.first)] : step_place{};
}

void run_builder::go_on_with(std::uint64_t first) {
  const std::uint64_t next =
      stretches_.empty() ? 0 : stretches_.back().first + (places_.size() - stretches_.back().at);
  if (first < next || first > most_steps)
    malformed("the steps of a command have numbers of others");
  if (stretches_.empty() || first > next) stretches_.push_back({first, places_.size()});
}

void run_builder::note_finished(std::uint64_t retired) {
  const auto behind =
      std::lower_bound(stretches_.begin(), stretches_.end(), retired,
                       [](const stretch& x, std::uint64_t s) { return x.first < s; });
  if (behind == stretches_.begin()) return;
  const stretch& in = behind[-1];
  const std::size_t end = behind == stretches_.end() ? places_.size() : behind->at;
  const std::size_t below = in.at + std::min<std::uint64_t>(retired - in.first, end - in.at);
  for (; seen_finished_ < below; ++seen_finished_)
    if (const std::uint32_t s = places_[seen_finished_].step; s != none)
      finished_ = std::max(finished_, s + 1);
}

// A lane of the log for one of the program's. Replays of a graph are on a lane of the device that its last segments run on,
// which need not be the device that they are submitted to: in the log a lane is of its steps' device.
std::uint32_t run_builder::lane_of(const step& s) {
  std::uint32_t& lane = lanes_.try_emplace(s.lane, none).first->second;
  const std::uint32_t before = lane;
  if (lane != none && (s.is_transfer || lane_devices_[lane] == s.device)) return lane;
  lane = static_cast<std::uint32_t>(lane_devices_.size());
  lane_devices_.push_back(s.device);
  last_on_lane_.push_back(none);
  if (before != none && last_on_lane_[before] != none) waits_.push_back(last_on_lane_[before]);
  return lane;
}

// Ends what is in edges_: ascending, each once, and after the host's last wait.
void run_builder::finish_edges() {
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  // What came after that wait implies it.
  if (host_command_ != none && (edges_.empty() || edges_.back() < host_command_))
    edges_.push_back(host_command_);
}

std::uint32_t run_builder::append(const model::command& command, const label& name,
                                  model::array_view<const std::uint32_t> allocations,
                                  const order* order) {
  finish_edges();
  const std::uint32_t id =
      log_.add(command, name.number, allocations, {edges_.data(), edges_.size()},
               [&]() -> const std::string& { return name.text; });
  waited_.push_back(false);
  const auto remember = [&](unwaited& list) { list.add(id, waited_, looked_at_); };
  requirements_ += command.requirements.size();
  for (const model::requirement& r : command.requirements)
    remember(at_grown(users_, r.buffer.value(), {}));
  if (order != nullptr && order->from_queue) {
    unwaited& pending = pending_[order->queue];
    if (order->in_order) pending.clear();
    remember(pending);
  }
  return id;
}

void run_builder::planned(const order& order, const model::command* command, const label& name,
                          model::array_view<const std::uint32_t> allocations,
                          model::array_view<const step> steps) {
  edges_.clear();
  for (const std::uint64_t a : order.after)
    if (const std::uint32_t c = place_of(a).command; c != none) edges_.push_back(c);
  if (order.closes)
    if (const auto pending = pending_.find(order.queue); pending != pending_.end()) {
      // What its last barrier came after is before that one: naming it again takes time and space with the square of
      // the barriers.
      const auto closed = closed_.find(order.queue);
      const auto since = pending->second.from(closed == closed_.end() ? 0 : closed->second);
      edges_.insert(edges_.end(), since.begin(), since.end());
    }
  go_on_with(order.first_step);
  note_finished(order.retired);

  const std::uint32_t id = command == nullptr ? none : append(*command, name, allocations, &order);
  if (command != nullptr) {
    planned_.push_back(id);
    if (order.closes && order.from_queue) closed_[order.queue] = id;
  }
  for (const step& s : steps) {
    waits_.clear();
    const std::uint32_t lane = lane_of(s);
    if (!s.is_transfer && command == nullptr) {
      const std::uint32_t last = last_on_lane_[lane];
      places_.push_back({last, last == none ? none : command_of_step_[last]});
      continue;
    }
    for (const std::uint64_t w : s.waits)
      if (const std::uint32_t known = place_of(w).step; known != none) waits_.push_back(known);
    const std::uint32_t last = last_on_lane_[lane];
    if (host_step_ != none && (last == none || last < host_step_)) waits_.push_back(host_step_);
    const std::uint32_t fresh =
        s.is_transfer
            ? log_.add_step(lane, s.transfer, {waits_.data(), waits_.size()}, finished_)
            : log_.add_step(lane, id, s.device, {waits_.data(), waits_.size()}, finished_);
    last_on_lane_[lane] = fresh;
    command_of_step_.push_back(id);
    places_.push_back({fresh, id});
    if (!s.is_transfer) at_grown(step_of_command_, id, none) = fresh;
  }
  if (command == nullptr || !std::holds_alternative<model::host_access_command>(command->payload))
    return;
  if (id >= step_of_command_.size() || step_of_command_[id] == none)
    malformed("an access of the host has no step");
  host_command_ = id;
  host_step_ = step_of_command_[id];
}

void run_builder::host_node(std::vector<std::uint32_t> commands, const label& how,
                            model::device_id host) {
  std::erase_if(commands, [&](std::uint32_t x) { return waited_[x]; });
  if (commands.empty()) return;
  for (const std::uint32_t x : commands) waited_[x] = true;
  model::command node;
  node.payload = model::host_access_command{};
  node.device = host;
  edges_ = std::move(commands);
  waits_.clear();
  for (const std::uint32_t x : edges_)
    if (x < step_of_command_.size() && step_of_command_[x] != none)
      waits_.push_back(step_of_command_[x]);
  if (host_step_ != none) waits_.push_back(host_step_);
  const std::uint32_t id = append(node, how, {}, nullptr);
  if (host_lane_ == none) {
    host_lane_ = static_cast<std::uint32_t>(lane_devices_.size());
    lane_devices_.push_back(host);
    last_on_lane_.push_back(none);
  }
  std::sort(waits_.begin(), waits_.end());
  waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
  host_step_ = log_.add_step(host_lane_, id, host, {waits_.data(), waits_.size()}, finished_);
  last_on_lane_[host_lane_] = host_step_;
  command_of_step_.push_back(id);
  at_grown(step_of_command_, id, none) = host_step_;
  host_command_ = id;
}

void run_builder::host_waited(std::uint64_t step, const label& how, model::device_id host) {
  if (const std::uint32_t command = place_of(step).command; command != none)
    host_node({command}, how, host);
}

void run_builder::host_waited_for_queue(std::uint64_t queue, std::uint64_t below, const label& how,
                                        model::device_id host) {
  const auto pending = pending_.find(queue);
  if (pending == pending_.end()) return;
  const std::uint32_t first_later = below < planned_.size() ? planned_[below] : log_.commands();
  std::vector<std::uint32_t> commands = pending->second.take_below(first_later, looked_at_);
  if (pending->second.all().empty()) pending_.erase(pending);
  host_node(std::move(commands), how, host);
}

void run_builder::host_waited_for_buffer(model::buffer_id buffer, const label& how,
                                         model::device_id host) {
  if (buffer.value() >= users_.size()) return;
  host_node(users_[buffer.value()].take_below(log_.commands(), looked_at_), how, host);
}

void run_builder::measured(std::uint64_t planned, double seconds, double started) {
  if (planned < planned_.size()) measured_.push_back({planned_[planned], seconds, started});
}

std::uint64_t run_builder::bytes() const noexcept {
  // Its numbers in planned_, waited_, step_of_command_ and pending_; of each requirement one in users_, which may have
  // room for twice as many.
  constexpr std::uint64_t per_command = 16, per_requirement = 8;
  // The same of a step, with waits for the host's last one.
  constexpr std::uint64_t per_step = sizeof(step_place) + 2 * sizeof(std::uint32_t);
  return log_.bytes() + log_.bytes_of_run() + commands() * per_command + log_.steps() * per_step +
         requirements_ * per_requirement + places_.size() * sizeof(step_place) +
         stretches_.size() * sizeof(stretch) + measured_.size() * sizeof(measurement);
}

run_builder::run run_builder::take() {
  run_log::run all = log_.take();
  for (const model::device_id d : lane_devices_) all.plan.lanes.push_back({d});
  return {std::move(all.graph), std::move(all.plan), std::move(measured_)};
}

}  // namespace pianola::journal
