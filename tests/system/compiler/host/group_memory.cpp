// SPDX-License-Identifier: Apache-2.0
// Storage of a group and the arrays of its work-items, small and large: on the stack or in the runtime's frame,
// they do not overlap, are aligned, and last as long as the group. A size that is not a constant is refused.
// RUN: %runs
// RUN: %refused
#include <cmath>

#include "run.hpp"

namespace {

struct large {
  unsigned parts[250];
};

template <class T>
T* storage() {
  return static_cast<T*>(__pianola_group_storage(sizeof(T)));
}

unsigned linear() {
  return (z() * __pianola_local_size_y() + y()) * __pianola_local_size_x() + x();
}

unsigned items_of(size3 local) { return local.z * local.y * local.x; }

// Every work-item writes all of its element and reads all of another's.
void large_elements(size3 local) {
  const unsigned n = items_of(local);
  std::vector<unsigned> out(n);
  unsigned* to = out.data();
  frame_bytes = 0;
  run<3>({1, 1, 1}, local, [=] {
    large* values = storage<large>();
    const unsigned i = linear();
    for (unsigned k = 0; k < 250; ++k) values[i].parts[k] = i * 250 + k;
    barrier();
    unsigned sum = 0;
    for (unsigned part : values[n - 1 - i].parts) sum += part;
    to[i] = sum;
  });
  expect_equal(frame_bytes, (std::uint64_t{n} * sizeof(large) + 63) / 64 * 64, "bytes of large", n);
  for (unsigned i = 0; i < n; ++i)
    expect_equal(out[i], (n - 1 - i) * 250 * 250 + 249 * 125, "large element", i);
}

// Sizes that do not fit to each other, with arrays of the work-items' own between them, one of which has an
// element for each sub-group.
template <unsigned Bytes>
void mixed(unsigned n) {
  std::vector<unsigned> out(n), places(n);
  unsigned *to = out.data(), *wrong = places.data();
  run<1>({1, 1, 1}, {1, 1, n}, [=] {
    auto* bytes = storage<unsigned char>();
    struct odd {
      unsigned char of[Bytes];
    };
    odd* odds = storage<odd>();
    auto* words = storage<std::uint64_t>();
    const unsigned i = x(), other = n - 1 - i;
    unsigned own[Bytes / 4 + 1];
    for (unsigned k = 0; k <= Bytes / 4; ++k) own[(k + i) % (Bytes / 4 + 1)] = i + k;
    bytes[i] = static_cast<unsigned char>(i);
    for (unsigned k = 0; k < Bytes; ++k) odds[i].of[k] = static_cast<unsigned char>(i + k);
    words[i] = ~std::uint64_t{i};
    barrier();
    const unsigned first = __pianola_shuffle_32(i, 0);
    barrier();
    unsigned bad = 0;
    if (bytes[other] != static_cast<unsigned char>(other)) bad |= 1;
    for (unsigned k = 0; k < Bytes; ++k)
      if (odds[other].of[k] != static_cast<unsigned char>(other + k)) bad |= 2;
    if (words[other] != ~std::uint64_t{other}) bad |= 4;
    for (unsigned k = 0; k <= Bytes / 4; ++k)
      if (own[(k + i) % (Bytes / 4 + 1)] != i + k) bad |= 8;
    for (const void* place :
         {static_cast<void*>(bytes), static_cast<void*>(odds), static_cast<void*>(words)})
      if (reinterpret_cast<std::uintptr_t>(place) % 64 != 0) bad |= 16;
    wrong[i] = bad;
    to[i] = first;
  });
  for (unsigned i = 0; i < n; ++i) {
    expect_equal(places[i], 0U, "mixed memory", i);
    expect_equal(out[i], i / 8 * 8, "first of a sub-group", i);
  }
}

// More values across a barrier than the stack has room for.
void many_values(unsigned n) {
  std::vector<double> in(n), out(n);
  for (unsigned i = 0; i < n; ++i) in[i] = 1 + 1. / (1 + i);
  const double* from = in.data();
  double* to = out.data();
  frame_bytes = 0;
  run<1>({1, 1, 1}, {1, 1, n}, [=] {
    double values[20];
    double value = from[x()];
    for (double& v : values) v = value *= from[x()];
    local_memory<double>()[x()] = value;
    barrier();
    double sum = local_memory<double>()[n - 1 - x()];
    for (unsigned k = 0; k < 20; ++k) sum = sum * 0.5 + values[k];
    to[x()] = sum;
  });
  expect_equal(frame_bytes >= 20 * sizeof(double) * n, true, "frame for values", n);
  const auto power = [&](unsigned i, unsigned k) {
    double value = in[i];
    for (unsigned m = 0; m < k; ++m) value *= in[i];
    return value;
  };
  for (unsigned i = 0; i < n; ++i) {
    double sum = power(n - 1 - i, 20);
    for (unsigned k = 0; k < 20; ++k) sum = sum * 0.5 + power(i, k + 1);
    expect_equal(std::abs(out[i] - sum) < 1e-9 * sum, true, "many values", i);
  }
}

// Alignment beyond that of the frame.
template <unsigned Parts>
void aligned_arrays(unsigned n, unsigned at) {
  std::vector<unsigned> out(n);
  unsigned* to = out.data();
  run<1>({1, 1, 1}, {1, 1, n}, [=] {
    alignas(256) unsigned own[Parts];
    for (unsigned k = 0; k < Parts; ++k) own[k] = x() + k;
    local_memory<unsigned>()[x()] = own[at];
    barrier();
    // The compiler must not know: it trusts itself.
    std::uintptr_t address = 0;
    asm volatile("" : "=r"(address) : "0"(&own[0]));
    const bool aligned = address % 256 == 0;
    to[x()] = (aligned ? 0 : 1000) + local_memory<unsigned>()[n - 1 - x()] + own[at];
  });
  for (unsigned i = 0; i < n; ++i) expect_equal(out[i], n - 1 + 2 * at, "aligned array", i);
}

// A place in the source has the same storage each time that the group comes by.
void in_a_loop(unsigned n, unsigned rounds) {
  std::vector<unsigned> out(n);
  unsigned* to = out.data();
  run<1>({1, 1, 1}, {1, 1, n}, [=] {
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      unsigned* values = storage<unsigned>();
      if (round == 0) values[x()] = x();
      barrier();
      sum += values[(x() + round) % n];
      barrier();
    }
    to[x()] = sum;
  });
  for (unsigned i = 0; i < n; ++i) {
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) sum += (i + round) % n;
    expect_equal(out[i], sum, "storage in a loop", i);
  }
}

// There is no more memory: the exception comes out, although the kernel itself throws nothing.
void no_memory() {
  most_frame_bytes = 100000;
  bool caught = false, ran = false;
  bool* did_run = &ran;
  try {
    run<1>({1, 1, 1}, {1, 1, 1024}, [=]() noexcept {
      large* values = storage<large>();
      values[x()].parts[0] = x();
      barrier();
      *did_run = values[0].parts[0] == 0;
    });
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  most_frame_bytes = std::uint64_t{1} << 30;
  expect_equal(caught, true, "exception of the frame", 0);
  expect_equal(ran, false, "work-items without memory", 0);
}

}  // namespace

// The compiler finds out that it is a constant.
void* bytes_for(std::uint64_t parts) { return __pianola_group_storage(parts * sizeof(unsigned)); }

void through_a_function() {
  std::vector<unsigned> out(20);
  unsigned* to = out.data();
  run<1>({1, 1, 1}, {1, 1, 20}, [=] {
    auto* values = static_cast<unsigned*>(bytes_for(3));
    values[x() * 3 + 1] = x();
    barrier();
    to[x()] = values[(19 - x()) * 3 + 1];
  });
  for (unsigned i = 0; i < 20; ++i) expect_equal(out[i], 19 - i, "storage of a function", i);
}

#ifdef REFUSED
void refused(unsigned* out, unsigned bytes) {
  run<1>({1, 1, 1}, {1, 1, 20}, [=] {
    // clang-format off
    // REFUSED: group_memory.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'refused(unsigned int*, unsigned int)::$_0': storage for a group operation needs a number of bytes per work-item that is a constant
    auto* values = static_cast<unsigned*>(__pianola_group_storage(bytes));
    // clang-format on
    values[x()] = x();
    barrier();
    out[x()] = values[19 - x()];
  });
}
#endif

int main() {
  large_elements({1, 1, 1024});
  large_elements({4, 16, 16});
  large_elements({3, 5, 7});
  large_elements({1, 1, 1});
  for (const unsigned n : {1U, 8U, 43U, 1024U}) {
    mixed<1>(n);
    mixed<7>(n);
    mixed<65>(n);
    mixed<777>(n);
    many_values(n);
    aligned_arrays<4>(n, 3);
    aligned_arrays<100>(n, 70);
  }
  in_a_loop(33, 5);
  in_a_loop(1024, 1025);
  no_memory();
  through_a_function();
  return failures == 0 ? 0 : 1;
}
