// SPDX-License-Identifier: Apache-2.0
#include "commands/memory_parameter_uses.hpp"

#include <fmt/format.h>

#include <pianola/model/error.hpp>

namespace pianola::runtime {

void refuse_memory_parameters(const submission& s) {
  const auto refuse = [](const char* what) {
    throw model::user_error(model::error_code::invalid,
                            fmt::format("{} that is submitted to a device uses the pointer of a "
                                        "graph_parameter, which only recorded graphs do; give it "
                                        "memory of a USM function",
                                        what));
  };
  for_each_parameter_operand(s.payload, [&](const auto&) { refuse("a copy or fill"); });
  const model::argument_block arguments = s.arguments.block();
  // Wider alignments leave padding that holds whole words of what was there before.
  if (arguments.alignment > alignof(std::uintptr_t)) return;
  for_each_parameter_word(
      arguments, [&](std::uint32_t, const memory_parameters::parameter& p, std::uintptr_t word) {
        // Others may be a small integer in front of old bytes.
        if (word == p.begin) refuse("a command");
      });
}

}  // namespace pianola::runtime
