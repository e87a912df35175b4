// SPDX-License-Identifier: Apache-2.0
// Loops and branches as commands of graphs, which run to their end without the program's threads. command_graph has
// members of the same names; these are for command groups of queues that record, and of command_graph::add.
#pragma once

#include <cstdint>
#include <vector>

#include <sycl/command_graph.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/ext/pianola/condition.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

using control_body =
    oneapi::experimental::command_graph<oneapi::experimental::graph_state::executable>;

/// The command of the group runs `body` so many times, one after the other. Throws exception (errc::invalid) for a
/// negative count.
void add_repeat(handler& group, std::int64_t count, const control_body& body);
/// Runs `body` for as long as the condition is not zero, which is looked at before each iteration.
void add_while(handler& group, const condition& holds, const control_body& body);
/// Runs `then` if the condition is not zero.
void add_if(handler& group, const condition& holds, const control_body& then);
void add_if(handler& group, const condition& holds, const control_body& then,
            const control_body& otherwise);
/// Runs the one of the graphs, counted from zero, that the value names; none, if there is no such one.
void add_switch(handler& group, const condition& value, const std::vector<control_body>& cases);

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
