// SPDX-License-Identifier: Apache-2.0
// What a program did outside of graphs is one run, and has these names in the folder that it was recorded to: a journal,
// and of a short run, or where somebody asks for files, a graph and a plan in its place.
#pragma once
#include <string>

namespace pianola::recorder {

inline constexpr const char* run_name = "eager";  // the others without their endings
inline constexpr const char* run_graph = "eager.graph.json";
inline constexpr const char* run_plan = "eager.plan.json";
inline constexpr const char* run_journal = "eager.journal";

// Whether there is a journal that was written to after the file, which is of another run then, or is not there.
[[nodiscard]] bool is_newer(const std::string& journal, const std::string& file);

// Where the latest run is to be read from.
enum class run_source { nowhere, file, journal };
// `file`: run_graph or run_plan.
[[nodiscard]] run_source latest_run(const std::string& folder, const char* file);

// "in/eager.journal" for "in/eager.graph.json" or "in/eager.plan.json", if only the journal is there; else the path itself.
[[nodiscard]] std::string file_or_journal(const std::string& path);

}  // namespace pianola::recorder
