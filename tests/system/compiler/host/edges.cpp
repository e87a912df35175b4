// SPDX-License-Identifier: Apache-2.0
// Work of the items at edges is done once, and computes what it does when each item is on its own, in groups of all shapes.
// RUN: %runs
#include "run.hpp"

namespace {

// A block with a border two cells wide; some items write to many places of it, others to none.
template <class Store>
void stores_of(unsigned z, unsigned y, unsigned x, size3 n, unsigned bound, const Store& store) {
  store(0, z, y, x, 1U);
  if (z == 0) store(1, z, y, x, 2U);
  if (z == n.z - 1) store(2, z, y, x, 3U);
  if (y < 2)
    store(3, z, y, x, 4U);
  else if (y >= 5)
    store(3, z, y, x, 5U);
  if (x == 3) store(4, z, y, x, 6U);
  if (x < bound && y != 1) store(5, z, y, x, 7U);
  switch (x) {
    case 0:
      store(6, z, y, x, 8U);
      break;
    case 7:
      store(6, z, y, x, 9U);
      break;
    case 2:
      break;
    default:
      if (z > 1) store(6, z, y, x, 10U);
  }
  if (y == 0 && z == 0) store(7, z, y, x, 11U);
  if (bound > 4) {
    if (x >= bound) store(8, z, y, x, 12U);
    if (3 > z) store(9, z, y, x, 13U);
  }
  if (x == bound) {
    for (unsigned i = 0; i < y; ++i) store(10, z, i, x, 14U + i + y);
  }
  if (static_cast<int>(x) <= 4) store(11, z, y, x, 15U);
}

constexpr unsigned kinds = 12;

void edges(size3 n, unsigned bound) {
  const unsigned count = n.z * n.y * n.x;
  std::vector<unsigned> out(kinds * count + count), wanted(out.size());
  unsigned* p = out.data();
  run<3>({1, 1, 1}, n, [=] {
    const size3 size = {__pianola_local_size_z(), __pianola_local_size_y(),
                        __pianola_local_size_x()};
    stores_of(z(), y(), x(), size, bound,
              [&](unsigned kind, unsigned at_z, unsigned at_y, unsigned at_x, unsigned value) {
                p[kind * count + (at_z * size.y + at_y) * size.x + at_x] += value;
              });
    barrier();
    const unsigned own = (z() * size.y + y()) * size.x + x();
    if (x() > 0) p[kinds * count + own] = p[own - 1] + p[count + own];
  });
  unsigned* w = wanted.data();
  for (unsigned z = 0; z < n.z; ++z)
    for (unsigned y = 0; y < n.y; ++y)
      for (unsigned x = 0; x < n.x; ++x)
        stores_of(z, y, x, n, bound,
                  [&](unsigned kind, unsigned at_z, unsigned at_y, unsigned at_x, unsigned value) {
                    w[kind * count + (at_z * n.y + at_y) * n.x + at_x] += value;
                  });
  for (unsigned i = 0; i < count; ++i)
    if (i % n.x > 0) w[kinds * count + i] = w[i - 1] + w[count + i];
  for (unsigned i = 0; i < out.size(); ++i)
    if (i / count != 10) expect_equal(out[i], wanted[i], "edges", i);
}

// What an item reads behind its edge's work is what it wrote.
void order(unsigned size) {
  std::vector<unsigned> data(2 * size);
  unsigned* p = data.data();
  run<1>({1, 1, 1}, {1, 1, size}, [=] {
    p[x()] = x() * 2;
    if (x() < 5) p[x()] += 100;
    if (x() == 2) p[x()] *= 3;
    p[size + x()] = p[x()] + 1;
  });
  for (unsigned i = 0; i < size; ++i) {
    unsigned value = i * 2 + (i < 5 ? 100 : 0);
    if (i == 2) value *= 3;
    expect_equal(data[i], value, "order", i);
    expect_equal(data[size + i], value + 1, "order behind", i);
  }
}

}  // namespace

int main() {
  for (const size3 n :
       {size3{1, 1, 1}, size3{4, 8, 32}, size3{2, 3, 5}, size3{3, 7, 17}, size3{5, 1, 16}})
    for (const unsigned bound : {0U, 3U, 6U, 40U}) edges(n, bound);
  for (const unsigned size : {1U, 4U, 16U, 33U}) order(size);
  return failures == 0 ? 0 : 1;
}
