// SPDX-License-Identifier: Apache-2.0
// A folder of recordings: which files in it are of which process, and where those of earlier processes go.
#pragma once
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace pianola::journal {

// What the names of a process's files begin with: nothing for the one that has the plain names (eager.journal,
// graph-3.plan.json), "1234-89abcdef-" for one beside it. None: no recording has a file of this name.
[[nodiscard]] std::optional<std::string_view> process_of(std::string_view file);
// For this process; it is nobody else's.
[[nodiscard]] std::string new_process_prefix();
// Whether files with plain names are there.
[[nodiscard]] bool has_plain_names(const std::string& folder);

// Whether a folder of this name, "before-1", holds what was recorded before.
[[nodiscard]] bool is_of_before(std::string_view name);
// Moves files of processes that have ended into a new folder there: those with plain names, and those of others that are
// older than `began`. Returns the new folder's name; empty: there was nothing. Throws model::user_error (invalid) if the
// files cannot be moved.
[[nodiscard]] std::string set_aside(const std::string& folder, const std::timespec& began);

}  // namespace pianola::journal
