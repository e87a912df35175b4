// SPDX-License-Identifier: Apache-2.0
// The kernels of the conformance suite: function objects that do one unit (an item of a range, a group of an
// nd_range) at a time. Compiled twice: into the suite, for backends that run host code, and into an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pianola::test {

// What a unit is told. Numbers are in the order of a row-major index.
struct unit_context {
  std::uint64_t id[3];
  std::uint64_t units[3];  // in all
  std::uint64_t local[3];  // of an nd_range
  void* local_memory;
};

inline void count(std::uint32_t& x) { __atomic_fetch_add(&x, 1U, __ATOMIC_ACQ_REL); }

// x = 3 x + addend for each element: tells the order of its runs.
struct affine_object {
  std::uint64_t* data;
  std::uint64_t addend;
  static constexpr bool grouped = false;
  void operator()(const unit_context& c) const { data[c.id[2]] = 3 * data[c.id[2]] + addend; }
};

template <bool of_groups>
struct count_object {
  std::uint32_t* hits;
  std::uint32_t* problems;
  std::uint64_t units[3];
  std::uint64_t local[3];
  static constexpr bool grouped = of_groups;
  void operator()(const unit_context& c) const {
    for (int i = 0; i < 3; ++i)
      if (c.units[i] != units[i] || c.id[i] >= units[i] || (of_groups && c.local[i] != local[i]))
        count(*problems);
    count(hits[(c.id[0] * units[1] + c.id[1]) * units[2] + c.id[2]]);
  }
};

struct local_memory_object {
  std::uint32_t* groups;
  std::uint32_t* problems;
  std::uint64_t bytes;
  static constexpr bool grouped = true;
  void operator()(const unit_context& c) const {
    if (reinterpret_cast<std::uintptr_t>(c.local_memory) % alignof(std::max_align_t) != 0)
      count(*problems);
    auto* memory = static_cast<volatile unsigned char*>(c.local_memory);
    for (std::uint64_t i = 0; i < bytes; ++i) memory[i] = static_cast<unsigned char>(c.id[2]);
    for (std::uint64_t i = 0; i < bytes; ++i)
      if (memory[i] != static_cast<unsigned char>(c.id[2])) count(*problems);
    count(*groups);
  }
};

// When the first unit of a step began and its last one ended, and how many there were.
struct watched_step {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t units;
};

struct watched_object {
  watched_step* step;
  std::uint64_t* clock;
  std::uint64_t work;
  static constexpr bool grouped = false;
  void operator()(const unit_context&) const {
    const std::uint64_t begin = __atomic_add_fetch(clock, 1, __ATOMIC_ACQ_REL);
    std::uint64_t seen = __atomic_load_n(&step->begin, __ATOMIC_ACQUIRE);
    while (seen > begin && !__atomic_compare_exchange_n(&step->begin, &seen, begin, false,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
    volatile double x = 0;
    for (std::uint64_t i = 0; i < work; ++i) x = x + 1;
    const std::uint64_t end = __atomic_add_fetch(clock, 1, __ATOMIC_ACQ_REL);
    seen = __atomic_load_n(&step->end, __ATOMIC_ACQUIRE);
    while (seen < end && !__atomic_compare_exchange_n(&step->end, &seen, end, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
    __atomic_fetch_add(&step->units, 1, __ATOMIC_ACQ_REL);
  }
};

// Counts a violation if one of those it waits for has not run.
struct after_object {
  std::uint32_t* done;  // of every step
  std::uint32_t* violations;
  std::uint32_t before[4];
  std::uint32_t before_count;
  std::uint32_t self;
  static constexpr bool grouped = false;
  void operator()(const unit_context&) const { (*this)(); }
  void operator()() const {
    for (std::uint32_t i = 0; i < before_count; ++i)
      if (__atomic_load_n(&done[before[i]], __ATOMIC_ACQUIRE) == 0) count(*violations);
    __atomic_store_n(&done[self], 1U, __ATOMIC_RELEASE);
  }
};

template <unsigned count_of_values>
struct large_object {
  std::uint64_t* sum;
  std::uint64_t values[count_of_values];
  static constexpr bool grouped = false;
  void operator()(const unit_context&) const {
    std::uint64_t all = 0;
    for (const std::uint64_t v : values) all += v;
    *sum = all;
  }
};

// Where an accessor to local memory is, in a function object: its place in the group's local memory.
struct slots_object {
  std::uint64_t* seen;
  std::uint64_t slots[3];
  static constexpr bool grouped = false;
  void operator()(const unit_context&) const {
    for (int i = 0; i < 3; ++i) seen[i] = slots[i];
  }
};

// Does nothing with what it carries.
struct carrier_object {
  unsigned char bytes[120];
  static constexpr bool grouped = false;
  void operator()(const unit_context&) const {}
};

// Lasts until somebody lets it end.
struct gate_object {
  const std::uint32_t* open;
  static constexpr bool grouped = false;
  void operator()(const unit_context&) const {
    while (__atomic_load_n(open, __ATOMIC_ACQUIRE) == 0) {
    }
  }
};

// Counts a violation if the step has not run so many units yet.
struct ran_object {
  const watched_step* step;
  std::uint32_t* violations;
  std::uint64_t at_least;
  static constexpr bool grouped = false;
  void operator()(const unit_context&) const { (*this)(); }
  void operator()() const {
    if (__atomic_load_n(&step->units, __ATOMIC_ACQUIRE) < at_least) count(*violations);
  }
};

// c = a b, n times n; for somebody else's library.
struct matrix_product_object {
  const std::uint64_t* a;
  const std::uint64_t* b;
  std::uint64_t* c;
  std::uint64_t n;
  static constexpr bool grouped = false;
  void operator()(const unit_context& at) const {
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < n; ++k) sum += a[at.id[1] * n + k] * b[k * n + at.id[2]];
    c[at.id[1] * n + at.id[2]] = sum;
  }
};

// Symbol in the image, type.
#define PIANOLA_SUITE_KERNELS(X)             \
  X(suite_affine, affine_object)             \
  X(suite_count_items, count_object<false>)  \
  X(suite_count_groups, count_object<true>)  \
  X(suite_local_memory, local_memory_object) \
  X(suite_watched, watched_object)           \
  X(suite_after, after_object)               \
  X(suite_gate, gate_object)                 \
  X(suite_ran, ran_object)                   \
  X(suite_large, large_object<400>)          \
  X(suite_slots, slots_object)               \
  X(suite_carrier, carrier_object)           \
  X(suite_matrix_product, matrix_product_object)

}  // namespace pianola::test
