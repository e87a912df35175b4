// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <pianola/executors/backend.hpp>

namespace pianola::test {

// Steps that are all there, at once.
class all_steps : public executors::graph_steps {
 public:
  explicit all_steps(model::array_view<const executors::graph_step> all) : all_(all) {}
  [[nodiscard]] std::size_t count() const noexcept final { return all_.size(); }
  [[nodiscard]] std::size_t most_waits() const noexcept final {
    std::size_t sum = 0;
    for (const executors::graph_step& s : all_) sum += s.waits.size();
    return sum;
  }
  [[nodiscard]] model::array_view<const executors::graph_step> next() override {
    return take(all_.size());
  }

 protected:
  // At most so many of those that have not been taken.
  model::array_view<const executors::graph_step> take(std::size_t most) {
    const std::size_t first = at_;
    at_ = std::min(all_.size(), first + most);
    return {all_.data() + first, at_ - first};
  }

 private:
  model::array_view<const executors::graph_step> all_;
  std::size_t at_ = 0;
};

// Hands out steps as a backend may rely on them and no longer: two at a time, gone when the next are asked for.
class few_steps final : public all_steps {
 public:
  explicit few_steps(model::array_view<const executors::graph_step> all) : all_steps(all) {}
  [[nodiscard]] model::array_view<const executors::graph_step> next() override {
    now_.clear();
    waits_.clear();
    for (const executors::graph_step& s : take(2)) {
      now_.push_back(s);
      now_.back().waits = waits_.emplace_back(s.waits.begin(), s.waits.end());
    }
    return now_;
  }

 private:
  std::vector<executors::graph_step> now_;
  std::deque<std::vector<std::uint32_t>> waits_;
};

}  // namespace pianola::test
