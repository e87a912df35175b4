// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include <pianola/model/arena.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

// Tells of a kernel which bytes it touches and, where all of them are known, how many these are, and how much it computes,
// and narrows its requirements to what it touches where that is asked for. What the command refers to from then on lives in
// `storage`. Returns whether requirements have changed.
//
// Where the kernel touches memory through plain pointers, which may be a buffer's, its accessors stand for that, too: their
// requirements stay. Where what it touches is far apart there are more requirements afterwards, behind those of its accessors.
bool describe_footprints(model::command& command,
                         model::array_view<const model::buffer_info> buffers, bool narrow,
                         model::arena& storage);

enum class narrowing : unsigned char { never, of_graphs, everywhere };
// As PIANOLA_NARROW says. Throws model::user_error (platform) if that makes no sense.
[[nodiscard]] narrowing narrowing_of_environment();

// As the program has asked for it, or else as PIANOLA_NARROW says; on if neither says anything. Throws model::user_error
// (platform) if that makes no sense.
[[nodiscard]] bool is_narrowing(const graph_snapshot& recorded);

// Of all kernels of a graph that is to be planned.
void describe_footprints(graph_snapshot& recorded);

}  // namespace pianola::runtime
