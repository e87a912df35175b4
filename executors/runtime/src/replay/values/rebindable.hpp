// SPDX-License-Identifier: Apache-2.0
// Where a planned graph uses what its launches may exchange: buffers, and memory of the program that parameters stand for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/planner/plan.hpp>

#include "data/memory_parameters.hpp"
#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

class machine;

// In which memories the steps of a plan touch each of its buffers, other than in slots. Index: buffer.
[[nodiscard]] std::vector<model::memory_set> memories_of_buffers(const machine& m,
                                                                 const graph_snapshot& recorded,
                                                                 const planner::plan& plan);

// Of one plan; never changes.
class rebindable {
 public:
  rebindable(const machine& m, const graph_snapshot& recorded, const planner::plan& plan);

  // Ascending.
  [[nodiscard]] model::array_view<const std::uint32_t> steps_of(model::buffer_id b) const noexcept {
    return steps_of_buffers_.row(b.value());
  }
  [[nodiscard]] const model::memory_set& memories_of(model::buffer_id b) const noexcept {
    return memories_[b.value()];
  }
  // Whether a step writes the buffer or brings it somewhere: then nothing else may be the same buffer.
  [[nodiscard]] bool changes(model::buffer_id b) const noexcept { return changed_[b.value()] != 0; }

  // The parameters that commands use, in the order of first use.
  [[nodiscard]] const std::vector<memory_parameters::parameter>& memory() const noexcept {
    return parameters_;
  }
  [[nodiscard]] model::array_view<const std::uint32_t> steps_of_memory(
      std::size_t parameter) const noexcept {
    return steps_of_parameters_.row(parameter);
  }
  // In the arguments of the command each place gets the address that `at` (one for each parameter) says.
  void write_arguments(std::uint32_t command, void* bytes,
                       const std::vector<void*>& at) const noexcept;
  // A pointer of a command, which may be one of a parameter's.
  [[nodiscard]] void* translate(void* pointer, const std::vector<void*>& at) const noexcept;

 private:
  struct place {
    std::uint32_t command;
    std::uint32_t parameter;
    std::uint32_t offset;  // in the arguments
    std::uint64_t behind;  // bytes behind the parameter's address
  };
  // Numbers in rows.
  class table {
   public:
    void build(std::size_t rows,
               const std::vector<std::pair<std::uint32_t, std::uint32_t>>& entries);
    [[nodiscard]] model::array_view<const std::uint32_t> row(std::size_t i) const noexcept {
      return {numbers_.data() + first_[i], first_[i + 1] - first_[i]};
    }

   private:
    std::vector<std::size_t> first_;
    std::vector<std::uint32_t> numbers_;
  };
  std::uint32_t number_of(const memory_parameters::parameter& p);
  void find_places(const graph_snapshot& recorded,
                   std::vector<std::pair<std::uint32_t, std::uint32_t>>& uses);

  std::vector<model::memory_set> memories_;
  std::vector<char> changed_;
  table steps_of_buffers_, steps_of_parameters_;
  std::vector<memory_parameters::parameter> parameters_;
  std::vector<place> places_;  // ascending by command
};

// Whether a command points into memory that a parameter stands for.
[[nodiscard]] bool uses_memory_parameters(const graph_snapshot& recorded);

}  // namespace pianola::runtime
