// SPDX-License-Identifier: Apache-2.0
// Work-items that do not agree about a branch around a barrier go on alone, and only they do: groups that agree keep
// their loops. What surely differs is told when the program is compiled.
// RUN: %runs
// RUN: %{clang} -O1 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
#include "run.hpp"

int main() {
  constexpr unsigned items = 32, groups = 6, all = items * groups;
  std::vector<unsigned> out(all, 7);
  unsigned* o = out.data();
  const auto global = [] { return unsigned(__pianola_group_id_x()) * items + x(); };
  // A bound that cuts the fourth group, and leaves the last two without work.
  const unsigned bound = 3 * items + 5;
  run<1>({1, 1, groups}, {1, 1, items}, [=] {
    unsigned* tile = local_memory<unsigned>();
    tile[x()] = global();
    if (global() >= bound) return;
    barrier();
    o[global()] = tile[x() ^ 1] * 2;
  });
  for (unsigned i = 0; i < all; ++i)
    expect_equal(out[i], i < bound ? (i ^ 1U) * 2 : 7U, "early return", i);
  expect_equal(groups_apart, 1U, "groups that parted", 0);

  groups_apart = 0;
  run<1>({1, 1, groups}, {1, 1, items}, [=] {
    unsigned v = 0;
    const unsigned rounds = o[global()] % 5;
    for (unsigned i = 0; i < rounds; ++i) {
      local_memory<unsigned>()[x()] = v;
      barrier();
      v += i + 1;
    }
    o[global()] = v;
  });
  for (unsigned i = 0; i < all; ++i) {
    const unsigned rounds = (i < bound ? (i ^ 1U) * 2 : 7U) % 5;
    expect_equal(out[i], rounds * (rounds + 1) / 2, "loops of different length", i);
  }
  expect_equal(groups_apart, 4U, "groups that parted", 1);

  groups_apart = 0;
  run<1>({1, 1, groups}, {1, 1, items}, [=] {
    unsigned v = x();
    // CHECK: items_apart.cpp:[[@LINE+1]]:{{.*}}warning: kernel '{{.*}}': whether a work-item comes to a barrier or group function depends on its local id
    if (x() % 4 == 1) {
      barrier();
      v += 100;
    }
    o[global()] = v;
  });
  for (unsigned i = 0; i < all; ++i)
    expect_equal(out[i], i % items + (i % 4 == 1 ? 100U : 0U), "some wait", i);
  expect_equal(groups_apart, groups, "groups that parted", 2);
  return failures == 0 ? 0 : 1;
}
