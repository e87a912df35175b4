// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/repeat_finder.hpp"

#include <algorithm>
#include <cstddef>

#include <boost/container_hash/hash.hpp>

namespace pianola::recorder {

namespace {

constexpr std::uint64_t base = 0x9e3779b97f4a7c15ULL;  // odd

// Numbers that differ in few bits have to differ in many: the sum of a polynomial modulo 2^64 forgets high bits. Boost's hash
// of a number alone is the number.
std::uint64_t mixed(std::uint64_t x) noexcept {
  std::size_t hash = 0;
  boost::hash_combine(hash, x);
  return hash;
}

}  // namespace

repeat_finder::repeat_finder(std::uint32_t longest)
    : longest_(longest),
      mask_(std::uint64_t{4} * longest - 1),
      numbers_(std::size_t{4} * longest),
      prefixes_(std::size_t{4} * longest),
      powers_(std::max<std::size_t>(std::size_t{2} * longest, lengths_.back()) + 1) {
  powers_[0] = 1;
  for (std::size_t i = 1; i < powers_.size(); ++i) powers_[i] = powers_[i - 1] * base;
  for (auto& table : seen_) table.resize(places_);
}

std::uint32_t repeat_finder::repeated_for(std::uint32_t period) const noexcept {
  return std::min(std::max(period, least_), 2 * longest_);
}

bool repeat_finder::repeats(std::uint32_t period) const noexcept {
  const std::uint32_t length = repeated_for(period);
  return count_ - first_ >= std::uint64_t{length} + period &&
         hash_of(count_, length) == hash_of(count_ - period, length);
}

bool repeat_finder::is_certain(std::uint32_t period) const noexcept {
  const std::uint32_t length = repeated_for(period);
  for (std::uint32_t i = 0; i < length; ++i)
    if (back(i) != back(i + period)) return false;
  return true;
}

void repeat_finder::follow(std::uint32_t period) noexcept {
  const std::uint64_t most = std::min<std::uint64_t>(count_ - first_ - period, period);
  std::uint32_t equal = 1;
  while (equal < most && back(equal) == back(equal + period)) ++equal;
  followed_ = period;
  equal_ = equal;
}

std::uint32_t repeat_finder::add(std::uint64_t number) {
  numbers_[count_ & mask_] = number;
  const std::uint64_t hash = prefixes_[count_ & mask_] * base + mixed(number);
  ++count_;
  prefixes_[count_ & mask_] = hash;
  std::uint32_t period = 0;
  if (followed_ != 0) {
    if (back(0) != back(followed_))
      followed_ = 0;
    else if (++equal_ >= followed_) {
      if ((count_ >= quiet_until_ || followed_ > quiet_) && repeats(followed_)) period = followed_;
      followed_ = 0;
    }
  }
  for (std::size_t level = 0; level < lengths_.size(); ++level) {
    const std::uint32_t length = lengths_[level];
    if (count_ - first_ < length) break;
    const std::uint64_t key = mixed(hash_of(count_, length));
    // Of long ones few are enough, if they are the same ones each time.
    if ((key >> 20 & samples_[level]) != 0) continue;
    const auto tag = static_cast<std::uint32_t>(key >> 32);
    // One of two places: the one that has it, or else the older one.
    place* const two = &seen_[level][key % (places_ / 2) * 2];
    const auto now = static_cast<std::uint32_t>(count_);
    place& at = two[0].tag == tag || (two[1].tag != tag && now - two[0].end > now - two[1].end)
                    ? two[0]
                    : two[1];
    const std::uint32_t apart = now - at.end;
    if (at.tag == tag && apart != 0 && apart < longest_ && (period == 0 || apart < period) &&
        (count_ >= quiet_until_ || apart > quiet_)) {
      if (repeats(apart))
        period = apart;
      else if (level == 0 && followed_ == 0 && count_ - first_ > apart && back(0) == back(apart))
        follow(apart);
    }
    at = {tag, now};
  }
  if (period == 0 || !is_certain(period)) return 0;
  quiet_until_ = count_ + period;
  quiet_ = period;
  return period;
}

}  // namespace pianola::recorder
