// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include <pianola/model/topology.hpp>

namespace pianola::formats {
class json_reader;
class json_writer;
}  // namespace pianola::formats

namespace pianola::recorder {

// The file format pianola.topology/1 (docs/file-formats.md). Throws model::user_error (invalid) for a
// link whose bandwidth or latency is not finite.
[[nodiscard]] std::string to_json(const model::topology&);

// A machine that can be planned for: each memory is linked with the host's in both directions.
// Throws model::user_error (invalid) with the text "<source>: <JSON path>: <reason>".
[[nodiscard]] model::topology read_topology(std::string_view text,
                                            std::string_view source = "topology");
[[nodiscard]] model::topology load_topology(const std::string& path);

// The same as a part of another file, whatever is linked.
void write_topology(formats::json_writer&, const model::topology&);
[[nodiscard]] model::topology read_topology(formats::json_reader&);

}  // namespace pianola::recorder
