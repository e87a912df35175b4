// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "ids.hpp"

namespace pianola::model {

// So many memories can be told apart, the host's among them: of a machine, by a plan, in a file. What planning keeps of a
// machine grows with their square.
inline constexpr std::size_t max_memories = 1024;

// A set of memories, each of them below max_memories. In most machines all are among the first 63: then the set is one
// word and allocates nothing.
class memory_set {
 public:
  constexpr memory_set() noexcept = default;
  explicit memory_set(memory_id m) : bits_(near_bit(m)) {
    if (bits_ == 0) [[unlikely]]
      add_far(m);
  }
  memory_set(std::initializer_list<memory_id> list) {
    for (const memory_id m : list) add(m);
  }
  memory_set(const memory_set& other) : bits_(other.bits_) {
    if (is_far()) [[unlikely]]
      copy_far(other);
  }
  memory_set(memory_set&& other) noexcept : bits_(other.bits_) { other.bits_ = 0; }
  memory_set& operator=(const memory_set& other) {
    if (((bits_ | other.bits_) & far_tag) == 0) [[likely]] {
      bits_ = other.bits_;
    } else if (this != &other) {
      release();
      bits_ = other.bits_;
      if (is_far()) copy_far(other);
    }
    return *this;
  }
  memory_set& operator=(memory_set&& other) noexcept {
    const std::uint64_t mine = bits_;
    bits_ = other.bits_;
    other.bits_ = mine;
    return *this;
  }
  ~memory_set() {
    if (is_far()) [[unlikely]]
      release();
  }
  // The first so many.
  [[nodiscard]] static memory_set first(std::size_t count) {
    words all{};
    for (std::size_t m = 0; m < count; ++m) all[m / 64] |= std::uint64_t{1} << m % 64;
    memory_set s;
    s.store(all.data(), all.size());
    return s;
  }

  [[nodiscard]] bool empty() const noexcept { return bits_ == 0; }
  // Whether it allocates nothing.
  [[nodiscard]] bool is_near() const noexcept { return !is_far(); }
  [[nodiscard]] bool contains(memory_id m) const noexcept {
    if (is_far()) [[unlikely]]
      return m.value() / 64U < far_words() && (far()[m.value() / 64U] >> m.value() % 64U & 1) != 0;
    return (bits_ & near_bit(m)) != 0;
  }
  [[nodiscard]] bool contains(const memory_set& other) const noexcept {
    if (((bits_ | other.bits_) & far_tag) == 0) [[likely]]
      return (other.bits_ & ~bits_) == 0;
    for (std::size_t i = 0; i < other.word_count(); ++i)
      if ((other.word(i) & ~word(i)) != 0) return false;
    return true;
  }
  [[nodiscard]] bool intersects(const memory_set& other) const noexcept {
    if (((bits_ | other.bits_) & far_tag) == 0) [[likely]]
      return (bits_ & other.bits_) != 0;
    for (std::size_t i = 0; i < word_count(); ++i)
      if ((word(i) & other.word(i)) != 0) return true;
    return false;
  }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < word_count(); ++i)
      n += static_cast<std::size_t>(__builtin_popcountll(word(i)));
    return n;
  }
  // Whether there is one member, or none.
  [[nodiscard]] bool at_most_one() const noexcept {
    return is_far() ? size() == 1 : (bits_ & (bits_ - 1)) == 0;
  }
  // Of a set that is not empty.
  [[nodiscard]] memory_id lowest() const noexcept {
    if (is_far()) [[unlikely]] {
      std::size_t i = 0;
      while (far()[i] == 0) ++i;
      return at(i, far()[i]);
    }
    return memory_id(static_cast<memory_id::rep>(__builtin_ctzll(bits_) - 1));
  }
  // Calls f(memory_id), ascending.
  template <class F>
  void for_each(F&& f) const {
    if (!is_far()) [[likely]] {
      for (std::uint64_t left = bits_; left != 0; left &= left - 1)
        f(memory_id(static_cast<memory_id::rep>(__builtin_ctzll(left) - 1)));
      return;
    }
    for (std::size_t i = 0; i < far_words(); ++i)
      for (std::uint64_t left = far()[i]; left != 0; left &= left - 1) f(at(i, left));
  }

  void add(memory_id m) {
    if (const std::uint64_t bit = near_bit(m); bit != 0 && !is_far()) [[likely]]
      bits_ |= bit;
    else
      add_far(m);
  }
  void remove(memory_id m) {
    if (!is_far()) [[likely]]
      bits_ &= ~near_bit(m);
    else
      combine(memory_set(m), [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
  }
  memory_set& operator|=(const memory_set& other) {
    if (((bits_ | other.bits_) & far_tag) == 0) [[likely]]
      bits_ |= other.bits_;
    else
      combine(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    return *this;
  }
  memory_set& operator&=(const memory_set& other) {
    if (((bits_ | other.bits_) & far_tag) == 0) [[likely]]
      bits_ &= other.bits_;
    else
      combine(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    return *this;
  }
  memory_set& operator-=(const memory_set& other) {
    if (((bits_ | other.bits_) & far_tag) == 0) [[likely]]
      bits_ &= ~other.bits_;
    else
      combine(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
    return *this;
  }
  friend memory_set operator|(memory_set a, const memory_set& b) { return a |= b, a; }
  friend memory_set operator&(memory_set a, const memory_set& b) { return a &= b, a; }
  friend memory_set operator-(memory_set a, const memory_set& b) { return a -= b, a; }

  friend bool operator==(const memory_set& a, const memory_set& b) noexcept {
    return a.bits_ == b.bits_ || (a.is_far() && b.is_far() && a.same_far(b));
  }
  friend bool operator!=(const memory_set& a, const memory_set& b) noexcept { return !(a == b); }
  // As the numbers of which the members are the bits.
  friend bool operator<(const memory_set& a, const memory_set& b) noexcept {
    if (((a.bits_ | b.bits_) & far_tag) == 0) [[likely]]
      return a.bits_ < b.bits_;
    for (std::size_t i = (std::max)(a.word_count(), b.word_count()); i-- > 0;)
      if (a.word(i) != b.word(i)) return a.word(i) < b.word(i);
    return false;
  }

  // The members as bits of words, 64 in each; words from word_count on are 0.
  [[nodiscard]] std::size_t word_count() const noexcept {
    return is_far() ? far_words() : bits_ == 0 ? 0 : 1;
  }
  [[nodiscard]] std::uint64_t word(std::size_t i) const noexcept {
    if (is_far()) [[unlikely]]
      return i < far_words() ? far()[i] : 0;
    return i == 0 ? bits_ >> 1 : 0;
  }
  // At most max_memories / 64 of them.
  [[nodiscard]] static memory_set of_words(const std::uint64_t* list, std::size_t count) {
    memory_set s;
    s.store(list, count);
    return s;
  }

 private:
  static constexpr std::uint64_t far_tag = 1;
  static constexpr unsigned near_memories = 63;
  using words = std::array<std::uint64_t, max_memories / 64>;

  [[nodiscard]] static std::uint64_t near_bit(memory_id m) noexcept {
    return m.value() < near_memories ? std::uint64_t{2} << m.value() : 0;
  }
  [[nodiscard]] static memory_id at(std::size_t word, std::uint64_t bits) noexcept {
    return memory_id(
        static_cast<memory_id::rep>(64 * word + static_cast<std::size_t>(__builtin_ctzll(bits))));
  }
  [[nodiscard]] bool is_far() const noexcept { return (bits_ & far_tag) != 0; }
  // A block of words, with their number before them; the last is not 0.
  [[nodiscard]] std::uint64_t* far() noexcept {
    return reinterpret_cast<std::uint64_t*>(bits_ & ~far_tag) + 1;
  }
  [[nodiscard]] const std::uint64_t* far() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(bits_ & ~far_tag) + 1;
  }
  [[nodiscard]] std::size_t far_words() const noexcept { return far()[-1]; }
  void release() noexcept {
    if (is_far()) delete[] (far() - 1);
    bits_ = 0;
  }
  void make_far(const std::uint64_t* list, std::size_t count) {
    auto* const block = new std::uint64_t[1 + count];
    block[0] = count;
    std::copy(list, list + count, block + 1);
    bits_ = reinterpret_cast<std::uintptr_t>(block) | far_tag;
  }
  [[gnu::noinline]] void copy_far(const memory_set& other) {
    bits_ = 0;  // nothing of its own, if there is no room
    make_far(other.far(), other.far_words());
  }
  // In the place of what it was: equal sets are made of equal words, and in one word if that is enough.
  void store(const std::uint64_t* list, std::size_t count) {
    while (count != 0 && list[count - 1] == 0) --count;
    if (count <= 1) {
      const std::uint64_t word = count == 0 ? 0 : list[0];
      if (word >> near_memories == 0) {
        release();
        bits_ = word << 1;
        return;
      }
    }
    if (is_far() && far_words() == count) {
      std::copy(list, list + count, far());
      return;
    }
    memory_set fresh;
    fresh.make_far(list, count);
    *this = static_cast<memory_set&&>(fresh);
  }
  template <class F>
  [[gnu::noinline]] void combine(const memory_set& other, F&& f) {
    words all{};
    const std::size_t count = (std::max)(word_count(), other.word_count());
    for (std::size_t i = 0; i < count; ++i) all[i] = f(word(i), other.word(i));
    store(all.data(), count);
  }
  [[gnu::noinline]] void add_far(memory_id m) {
    words all{};
    for (std::size_t i = 0; i < word_count(); ++i) all[i] = word(i);
    all[m.value() / 64U] |= std::uint64_t{1} << m.value() % 64U;
    store(all.data(), all.size());
  }
  [[gnu::noinline]] [[nodiscard]] bool same_far(const memory_set& other) const noexcept {
    return far_words() == other.far_words() && std::equal(far(), far() + far_words(), other.far());
  }

  // Without the tag: memory m is bit m + 1. With it: where a block of words is.
  std::uint64_t bits_ = 0;
};

}  // namespace pianola::model
