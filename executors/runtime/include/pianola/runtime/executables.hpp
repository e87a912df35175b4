// SPDX-License-Identifier: Apache-2.0
// Executable graphs as files (docs/plans-as-files.md).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pianola/model/ids.hpp>

#include "ids.hpp"

namespace pianola::runtime {

class executable_graph;

// A buffer, memory or a parameter of the program, and what a file calls it.
struct binding {
  std::string name;  // empty: by number
  // Among the buffers or the memories of the program, in order of first use, or among the parameters that have names.
  std::uint64_t number = 0;
  buffer_key buffer;  // invalid: memory, or a parameter
  const void* pointer = nullptr;
  // Of a parameter: what is in front of its value in arguments (0: this is none), how far in front, and the value.
  std::uint64_t parameter = 0;
  std::uint32_t value_offset = 0;
  std::vector<std::byte> value;
};

// Writes everything that replays need: commands with the bytes of their arguments, the plan, and which kernels, buffers and
// memories they work on. Buffers are called as `names` says, else by their labels, else "buffer N"; memories (USM) as
// `names` says, else "memory N". Dynamic parameters that `names` names can be given other values in what is loaded; all others
// are saved as the values that they have. Throws model::user_error: feature_not_supported for what a file cannot hold, which is
// said of the first such command; invalid for names that name nothing or the same, and if the file cannot be written.
// `any_arguments`: words of arguments that look like addresses of this process, and are in no USM allocation, are
// numbers.
void save(const executable_graph&, const std::string& path, const std::vector<binding>& names,
          bool any_arguments);

// What was saved, on buffers and memories of this program, with the values of those parameters that are bound. Nothing is recorded and nothing planned. Throws
// model::user_error: invalid, with the path, if the file cannot be read or is not sound, if machine, shapes or page
// sizes differ from those that it was saved for, or if something is not bound; kernel_not_supported if the program has
// not the kernel, or not for that device. `verify`: the plan is checked as `pianola verify` does, which takes longer than
// all the rest.
[[nodiscard]] std::shared_ptr<executable_graph> load(const std::string& path, model::device_id,
                                                     const std::vector<binding>& bindings,
                                                     bool verify);

// From now on replays of a graph that was loaded do their work with these values of its parameters; all or none. Nothing is
// planned, and only commands that hold one are exchanged. Replays under way go on as they are. Throws model::user_error: invalid for
// what is no parameter of the graph, or of another size; feature_not_supported if a kernel would touch other elements than
// those that the graph was planned for. Nothing has changed then.
void set_parameters(executable_graph&, const std::vector<binding>& values);

}  // namespace pianola::runtime
