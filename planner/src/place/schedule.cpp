// SPDX-License-Identifier: Apache-2.0
#include "place/schedule.hpp"

#include <algorithm>
#include <tuple>

#include <pianola/model/saturating.hpp>

namespace pianola::planner {

bool better(objective wanted, const placement_figures& a, const placement_figures& b) noexcept {
  switch (wanted) {
    case objective::makespan:
      return std::tie(a.seconds, a.bytes, a.peak) < std::tie(b.seconds, b.bytes, b.peak);
    case objective::bytes:
      return std::tie(a.bytes, a.seconds, a.peak) < std::tie(b.bytes, b.seconds, b.peak);
    case objective::memory:
      return std::tie(a.peak, a.seconds, a.bytes) < std::tie(b.peak, b.seconds, b.bytes);
  }
  return false;
}

}  // namespace pianola::planner

namespace pianola::planner::place {

namespace {

// Words of a line of the cache.
constexpr std::size_t words_of_line = 8;

// None has a part of one line and a part of the next, unless it is longer than a line.
std::size_t row_size_of(const problem& p) {
  const std::size_t words = p.mask_words() + p.memories();
  return words > words_of_line / 2 ? (words + words_of_line - 1) / words_of_line * words_of_line
                                   : std::bit_ceil(words);
}

// Memories that data comes from, ascending, each once.
template <bool few>
class sources;
template <>
class sources<true> {
 public:
  explicit sources(const std::vector<std::uint32_t>&) noexcept {}
  // Whether it is new.
  bool add(std::size_t m) noexcept {
    const bool fresh = (bits_ >> m & 1) == 0;
    bits_ |= std::uint64_t{1} << m;
    return fresh;
  }
  [[nodiscard]] bool empty() const noexcept { return bits_ == 0; }
  template <class F>
  void for_each(F&& f) const {
    for (std::uint64_t left = bits_; left != 0; left &= left - 1)
      f(static_cast<std::size_t>(__builtin_ctzll(left)));
  }

 private:
  std::uint64_t bits_ = 0;
};
template <>
class sources<false> {
 public:
  explicit sources(std::vector<std::uint32_t>& list) noexcept : list_(list) { list_.clear(); }
  bool add(std::size_t m) {
    const auto place = std::lower_bound(list_.begin(), list_.end(), m);
    if (place != list_.end() && *place == m) return false;
    list_.insert(place, static_cast<std::uint32_t>(m));
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  template <class F>
  void for_each(F&& f) const {
    for (const std::uint32_t m : list_) f(m);
  }

 private:
  std::vector<std::uint32_t>& list_;
};

std::size_t words_to_line(const std::uint64_t* at) {
  const auto word = reinterpret_cast<std::uintptr_t>(at) / sizeof *at;
  return (words_of_line - word % words_of_line) % words_of_line;
}

}  // namespace

schedule::schedule(const problem& p)
    : problem_(p),
      memories_(p.memories()),
      mask_words_(p.mask_words()),
      starts_(p.size()),
      ends_(p.size()),
      rows_(p.cell_count() * row_size_of(p) + words_of_line),
      row_size_(row_size_of(p)),
      first_row_(words_to_line(rows_.data())),
      devices_(p.devices()),
      resources_(p.resources()),
      allocated_(p.buffer_count() * p.mask_words()),
      used_bytes_(p.memories()),
      taken_until_(p.resources()),
      taken_in_(p.resources(), 0),
      gathered_(p.memories()) {}

void schedule::start(const entry_masks* entry) {
  std::fill(rows_.begin(), rows_.end(), 0);
  std::vector<std::uint64_t> anywhere(mask_words_, ~std::uint64_t{0});
  if (memories_ % 64 != 0) anywhere.back() = (std::uint64_t{1} << memories_ % 64) - 1;
  if (mask_words_ == 1) {
    for (std::uint32_t cell = 0; cell < problem_.cell_count(); ++cell)
      row(cell)[0] = entry != nullptr ? (*entry)[cell] : anywhere[0];
  } else {
    for (std::uint32_t cell = 0; cell < problem_.cell_count(); ++cell)
      std::copy_n(entry != nullptr ? entry->data() + cell * mask_words_ : anywhere.data(),
                  mask_words_, row(cell));
  }
  std::fill(ends_.begin(), ends_.end(), 0.0);
  std::fill(devices_.begin(), devices_.end(), timeline());
  std::fill(resources_.begin(), resources_.end(), timeline());
  std::fill(allocated_.begin(), allocated_.end(), 0);
  std::fill(used_bytes_.begin(), used_bytes_.end(), 0);
  makespan_ = 0;
  moved_ = peak_ = 0;
  trial_ = false;
}

schedule::attempt schedule::try_choice(std::uint32_t command, std::uint32_t choice, double ready) {
  const place::choice& where = problem_.choices(command)[choice];
  return mask_words_ == 1 ? run<false, true>(command, where, ready)
                          : run<false, false>(command, where, ready);
}

double schedule::take(std::uint32_t command, std::uint32_t choice) {
  const place::choice& where = problem_.choices(command)[choice];
  const double ready = after_predecessors(command);
  return (mask_words_ == 1 ? run<true, true>(command, where, ready)
                           : run<true, false>(command, where, ready))
      .end;
}

void schedule::begin_trial() {
  trial_ = true;
  words_changed_.clear();
  timelines_changed_.clear();
  makespan_before_ = makespan_;
  moved_before_ = moved_;
  peak_before_ = peak_;
}

void schedule::undo_trial() {
  const auto put_back = [](auto& changes) {
    for (std::size_t i = changes.size(); i-- > 0;) *changes[i].at = changes[i].before;
  };
  put_back(words_changed_);
  put_back(timelines_changed_);
  makespan_ = makespan_before_;
  moved_ = moved_before_;
  peak_ = peak_before_;
  trial_ = false;
}

void schedule::keep_trial() { trial_ = false; }

void schedule::set_word(std::uint64_t& word, std::uint64_t to) {
  if (trial_) words_changed_.push_back({&word, word});
  word = to;
}
template <bool few>
void schedule::set_valid(std::uint32_t cell, std::size_t memory) {
  std::uint64_t& word = row(cell)[word_of<few>(memory)];
  set_word(word, word | bit_of(memory));
}
template <bool few>
void schedule::set_valid_alone(std::uint32_t cell, std::size_t memory) {
  std::uint64_t* const words = row(cell);
  if constexpr (few) {
    set_word(words[0], bit_of(memory));
  } else {
    for (std::size_t w = 0; w < mask_words_; ++w)
      if (const std::uint64_t to = w == memory / 64 ? bit_of(memory) : 0; words[w] != to)
        set_word(words[w], to);
  }
}
template <bool few>
void schedule::set_time(std::uint32_t cell, std::size_t memory, double t) {
  set_word(row(cell)[words<few>() + memory], std::bit_cast<std::uint64_t>(t));
}
void schedule::occupy(timeline& t, double start, double length) {
  if (trial_) timelines_changed_.push_back({&t, t});
  t.take(start, length);
}

template <bool commit>
double schedule::move(std::size_t from, std::size_t to, std::uint64_t bytes, double ready) {
  const way& w = problem_.between(from, to);
  if (taken_in_[w.resource] == attempts_) ready = std::max(ready, taken_until_[w.resource]);
  const double length = w.seconds(bytes);
  timeline& line = resources_[w.resource];
  const double start = line.find(ready, length);
  taken_in_[w.resource] = attempts_;
  taken_until_[w.resource] = start + length;
  if constexpr (commit) {
    occupy(line, start, length);
    makespan_ = std::max(makespan_, start + length);
  }
  return start + length;
}

template <bool commit, bool few>
void schedule::allocate(std::uint32_t buffer, std::size_t memory, attempt& result) {
  if (!tells_peaks_ || memory == 0) return;
  const std::uint64_t here = bit_of(memory);
  std::uint64_t& known = allocated_[buffer * words<few>() + word_of<few>(memory)];
  if ((known & here) != 0) return;
  if constexpr (commit) {
    set_word(known, known | here);
    set_word(used_bytes_[memory],
             model::saturating_add(used_bytes_[memory], problem_.bytes_of_buffer(buffer)));
    peak_ = std::max(peak_, used_bytes_[memory]);
  } else {
    const std::uint64_t name = std::uint64_t{buffer} << 16 | memory;
    if (std::find(pending_.begin(), pending_.end(), name) != pending_.end()) return;
    pending_.push_back(name);
    std::uint64_t sum = used_bytes_[memory];
    for (const std::uint64_t p : pending_)
      if ((p & 0xffffU) == memory)
        sum = model::saturating_add(sum,
                                    problem_.bytes_of_buffer(static_cast<std::uint32_t>(p >> 16)));
    result.peak = std::max(result.peak, sum);
  }
}

// Returns when all of it is there.
template <bool commit, bool few>
double schedule::bring(const data_use& use, std::size_t memory, attempt& result) {
  const auto cells = problem_.cells(use);
  double there = 0;
  sources<few> from_where(sources_);
  for (const std::uint32_t cell : cells) {
    if (is_valid<few>(cell, memory)) {
      there = std::max(there, since<few>(cell, memory));
      continue;
    }
    bool over_host = false;
    const std::size_t from = problem_.source_for(valid(cell), memory, use.bytes, over_host);
    gathering& g = gathered_[from];
    if (from_where.add(from)) g = {0, 0, 0, over_host};
    g.bytes += problem_.bytes_of_cell(cell);
    g.ready = std::max(g.ready, since<few>(cell, from));
  }
  if (from_where.empty()) return there;
  // All that hops over the host's memory comes from one place to it, or from several, and goes on together.
  std::uint64_t hopping = 0;
  double at_host = 0;
  from_where.for_each([&](std::size_t from) {
    gathering& g = gathered_[from];
    result.bytes += g.bytes;
    g.end = move<commit>(from, g.over_host ? 0 : memory, g.bytes, g.ready);
    if (g.over_host) {
      hopping += g.bytes;
      at_host = std::max(at_host, g.end);
    } else {
      there = std::max(there, g.end);
    }
  });
  double second_end = 0;
  if (hopping != 0) {
    result.bytes += hopping;
    second_end = move<commit>(0, memory, hopping, at_host);
    there = std::max(there, second_end);
    allocate<commit, few>(use.buffer, 0, result);
  }
  if constexpr (commit)
    for (const std::uint32_t cell : cells) {
      if (is_valid<few>(cell, memory)) continue;
      bool over_host = false;
      const std::size_t from = problem_.source_for(valid(cell), memory, use.bytes, over_host);
      if (over_host) {
        set_time<few>(cell, 0, gathered_[from].end);
        set_time<few>(cell, memory, second_end);
        set_valid<few>(cell, 0);
      } else {
        set_time<few>(cell, memory, gathered_[from].end);
      }
      set_valid<few>(cell, memory);
    }
  return there;
}

template <bool commit, bool few>
schedule::attempt schedule::run(std::uint32_t command, const choice& where, double ready) {
  ++attempts_;
  attempt result;
  result.peak = peak_;
  if constexpr (!commit) pending_.clear();
  const auto memory_of = [&](const data_use& u) -> std::size_t {
    return u.memory == data_use::own_memory ? where.memory : u.memory;
  };
  for (const data_use& u : problem_.reads(command)) {
    ready = std::max(ready, bring<commit, few>(u, memory_of(u), result));
    allocate<commit, few>(u.buffer, memory_of(u), result);
  }
  timeline& device = devices_[where.device.value()];
  const double start = device.find(ready, where.seconds);
  result.end = start + where.seconds;
  if constexpr (commit) {
    if (where.seconds > 0) occupy(device, start, where.seconds);
    starts_[command] = start;
    ends_[command] = result.end;
    makespan_ = std::max(makespan_, result.end);
    moved_ += result.bytes;
  }
  for (const data_use& u : problem_.writes(command)) {
    const std::size_t memory = memory_of(u);
    allocate<commit, few>(u.buffer, memory, result);
    if constexpr (commit)
      for (const std::uint32_t cell : problem_.cells(u)) {
        set_valid_alone<few>(cell, memory);
        set_time<few>(cell, memory, result.end);
      }
  }
  if constexpr (commit) result.peak = peak_;
  return result;
}

template <bool few>
entry_masks schedule::entry_with(const placing_of_all& places,
                                 const std::vector<std::uint32_t>& order) const {
  const std::size_t count = words<few>();
  entry_masks valid(problem_.cell_count() * count, 0);
  for (std::size_t cell = 0; cell < problem_.cell_count(); ++cell) valid[cell * count] = 1;
  for (const std::uint32_t i : order) {
    const choice& where = problem_.choices(i)[places[i]];
    const auto memory_of = [&](const data_use& u) -> std::size_t {
      return u.memory == data_use::own_memory ? where.memory : u.memory;
    };
    for (const data_use& u : problem_.reads(i)) {
      const std::size_t memory = memory_of(u);
      for (const std::uint32_t cell : problem_.cells(u)) {
        std::uint64_t* const v = valid.data() + cell * count;
        if ((v[word_of<few>(memory)] & bit_of(memory)) != 0) continue;
        bool over_host = false;
        static_cast<void>(problem_.source_for(v, memory, u.bytes, over_host));
        v[word_of<few>(memory)] |= bit_of(memory);
        if (over_host) v[0] |= 1;
      }
    }
    for (const data_use& u : problem_.writes(i)) {
      const std::size_t memory = memory_of(u);
      for (const std::uint32_t cell : problem_.cells(u)) {
        std::uint64_t* const v = valid.data() + cell * count;
        if constexpr (!few) std::fill_n(v, count, 0);
        v[word_of<few>(memory)] = bit_of(memory);
      }
    }
  }
  return valid;
}

entry_masks schedule::entry_of(const placing_of_all& places,
                               const std::vector<std::uint32_t>& order) const {
  return mask_words_ == 1 ? entry_with<true>(places, order) : entry_with<false>(places, order);
}

placement_figures schedule::evaluate(const placing_of_all& places,
                                     const std::vector<std::uint32_t>& order) {
  const entry_masks entry = entry_of(places, order);
  tells_peaks_ = true;
  start(&entry);
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at + expected < order.size()) expect(order[at + expected]);
    take(order[at], places[order[at]]);
  }
  return figures();
}

}  // namespace pianola::planner::place
