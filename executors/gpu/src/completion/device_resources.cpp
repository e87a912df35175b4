// SPDX-License-Identifier: Apache-2.0
#include "completion/device_resources.hpp"

#include <new>

#include <pianola/host/clock.hpp>

namespace pianola::gpu {

namespace {

// Drivers tell time differences in milliseconds with 24 bits: after a second of them the last bit is 60 ns.
constexpr std::uint64_t base_lasts = 1'000'000'000;
constexpr int tries = 3;
constexpr std::uint64_t well_known = 50'000;  // nanoseconds

}  // namespace

code device_resources::need_stream() noexcept {
  if (own_stream_.native != nullptr) return success;
  return driver_.make_stream(device_, own_stream_);
}

code device_resources::base(std::uint64_t now, std::shared_ptr<const clock_base>& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (base_ != nullptr && now < base_->nanoseconds + base_lasts) {
    out = base_;
    return success;
  }
  code c = need_stream();
  if (c != success) return c;
  event at;
  c = events.take(true, at);
  if (c != success) return c;
  std::uint64_t moment = 0;
  std::uint64_t doubt = ~std::uint64_t{0};
  // The shorter it takes, the better the moment is known; whoever was interrupted tries again.
  for (int i = 0; i < tries && doubt > well_known; ++i) {
    const std::uint64_t before = host::nanoseconds_now();
    c = driver_.record(device_, own_stream_, at);
    if (c == success) c = driver_.synchronize(at);
    if (c != success) {
      events.give(true, at);
      return c;
    }
    const std::uint64_t after = host::nanoseconds_now();
    doubt = after - before;
    moment = before + doubt / 2;
  }
  auto* made = new (std::nothrow) clock_base{at, moment};
  if (made == nullptr) {
    events.give(true, at);
    return success;  // without a base there are no times
  }
  try {
    base_ = std::shared_ptr<const clock_base>(made, [this](const clock_base* old) {
      events.give(true, old->at);
      delete old;
    });
  } catch (...) {
    return success;
  }
  out = base_;
  return success;
}

code device_resources::upload(executable graph) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const code c = need_stream();
  return c == success ? driver_.upload(graph, device_, own_stream_) : c;
}

void device_resources::close() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  base_.reset();
  events.destroy_all();
  ranges.free_all();
  if (own_stream_.native != nullptr) driver_.destroy(device_, own_stream_);
  own_stream_ = {};
}

code nanoseconds_of(driver& d, const clock_base& base, event e, std::uint64_t& out) noexcept {
  float milliseconds = 0;
  const code c = d.elapsed(base.at, e, milliseconds);
  if (c != success) return c;
  const double after = static_cast<double>(milliseconds) * 1e6;
  out = after <= 0 ? base.nanoseconds : base.nanoseconds + static_cast<std::uint64_t>(after);
  return success;
}

}  // namespace pianola::gpu
