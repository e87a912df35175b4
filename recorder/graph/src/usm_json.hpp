// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/formats/json_reader.hpp>
#include <pianola/formats/json_writer.hpp>
#include <pianola/model/allocation.hpp>
#include <pianola/model/array_view.hpp>

namespace pianola::recorder {

class command_graph;

// The members "usm" and "reads" of a command, whose allocations and buffers are in the graph already.
void read_usm(formats::json_reader& json, const command_graph& graph,
              std::vector<model::usm_access>& accesses);
void read_buffer_reads(formats::json_reader& json, const command_graph& graph,
                       std::vector<model::buffer_read>& reads);
// Nothing if it has none.
void write_buffer_reads(formats::json_writer& json,
                        model::array_view<const model::buffer_read> reads);
void write_usm(formats::json_writer& json, model::array_view<const model::usm_access> accesses);

}  // namespace pianola::recorder
