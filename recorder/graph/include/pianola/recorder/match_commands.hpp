// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>

namespace pianola::recorder {

// Two graphs as one: which command of the other stands where a command of the first one stands.
struct command_match {
  static constexpr std::uint32_t none = 0xffffffffU;

  std::vector<std::uint32_t>
      counterpart;  // index: command of the first graph; empty if the graphs differ
  std::uint32_t differs =
      none;  // then: a command of the first one without a counterpart, if there is one

  [[nodiscard]] explicit operator bool() const noexcept { return differs == none; }
};

// Commands match if they are of one kind and follow the matches of what the other follows, by explicit edges: in whichever
// order either graph was put together. Where several would do, the one at the same place goes first, then one that runs
// the same kernel. Both have as many commands. What is in the same order in both costs one look. Of graphs that are the same
// only after the right choice among commands that look alike all over and are not, it may say that they differ; never the
// other way round.
[[nodiscard]] command_match match_commands(model::array_view<const model::command> first,
                                           model::array_view<const model::command> other);

}  // namespace pianola::recorder
