// SPDX-License-Identifier: Apache-2.0
#include "pianola/journal/encoder.hpp"

#include <cstring>
#include <utility>

#include <pianola/model/command.hpp>

#include "entry.hpp"
#include "pianola/journal/words.hpp"

namespace pianola::journal {

namespace {

void put(std::string& to, std::uint64_t value) {
  while (value >= 0x80) {
    to.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  to.push_back(static_cast<char>(value));
}

}  // namespace

void encoder::number(std::uint64_t value) { put(bytes_, value); }

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
      return number(at[1]);
    case record_kind::buffer_ended:
      byte(entry::buffer_ended);
      return number(at[0]);
    case record_kind::measured:
      byte(entry::measured);
      number(at[0]);
      return number(at[1]);
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
  put(key_, static_cast<std::uint64_t>(end - words));
  for (const std::uint64_t* w = words; w != end; ++w) put(key_, *w);
  const bool kernel = *words >> 48 == static_cast<std::uint64_t>(model::command_kind::kernel);
  for (std::size_t i = 0; i < count; ++i) {
    const auto [which, offset] = find(pointers[i]);
    if (kernel && which == 0) continue;  // a number
    put(key_, which + 1);
    put(key_, offset);
  }
  put(key_, 0);
  for (const std::uint64_t* a = pointers + count; accesses != 0; --accesses, a += access_words) {
    const std::uint64_t pointer = a[0] << 8 >> 8;
    const auto [which, offset] = find(pointer);
    if (which == 0) continue;
    const std::uint64_t base = pointer - offset;
    put(key_, which + 1);
    put(key_, a[0] >> 56);
    // Before the allocation nothing can be touched.
    put(key_, a[1] < base ? 0 : a[1] - base);
    put(key_, a[2] < base ? 0 : a[2] - base);
  }
  put(key_, 0);
  if (const auto known = shapes_.find(key_); known != shapes_.end()) return known->second;
  if (shapes_.size() >= most_shapes || shape_bytes_ >= most_shape_bytes) {
    shapes_.clear();
    shape_bytes_ = 0;
    byte(entry::shapes_forgotten);
  }
  const auto fresh = static_cast<std::uint32_t>(shapes_.size());
  shapes_.emplace(key_, fresh);
  shape_bytes_ += key_.size() + 64;
  byte(entry::shape);
  bytes_ += key_;
  return fresh;
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
  const std::uint32_t shape =
      (flags & settlement) != 0
          ? 0
          : shape_of(at, pointers, accesses, at + pointers + accesses * access_words, end);
  ++commands_;
  byte(entry::command);
  number(flags);
  number(queue);
  number(retired - retired_);
  number(first_step - first_step_);
  retired_ = retired;
  first_step_ = first_step;
  if ((flags & settlement) == 0) number(shape);
  number(after);
  for (std::uint64_t i = 0; i < after; ++i) number(first_step - first_after[i]);
  number(steps);
  at = first;
  for (std::uint64_t s = 0; s < steps; ++s) {
    const std::uint64_t head = *at++;
    number((head & 0xffffffffU) << 1 | (head >> 48 & 1));
    number(head >> 32 & 0xffff);
    if ((head >> 48 & 1) != 0)
      for (std::uint64_t i = 0; i < transfer_words; ++i) number(*at++);
    number(head >> 49);
    for (std::uint64_t w = head >> 49; w != 0; --w) number(first_step + s - *at++);
  }
}

}  // namespace pianola::journal
