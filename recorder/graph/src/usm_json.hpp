// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/formats/json_writer.hpp>
#include <pianola/model/allocation.hpp>
#include <pianola/model/array_view.hpp>

namespace pianola::recorder {

// The member "usm" of a command; nothing if it has none.
void write_buffer_reads(formats::json_writer& json,
                        model::array_view<const model::buffer_read> reads);
void write_usm(formats::json_writer& json, model::array_view<const model::usm_access> accesses);

}  // namespace pianola::recorder
