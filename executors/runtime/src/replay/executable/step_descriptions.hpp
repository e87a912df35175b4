// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "failures/step_context.hpp"
#include "replay/executable/planned_graph.hpp"

namespace pianola::runtime {

class process;
class step_maker;

// What there is to be said about the steps of a planned graph, for messages and failures.
class step_descriptions final : public described_steps {
 public:
  step_descriptions(const planned_graph& g, const step_maker& maker) : g_(g), maker_(maker) {}

  void describe(const process& rt, std::uint32_t step,
                std::vector<std::byte>& context) const override;

 private:
  // `more`: see set_before.
  void touch_all(const process& rt, std::uint32_t step, std::vector<touched_box>& touched,
                 std::vector<std::uint64_t>& more) const;
  // Whether no step before this one uses the buffer, which holds nothing when the graph begins.
  [[nodiscard]] bool begins_with(model::buffer_id, std::ptrdiff_t step) const;

  const planned_graph& g_;
  const step_maker& maker_;
};

}  // namespace pianola::runtime
