// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/cost/links.hpp"

#include <algorithm>
#include <array>

#include <pianola/model/backend_kind.hpp>

#include "cost/estimates.hpp"

namespace pianola::planner {

using model::memory_id;

namespace {

// Of links into one memory; beyond, they are gone through one by one.
constexpr std::size_t most_that_differ = 8;

}  // namespace

connections::connections(const model::topology& machine)
    : memories_(machine.memories.size()), words_((memories_ + 63) / 64) {
  first_incoming_.assign(memories_ + 1, 0);
  for (const model::link_description& l : machine.links) ++first_incoming_[l.to.value() + 1U];
  for (std::size_t m = 0; m < memories_; ++m) first_incoming_[m + 1] += first_incoming_[m];
  incoming_.resize(machine.links.size());
  std::vector<std::uint32_t> next(first_incoming_.begin(), first_incoming_.end() - 1);
  for (std::uint32_t i = 0; i < machine.links.size(); ++i) {
    const model::link_description& l = machine.links[i];
    incoming_[next[l.to.value()]++] = {l.from.value(), i, way_over(l)};
  }
  first_alike_.push_back(0);
  for (std::size_t m = 0; m < memories_; ++m) {
    std::sort(incoming_.begin() + first_incoming_[m], incoming_.begin() + first_incoming_[m + 1],
              [](const incoming& a, const incoming& b) { return a.from < b.from; });
    group_alike(m);
    first_alike_.push_back(static_cast<std::uint32_t>(alike_.size()));
  }
}

void connections::group_alike(std::size_t to) {
  const std::size_t first = alike_.size();
  for (std::uint32_t i = first_incoming_[to]; i < first_incoming_[to + 1]; ++i) {
    const incoming& in = incoming_[i];
    auto known = std::find_if(
        alike_.begin() + static_cast<std::ptrdiff_t>(first), alike_.end(), [&](const alike& a) {
          return a.cost.latency == in.cost.latency && a.cost.per_byte == in.cost.per_byte;
        });
    if (known == alike_.end()) {
      if (alike_.size() - first == most_that_differ) {
        sources_.resize(alike_[first].first_word);
        alike_.resize(first);
        return;
      }
      alike_.push_back({in.cost, static_cast<std::uint32_t>(sources_.size())});
      sources_.resize(sources_.size() + words_, 0);
      known = alike_.end() - 1;
    }
    sources_[known->first_word + in.from / 64U] |= std::uint64_t{1} << in.from % 64U;
  }
}

const connections::incoming* connections::find(memory_id from, memory_id to) const noexcept {
  const incoming* const end = incoming_.data() + first_incoming_[to.value() + 1U];
  const incoming* const at =
      std::lower_bound(incoming_.data() + first_incoming_[to.value()], end, from.value(),
                       [](const incoming& a, std::uint16_t wanted) { return a.from < wanted; });
  return at != end && at->from == from.value() ? at : nullptr;
}

std::uint32_t connections::link(memory_id from, memory_id to) const noexcept {
  if (from.value() >= memories_ || to.value() >= memories_) return none;
  const incoming* const found = find(from, to);
  return found == nullptr ? none : found->link;
}

way connections::between(memory_id from, memory_id to) const noexcept {
  if (from == to) return {0, 0, false};
  if (const incoming* const direct = find(from, to)) return direct->cost;
  if (from == model::host_memory || to == model::host_memory) return {};
  const incoming *const up = find(from, model::host_memory), *const down =
                                                                 find(model::host_memory, to);
  if (up == nullptr || down == nullptr) return {};
  return {up->cost.latency + down->cost.latency, up->cost.per_byte + down->cost.per_byte, false};
}

memory_id connections::cheapest_into(const std::uint64_t* valid, std::size_t words, memory_id to,
                                     std::uint64_t bytes) const noexcept {
  memory_id best;
  double best_seconds = 0;
  const auto consider = [&](std::size_t from, const way& cost) {
    const memory_id m(static_cast<memory_id::rep>(from));
    const double seconds = cost.seconds(bytes);
    if (best.valid() && (seconds > best_seconds || (seconds == best_seconds && best < m))) return;
    best = m;
    best_seconds = seconds;
  };
  const std::uint32_t first = first_alike_[to.value()], end = first_alike_[to.value() + 1U];
  const std::size_t count = std::min(words, words_);
  for (std::uint32_t a = first; a < end; ++a) {
    const std::uint64_t* const from = sources_.data() + alike_[a].first_word;
    std::size_t w = 0;
    while (w < count && (valid[w] & from[w]) == 0) ++w;
    if (w == count) continue;
    const std::size_t lowest =
        64 * w + static_cast<std::size_t>(__builtin_ctzll(valid[w] & from[w]));
    if (end - first == 1) return memory_id(static_cast<memory_id::rep>(lowest));
    consider(lowest, alike_[a].cost);
  }
  if (first != end) return best;
  for (std::uint32_t i = first_incoming_[to.value()]; i < first_incoming_[to.value() + 1U]; ++i) {
    const incoming& in = incoming_[i];
    if (in.from / 64U < words && (valid[in.from / 64U] >> in.from % 64U & 1) != 0)
      consider(in.from, in.cost);
  }
  return best;
}

route connections::cheapest(const std::uint64_t* valid, std::size_t words, memory_id to,
                            std::uint64_t bytes) const noexcept {
  if (const memory_id direct = cheapest_into(valid, words, to, bytes); direct.valid())
    return {direct, false};
  if (to == model::host_memory || find(model::host_memory, to) == nullptr) return {};
  return {cheapest_into(valid, words, model::host_memory, bytes), true};
}

route connections::cheapest(const model::memory_set& valid, memory_id to,
                            std::uint64_t bytes) const noexcept {
  std::array<std::uint64_t, model::max_memories / 64> words;
  const std::size_t count = valid.word_count();
  for (std::size_t i = 0; i < count; ++i) words[i] = valid.word(i);
  return cheapest(words.data(), count, to, bytes);
}

void estimate_links(std::vector<model::link_description>& links, std::size_t first,
                    std::string_view backend) {
  const link_class_estimates& known =
      model::runs_host_code(backend) ? copied_link_estimates : graphics_link_estimates;
  for (std::size_t i = first; i < links.size(); ++i) {
    model::link_description& l = links[i];
    if (l.bandwidth != 0) continue;
    const bool host = l.from == model::host_memory || l.to == model::host_memory;
    const link_estimates& of = host ? known.with_host : known.between_devices;
    l.bandwidth = of.bandwidth;
    l.latency = of.latency;
  }
}

}  // namespace pianola::planner
