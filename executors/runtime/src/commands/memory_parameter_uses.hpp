// SPDX-License-Identifier: Apache-2.0
// Where commands use graph parameters of memory, which only recorded ones may.
#pragma once
#include <cstdint>
#include <cstring>
#include <variant>

#include <pianola/model/command.hpp>
#include <pianola/model/payload_members.hpp>
#include <pianola/runtime/submission.hpp>

#include "data/memory_parameters.hpp"

namespace pianola::runtime {

// Calls see(offset in the arguments, parameter, address) for each word that points into one.
template <class F>
void for_each_parameter_word(const model::argument_block& arguments, const F& see) {
  const auto* bytes = static_cast<const unsigned char*>(arguments.bytes);
  for (std::uint32_t at = 0; bytes != nullptr && at + sizeof(std::uintptr_t) <= arguments.size;
       at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    const memory_parameters::parameter p = memory_parameters::instance().find(word);
    if (p.begin != 0) see(at, p, word);
  }
}

// The same for pointers of copies and fills.
template <class F>
void for_each_parameter_operand(const model::command_payload& payload, const F& see) {
  const auto look = [&](const model::memory_operand& o, const auto&) {
    if (o.requirement != model::memory_operand::no_requirement) return;
    const memory_parameters::parameter p = memory_parameters::instance().find(o.pointer);
    if (p.begin != 0) see(p);
  };
  model::for_each_operand(payload, look);
}

// Throws model::user_error (invalid) if there is one: the command is not one of a graph. What may be left in the padding of
// an argument is not taken for one.
void refuse_memory_parameters(const submission& s);

}  // namespace pianola::runtime
