// SPDX-License-Identifier: Apache-2.0
// What transfers take from one memory to another: what each link says of itself, over the host's memory where there is none.
// All of planning asks here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/memory_set.hpp>
#include <pianola/model/topology.hpp>

namespace pianola::planner {

// From one memory to another. Infinite if there is no way, nothing from a memory to itself.
struct way {
  double latency = std::numeric_limits<double>::infinity();  // seconds
  double per_byte = 0;
  bool direct = false;  // over one link; else over the host's memory
  [[nodiscard]] double seconds(std::uint64_t bytes) const noexcept {
    return latency + static_cast<double>(bytes) * per_byte;
  }
};

[[nodiscard]] inline way way_over(const model::link_description& link) noexcept {
  return {link.latency, 1.0 / link.bandwidth, true};
}

// What goes over the link in the time of its latency.
[[nodiscard]] inline double bytes_worth_latency(const model::link_description& link) noexcept {
  return link.latency * link.bandwidth;
}

// Where to take data from: straight from `source`, or first from `source` to the host's memory.
struct route {
  model::memory_id source;  // invalid: there is no way
  bool over_host = false;
};

// What is linked with what in a machine, made once and asked for every transfer: no question takes time in proportion to the
// links, and only where those into one memory differ much in proportion to these. Of the machine it keeps nothing but figures.
class connections {
 public:
  connections() = default;
  explicit connections(const model::topology& machine);

  // Index into topology::links; `none`: not linked.
  static constexpr std::uint32_t none = 0xffffffffU;
  [[nodiscard]] std::uint32_t link(model::memory_id from, model::memory_id to) const noexcept;
  [[nodiscard]] way between(model::memory_id from, model::memory_id to) const noexcept;

  // The cheapest way to bring so many bytes, valid in the memories of `valid` (not none, not `to`), to `to`: a direct link if
  // there is any (fewest bytes come first), else two hops over the host's memory, by what the first of them takes. Of equals
  // the lowest memory.
  [[nodiscard]] route cheapest(const model::memory_set& valid, model::memory_id to,
                               std::uint64_t bytes) const noexcept;
  // The same; of word i the bits are memories from 64 i on.
  [[nodiscard]] route cheapest(const std::uint64_t* valid, std::size_t words, model::memory_id to,
                               std::uint64_t bytes) const noexcept;

  // Whether the memory is linked with the host's in both directions.
  [[nodiscard]] bool reaches_host(model::memory_id m) const noexcept {
    return link(m, model::host_memory) != none && link(model::host_memory, m) != none;
  }

 private:
  // A link into a memory.
  struct incoming {
    std::uint16_t from;
    std::uint32_t link;
    way cost;
  };
  // Links into a memory that take the same: where they come from, as bits.
  struct alike {
    way cost;
    std::uint32_t first_word;
  };
  [[nodiscard]] const incoming* find(model::memory_id from, model::memory_id to) const noexcept;
  [[nodiscard]] model::memory_id cheapest_into(const std::uint64_t* valid, std::size_t words,
                                               model::memory_id to,
                                               std::uint64_t bytes) const noexcept;
  void group_alike(std::size_t to);

  std::size_t memories_ = 0;
  std::size_t words_ = 0;  // that hold a bit for each memory
  std::vector<incoming> incoming_;
  std::vector<std::uint32_t>
      first_incoming_;        // index: memory they lead to; sorted by where they come from
  std::vector<alike> alike_;  // of memories with few that differ
  std::vector<std::uint32_t> first_alike_;  // index: memory
  std::vector<std::uint64_t> sources_;
};

// Gives links from `first` on that their backend describes without a bandwidth the figures of their class, which hold until
// somebody measures.
void estimate_links(std::vector<model::link_description>& links, std::size_t first,
                    std::string_view backend);

}  // namespace pianola::planner
