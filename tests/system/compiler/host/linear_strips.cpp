// SPDX-License-Identifier: Apache-2.0
// Index arithmetic with bits: in strips of neighbours where the operands allow it, and right where they do not.
// RUN: %runs
// RUN: %{clang} -O2 -S -emit-llvm -fno-discard-value-names %s -o - | FileCheck %s --check-prefix=STRIPS
#include "run.hpp"

namespace {

// Steps of a sorting network.
void partners(unsigned size, unsigned distance) {
  std::vector<unsigned> data(2 * size);
  for (unsigned i = 0; i < data.size(); ++i) data[i] = i * 7919 % 1009;
  std::vector<unsigned> wanted = data;
  for (unsigned i = 0; i < size; ++i) {
    const unsigned low = 2 * i - (i & (distance - 1));
    if (low + distance < wanted.size() && wanted[low] > wanted[low + distance])
      std::swap(wanted[low], wanted[low + distance]);
  }
  unsigned* p = data.data();
  const std::uint64_t d = distance, count = data.size();

  // STRIPS: strip{{[^ ]*}}:
  run<1>({1, 1, 1}, {1, 1, size}, [=] {
    const std::uint64_t low = 2 * std::uint64_t{x()} - (x() & (d - 1));
    if (low + d < count) {
      const unsigned a = p[low], b = p[low + d];
      p[low] = a < b ? a : b;
      p[low + d] = a < b ? b : a;
    }
  });
  for (unsigned i = 0; i < data.size(); ++i) expect_equal(data[i], wanted[i], "partners", i);
}

// A butterfly, and row and column of a flat index, from an offset that need not be a multiple of anything.
void indices(unsigned size, unsigned operand, unsigned offset) {
  std::vector<unsigned> in(4096), out(8 * size);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = i * 31 + 7;
  const unsigned* from = in.data();
  unsigned* to = out.data();
  run<1>({1, 1, 1}, {1, 1, size}, [=] {
    const unsigned i = x() + offset;
    unsigned* mine = to + x();
    const unsigned n = __pianola_local_size_x();
    mine[0] = from[(i ^ operand) & 4095U];
    mine[n] = from[(i | operand) & 4095U];
    mine[2 * n] = operand != 0 ? from[i % operand] : 1;
    mine[3 * n] = operand != 0 ? from[i / operand] : 2;
    mine[4 * n] = from[i & 63U];
    mine[5 * n] = from[i & ~63U];
    mine[6 * n] = from[i >> 3];
    mine[7 * n] = from[(i & operand) + (i & 31U)];
  });
  for (unsigned k = 0; k < size; ++k) {
    const unsigned i = k + offset;
    expect_equal(out[k], in[(i ^ operand) & 4095U], "xor", k);
    expect_equal(out[size + k], in[(i | operand) & 4095U], "or", k);
    expect_equal(out[2 * size + k], operand != 0 ? in[i % operand] : 1, "remainder", k);
    expect_equal(out[3 * size + k], operand != 0 ? in[i / operand] : 2, "quotient", k);
    expect_equal(out[4 * size + k], in[i & 63U], "low bits", k);
    expect_equal(out[5 * size + k], in[i & ~63U], "high bits", k);
    expect_equal(out[6 * size + k], in[i >> 3], "shift", k);
    expect_equal(out[7 * size + k], in[(i & operand) + (i & 31U)], "two", k);
  }
}

// Wider numbers, at both ends of what they can be.
void wide(unsigned size, std::uint64_t offset, std::uint64_t mask) {
  std::vector<unsigned> in(256), out(size);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = i * 3;
  const unsigned* from = in.data();
  unsigned* to = out.data();
  run<1>({1, 1, 1}, {1, 1, size}, [=] { to[x()] = from[((x() + offset) & mask) % 256]; });
  for (unsigned k = 0; k < size; ++k)
    expect_equal(out[k], in[((k + offset) & mask) % 256], "wide", k);
}

}  // namespace

int main() {
  for (const unsigned size : {1U, 3U, 16U, 17U, 100U, 256U}) {
    for (const unsigned distance : {1U, 2U, 4U, 8U, 16U, 64U}) partners(size, distance);
    for (const unsigned operand : {0U, 1U, 3U, 4U, 12U, 15U, 16U, 31U, 48U, 255U, 1024U})
      for (const unsigned offset : {0U, 4U, 5U, 16U, 640U}) indices(size, operand, offset);
    for (const std::uint64_t offset : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{63}})
      for (const std::uint64_t mask : {std::uint64_t{15}, std::uint64_t{0xf0}, ~std::uint64_t{0}})
        wide(size, offset, mask);
  }
  return failures == 0 ? 0 : 1;
}
