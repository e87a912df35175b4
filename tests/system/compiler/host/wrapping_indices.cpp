// SPDX-License-Identifier: Apache-2.0
// Indices that wrap within a loop's iterations, at powers of two: of work-items and of a loop in the host's code.
// RUN: %runs
#include <cstdint>

#include "run.hpp"

constexpr unsigned items = 64;

void masked(const unsigned* in, unsigned* out, unsigned mask) {
  run<1>({1, 1, 1}, {1, 1, items},
         [=] { out[x()] = in[(x() * 5) & 63] + in[(x() * 3) % 32] + in[(x() * 7) & mask]; });
}

void narrow(const unsigned* in, unsigned* out) {
  run<1>({1, 1, 1}, {1, 1, items}, [=] {
    const auto i = static_cast<std::uint8_t>(x());
    out[x()] = in[static_cast<std::uint8_t>(i * 9)] + in[static_cast<std::uint8_t>(i * 6)];
  });
}

__attribute__((noinline)) void on_the_host(const unsigned* in, unsigned* __restrict out,
                                           unsigned n) {
  for (unsigned i = 0; i < n; ++i) out[i] = in[(i * 5) & 63] * 3;
}

// The step is known only when the program runs.
__attribute__((noinline)) void strided(const unsigned* in, unsigned* out, std::uint8_t step) {
  run<1>({1, 1, 1}, {1, 1, items}, [=] { out[x()] = in[(x() * (step | 1)) & 127]; });
}

int main() {
  std::vector<unsigned> in(256), out(items);
  for (unsigned i = 0; i < 256; ++i) in[i] = 1000 + i;
  masked(in.data(), out.data(), 15);
  for (unsigned i = 0; i < items; ++i)
    expect_equal(out[i], 3000 + i * 5 % 64 + i * 3 % 32 + i * 7 % 16, "masked", i);
  narrow(in.data(), out.data());
  for (unsigned i = 0; i < items; ++i)
    expect_equal(out[i], 2000 + i * 9 % 256 + i * 6 % 256, "narrow", i);
  on_the_host(in.data(), out.data(), items);
  for (unsigned i = 0; i < items; ++i)
    expect_equal(out[i], (1000 + i * 5 % 64) * 3, "on the host", i);
  strided(in.data(), out.data(), 7);
  for (unsigned i = 0; i < items; ++i) expect_equal(out[i], 1000 + i * 7 % 128, "strided", i);
  return failures == 0 ? 0 : 1;
}
