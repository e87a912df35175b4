// SPDX-License-Identifier: Apache-2.0
// What some work-items of a sub-group do together: lowered like what all of them do, where it is certain that all come
// by, and refused elsewhere.
// RUN: %runs
// RUN: not %{clang} -DREFUSED -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
#include "run.hpp"

unsigned neighbour(unsigned value) {
  const unsigned lane = x() % 8;
  return __pianola_shuffle_32_among(value, lane ^ 1, std::uint64_t{3} << (lane & ~1U));
}

void pairs(unsigned n, unsigned rounds, unsigned threshold) {
  std::vector<unsigned> out(n);
  unsigned* to = out.data();
  run<1>({1, 1, 1}, {1, 1, n}, [=] {
    unsigned value = x();
    // The same for all: an argument, the sub-group's number, however it is asked for.
    for (unsigned round = 0; round < rounds; ++round) value = neighbour(value) + 1;
    if (threshold > 3) value += neighbour(value);
    const unsigned sub_group = x() / __pianola_sub_group_size();
    for (unsigned round = 0; round < rounds; ++round)
      if (sub_group != 1) value += neighbour(value);
    if (sub_group != 1) value += 100 * neighbour(value);
    if (sub_group < 2) value += 10000 * neighbour(value);
    if (sub_group == 2) {
      __pianola_sub_group_barrier_among(1, ~std::uint64_t{0});
      value += 7;
    }
    // Ways that only some take, but before and behind.
    if (x() % 3 == 0) value *= 2;
    to[x()] = neighbour(value);
  });
  std::vector<unsigned> right(n);
  const auto step = [&](auto use) {
    std::vector<unsigned> next(n);
    for (unsigned i = 0; i < n; ++i) next[i] = use(i, right[i], right[i ^ 1]);
    right = next;
  };
  for (unsigned i = 0; i < n; ++i) right[i] = i;
  for (unsigned round = 0; round < rounds; ++round)
    step([](unsigned, unsigned, unsigned other) { return other + 1; });
  if (threshold > 3) step([](unsigned, unsigned own, unsigned other) { return own + other; });
  for (unsigned round = 0; round < rounds; ++round)
    step([](unsigned i, unsigned own, unsigned other) { return i / 8 != 1 ? own + other : own; });
  step([](unsigned i, unsigned own, unsigned other) {
    return i / 8 != 1 ? own + 100 * other : own;
  });
  step([](unsigned i, unsigned own, unsigned other) {
    return i / 8 < 2 ? own + 10000 * other : own;
  });
  for (unsigned i = 0; i < n; ++i) {
    if (i / 8 == 2) right[i] += 7;
    if (i % 3 == 0) right[i] *= 2;
  }
  for (unsigned i = 0; i < n; ++i) expect_equal(out[i], right[i ^ 1], "neighbour's value", i);
}

#ifdef REFUSED
void refused(unsigned* out, unsigned n) {
  run<1>({1, 1, 1}, {1, 1, 40}, [=] {
    // REFUSED: parts_of_sub_groups.cpp:{{[0-9]+:[0-9]+}}: error: kernel 'refused({{.*}}::$_0': a function of some work-items of a sub-group stands in a branch or loop
    if (x() % 2 == 0) out[x()] = neighbour(x());
  });
  run<1>({1, 1, 1}, {1, 1, 40}, [=] {
    if (x() >= n) return;
    // REFUSED: parts_of_sub_groups.cpp:{{[0-9]+:[0-9]+}}: error: kernel 'refused({{.*}}::$_1': a function of some work-items of a sub-group stands in a branch or loop
    out[x()] = neighbour(x());
  });
  run<1>({1, 1, 1}, {1, 1, 40}, [=] {
    unsigned sum = 0;
    for (unsigned i = x(); i < n; i += 8) {
      // REFUSED: parts_of_sub_groups.cpp:{{[0-9]+:[0-9]+}}: error: kernel 'refused({{.*}}::$_2': a function of some work-items of a sub-group stands in a branch or loop
      sum += neighbour(i);
    }
    out[x()] = sum;
  });
  run<1>({1, 1, 1}, {1, 1, 40}, [=] {
    // Not even half of a sub-group's work-items differ from those of another sub-group.
    if (x() / 4 == 3) {
      // REFUSED: parts_of_sub_groups.cpp:[[@LINE+1]]:7: error: kernel 'refused({{.*}}::$_3': a function of some work-items of a sub-group stands in a branch or loop
      __pianola_sub_group_barrier_among(1, 15);
      out[x()] = 1;
    }
  });
  run<1>({1, 1, 1}, {1, 1, 40}, [=] {
    // REFUSED: parts_of_sub_groups.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'refused({{.*}}::$_4': a chunk is asked to have more work-items than the sub-group it is of
    if (__pianola_sub_group_size() < 16) __pianola_refuse_small_sub_group();
    if (__pianola_sub_group_size() > 16) __pianola_refuse_small_sub_group();
    out[x()] = n;
  });
}
#endif

int main() {
  pairs(40, 3, 4);
  pairs(16, 0, 3);
  return failures == 0 ? 0 : 1;
}
