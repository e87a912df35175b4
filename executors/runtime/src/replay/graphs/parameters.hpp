// SPDX-License-Identifier: Apache-2.0
// Dynamic parameters: whose they are, and their latest values.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include <pianola/model/command.hpp>

#include "replay/values/parameter_cookies.hpp"

namespace pianola::runtime {

class graph;

// The graph that the parameter was made for. Null if it is any graph's, or its graph is gone: then it may also be a word
// that something left behind.
[[nodiscard]] std::shared_ptr<graph> owner_of_parameter(std::uint64_t cookie);

// Few programs change any.
inline std::atomic<bool> any_parameter_changed{false};
void write_changed_parameters(const model::argument_block& block);
// Gives the parameters in the arguments of a command, which is about to be recorded, their latest values.
inline void refresh_parameters(const model::argument_block& block) {
  if (any_parameter_changed.load(std::memory_order_acquire)) [[unlikely]]
    write_changed_parameters(block);
}

}  // namespace pianola::runtime
