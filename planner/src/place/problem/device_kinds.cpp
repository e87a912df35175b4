// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "place/problem.hpp"

namespace pianola::planner::place {

namespace {

// Memories that something is in whoever does the work: the host's, and those that commands without a choice work in. And
// those of several devices.
std::vector<bool> named_memories(const problem& p) {
  std::vector<bool> named(p.memories(), false);
  named[0] = true;
  const auto name = [&](std::size_t m) { named[m] = true; };
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.choices(i).size() == 1) name(p.choices(i)[0].memory);
    for (const auto& uses : {p.reads(i), p.writes(i)})
      for (const data_use& u : uses)
        if (u.memory != data_use::own_memory) name(u.memory);
  }
  return named;
}

}  // namespace

std::vector<std::uint32_t> problem::kinds_of_devices() const {
  std::vector<bool> named = named_memories(*this);
  std::vector<std::size_t> owners(memories_, 0);
  for (const std::uint16_t m : memory_of_device_) ++owners[m];
  std::vector<std::size_t> fixed;
  for (std::size_t m = 0; m < memories_; ++m)
    if (named[m]) fixed.push_back(m);
  // Of each resource, the one memory that all its links have at one end and that is not named, if there is.
  constexpr std::uint32_t several = 0xfffffffeU;
  std::vector<std::uint32_t> of_resource(resources_, none);
  for (std::size_t from = 0; from < memories_; ++from)
    for (std::size_t to = 0; to < memories_; ++to) {
      if (from == to || !between(from, to).direct) continue;
      std::uint32_t& known = of_resource[between(from, to).resource];
      const auto end = static_cast<std::uint32_t>(named[from] ? to : from);
      known = known == none || known == end ? end : several;
    }
  // By the ways to and from what is fixed.
  std::map<std::vector<double>, std::uint32_t> known;
  std::vector<std::uint32_t> kinds;
  for (std::size_t d = 0; d < devices_; ++d) {
    const std::size_t m = memory_of_device_[d];
    std::vector<double> key;
    if (named[m] || owners[m] != 1) {
      key.push_back(static_cast<double>(d));
    } else {
      std::vector<std::uint32_t> own;  // resources, in the order in which they are met
      for (const std::size_t f : fixed)
        for (const way* w : {&between(m, f), &between(f, m)}) {
          key.push_back(w->latency);
          key.push_back(w->per_byte);
          key.push_back(w->direct ? 1 : 0);
          if (!w->direct) continue;
          if (of_resource[w->resource] != m) {
            key.push_back(-1.0 - w->resource);
            continue;
          }
          std::size_t at = 0;
          while (at < own.size() && own[at] != w->resource) ++at;
          if (at == own.size()) own.push_back(w->resource);
          key.push_back(static_cast<double>(at));
        }
    }
    kinds.push_back(
        known.try_emplace(std::move(key), static_cast<std::uint32_t>(known.size())).first->second);
  }
  // By what every command takes on them. Those that some command cannot run on are apart.
  std::vector<double> seconds(devices_);
  for (const choice_list& list : lists_) {
    if (list.count < 2) continue;
    seconds.assign(devices_, -1.0);
    for (std::uint32_t k = 0; k < list.count; ++k)
      seconds[choices_[list.first + k].device.value()] = choices_[list.first + k].seconds;
    std::map<std::pair<std::uint32_t, double>, std::uint32_t> finer;
    for (std::size_t d = 0; d < devices_; ++d)
      kinds[d] = finer.try_emplace({kinds[d], seconds[d]}, static_cast<std::uint32_t>(finer.size()))
                     .first->second;
  }
  return kinds;
}

}  // namespace pianola::planner::place
