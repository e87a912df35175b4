// SPDX-License-Identifier: Apache-2.0
// What payloads of several kinds have: a function object, and memory that they name. Each question is answered for all kinds
// in one place, and a new kind that answers none does not compile.
#pragma once
#include <cstdint>
#include <type_traits>
#include <variant>

#include "command.hpp"

namespace pianola::model {

namespace detail {
// `To`, const where `From` is.
template <class From, class To>
using const_as = std::conditional_t<std::is_const_v<From>, const To, To>;
}  // namespace detail

// The function object of a command and its slots; null if its kind has none. `Payload` is command_payload, perhaps const.
template <class Payload>
detail::const_as<Payload, argument_block>* arguments_of(Payload& p) noexcept {
  switch (kind_of(p)) {
    case command_kind::kernel:
      return &std::get_if<kernel_command>(&p)->arguments;
    case command_kind::host_task:
      return &std::get_if<host_task_command>(&p)->arguments;
    case command_kind::empty:
    case command_kind::copy:
    case command_kind::fill:
    case command_kind::barrier:
    case command_kind::prefetch:
    case command_kind::advise:
    case command_kind::host_access:
    case command_kind::acquire:
    case command_kind::subgraph:
    case command_kind::allocate:
    case command_kind::free:
      break;
  }
  return nullptr;
}
template <class Payload>
detail::const_as<Payload, array_view<const argument_slot>>* slots_of(Payload& p) noexcept {
  switch (kind_of(p)) {
    case command_kind::kernel:
      return &std::get_if<kernel_command>(&p)->slots;
    case command_kind::host_task:
      return &std::get_if<host_task_command>(&p)->slots;
    case command_kind::empty:
    case command_kind::copy:
    case command_kind::fill:
    case command_kind::barrier:
    case command_kind::prefetch:
    case command_kind::advise:
    case command_kind::host_access:
    case command_kind::acquire:
    case command_kind::subgraph:
    case command_kind::allocate:
    case command_kind::free:
      break;
  }
  return nullptr;
}

// How a command uses one of its operands.
struct operand_use {
  std::uint64_t width = 0;
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  bool written = false;  // else read

  [[nodiscard]] std::uint64_t bytes() const noexcept { return width * height * depth; }
};

// Calls operand(memory_operand&, operand_use) for each place that the command works on, what it reads first, and
// hint(pointer) for each pointer to memory that it tells something of. Memory that a command makes or frees is neither.
template <class Payload, class Operand, class Hint>
void for_each_memory(Payload& p, Operand&& operand, Hint&& hint) {
  switch (kind_of(p)) {
    case command_kind::copy: {
      auto& c = *std::get_if<copy_command>(&p);
      operand(c.source, operand_use{c.width, c.height, c.depth, false});
      operand(c.destination, operand_use{c.width, c.height, c.depth, true});
      return;
    }
    case command_kind::fill: {
      auto& c = *std::get_if<fill_command>(&p);
      operand(c.destination, operand_use{c.width, c.height, c.depth, true});
      return;
    }
    case command_kind::prefetch:
      hint(std::get_if<prefetch_command>(&p)->pointer);
      return;
    case command_kind::advise:
      hint(std::get_if<advise_command>(&p)->pointer);
      return;
    case command_kind::empty:
    case command_kind::kernel:
    case command_kind::host_task:
    case command_kind::barrier:
    case command_kind::host_access:
    case command_kind::acquire:
    case command_kind::subgraph:
    case command_kind::allocate:
    case command_kind::free:
      return;
  }
}
template <class Payload, class Operand>
void for_each_operand(Payload& p, Operand&& operand) {
  for_each_memory(p, operand, [](const void*) {});
}

}  // namespace pianola::model
