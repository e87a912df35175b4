// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>

namespace pianola::journal {

// Commands, ascending, that the host may have to wait for. Each costs a few looks, whatever becomes of the others: those that
// have been waited for are dropped where they are half of the list at least, or they are taken from its beginning.
class unwaited {
 public:
  // `waited`: by command, whether the host has waited for it.
  void add(std::uint32_t command, const std::vector<bool>& waited, std::uint64_t& looked_at) {
    if (list_.size() >= tidy_at_) {
      looked_at += list_.size();
      drop_taken();
      std::erase_if(list_, [&](std::uint32_t c) { return waited[c]; });
      tidy_at_ = std::max(least, 2 * list_.size());
    }
    list_.push_back(command);
  }
  [[nodiscard]] model::array_view<const std::uint32_t> all() const noexcept {
    return {list_.data() + taken_, list_.size() - taken_};
  }
  // Those from `first` on.
  [[nodiscard]] model::array_view<const std::uint32_t> from(std::uint32_t first) const noexcept {
    const auto at = std::lower_bound(all().begin(), all().end(), first);
    return {at, static_cast<std::size_t>(all().end() - at)};
  }
  // Those before `end`, which are in it no longer.
  std::vector<std::uint32_t> take_below(std::uint32_t end, std::uint64_t& looked_at) {
    const auto found = all();
    const auto last = std::lower_bound(found.begin(), found.end(), end);
    std::vector<std::uint32_t> taken(found.begin(), last);
    taken_ += taken.size();
    looked_at += taken.size();
    if (2 * taken_ >= list_.size()) {
      looked_at += list_.size() - taken_;
      drop_taken();
    }
    return taken;
  }
  void clear() noexcept {
    list_.clear();
    taken_ = 0;
  }

 private:
  static constexpr std::size_t least = 16;
  void drop_taken() {
    list_.erase(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }

  std::vector<std::uint32_t> list_;
  std::size_t taken_ = 0;  // so many of its first are no longer in it
  std::size_t tidy_at_ = least;
};

}  // namespace pianola::journal
