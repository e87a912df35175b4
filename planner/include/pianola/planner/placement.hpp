// SPDX-License-Identifier: Apache-2.0
// Where the commands of a recorded graph run, for those who have a choice (command::candidates): chosen, and told in figures.
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "options.hpp"
#include "planning_state.hpp"

namespace pianola::planner {

class machine_costs;

// What one replay comes to, by the cost model, after a replay: data is where the last one has left it.
struct placement_figures {
  double seconds = 0;       // until everything has ended
  std::uint64_t bytes = 0;  // moved between memories
  std::uint64_t peak =
      0;  // bytes of buffers in the memory of a device (not the host's), of that with the most
  double least_seconds = 0;  // no placement takes less; 0 where nobody asked
};

// Whether `a` is better: the objective first, then the others.
[[nodiscard]] bool better(objective wanted, const placement_figures& a,
                          const placement_figures& b) noexcept;

// A device per command, as `options` asks for (`place`, `objective`, `search_seconds`), with its figures. Chosen among the
// candidates of each command; a command without candidates stays on its device. The same for the same input. Unless
// `as_submitted` or `heft` is asked for, it is never worse in the objective than what was submitted, nor than any one
// device that every command with candidates may run on. Throws model::user_error (invalid) if an exact placement is asked
// for and the graph has too many commands with candidates (see largest_exact), or candidates that are not devices.
struct chosen_placement {
  std::vector<model::device_id> devices;  // index: command
  placement_figures figures;
  // All commands as they start by the model, which is an order that respects every edge.
  std::vector<std::uint32_t> order;
};
[[nodiscard]] chosen_placement choose_placement(model::array_view<const model::command> commands,
                                                model::array_view<const model::buffer_info> buffers,
                                                const model::topology& machine,
                                                const options& options);

// The figures of any placement, chosen by whomever, if commands are started in the order of their ranks; with
// `least_seconds`.
[[nodiscard]] placement_figures figures_of(model::array_view<const model::command> commands,
                                           model::array_view<const model::buffer_info> buffers,
                                           const model::topology& machine,
                                           model::array_view<const model::device_id> devices);

// When a command that is planned alone would end on a device that is busy for so many seconds: with what it needs brought
// there from where it is valid now, by the same model. In the same seconds.
[[nodiscard]] double end_on(const model::command& command, const planning_state& state,
                            const machine_costs& costs, model::device_id device, double busy);

// Commands with candidates that `placing::exact` goes through at most; and so many devices to choose from.
inline constexpr std::size_t largest_exact = 12;
inline constexpr std::size_t most_devices_of_exact = 3;

}  // namespace pianola::planner
