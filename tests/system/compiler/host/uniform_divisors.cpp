// SPDX-License-Identifier: Apache-2.0
// Division by what is the same for all work-items: vectorised, and exact for every dividend and divisor.
// RUN: %runs
// RUN: %{clang} -O2 -march=x86-64-v3 -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %{clang} -O2 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
#include <limits>

#include "run.hpp"

void rows(const int* in, int* out, int width, int pitch) {
  // IR-LABEL: define {{.*}}4rows
  // IR-NOT: {{[su]div|[su]rem}}
  // IR: fdiv double 1.0
  // IR: fmul <{{[0-9]+}} x double>
  // IR-NOT: {{[su]div|[su]rem}}
  // IR: ret void
  run<1>({1, 1, 1}, {1, 1, 1000}, [=] {
    const int i = static_cast<int>(x());
    // CHECK: uniform_divisors.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
    out[i] = in[i] / width * pitch + in[i] % width;
  });
}

void guarded(const unsigned* in, unsigned* out, unsigned divisor) {
  run<1>({1, 1, 1}, {1, 1, 100}, [=] { out[x()] = divisor == 0 ? 7 : in[x()] / divisor; });
}

// Around every multiple that a dividend of the type has, if it has few, and around some of many.
template <class T>
std::vector<T> dividends_for(T divisor) {
  using wide = std::int64_t;
  constexpr wide least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  std::vector<T> all;
  const auto add = [&](wide value) {
    for (wide near = value - 1; near <= value + 1; ++near)
      if (near >= least && near <= most) all.push_back(static_cast<T>(near));
  };
  add(0);
  add(least);
  add(most);
  for (unsigned bit = 0; bit < 32; ++bit) {
    // Where 1 / divisor is rounded down, these tell it from the factor that is not.
    add(static_cast<wide>(divisor) * (wide{1} << bit));
    add(wide{1} << bit);
    add(-(wide{1} << bit));
  }
  std::uint64_t state = 12345 + static_cast<std::uint64_t>(divisor);
  for (int i = 0; i < 400; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto some = static_cast<wide>(static_cast<T>(state >> 32));
    add(some);
    add(some / divisor * divisor);
    // The largest multiples leave the least room.
    add(most / divisor * divisor - i * static_cast<wide>(divisor));
    add(least / divisor * divisor + i * static_cast<wide>(divisor));
  }
  return all;
}

template <class T>
void exact_for(T divisor) {
  const std::vector<T> in = dividends_for(divisor);
  const auto n = static_cast<unsigned>(in.size());
  std::vector<T> quotients(n), remainders(n);
  const T* from = in.data();
  T *quotient = quotients.data(), *remainder = remainders.data();
  run<1>({1, 1, 1}, {1, 1, n}, [=] {
    if (divisor == static_cast<T>(-1) && from[x()] == std::numeric_limits<T>::min()) return;
    quotient[x()] = static_cast<T>(from[x()] / divisor);
    remainder[x()] = static_cast<T>(from[x()] % divisor);
  });
  for (unsigned i = 0; i < n; ++i) {
    const std::int64_t dividend = in[i], by = divisor;
    if (std::numeric_limits<T>::is_signed && by == -1 && dividend == std::numeric_limits<T>::min())
      continue;
    expect_equal(quotients[i], static_cast<T>(dividend / by), "quotient", i);
    expect_equal(remainders[i], static_cast<T>(dividend % by), "remainder", i);
  }
}

template <class T>
void exact() {
  for (const int small : {1, 2, 3, 7, 10, 17, 49, 98, 103, 161, 641, 32767}) {
    exact_for(static_cast<T>(small));
    if (std::numeric_limits<T>::is_signed) exact_for(static_cast<T>(-small));
  }
  for (const std::int64_t large : {65535LL, 65536LL, 65537LL, 6700417LL, 1073741827LL, 2147483647LL,
                                   2147483648LL, 4294967291LL, 4294967295LL})
    if (static_cast<T>(large) != 0) exact_for(static_cast<T>(large));
}

int main() {
  exact<int>();
  exact<unsigned>();
  exact<std::int16_t>();
  exact<std::uint16_t>();
  std::vector<int> in(1000), out(1000);
  for (int i = 0; i < 1000; ++i) in[i] = i * 37 - 9000;
  rows(in.data(), out.data(), 83, 1000);
  for (unsigned i = 0; i < 1000; ++i)
    expect_equal(out[i], in[i] / 83 * 1000 + in[i] % 83, "row and column", i);
  std::vector<unsigned> numbers(100, 50), results(100);
  guarded(numbers.data(), results.data(), 0);
  expect_equal(results[99], 7U, "division that nobody does", 99);
  guarded(numbers.data(), results.data(), 7);
  expect_equal(results[99], 7U, "division that all do", 99);
  return failures == 0 ? 0 : 1;
}
