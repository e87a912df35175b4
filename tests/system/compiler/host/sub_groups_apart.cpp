// SPDX-License-Identifier: Apache-2.0
// Work-items that may differ about a barrier of their sub-group are run one by one. Who provably does not differ is not, nor
// who comes to one exchange on two ways, which come together again in front of it. Where all of the group come to the branch that
// decides, those of each sub-group are asked.
// RUN: %{clang} -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -O1 %s -o %t -DRUNS && %t
#ifdef RUNS
#include "run.hpp"
#else
#include "kernel.hpp"
#endif

inline void meet() { __pianola_sub_group_barrier(1); }

// A bound that is the same for all, one that is the same for the lanes of a sub-group, and one that a lane tells the others.
template <class Launch>
void together(const Launch& launched, unsigned* out, unsigned rounds) {
  launched([=] {
    for (unsigned i = 0; i < rounds; ++i) {
      out[x()] += i;
      meet();
    }
    if (x() / 8 != 1) {
      meet();
      out[x()] += 10;
    }
    for (unsigned more = 1; more != 0;) {
      meet();
      more = __pianola_shuffle_32(out[x()] & 1, 0);
      out[x()] += 2 + (x() % 8 == 0 ? 1 : 0);
    }
  });
}

template <class Launch>
void apart(const Launch& launched, unsigned* out) {
  launched([=] {
    for (unsigned i = 0; i < x() % 3; ++i) {
      out[x()] += 100;
      meet();
    }
  });
}

// Some lanes prepare, and those that do and those that do not find out for themselves whether there is anything to exchange.
template <class Launch>
void on_two_ways(const Launch& launched, unsigned* out, unsigned rounds) {
  launched([=] {
    const bool prepares = x() % 8 < 3;
    unsigned k = 0, sum = prepares ? 1000 : 0;
    if (prepares) {
      if (rounds == 0) goto over;
      for (unsigned i = 0; i < rounds; ++i) out[x()] += i;
      sum += out[x()];
    } else {
      if (rounds == 0) goto over;
    }
    do {
      sum += __pianola_shuffle_32(out[x()] + k, 0);
    } while (++k < rounds);
  over:
    out[x()] = sum;
  });
}

// Those without an element leave. If they are not whole sub-groups, the group parts.
template <class Launch>
void left_before(const Launch& launched, unsigned* out, unsigned n) {
  launched([=] {
    if (x() >= n) return;
    out[x()] = __pianola_shuffle_32(10 * x(), x() & ~7U);
  });
}

#ifdef RUNS
int main() {
  constexpr unsigned items = 20, groups = 2;
  std::vector<unsigned> out(items);
  const auto launched = [&](const auto& kernel) { run<1>({1, 1, groups}, {1, 1, items}, kernel); };
  together(launched, out.data(), 4);
  expect_equal(groups_apart, 0U, "groups that parted", 0);
  out.assign(items, 0);
  apart(launched, out.data());
  expect_equal(groups_apart, groups, "groups that parted", 1);
  for (unsigned i = 0; i < items; ++i) expect_equal(out[i], groups * (i % 3) * 100, "rounds", i);
  for (const unsigned rounds : {0U, 1U, 3U}) {
    groups_apart = 0;
    std::vector<unsigned> expected(items);
    for (unsigned i = 0; i < items; ++i) out[i] = expected[i] = 7 * i;
    const auto prepared = [&](unsigned i) {
      return 7 * i + (i % 8 < 3 ? rounds * (rounds - 1) / 2 : 0);
    };
    for (unsigned i = 0; i < items; ++i) {
      const bool prepares = i % 8 < 3;
      expected[i] = (prepares ? 1000 : 0) + (prepares && rounds != 0 ? prepared(i) : 0);
      for (unsigned k = 0; k < rounds; ++k) expected[i] += prepared(i / 8 * 8) + k;
    }
    on_two_ways([&](const auto& kernel) { run<1>({1, 1, 1}, {1, 1, items}, kernel); }, out.data(),
                rounds);
    expect_equal(groups_apart, 0U, "groups that parted", 2);
    for (unsigned i = 0; i < items; ++i) expect_equal(out[i], expected[i], "two ways", i);
  }
  for (unsigned n = 0; n <= items; ++n) {
    groups_apart = 0;
    out.assign(items, 1);
    left_before([&](const auto& kernel) { run<1>({1, 1, 1}, {1, 1, items}, kernel); }, out.data(),
                n);
    expect_equal(groups_apart, n % 8 == 0 || n == items ? 0U : 1U, "groups that parted", 3);
    for (unsigned i = 0; i < items; ++i)
      expect_equal(out[i], i < n ? i / 8 * 80 : 1, "left before", i);
  }
  return failures == 0 ? 0 : 1;
}
#else
void first(unsigned* out, unsigned rounds, const pianola_launch& all,
           const pianola_work_group& group) {
  // CHECK-LABEL: define internal void @{{.*}}together{{.*}}.work_group"(
  // CHECK-NOT: pianola_run_apart_v1
  // CHECK: ret void
  together([&](const auto& kernel) { launch<1>(kernel, all, group); }, out, rounds);
}
void second(unsigned* out, const pianola_launch& all, const pianola_work_group& group) {
  // Nobody parts, so nobody is asked, and there is nothing beside.
  // CHECK-LABEL: define internal void @{{.*}}apart{{.*}}.work_group"(
  // CHECK-NOT: memcmp
  // CHECK: call {{.*}}@pianola_memory_apart_v1(ptr {{[^@]*}}null,
  // CHECK: call {{.*}}@pianola_run_apart_v1(
  apart([&](const auto& kernel) { launch<1>(kernel, all, group); }, out);
}
void third(unsigned* out, unsigned rounds, const pianola_launch& all,
           const pianola_work_group& group) {
  // CHECK-LABEL: define internal void @{{.*}}on_two_ways{{.*}}.work_group"(
  // CHECK-NOT: pianola_run_apart_v1
  // CHECK: ret void
  on_two_ways([&](const auto& kernel) { launch<1>(kernel, all, group); }, out, rounds);
}
void fourth(unsigned* out, unsigned n, const pianola_launch& all, const pianola_work_group& group) {
  // CHECK-LABEL: define internal void @{{.*}}left_before{{.*}}.work_group"(
  // CHECK: call i32 @pianola_sub_groups_differ_v1(ptr {{.*}}, i32 1, i32 8)
  // CHECK: call {{.*}}@pianola_run_apart_v1(
  left_before([&](const auto& kernel) { launch<1>(kernel, all, group); }, out, n);
}
#endif
