// SPDX-License-Identifier: Apache-2.0
// From copies and fills of the model to those of executors, with addresses.
#pragma once
#include <cstdint>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

// Where the buffers of a command are.
class address_book {
 public:
  virtual ~address_book() = default;
  // Base address of the buffer of the command's requirement.
  [[nodiscard]] virtual void* address(std::uint32_t requirement) const = 0;
  [[nodiscard]] virtual model::memory_id memory(std::uint32_t requirement) const = 0;
};
[[nodiscard]] executors::resolved_copy resolve_copy(const model::copy_command& c,
                                                    const address_book& book);
[[nodiscard]] executors::resolved_fill resolve_fill(const model::fill_command& f,
                                                    const address_book& book);

// True if the command is an allocation that is filled with zeroes; `fill` then does that.
[[nodiscard]] bool zeroes(const model::command_payload& payload, executors::resolved_fill& fill);

// Fills a 3-D copy of a box between two allocations of one buffer.
[[nodiscard]] executors::resolved_copy copy_of_box(const model::buffer_info& info,
                                                   const model::box& elements, void* to,
                                                   model::memory_id to_memory, const void* from,
                                                   model::memory_id from_memory) noexcept;

}  // namespace pianola::runtime
