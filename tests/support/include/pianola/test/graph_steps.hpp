// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <pianola/executors/backend.hpp>

namespace pianola::test {

// Hands out steps as a backend may rely on them and no longer: two at a time, gone when the next are asked for.
class few_steps final : public executors::graph_steps {
 public:
  explicit few_steps(model::array_view<const executors::graph_step> all) : all_(all) {}
  [[nodiscard]] std::size_t count() const noexcept override { return all_.size(); }
  [[nodiscard]] std::size_t most_waits() const noexcept override {
    std::size_t sum = 0;
    for (const executors::graph_step& s : all_) sum += s.waits.size();
    return sum;
  }
  [[nodiscard]] model::array_view<const executors::graph_step> next() override {
    now_.clear();
    waits_.clear();
    for (; now_.size() < 2 && at_ < all_.size(); ++at_) {
      now_.push_back(all_[at_]);
      auto& waits = waits_.emplace_back(now_.back().waits.begin(), now_.back().waits.end());
      now_.back().waits = waits;
    }
    return now_;
  }

 private:
  model::array_view<const executors::graph_step> all_;
  std::size_t at_ = 0;
  std::vector<executors::graph_step> now_;
  std::deque<std::vector<std::uint32_t>> waits_;
};

}  // namespace pianola::test
