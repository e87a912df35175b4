// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/kernel_runner.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>

#include <pianola/planner/cost/thread_costs.hpp>

#include "pianola/host/access_windows.hpp"
#include "pianola/host/clock.hpp"
#include "pianola/host/indirect_range.hpp"
#include "pianola/host/team.hpp"
#include "pianola/host/thread_storage.hpp"

namespace pianola::host {

namespace {

constexpr planner::team_costs kernel_costs;
constexpr std::uint64_t parts_per_thread = 8;
// A thread that takes so much longer for its share than for the whole kernel may have lost its processor.
constexpr double suspicious_nanoseconds = 300'000;
// Cheap kernels are timed now and then only.
constexpr std::uint32_t sample_every = 64;
// Of a kernel that has never run, one part in so many tells what the others take.
constexpr std::uint64_t parts_to_learn_from = 32;

struct arena_memory {
  std::unique_ptr<std::max_align_t[]> bytes;
  std::size_t size = 0;
};
thread_local std::uint32_t sample_counter = 0;

void learn(const executors::resolved_kernel& k, double nanoseconds, std::uint64_t units) noexcept {
  if (k.kernel->statistics == nullptr || units == 0) return;
  auto& s = k.kernel->statistics->nanoseconds_per_unit;
  const auto now = static_cast<float>(nanoseconds / static_cast<double>(units));
  const float old = s.load(std::memory_order_relaxed);
  // Moves fast towards smaller values: interruptions only ever make a sample larger.
  const float next = old == 0.0F ? now : now < old ? 0.5F * (old + now) : old + 0.1F * (now - old);
  s.store(std::max(next, 1e-4F), std::memory_order_relaxed);
}

// Threads beyond take from what the others have.
constexpr unsigned most_shares = 128;

// Left uninitialised beyond the shares that there are: a job is made for every kernel that is spread.
struct alignas(64) part_counter {
  std::uint32_t value;
};

struct spread_job : job {
  const executors::resolved_kernel* kernel = nullptr;
  model::box units;
  std::uint64_t slices = 0;  // in all
  std::uint32_t slices_per_share = 0;
  unsigned shares = 0;
  part_counter counters[most_shares];  // NOLINT: see part_counter
  std::atomic<bool> failed{false};
  std::exception_ptr error;

  [[nodiscard]] std::atomic_ref<std::uint32_t> next(unsigned share) noexcept {
    return std::atomic_ref<std::uint32_t>(counters[share].value);
  }

  // Takes parts of one share until none is left. How many units these had.
  std::uint64_t drain(unsigned share) {
    std::uint64_t had = 0;
    const auto counter = next(share);
    const std::uint64_t first = std::uint64_t{share} * slices_per_share;
    const std::uint64_t last = std::min<std::uint64_t>(first + slices_per_share, slices);
    while (counter.load(std::memory_order_relaxed) < slices_per_share) {
      const std::uint64_t i = first + counter.fetch_add(1, std::memory_order_relaxed);
      if (i >= last) break;
      const model::box part = slice_of(units, i, slices);
      had += part.count();
      if (!failed.load(std::memory_order_relaxed)) run_part(*kernel, part);
    }
    return had;
  }
  // Its own share first.
  bool work(unsigned share) noexcept {
    bool had_one = false;
    try {
      for (unsigned k = 0; k < shares; ++k) had_one = drain((share + k) % shares) != 0 || had_one;
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
      // Whoever comes next finds nothing to do.
      for (unsigned k = 0; k < shares; ++k)
        next(k).store(slices_per_share, std::memory_order_relaxed);
      return true;
    }
    return had_one;
  }
};

unsigned split_dimension(const model::extent3& units, std::uint64_t wanted) noexcept {
  for (unsigned d = 0; d < 3; ++d)
    if (units.c[d] >= wanted) return d;
  unsigned longest = 0;
  for (unsigned d = 1; d < 3; ++d)
    if (units.c[d] > units.c[longest]) longest = d;
  return longest;
}

}  // namespace

model::group_resources local_memory(std::uint32_t bytes) {
  if (bytes == 0) return {};
  auto& a = thread_storage<arena_memory>::get();
  if (a.size < bytes) {
    const std::size_t n = (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    // Room for 64-byte alignment whatever operator new gives.
    a.bytes.reset(new std::max_align_t[n + 64 / sizeof(std::max_align_t)]);
    a.size = bytes;
  }
  auto at = reinterpret_cast<std::uintptr_t>(a.bytes.get());
  at = (at + 63) & ~std::uintptr_t{63};
  return {reinterpret_cast<void*>(at), bytes};
}

model::box slice_of(const model::box& units, std::uint64_t index, std::uint64_t count) noexcept {
  model::box b = units;
  const model::extent3 extent = units.extent();
  const unsigned d = split_dimension(extent, count);
  const std::uint64_t n = extent.c[d], base = n / count, rest = n % count;
  b.lo.c[d] += index * base + std::min(index, rest);
  b.hi.c[d] = b.lo.c[d] + base + (index < rest ? 1 : 0);
  return b;
}

std::uint64_t max_slices(const model::extent3& units, std::uint64_t wanted) noexcept {
  return std::min(wanted, units.c[split_dimension(units, wanted)]);
}

double expected_nanoseconds(const executors::resolved_kernel& k) noexcept {
  if (k.kernel->statistics == nullptr) return -1.0;
  const float per_unit = k.kernel->statistics->nanoseconds_per_unit.load(std::memory_order_relaxed);
  if (per_unit == 0.0F) return -1.0;
  return static_cast<double>(per_unit) * static_cast<double>(k.geometry.launched().count());
}

bool is_in_local_memory(const void* pointer) noexcept {
  const auto& a = thread_storage<arena_memory>::get();
  const auto first = reinterpret_cast<std::uintptr_t>(a.bytes.get());
  return a.size != 0 && reinterpret_cast<std::uintptr_t>(pointer) - first < a.size + 64;
}

namespace {

thread_local const void* frame_of_kernel = nullptr;
thread_local const executors::resolved_kernel* running_kernel = nullptr;

// A kernel may have been begun by a thread that waits in another one's host task.
class kernel_frame_scope {
 public:
  kernel_frame_scope(const void* frame, const executors::resolved_kernel& k) noexcept
      : before_(frame_of_kernel), kernel_before_(running_kernel) {
    frame_of_kernel = frame;
    running_kernel = &k;
    if (k.kernel->checks_accesses) [[unlikely]]
      access_windows::here().clear();
  }
  kernel_frame_scope(const kernel_frame_scope&) = delete;
  kernel_frame_scope& operator=(const kernel_frame_scope&) = delete;
  ~kernel_frame_scope() {
    if (running_kernel->kernel->checks_accesses) [[unlikely]]
      access_windows::here().clear();
    frame_of_kernel = before_;
    running_kernel = kernel_before_;
  }

 private:
  const void* before_;
  const executors::resolved_kernel* kernel_before_;
};

}  // namespace

const executors::resolved_kernel* kernel_here() noexcept { return running_kernel; }
const void* kernel_frame() noexcept { return frame_of_kernel; }
bool runs_groups_of_one() noexcept {
  if (running_kernel == nullptr) return false;
  const model::launch_geometry& g = running_kernel->geometry;
  return g.grouped && volume(g.local) == 1;
}
bool is_in_kernel_arguments(const void* pointer) noexcept {
  if (running_kernel == nullptr) return false;
  const model::argument_block& arguments = running_kernel->arguments;
  return reinterpret_cast<std::uintptr_t>(pointer) -
             reinterpret_cast<std::uintptr_t>(arguments.bytes) <
         arguments.size;
}

namespace {

void run_all(const executors::resolved_kernel& k, const model::box& part) {
  const kernel_frame_scope here(__builtin_frame_address(0), k);
  k.kernel->entry(k.arguments.bytes, k.geometry, part, k.local_slots,
                  local_memory(k.local_memory_bytes));
}

}  // namespace

void run_part(const executors::resolved_kernel& k, const model::box& part) {
  if (k.kernel->read_range == nullptr) [[likely]]
    return run_all(k, part);
  const model::box runs = part_that_runs(k, part);
  if (runs.count() != 0) run_all(k, runs);
}

void run_part_timed(const executors::resolved_kernel& k, const model::box& part) {
  const model::box runs = part_that_runs(k, part);
  if (runs.count() == 0) return;
  const std::uint64_t begin = nanoseconds_now();
  run_all(k, runs);
  learn(k, static_cast<double>(nanoseconds_now() - begin), runs.count());
}

namespace {

// Runs the first of `units`, so that it is known what the others take. Returns those.
model::box learn_from_first(const executors::resolved_kernel& k, const model::box& units) {
  const std::uint64_t parts = max_slices(units.extent(), parts_to_learn_from);
  const model::box first = slice_of(units, 0, parts);
  run_part_timed(k, first);
  model::box others = units;
  for (unsigned d = 0; d < 3; ++d)
    if (first.hi.c[d] != units.hi.c[d]) others.lo.c[d] = first.hi.c[d];
  return parts < 2 ? model::box{} : others;
}

}  // namespace

void run_kernel(const executors::resolved_kernel& k, team& t, unsigned thread, bool may_spread) {
  model::box units = part_that_runs(k, k.geometry.launched());
  std::uint64_t count = units.count();
  if (count == 0) return;
  may_spread = may_spread && count > 1 && t.parallelism() > 1;
  const double of_all = static_cast<double>(k.geometry.launched().count());
  double expected = expected_nanoseconds(k);
  bool known = expected >= 0;
  if (known && k.kernel->read_range != nullptr) expected *= static_cast<double>(count) / of_all;
  if (!known && may_spread && k.kernel->statistics != nullptr) {
    units = learn_from_first(k, units);
    count = units.count();
    if (count == 0) return;
    expected = expected_nanoseconds(k) * static_cast<double>(count) / of_all;
    known = true;
  }
  const bool timed =
      !known || expected > kernel_costs.spread_from || (++sample_counter % sample_every) == 0;
  if (!may_spread || count < 2 || expected < kernel_costs.spread_from ||
      expected < static_cast<double>(t.risk())) {
    if (!timed) {
      run_part(k, units);
      return;
    }
    run_part_timed(k, units);
    return;
  }
  spread_job j;
  j.kernel = &k;
  j.units = units;
  // Where there are not parts enough that are worth a claim, not all threads get a share.
  const double affordable = std::max(2.0, expected / kernel_costs.part);
  const unsigned at_most = std::min(t.parallelism(), most_shares);
  j.shares = static_cast<unsigned>(std::min<double>(affordable, at_most));
  const auto per_share = static_cast<std::uint64_t>(
      std::min<double>(affordable, parts_per_thread * t.parallelism()) / j.shares);
  j.slices = max_slices(units.extent(), per_share * j.shares);
  j.shares = static_cast<unsigned>(std::min<std::uint64_t>(j.shares, j.slices));
  for (unsigned i = 0; i < j.shares; ++i) j.counters[i].value = 0;
  j.slices_per_share = static_cast<std::uint32_t>((j.slices + j.shares - 1) / j.shares);
  j.assist = [](job& self, unsigned helper) noexcept {
    auto& spread = static_cast<spread_job&>(self);
    return spread.work(helper % spread.shares);
  };
  j.longest_part = expected / static_cast<double>(j.slices);
  std::uint64_t own_begin = nanoseconds_now();
  double own = 0;
  std::uint64_t own_units = 0;
  t.parallel_section(j, expected > kernel_costs.wake_from, [&] {
    // Times its own share only: how much the helpers took varies.
    const unsigned share = thread % j.shares;
    try {
      own_units = j.drain(share);
      own = static_cast<double>(nanoseconds_now() - own_begin);
      if (own > expected + suspicious_nanoseconds) t.suspect(static_cast<std::uint64_t>(own));
    } catch (...) {
      if (!j.failed.exchange(true)) j.error = std::current_exception();
    }
    j.work(share);
  });
  if (j.error) std::rethrow_exception(j.error);
  learn(k, own, own_units);
}

}  // namespace pianola::host
