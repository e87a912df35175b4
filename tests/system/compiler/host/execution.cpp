// SPDX-License-Identifier: Apache-2.0
// Kernels do what they say: barriers in all places, in groups of all shapes.
// RUN: %runs
#include "run.hpp"

namespace {

void reduction_tree() {
  for (const unsigned size : {1U, 2U, 32U, 64U, 256U}) {
    std::vector<float> in(8 * size), out(8);
    for (unsigned i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 16);
    const float* from = in.data();
    float* to = out.data();
    run<1>({1, 1, 8}, {1, 1, size}, [=] {
      float* sums = local_memory<float>();
      sums[x()] = from[__pianola_group_id_x() * size + x()];
      barrier();
      for (unsigned half = size / 2; half > 0; half /= 2) {
        if (x() < half) sums[x()] += sums[x() + half];
        barrier();
      }
      if (x() == 0) to[__pianola_group_id_x()] = sums[0];
    });
    for (unsigned g = 0; g < 8; ++g) {
      float sum = 0;
      for (unsigned i = 0; i < size; ++i) sum += in[g * size + i];
      expect_equal(out[g], sum, "sum of a group", g);
    }
  }
}

// Rows that fill strips, and rows that do not.
void tiled_product(unsigned tile_y, unsigned tile_x) {
  const unsigned n = 2 * tile_x * tile_y;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (unsigned i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 13);
    b[i] = static_cast<float>(i % 7);
  }
  const float *pa = a.data(), *pb = b.data();
  float* pc = c.data();
  run<2>({1, n / tile_y, n / tile_x}, {1, tile_y, tile_x}, [=] {
    float* tile = local_memory<float>();
    const auto row = static_cast<unsigned>(__pianola_group_id_y()) * __pianola_local_size_y() + y();
    const auto column =
        static_cast<unsigned>(__pianola_group_id_x()) * __pianola_local_size_x() + x();
    float sum = 0;
    for (unsigned t = 0; t < n; t += tile_x) {
      tile[y() * tile_x + x()] = pa[row * n + t + x()];
      barrier();
      for (unsigned k = 0; k < tile_x; ++k)
        sum += tile[y() * tile_x + k] * pb[(t + k) * n + column];
      barrier();
    }
    pc[row * n + column] = sum;
  });
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      expect_equal(c[i * n + j], sum, "product", i * n + j);
    }
}

// Private memory, values and truths that cross barriers, barriers in branches and loops that end early.
void control_flow(unsigned size, int flag) {
  std::vector<int> out(3 * size);
  int* to = out.data();
  run<1>({1, 1, 3}, {1, 1, size}, [=] {
    int* shared = local_memory<int>();
    const unsigned i = x();
    int own[5];
    for (unsigned k = 0; k < 5; ++k) own[(k * 2 + i) % 5] = static_cast<int>(i * k);
    int value = static_cast<int>(i * i % 7);
    const bool odd = value % 2 == 1;
    shared[i] = value;
    if (flag > 0) {
      barrier();
      value += shared[(i + 1) % size];
      barrier();
      shared[i] = value;
    } else {
      value = 3;
      shared[i] = 1;
    }
    barrier();
    for (int round = 0; round < 10; ++round) {
      const int first = shared[0];
      barrier();
      if (first > flag * 8) break;
      shared[i] += odd ? 2 : 1;
      barrier();
      if (round == 5) continue;
      own[i % 5] += shared[(i + 1) % size];
    }
    int sum = 0;
    for (unsigned k = 0; k < i; ++k) sum += shared[k];
    to[__pianola_group_id_x() * size + i] = own[(i + 3) % 5] + value + own[i % 5] + sum;
  });
  std::vector<int> shared(size), value(size);
  std::vector<std::vector<int>> own(size, std::vector<int>(5));
  for (unsigned i = 0; i < size; ++i) {
    for (unsigned k = 0; k < 5; ++k) own[i][(k * 2 + i) % 5] = static_cast<int>(i * k);
    value[i] = static_cast<int>(i * i % 7);
  }
  std::vector<int> before = value;
  for (unsigned i = 0; i < size; ++i) {
    value[i] = flag > 0 ? before[i] + before[(i + 1) % size] : 3;
    shared[i] = flag > 0 ? value[i] : 1;
  }
  for (int round = 0; round < 10 && shared[0] <= flag * 8; ++round) {
    for (unsigned i = 0; i < size; ++i) shared[i] += before[i] % 2 == 1 ? 2 : 1;
    for (unsigned i = 0; i < size && round != 5; ++i) own[i][i % 5] += shared[(i + 1) % size];
  }
  for (unsigned i = 0; i < size; ++i) {
    int sum = 0;
    for (unsigned k = 0; k < i; ++k) sum += shared[k];
    const int wanted = own[i][(i + 3) % 5] + value[i] + own[i][i % 5] + sum;
    for (unsigned g = 0; g < 3; ++g)
      expect_equal(out[g * size + i], wanted, "control flow", g * size + i);
  }
}

void three_dimensions() {
  constexpr unsigned nz = 3, ny = 5, nx = 19, n = nz * ny * nx;
  std::vector<int> out(n);
  int* to = out.data();
  run<3>({1, 1, 1}, {nz, ny, nx}, [=] {
    int* shared = local_memory<int>();
    const unsigned linear = (z() * ny + y()) * nx + x();
    const int own = to[linear] + static_cast<int>(z() * 100 + y() * 10 + x());
    shared[linear] = own;
    barrier();
    to[linear] = shared[n - 1 - linear] * 3 + own;
  });
  for (unsigned i = 0; i < n; ++i) {
    const auto code = [](unsigned at) {
      return static_cast<int>(at / (ny * nx) * 100 + at / nx % ny * 10 + at % nx);
    };
    expect_equal(out[i], code(n - 1 - i) * 3 + code(i), "three dimensions", i);
  }
}

// A group whose last sub-group is not full; sub-groups that are alone in a branch.
void sub_groups(size3 local, unsigned size) {
  std::vector<std::uint64_t> out(size);
  std::uint64_t* to = out.data();
  const unsigned sx = local.x, sy = local.y;
  run<3>({1, 1, 1}, local, [=] {
    const unsigned i = (z() * sy + y()) * sx + x();
    const unsigned width = __pianola_sub_group_size(), lane = i % width, own = i / width;
    const unsigned lanes = size - own * width < width ? size - own * width : width;
    unsigned value = i * 3;
    for (unsigned d = 1; d < width; d *= 2) {
      const unsigned from = (lane + d) % width;
      value += __pianola_shuffle_32(value, from < lanes ? from : lane);
    }
    const std::uint64_t odd = __pianola_ballot(static_cast<int>(value & 1U));
    barrier();
    if (own == 1) value += __pianola_shuffle_32(value, 2);
    barrier();
    to[i] = value * std::uint64_t{1000} + odd + __pianola_shuffle_64(std::uint64_t{value} << 40, 0);
  });
  std::vector<unsigned> value(size), next(size);
  for (unsigned i = 0; i < size; ++i) value[i] = i * 3;
  const auto lanes = [&](unsigned i) { return size - i / 8 * 8 < 8 ? size - i / 8 * 8 : 8; };
  for (unsigned d = 1; d < 8; d *= 2) {
    for (unsigned i = 0; i < size; ++i) {
      const unsigned from = (i % 8 + d) % 8;
      next[i] = value[i] + value[i / 8 * 8 + (from < lanes(i) ? from : i % 8)];
    }
    value = next;
  }
  std::vector<std::uint64_t> odd(size);
  for (unsigned i = 0; i < size; ++i)
    for (unsigned k = 0; k < lanes(i); ++k) odd[i] |= std::uint64_t{value[i / 8 * 8 + k] & 1U} << k;
  const unsigned second = size > 10 ? value[10] : 0;
  for (unsigned i = 8; i < 16 && i < size; ++i) value[i] += second;
  for (unsigned i = 0; i < size; ++i)
    expect_equal(out[i],
                 value[i] * std::uint64_t{1000} + odd[i] + (std::uint64_t{value[i / 8 * 8]} << 40),
                 "sub-groups", i);
}

// Each call has storage of its own, also where two ask for the same number of bytes.
void storage() {
  std::vector<int> out(40);
  int* to = out.data();
  run<1>({1, 1, 1}, {1, 1, 40}, [=] {
    int* first = static_cast<int*>(__pianola_group_storage(sizeof(int)));
    int* second = static_cast<int*>(__pianola_group_storage(sizeof(int)));
    auto* large = static_cast<int*>(__pianola_group_storage(100 * sizeof(int)));
    first[x()] = static_cast<int>(x());
    second[39 - x()] = 100;
    large[x() * 100] = 1000;
    barrier();
    to[x()] = first[39 - x()] + second[x()] + large[(39 - x()) * 100];
  });
  for (unsigned i = 0; i < 40; ++i)
    expect_equal(out[i], static_cast<int>(39 - i) + 1100, "storage", i);
}

void exceptions() {
  int count = 0;
  int* counter = &count;
  int caught = 0;
  try {
    run<1>({1, 1, 1}, {1, 1, 16}, [=] {
      try {
        if (x() == 5) throw 3;
      } catch (int thrown) {
        *counter += thrown * 100;
      }
      barrier();
      if (x() == 7) throw 4;
      ++*counter;
    });
  } catch (int thrown) {
    caught = thrown;
  }
  expect_equal(caught, 4, "exception", 0);
  expect_equal(count, 307, "work-items before the exception", 0);
}

// Work-items that go different ways between the same two barriers, in loops of different lengths.
void divergence() {
  constexpr unsigned size = 50;
  std::vector<unsigned> out(size);
  unsigned* to = out.data();
  run<1>({1, 1, 1}, {1, 1, size}, [=] {
    unsigned steps = 0, at = x() + 1;
    while (at != 1) {
      at = at % 2 == 0 ? at / 2 : 3 * at + 1;
      ++steps;
    }
    local_memory<unsigned>()[x()] = steps;
    barrier();
    switch (steps % 3) {
      case 0:
        steps += local_memory<unsigned>()[0];
        break;
      case 1:
        steps *= local_memory<unsigned>()[(x() + 1) % size];
        [[fallthrough]];
      default:
        ++steps;
    }
    barrier();
    to[x()] = steps;
  });
  std::vector<unsigned> steps(size);
  for (unsigned i = 0; i < size; ++i)
    for (unsigned at = i + 1; at != 1; ++steps[i]) at = at % 2 == 0 ? at / 2 : 3 * at + 1;
  for (unsigned i = 0; i < size; ++i) {
    unsigned wanted = steps[i];
    if (wanted % 3 == 0)
      wanted += steps[0];
    else if (wanted % 3 == 1)
      wanted = wanted * steps[(i + 1) % size] + 1;
    else
      ++wanted;
    expect_equal(out[i], wanted, "divergence", i);
  }
}

// Two variables that change places in every round.
void exchanged_values() {
  constexpr unsigned size = 20;
  std::vector<int> out(size);
  int* to = out.data();
  run<1>({1, 1, 1}, {1, 1, size}, [=] {
    int a = to[x()] + static_cast<int>(x()), b = to[x()] - 7;
    for (int round = 0; round < 5; ++round) {
      local_memory<int>()[x()] = a;
      barrier();
      const int c = a;
      a = b + local_memory<int>()[size - 1 - x()];
      b = c;
      barrier();
    }
    to[x()] = a * 1000 + b;
  });
  std::vector<int> a(size), b(size, -7);
  for (unsigned i = 0; i < size; ++i) a[i] = static_cast<int>(i);
  for (int round = 0; round < 5; ++round) {
    const std::vector<int> shared = a;
    for (unsigned i = 0; i < size; ++i) {
      a[i] = b[i] + shared[size - 1 - i];
      b[i] = shared[i];
    }
  }
  for (unsigned i = 0; i < size; ++i)
    expect_equal(out[i], a[i] * 1000 + b[i], "exchanged values", i);
}

}  // namespace

int main() {
  reduction_tree();
  tiled_product(4, 16);
  tiled_product(3, 5);
  tiled_product(2, 19);
  control_flow(37, 1);
  control_flow(37, 0);
  control_flow(1, 1);
  three_dimensions();
  sub_groups({1, 1, 43}, 43);
  sub_groups({1, 1, 16}, 16);
  sub_groups({1, 1, 3}, 3);
  sub_groups({3, 5, 7}, 105);
  sub_groups({1, 4, 6}, 24);
  storage();
  exceptions();
  divergence();
  exchanged_values();
  return failures == 0 ? 0 : 1;
}
