// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/model/ids.hpp>

namespace pianola::planner {

// Is told after each pass what planning knows by then.
class pass_observer {
 public:
  // `text`: for people; every line ends with a newline.
  virtual void after(std::string_view pass, const std::string& text) = 0;

  // What the text says: the user's name of a buffer, and how many commands, steps and boxes at most (0: all).
  [[nodiscard]] virtual const char* label_of(model::buffer_id) const { return ""; }
  [[nodiscard]] virtual std::size_t maximum() const { return 400; }

 protected:
  ~pass_observer() = default;
};

// Who decides where commands run.
enum class placing : std::uint8_t {
  as_submitted,     // their queues
  list_scheduling,  // by urgency, where each ends first with what it has to wait for and to move
  heft,             // the same, but each by itself: for comparison
  exact,            // the best of all, by branch and bound; for small graphs
  refined,          // list scheduling, and what a search within `search_seconds` improves
  anywhere          // whichever of these fits the size of the graph
};
// What is to be small: this one first, then the others in this order.
enum class objective : std::uint8_t { makespan, bytes, memory };

struct chosen_placement;
struct validity_entry;

struct options {
  bool coalesce = true;  // off: one transfer per outdated box and source (the naive plan)
  bool prune = true;     // off: every derived edge is kept
  bool single_lane = false;
  placing place = placing::as_submitted;  // of commands with candidates
  planner::objective objective = planner::objective::makespan;
  double search_seconds = 0.1;  // of `refined`, at most
  const chosen_placement* chosen =
      nullptr;  // of a recorded graph: by whomever has placed it; null: planning does
  // Of a recorded graph: where data is before it, like plan::contract. Null, and for what is not named: where a replay
  // leaves it, as if one had gone before.
  const std::vector<validity_entry>* entry = nullptr;
  std::uint64_t memory_budget = 0;  // bytes of each memory but the host's; 0: all that it has
  std::function<std::string(model::buffer_id)> buffer_name;  // for messages; empty: numbers do
  pass_observer* observer = nullptr;  // null: nobody asks, and no text is made

  [[nodiscard]] std::string name_of(model::buffer_id b) const {
    return buffer_name ? buffer_name(b) : "buffer " + std::to_string(b.value());
  }
};

}  // namespace pianola::planner
