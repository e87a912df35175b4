// SPDX-License-Identifier: Apache-2.0
// A host accessor that a thread holds while it waits for a command that needs its end: SYCL says that it blocks. It
// blocks for ever if nobody else ends the accessor, which cannot be known: accessors can be copied, moved and kept
// anywhere, so any thread may. Hence a line after a while, and no exception.
#include "execute/wait_hint.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include <pianola/host/clock.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>

#include "data/buffer_table.hpp"
#include "data/held_accesses.hpp"
#include "process.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

namespace {

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;
constexpr std::uint64_t default_seconds = 5, most_seconds = 3600;

std::string description_of(const model::buffer_info& info) {
  std::string range;
  for (unsigned d = 3U - info.dimensions; d < 3; ++d)
    range += fmt::format("{}{}", range.empty() ? "" : " x ", info.grid.range().c[d]);
  return fmt::format("a buffer of {} elements of {} bytes", range, info.element_size);
}

}  // namespace

std::optional<std::uint64_t> wait_hint_from_environment() {
  const char* value = std::getenv("PIANOLA_WAIT_HINT");
  const std::string text = value == nullptr ? "" : value;
  if (text.empty()) return default_seconds * nanoseconds_per_second;
  if (text == "off") return std::nullopt;
  const bool number = text.size() <= 4 && text.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t seconds = number ? std::stoul(text) : most_seconds + 1;
  if (seconds > most_seconds)
    throw model::user_error(
        model::error_code::platform,
        fmt::format("PIANOLA_WAIT_HINT='{}': it takes a number of seconds from 0 to {}, or off",
                    text, most_seconds));
  return seconds * nanoseconds_per_second;
}

std::string wait_hint(process& rt, std::string_view what, model::lane_id mine) {
  std::string text;
  const std::lock_guard lock(rt.mutex);
  rt.held.any_in_the_way(std::this_thread::get_id(), [&](const held_accesses::entry& e) {
    const buffer_entry& b = rt.buffers[e.buffer];
    if (e.lane == mine || !b.exists || b.generation != e.generation) return false;
    text = fmt::format(
        "a thread waits for {} while it holds a host_accessor ({}) of {}, for whose end something "
        "that was submitted later waits. Unless another thread ends that accessor, this wait never "
        "ends: let the accessor, and every copy of it, go out of scope first",
        what, model::name_of(e.mode), description_of(rt.state.info(e.buffer)));
    return true;
  });
  return text;
}

void wait_for_hint(process& rt, model::array_view<const executors::lane_position> positions,
                   std::string_view what, model::lane_id mine) {
  using namespace std::chrono_literals;
  if (!rt.hint_after || current_log_level() < log_level::warn) return;
  const auto over = [&] {
    return std::all_of(positions.begin(), positions.end(), [](const executors::lane_position& p) {
      return p.lane->reached(p.position);
    });
  };
  if (over() || wait_hint(rt, what, mine).empty()) return;
  // A wait without a limit, below, is for those that end. This one may be ended by another thread.
  host::patience left(*rt.hint_after);
  auto nap = 50us;
  while (left.look() != 0) {
    for (const executors::lane_position& p : positions)
      if (executors::progress_source* source = p.lane->source()) source->look(*p.lane);
    if (over()) return;
    if (host::team::instance().help(host::team::current_thread())) continue;
    std::this_thread::sleep_for(nap);
    nap = std::min<std::chrono::microseconds>(nap * 2, 5ms);
  }
  if (const std::string text = wait_hint(rt, what, mine); !text.empty()) log_warn("{}", text);
}

}  // namespace pianola::runtime
