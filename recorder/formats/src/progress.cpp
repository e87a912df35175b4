// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/progress.hpp"

#include <algorithm>
#include <atomic>

namespace pianola::formats {

namespace {

constexpr unsigned nobody_knows = ~0U;
std::atomic<unsigned> percent{nobody_knows};

}  // namespace

void tell_progress(std::uint64_t done, std::uint64_t all) noexcept {
  if (all == 0) return forget_progress();
  const double share = 100.0 * static_cast<double>(done) / static_cast<double>(all);
  percent.store(static_cast<unsigned>(std::min(share, 100.0)), std::memory_order_relaxed);
}

void forget_progress() noexcept { percent.store(nobody_knows, std::memory_order_relaxed); }

std::optional<unsigned> percent_done() noexcept {
  const unsigned known = percent.load(std::memory_order_relaxed);
  if (known == nobody_knows) return std::nullopt;
  return known;
}

}  // namespace pianola::formats
