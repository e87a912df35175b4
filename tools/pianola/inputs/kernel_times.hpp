// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/model/topology.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/recorder/measured_times.hpp>

namespace pianola::tool {

// Puts the times of kernels into the machine that the recordings of a folder (PIANOLA_RECORD with PIANOLA_RECORD_TIMES)
// hold; times of the same kernel on the same device are replaced. Without devices, the machine becomes that of the
// recordings first. Returns how many kernel times there are now. Throws model::user_error (invalid) if there are no such
// recordings, or if they are of other devices.
std::size_t add_recorded_times(const std::string& folder, model::topology& machine);

// The same of one recording, of these devices. Returns how many kernel times it gave; 0: nothing was timed.
std::size_t add_recorded_times(const recorder::command_graph& graph,
                               const recorder::measured_times& measured, model::topology& machine);

}  // namespace pianola::tool
