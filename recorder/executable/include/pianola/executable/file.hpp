// SPDX-License-Identifier: Apache-2.0
// The file format pianola.executable/4 (docs/file-formats.md): a whole executable graph, in a form that is used where it
// lies in memory: sections of fixed-size records that name each other by number.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/formats/file_bytes.hpp>

#include "contents.hpp"

namespace pianola::executable {

// Enough for some forty million commands.
inline constexpr std::uint64_t maximum_file_bytes = std::uint64_t{1} << 34;

// The bytes of the file. Throws model::user_error: feature_not_supported for a command that no file can hold (its
// sentence names the command), invalid if there is too much of something.
[[nodiscard]] std::string to_bytes(const contents&);
// The same into a file, which appears as a whole.
void write(const std::string& path, const contents&);

// Whether a file begins as one of this format does, whatever its version.
[[nodiscard]] bool is_executable(std::string_view head) noexcept;
inline constexpr std::size_t head_bytes = 8;

struct file_layout;  // the sections, as they lie in the file

// A file that was read and found sound: every number in it names something, every box lies in its buffer, memory
// operations, argument slots and parameters stay within what they work on, storage within its block, each command is run by
// one step, waits lead backwards; graphs in it are sound as well, and of the same machine, buffers and allocations.
// Whether the plan is right planner::verify says. What a kernel makes of the bytes of its arguments nobody can check: a
// file is trusted as far as a program is.
class file {
 public:
  // Throws model::user_error (invalid) with the text "<path>: <section>/<number>: <reason>", whatever the file holds.
  [[nodiscard]] static std::shared_ptr<file> load(const std::string& path);
  [[nodiscard]] static std::shared_ptr<file> from_bytes(formats::file_bytes bytes,
                                                        const std::string& source);
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file();

  [[nodiscard]] std::uint64_t graph_hash() const noexcept;
  [[nodiscard]] model::device_id device() const noexcept;
  // What it is made of, without sizes and speeds.
  [[nodiscard]] const model::topology& machine() const noexcept { return machine_; }
  [[nodiscard]] const std::vector<named_kernel>& kernels() const noexcept { return kernels_; }
  [[nodiscard]] const std::vector<named_buffer>& buffers() const noexcept { return buffers_; }
  [[nodiscard]] const std::vector<named_allocation>& allocations() const noexcept {
    return allocations_;
  }
  [[nodiscard]] const std::vector<staged_copy>& staged() const noexcept { return staged_; }
  [[nodiscard]] const std::vector<named_parameter>& parameters() const noexcept {
    return parameters_;
  }
  // In the order of commands; each file in it is used with what is bound to this one.
  [[nodiscard]] const std::vector<control<std::shared_ptr<file>>>& controls() const noexcept {
    return controls_;
  }
  [[nodiscard]] std::size_t command_count() const noexcept;
  [[nodiscard]] std::size_t step_count() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.size(); }
  // Allocations that a command works on, as recorder::command_graph lists them.
  [[nodiscard]] std::vector<std::uint32_t> allocations_of(std::uint32_t command) const;

  // The commands, with what they refer to in memory of this object. `kernels[i]`: what the i-th kernel is here, null for
  // commands that are only looked at; `pointers[i]`: where the i-th allocation is, likewise. Those that run graphs do not say
  // which: controls() does. `see` looks at each as soon as it is made, as they may be more than caches hold. Called once.
  [[nodiscard]] std::vector<model::command> take_commands(
      model::array_view<const model::kernel_descriptor* const> kernels,
      model::array_view<void* const> pointers,
      const std::function<void(std::size_t index, const model::command&)>& see = {});
  [[nodiscard]] planner::plan plan() const;
  // Of a file whose commands and plan have been taken: what neither commands nor the lists above refer to goes back to the system.
  void give_back_records() noexcept;

 private:
  file(formats::file_bytes bytes, const std::string& source, unsigned depth,
       std::optional<std::uint64_t> sum = {});
  void read_controls(const std::string& source, unsigned depth);

  formats::file_bytes bytes_;
  std::unique_ptr<const file_layout> layout_;
  model::topology machine_;
  std::vector<named_kernel> kernels_;
  std::vector<named_buffer> buffers_;
  std::vector<named_allocation> allocations_;
  std::vector<staged_copy> staged_;
  std::vector<named_parameter> parameters_;
  std::vector<control<std::shared_ptr<file>>> controls_;
  formats::file_bytes referred_to_;  // by commands: requirements, slots, edges, parts
};

}  // namespace pianola::executable
