// SPDX-License-Identifier: Apache-2.0
#include "pianola/journal/encoder.hpp"

#include <utility>

#include <pianola/model/command.hpp>

#include "entry.hpp"
#include "pianola/journal/words.hpp"

namespace pianola::journal {

namespace {

// Bytes that a number takes at most.
constexpr std::size_t most_bytes = 10;

// Numbers at the end of a text, which has room for so many of them at once.
class numbers {
 public:
  numbers(std::string& text, std::size_t most) : text_(text) {
    const std::size_t size = text.size();
    text.append(most * most_bytes, '\0');
    at_ = text.data() + size;
  }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() { text_.erase(static_cast<std::size_t>(at_ - text_.data())); }

  void byte(unsigned value) { *at_++ = static_cast<char>(value); }
  void operator()(std::uint64_t value) {
    while (value >= 0x80) {
      *at_++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *at_++ = static_cast<char>(value);
  }

 private:
  std::string& text_;
  char* at_;
};

}  // namespace

void encoder::number(std::uint64_t value) { numbers(bytes_, 1)(value); }

void encoder::text(const std::uint64_t* words, std::uint64_t bytes) {
  number(bytes);
  bytes_.append(reinterpret_cast<const char*>(words), bytes);
}

void encoder::take(model::array_view<const std::uint64_t> record) {
  const std::uint64_t head = record[0];
  const std::uint64_t* at = record.data() + 1;
  switch (kind_of(head)) {
    case record_kind::skip:
    case record_kind::elsewhere:
      return;
    case record_kind::command:
      return command(at, record.data() + record.size(), flags_of(head));
    case record_kind::text:
      byte(entry::text);
      number(at[0]);
      return text(at + 2, at[1]);
    case record_kind::machine:
      byte(entry::machine);
      number(at[0]);
      return text(at + 2, at[1]);
    case record_kind::buffer:
      return buffer(at);
    case record_kind::allocation:
      return allocation(at);
    case record_kind::freed:
      return freed(at[0]);
    case record_kind::host_waited:
      byte(entry::host_waited);
      number(at[0]);
      return number(at[1]);
    case record_kind::queue_waited:
      byte(entry::queue_waited);
      number(at[0]);
      number(at[1]);
      return number(at[2]);
    case record_kind::buffer_ended:
      byte(entry::buffer_ended);
      number(at[0]);
      return number(at[1]);
    case record_kind::replays:
      replays_[at[0]].command.assign(at + 1, record.data() + record.size());
      return;
    case record_kind::replays_end:
      replays_.erase(at[0]);
      return;
    case record_kind::measured:
      byte(entry::measured_from);
      number(at[0]);
      number(at[1]);
      return number(at[2]);
  }
}

// key; range and page; size of elements and dimensions; length of the label, and the label.
void encoder::buffer(const std::uint64_t* at) {
  byte(entry::buffer);
  for (int i = 0; i < 8; ++i) number(at[i]);
  text(at + 9, at[8]);
}

void encoder::allocation(const std::uint64_t* at) {
  byte(entry::allocation);
  number(at[0]);
  number(at[2]);
  number(at[3]);
  // What was there before is nowhere any more.
  const std::uint64_t begin = at[1], end = begin + at[2];
  auto it = places_.upper_bound(begin);
  if (it != places_.begin() && std::prev(it)->first + std::prev(it)->second.bytes > begin) --it;
  while (it != places_.end() && it->first < end) it = places_.erase(it);
  places_[begin] = {at[2], at[0], false};
  addresses_[at[0]] = begin;
}

void encoder::freed(std::uint64_t which) {
  const auto at = addresses_.find(which);
  if (at == addresses_.end()) return;
  byte(entry::freed);
  number(which);
  if (const auto there = places_.find(at->second); there != places_.end()) {
    there->second.freed = true;
    freed_.push_back(at->second);
  }
  addresses_.erase(at);
  if (freed_.size() <= most_freed) return;
  const auto oldest = places_.find(freed_.front());
  if (oldest != places_.end() && oldest->second.freed) places_.erase(oldest);
  freed_.pop_front();
}

// Number of the allocation, with the last bit set if it has been freed, and the offset in it; 0 for none.
std::pair<std::uint64_t, std::uint64_t> encoder::find(std::uint64_t address) const {
  auto it = places_.upper_bound(address);
  if (it == places_.begin()) return {0, 0};
  --it;
  const std::uint64_t offset = address - it->first;
  if (offset >= it->second.bytes) return {0, 0};
  return {it->second.number << 1 | (it->second.freed ? 1U : 0U), offset};
}

std::uint32_t encoder::shape_of(const std::uint64_t* pointers, std::size_t count,
                                std::size_t accesses, const std::uint64_t* words,
                                const std::uint64_t* end) {
  key_.clear();
  key_.push_back(static_cast<std::uint64_t>(end - words));
  key_.insert(key_.end(), words, end);
  const bool kernel = *words >> 48 == static_cast<std::uint64_t>(model::command_kind::kernel);
  for (std::size_t i = 0; i < count; ++i) {
    const auto [which, offset] = find(pointers[i]);
    if (kernel && which == 0) continue;  // a number
    key_.push_back(which + 1);
    key_.push_back(offset);
  }
  key_.push_back(0);
  for (const std::uint64_t* a = pointers + count; accesses != 0; --accesses, a += access_words) {
    const std::uint64_t pointer = a[0] << 8 >> 8;
    if ((a[0] >> 56 & access_of_buffer) != 0) {
      key_.insert(key_.end(), {pointer + 1, a[0] >> 56, a[1], a[2]});
      continue;
    }
    const bool anywhere = a[1] == a[2];
    auto [which, offset] = find(pointer);
    // Of a pointer behind the end of an allocation, which may point to the next one at the same time.
    if ((which == 0 || offset == 0) && !anywhere && a[2] <= pointer)
      if (const auto before = find(pointer - 1); before.first != 0) {
        which = before.first;
        offset = before.second + 1;
      }
    if (which == 0) continue;
    const std::uint64_t base = pointer - offset;
    key_.push_back(which + 1);
    key_.push_back(a[0] >> 56);
    // In front of the allocation below 0, modulo 2^64.
    key_.push_back(anywhere ? 0 : a[1] - base);
    key_.push_back(anywhere ? 0 : a[2] - base);
  }
  key_.push_back(0);
  if (const std::uint32_t known = shapes_.find(key_); known != shape_table::none) return known;
  if (shapes_.full()) {
    shapes_.clear();
    ++times_forgotten_;
    byte(entry::shapes_forgotten);
  }
  byte(entry::shape);
  numbers put(bytes_, key_.size());
  for (const std::uint64_t word : key_) put(word);
  return shapes_.add(key_);
}

std::uint32_t encoder::shape_of_replay(std::uint64_t number) {
  replay& r = replays_.at(number);
  if (r.shape == shape_table::none || r.times_forgotten != times_forgotten_) {
    r.shape = shape_of(nullptr, 0, 0, r.command.data(), r.command.data() + r.command.size());
    r.times_forgotten = times_forgotten_;
    r.words = key_.size();
  }
  words_ += r.words;
  return r.shape;
}

void encoder::command(const std::uint64_t* at, const std::uint64_t* end, std::uint64_t flags) {
  const std::uint64_t queue = at[0], retired = at[1], first_step = at[2];
  const std::uint64_t after = at[3] & 0xffffffffU, steps = at[3] >> 32;
  const std::uint64_t pointers = at[4] & 0xffffffffU, accesses = at[4] >> 32;
  at += 5;
  const std::uint64_t* const first_after = at;
  at += after;
  const std::uint64_t* const first = at;
  for (std::uint64_t s = 0; s < steps; ++s) {
    const std::uint64_t head = *at++;
    at += (head >> 49) + ((head >> 48 & 1) != 0 ? transfer_words : 0);
  }
  std::uint32_t shape = 0;
  if ((flags & by_number) != 0) {
    shape = shape_of_replay(*at);
  } else if ((flags & settlement) == 0) {
    shape = shape_of(at, pointers, accesses, at + pointers + accesses * access_words, end);
    words_ += key_.size();
  }
  ++commands_;
  // Of a step's head three numbers are made.
  numbers put(bytes_, 8 + static_cast<std::size_t>(at - first_after) + 2 * steps);
  put.byte(entry::command);
  put(flags & ~by_number);
  put(queue);
  put(retired - retired_);
  put(first_step - first_step_);
  retired_ = retired;
  first_step_ = first_step;
  if ((flags & settlement) == 0) put(shape);
  put(after);
  for (std::uint64_t i = 0; i < after; ++i) put(first_step - first_after[i]);
  put(steps);
  at = first;
  for (std::uint64_t s = 0; s < steps; ++s) {
    const std::uint64_t head = *at++;
    put((head & 0xffffffffU) << 1 | (head >> 48 & 1));
    put(head >> 32 & 0xffff);
    if ((head >> 48 & 1) != 0)
      for (std::uint64_t i = 0; i < transfer_words; ++i) put(*at++);
    put(head >> 49);
    for (std::uint64_t w = head >> 49; w != 0; --w) put(first_step + s - *at++);
  }
}

}  // namespace pianola::journal
