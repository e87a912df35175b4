// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph.hpp"
#include "machine.hpp"
#include "types.hpp"

namespace pianola::planning {

// What is to be small: this one first, then the others in this order.
enum class objective : std::uint8_t { makespan, bytes, memory };
// Who decides where commands with candidates run.
enum class placement : std::uint8_t {
  as_submitted,
  list_scheduling,
  heft,
  exact,
  refined,
  anywhere  // whichever of these fits the size of the graph
};

struct plan_options {
  planning::objective objective = objective::makespan;
  planning::placement placement = placement::as_submitted;
  double search_seconds = 0.1;      // of `refined`, at most
  std::uint64_t memory_budget = 0;  // bytes of each memory but the host's; 0: all that it has
  bool coalesce = true;             // off: one transfer for each outdated box
  bool single_lane = false;
};

// A box of a buffer that is made valid in another memory.
struct transfer {
  buffer_id buffer{};
  memory_id from{};
  memory_id to{};
  box elements{};
  std::uint64_t bytes = 0;
};

// A command or a transfer.
struct step {
  step_id id{};
  std::uint32_t lane = 0;  // steps of one lane run in their order
  device_id device{};
  std::vector<step_id> waits{};  // in other lanes
  std::optional<planning::command_id> command{};
  std::optional<planning::transfer> transfer{};  // if it is not a command
};

// What is wrong with a plan.
struct violation {
  std::optional<step_id> step{};  // none: the plan as a whole
  std::string reason{};
};

struct step_times {
  double start = 0;  // seconds from the start of the plan
  double end = 0;
};
struct device_use {
  double busy = 0;  // seconds in which it had something to do
  double work = 0;  // what its commands take alone, added up
  std::uint64_t commands = 0;
};
struct link_use {
  memory_id from{};
  memory_id to{};
  std::uint64_t bytes = 0;
  std::uint64_t transfers = 0;
};
struct simulation {
  double makespan = 0;
  double work = 0;  // all commands one after the other, with their data in place
  double span = 0;  // the longest chain of commands that need each other, with nothing moved
  std::vector<step_id> critical_path{};      // each began when the one before it ended
  std::vector<step_times> steps{};           // by step
  std::vector<device_use> devices{};         // by device
  std::vector<link_use> links{};             // by link of the machine
  std::vector<std::uint64_t> peak_memory{};  // bytes, by memory
};

// A change of the program that was tried by planning again.
struct suggestion {
  std::string text{};
  std::uint64_t bytes_before = 0, bytes_after = 0;
  std::uint64_t transfers_before = 0, transfers_after = 0;
  double seconds_before = 0, seconds_after = 0;
};
struct explanation {
  std::string text{};                     // for people
  std::string json{};                     // format pianola.explanation/1
  std::vector<suggestion> suggestions{};  // those that gain something, best first
  std::size_t tried = 0, not_tried = 0;
};

namespace detail {
struct plan_data;
}

// A plan of one graph for one machine, both of which it keeps. Never changes; copies share what they hold.
class plan {
 public:
  ~plan();
  plan(const plan&);
  plan& operator=(const plan&);

  [[nodiscard]] const planning::graph& graph() const noexcept;
  [[nodiscard]] const planning::machine& machine() const noexcept;
  [[nodiscard]] std::size_t step_count() const noexcept;
  // Throws if there is none of that number.
  [[nodiscard]] planning::step step(step_id id) const;
  // In an order that respects everything.
  [[nodiscard]] std::vector<planning::step> steps() const;

  // An independent check, that knows nothing of how plans are made. None: the plan is right.
  [[nodiscard]] std::optional<violation> verify() const;
  // These throw if the plan is not right.
  [[nodiscard]] simulation simulate() const;
  [[nodiscard]] std::string simulation_json() const;  // format pianola.simulation/1
  [[nodiscard]] std::string trace_json() const;       // as Perfetto and chrome://tracing show it

  // Why it is as it is, and what would remove it: changes are planned until `effort` commands have been planned in all.
  [[nodiscard]] explanation explain_transfer(step_id id, std::uint64_t effort = 100000) const;
  [[nodiscard]] explanation explain_edge(command_id from, command_id to,
                                         std::uint64_t effort = 100000) const;
  [[nodiscard]] explanation explain_command(command_id id, std::uint64_t effort = 100000) const;

  // For people: at most `maximum` of anything, 0: all.
  [[nodiscard]] std::string to_text(std::size_t maximum = 400) const;

 private:
  friend struct detail::plan_data;
  explicit plan(std::shared_ptr<const detail::plan_data> data);
  std::shared_ptr<const detail::plan_data> data_;
};

// For the machine of the graph, or another one, which must have the devices and memories that commands name.
[[nodiscard]] plan make_plan(const graph& graph, const plan_options& options = {});
[[nodiscard]] plan make_plan(const graph& graph, const machine& machine,
                             const plan_options& options = {});

// Format pianola.plan/1, of plans for this graph and machine. What is read need not be right: verify() says. These throw
// planning::error: "<source>: <JSON path>: <reason>". A folder stands for the run that `pianola record` wrote into it.
[[nodiscard]] plan read_plan(std::string_view json, const graph& graph,
                             std::string_view source = "plan");
[[nodiscard]] plan read_plan(std::string_view json, const graph& graph, const machine& machine,
                             std::string_view source = "plan");
[[nodiscard]] plan load_plan(const std::string& path, const graph& graph);
[[nodiscard]] plan load_plan(const std::string& path, const graph& graph, const machine& machine);
[[nodiscard]] std::string to_json(const plan&);
void save(const plan&, const std::string& path);

}  // namespace pianola::planning
