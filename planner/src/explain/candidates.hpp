// SPDX-License-Identifier: Apache-2.0
// What could be different about a program, as far as its graph shows.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <pianola/model/topology.hpp>

#include "flows.hpp"
#include "pianola/planner/explain/change.hpp"
#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// Changes, each once, in the order of their coming.
class change_set {
 public:
  // What tells changes of one graph apart.
  using identity = std::array<std::uint64_t, 4>;

  // The number of the change; `make` is called for what is not there yet.
  template <class F>
  std::uint32_t add(const identity& id, F&& make) {
    const auto [at, fresh] = numbers_.try_emplace(id, static_cast<std::uint32_t>(changes_.size()));
    if (fresh) changes_.push_back(make());
    return at->second;
  }
  [[nodiscard]] const std::vector<graph_change>& changes() const noexcept { return changes_; }

 private:
  std::vector<graph_change> changes_;
  std::map<identity, std::uint32_t> numbers_;
};

class candidates {
 public:
  // All must outlive this. `most_alone`: a kernel that is launched more often goes to another device with all of its
  // launches or not at all.
  candidates(const graph_view& graph, const model::topology& machine,
             std::size_t most_alone = SIZE_MAX);

  // What may spare the transfer, of step `index`, or at least some of it. Adds to `out` and appends the numbers there.
  void of_transfer(const plan& plan, const plan_flows& flows, std::size_t index, change_set& out,
                   std::vector<std::uint32_t>& numbers) const;
  // What may spare the wait of two accesses to the same pages.
  void of_edge(const access_place& first, const access_place& second, change_set& out,
               std::vector<std::uint32_t>& numbers) const;

  [[nodiscard]] const model::requirement& requirement(const access_place& a) const {
    return graph_.commands()[a.command.value()].requirements[a.requirement];
  }

 private:
  // What a program says in one place, as far as that can be known, has one number: the same accessor of the same kernel;
  // the accesses of the host with one label to one buffer.
  void number_places();
  // What is known of all accesses of one place.
  struct place_facts {
    bool reads = false;   // the compiler has proven that one of them reads
    bool writes = false;  // the same of writing; or a kernel has no other output
  };
  [[nodiscard]] bool writes_nothing_else(model::command_id c, std::uint32_t requirement) const;
  [[nodiscard]] std::uint32_t place_of(const access_place& a) const {
    return place_of_[first_requirement_[a.command.value()] + a.requirement];
  }

  struct output {
    change_set& set;
    std::vector<std::uint32_t>& numbers;
  };
  void smaller_pages(model::buffer_id b, output out) const;
  void without_old_data(const access_place& a, output out) const;
  void without_writing(const access_place& a, output out) const;
  void changed_access(const access_place& a, access_change::to what, output out) const;
  void elsewhere(model::command_id c, model::memory_id memory, model::memory_id not_from,
                 output out) const;
  void later(const access_place& a, output out) const;

  const graph_view& graph_;
  const model::topology& machine_;
  std::size_t most_alone_;
  std::vector<std::size_t> first_requirement_;      // index: command
  std::vector<std::uint32_t> place_of_;             // index: all requirements, one after the other
  std::vector<std::vector<access_place>> places_;   // ascending
  std::vector<place_facts> facts_;                  // index: place
  std::vector<model::extent3> natural_pages_;       // index: buffer
  std::vector<std::vector<access_place>> by_host_;  // index: buffer; ascending
};

}  // namespace pianola::planner
