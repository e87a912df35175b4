// SPDX-License-Identifier: Apache-2.0
// Kernels whose accesses arguments_test.cpp knows. Compiled to LLVM's text form, never run.
#include <cmath>
#include <cstdint>

#include <sycl/sycl.hpp>

float nobody_knows(float);

namespace {

using sycl::handler;
using sycl::id;
using sycl::item;
using sycl::nd_item;
using sycl::nd_range;
using sycl::range;
using floats = sycl::buffer<float, 1>;

// USM pointers at the known places of a struct: p at 0, q at 8, r at 16.
template <class F>
struct with_pointers {
  float* p;
  float* q;
  float* r;
  std::uint64_t rows, columns;
  int n;
  unsigned m;
  template <class Index>
  void operator()(const Index& i) const {
    F::run(*this, i);
  }
};

#define KERNEL(name, index)                      \
  struct name {                                  \
    template <class A>                           \
    static void run(const A& a, const index& i); \
  };                                             \
  template <class A>                             \
  void name::run([[maybe_unused]] const A& a, [[maybe_unused]] const index& i)

KERNEL(usm_triad, id<1>) { a.p[i] = a.q[i] + 3.0f * a.r[i]; }
KERNEL(usm_in_place, id<1>) { a.p[i] *= 2.0f; }
KERNEL(usm_int_index, item<1>) {
  const int k = static_cast<int>(i.get_id(0));
  a.p[k] = a.q[k];
}
KERNEL(usm_unsigned_index, item<1>) {
  const unsigned k = static_cast<unsigned>(i.get_id(0));
  a.p[k] = a.q[k + 1];
}
KERNEL(usm_stencil, id<1>) { a.p[i] = a.q[i - 1] + a.q[i] + a.q[i + 1]; }
KERNEL(usm_pairs, id<1>) {
  a.p[2 * i] = 1.0f;
  a.p[2 * i + 1] = 2.0f;
}
KERNEL(usm_gather, id<1>) { a.p[i] = a.q[static_cast<std::size_t>(a.r[i])]; }
KERNEL(usm_scatter, id<1>) { a.p[static_cast<std::size_t>(a.r[i])] = a.q[i]; }
KERNEL(usm_constant_place, id<1>) { a.p[i] = a.q[0]; }
KERNEL(usm_loop, id<1>) {
  float s = 0;
  for (std::uint64_t k = 0; k < a.columns; ++k) s += a.q[i * a.columns + k];
  a.p[i] = s;
}
KERNEL(usm_rows, id<2>) { a.p[i[0] * a.columns + i[1]] = a.q[i[1]]; }
KERNEL(usm_int_rows, item<2>) {
  const int y = static_cast<int>(i.get_id(0)), x = static_cast<int>(i.get_id(1));
  a.p[y * a.n + x] = 1.0f;
}
KERNEL(usm_cancelled, item<1>) {
  // The index leaves the range of int and comes back.
  const int k = static_cast<int>(i.get_id(0)) + a.n;
  a.p[static_cast<std::int64_t>(k) - a.n] = 1.0f;
}
KERNEL(usm_linear, item<3>) { a.p[i.get_linear_id()] = 1.0f; }
KERNEL(usm_group, nd_item<1>) { a.p[i.get_global_id(0)] = a.q[i.get_group(0)]; }
KERNEL(usm_local, nd_item<1>) { a.p[i.get_local_id(0)] = 1.0f; }
KERNEL(usm_select, id<1>) { (a.n > 3 ? a.p : a.q)[i] = 1.0f; }
KERNEL(usm_escape, id<1>) { *reinterpret_cast<float**>(a.p) = a.q + i[0]; }
KERNEL(usm_chase, id<1>) { **reinterpret_cast<float**>(a.p + 2 * i) = a.q[i]; }
KERNEL(usm_number, id<1>) { *reinterpret_cast<float*>(a.rows) = a.q[i]; }
KERNEL(usm_atomic, id<1>) {
  __atomic_fetch_add(reinterpret_cast<int*>(a.p) + i[0], 1, __ATOMIC_RELAXED);
  a.q[i] = 1.0f;
}
KERNEL(usm_volatile, id<1>) { static_cast<volatile float*>(a.p)[i] = 1.0f; }
KERNEL(usm_math, id<1>) { a.p[i] = std::sin(a.q[i]) + std::pow(a.q[i], 1.5f); }
KERNEL(usm_swapped, id<2>) { a.p[i[1] * a.rows + i[0]] = 1.0f; }
KERNEL(usm_guarded, id<1>) {
  if (i < a.columns) a.p[i] = 1.0f;
}
KERNEL(usm_block, id<1>) { __builtin_memcpy(a.p + 4 * i, a.q + 4 * i, 16); }
KERNEL(usm_walk, id<1>) {
  const float* at = a.q;
  while (*at > 0) ++at;
  a.p[i] = *at;
}

float shared_number = 3.0f;
KERNEL(usm_global_variable, id<1>) { a.p[i] = shared_number; }
struct list_node {
  const list_node* next;
  float value;
};
KERNEL(usm_list, id<1>) {
  float sum = 0;
  for (const list_node* n = reinterpret_cast<const list_node*>(a.q); n != nullptr; n = n->next)
    sum += n->value;
  a.p[i] = sum;
}

// Shapes of accesses; p, q and r are at 0, 8 and 16, rows, columns, n and m at 24, 32, 40 and 44.
KERNEL(usm_shape_inside, id<1>) {
  if (i > 0 && i < a.columns - 1) a.p[i] = a.q[i - 1] + a.q[i + 1];
}
KERNEL(usm_shape_inside_int, item<2>) {
  const int y = static_cast<int>(i.get_id(0)), x = static_cast<int>(i.get_id(1));
  if (y > 0 && y < a.n - 1) a.p[y * a.n + x] = a.q[(y - 1) * a.n + x] + a.q[(y + 1) * a.n + x];
}
KERNEL(usm_shape_column, id<1>) {
  float s = 0;
  for (std::uint64_t k = 0; k < a.rows; ++k) s += a.q[k * a.columns + i];
  a.p[i] = s;
}
KERNEL(usm_shape_product, id<2>) {
  float s = 0;
  for (std::uint64_t k = 0; k < a.columns; ++k)
    s += a.q[i[0] * a.columns + k] * a.r[k * a.rows + i[1]];
  a.p[i[0] * a.rows + i[1]] = s;
}
KERNEL(usm_shape_int_loop, item<1>) {
  float s = 0;
  const int y = static_cast<int>(i.get_id(0));
  for (int k = 0; k < a.n; ++k) s += a.q[y * a.n + k];
  a.p[y] = s;
}
KERNEL(usm_shape_stride, id<1>) {
  float s = 0;
  for (std::uint64_t k = 0; k < a.columns; k += 4) s += a.q[k];
  a.p[2 * i] = s;
}
KERNEL(usm_shape_backwards, id<1>) {
  float s = 0;
  for (std::int64_t k = static_cast<std::int64_t>(a.columns) - 1; k >= 0; --k) s += a.q[k];
  a.p[i] = s;
}
KERNEL(usm_shape_pointer, id<1>) {
  float s = 0;
  for (const float *at = a.q + i * a.columns, *end = at + a.columns; at != end; ++at) s += *at;
  a.p[i] = s;
}
KERNEL(usm_shape_search, id<1>) {
  for (std::uint64_t k = 0; k < a.columns; ++k) {
    if (a.q[k] == 0.0f) break;
    a.p[k] = 1.0f;
  }
}
KERNEL(usm_shape_triangle, id<1>) {
  float s = 0;
  for (std::uint64_t k = 0; k <= i; ++k) s += a.q[k];
  a.p[i] = s;
}
KERNEL(usm_shape_window, id<1>) {
  float s = 0;
  for (int k = -3; k <= 3; ++k) s += a.q[static_cast<std::int64_t>(i[0]) + k];
  a.p[i] = s;
}
KERNEL(usm_shape_clamped, id<1>) {
  const std::uint64_t left = i == 0 ? 0 : i[0] - 1, last = a.columns - 1;
  const std::uint64_t right = i[0] + 1 < last ? i[0] + 1 : last;
  a.p[i] = a.q[left] + a.q[right];
}
KERNEL(usm_shape_ring, id<1>) {
  const std::uint64_t left = i == 0 ? a.columns - 1 : i[0] - 1;
  a.p[i] = a.q[left];
}
KERNEL(usm_shape_sums, nd_item<1>) {
  float s = 0;
  for (std::uint64_t k = 0; k < 8; ++k) s += a.q[i.get_group(0) * 8 + k];
  if (i.get_local_id(0) == 0) a.p[i.get_group(0)] = s;
}
KERNEL(usm_shape_tile, nd_item<1>) {
  a.p[i.get_group(0) * a.columns + i.get_local_id(0)] = a.q[i.get_local_id(0)];
}
KERNEL(usm_shape_data, id<1>) {
  if (a.q[i] > 0.0f) a.p[i] = 1.0f;
}

// What is computed.
KERNEL(usm_counts_triad, id<1>) { a.p[i] = a.q[i] + 3.0f * a.r[i]; }
KERNEL(usm_counts_kinds, id<1>) {
  a.p[i] = std::sqrt(a.q[i]) / a.r[i] + std::sin(a.q[i]) - std::fabs(a.r[i]);
}
KERNEL(usm_counts_loop, id<1>) {
  float s = 0;
  for (std::uint64_t k = 0; k < a.columns; ++k) s += a.q[i * a.columns + k] * a.r[k];
  a.p[i] = s;
}
KERNEL(usm_counts_nest, id<1>) {
  for (std::uint64_t j = 0; j < a.rows; ++j)
    for (int k = 0; k < a.n; ++k) a.p[j] += a.q[static_cast<std::uint64_t>(k) + i];
}
KERNEL(usm_counts_inside, id<1>) {
  if (i > 0 && i < a.columns - 1) a.p[i] = a.q[i - 1] + a.q[i + 1];
}
KERNEL(usm_counts_integers, id<1>) {
  auto* const numbers = reinterpret_cast<unsigned*>(a.p);
  // The index is computed, too, and is no data.
  numbers[i * a.columns + 3] = (numbers[i] * 5 + 1) ^ a.m;
}
KERNEL(usm_counts_data, id<1>) {
  if (a.q[i] > 0.0f) a.p[i] = a.q[i] * 2.0f;
}
KERNEL(usm_counts_search, id<1>) {
  float s = 0;
  for (std::uint64_t k = 0; a.q[k] > 0.0f; ++k) s += a.q[k];
  a.p[i] = s;
}
KERNEL(usm_counts_triangle, id<1>) {
  float s = 0;
  for (std::uint64_t k = 0; k <= i; ++k) s += a.q[k];
  a.p[i] = s;
}
#ifdef PIANOLA_TEST_NO_IMAGES  // there is none of what calls what is not there
KERNEL(usm_counts_unknown, id<1>) { a.p[i] = nobody_knows(a.q[i]); }
#endif
KERNEL(usm_counts_nothing, id<1>) { a.p[i] = a.q[i]; }

// What is combined with what is there.
using sycl::atomic_ref;
template <class T>
using shared = atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device>;
KERNEL(usm_reduces_atomics, id<1>) {
  auto* const numbers = reinterpret_cast<int*>(a.p);
  auto* const counts = reinterpret_cast<unsigned*>(a.q);
  const int n = static_cast<int>(i[0]);
  shared<int>(numbers[0]).fetch_add(n);
  shared<int>(numbers[1]).fetch_sub(n);
  shared<int>(numbers[2]).fetch_min(n);
  shared<int>(numbers[3]).fetch_max(n);
  shared<int>(numbers[4]).fetch_and(n);
  shared<int>(numbers[5]).fetch_or(n);
  shared<int>(numbers[6]).fetch_xor(n);
  shared<unsigned>(counts[2 * i]).fetch_max(a.m);
  shared<unsigned>(counts[2 * i + 1]).fetch_min(a.m);
  shared<float>(a.r[i]) += 1.0f;
}
KERNEL(usm_reduces_and_looks, id<1>) {
  auto* const numbers = reinterpret_cast<int*>(a.p);
  a.q[i] = static_cast<float>(shared<int>(numbers[0]).fetch_add(1));
  shared<int>(numbers[1]).exchange(1);
  shared<float>(a.r[0]).fetch_min(1.0f);  // a loop of exchanges
}
KERNEL(usm_reduces_in_place, id<1>) { a.p[i] += a.q[i] * a.r[i]; }
KERNEL(usm_reduces_to_an_end, id<1>) { a.p[i] = a.p[i] * 2.0f + a.p[i + 1]; }
KERNEL(usm_reduces_for_two, id<1>) {
  const float old = a.p[i];
  a.p[i] = old + 1.0f;
  a.q[i] = old;
}
KERNEL(usm_reduces_elsewhere, id<1>) { a.p[i + 1] = a.p[i] + 1.0f; }
KERNEL(usm_reduces_behind_another, id<1>) {
  const float old = a.p[i];
  a.p[i - a.n] = 3.0f;
  a.p[i] = old + 1.0f;
}
KERNEL(usm_reduces_or_writes, id<1>) { a.p[i] = a.m != 0 ? a.q[i] : a.p[i] + a.q[i]; }

template <class F>
with_pointers<F> make() {
  return {nullptr, nullptr, nullptr, 0, 0, 0, 0};
}
template <class F, int D>
void submit(sycl::queue& q) {
  range<D> r;
  for (int d = 0; d < D; ++d) r[d] = 8;
  q.parallel_for(r, make<F>());
}
template <class F>
void submit_groups(sycl::queue& q) {
  q.parallel_for(nd_range<1>(64, 8), make<F>());
}

class buffer_copy;
class buffer_ranged;
class buffer_2d;
class buffer_2d_subscripts;
class buffer_3d;
class buffer_3d_ranged;
class buffer_transposed;
class buffer_read_only;
class buffer_tile;
class buffer_table;
class buffer_heat;
class buffer_rows;

}  // namespace

void submit_all(sycl::queue& q, floats& a, floats& b, sycl::buffer<float, 2>& m,
                sycl::buffer<float, 2>& m2, sycl::buffer<double, 3>& c) {
  submit<usm_triad, 1>(q);
  submit<usm_in_place, 1>(q);
  submit<usm_int_index, 1>(q);
  submit<usm_unsigned_index, 1>(q);
  submit<usm_stencil, 1>(q);
  submit<usm_pairs, 1>(q);
  submit<usm_gather, 1>(q);
  submit<usm_scatter, 1>(q);
  submit<usm_constant_place, 1>(q);
  submit<usm_loop, 1>(q);
  submit<usm_rows, 2>(q);
  submit<usm_int_rows, 2>(q);
  submit<usm_cancelled, 1>(q);
  submit<usm_linear, 3>(q);
  submit_groups<usm_group>(q);
  submit_groups<usm_local>(q);
  submit<usm_select, 1>(q);
  submit<usm_escape, 1>(q);
  submit<usm_chase, 1>(q);
  submit<usm_list, 1>(q);
  submit<usm_number, 1>(q);
  submit<usm_atomic, 1>(q);
  submit<usm_volatile, 1>(q);
  submit<usm_math, 1>(q);
  submit<usm_swapped, 2>(q);
  submit<usm_guarded, 1>(q);
  submit<usm_block, 1>(q);
  submit<usm_walk, 1>(q);
  submit<usm_global_variable, 1>(q);
  submit<usm_shape_inside, 1>(q);
  submit<usm_shape_inside_int, 2>(q);
  submit<usm_shape_column, 1>(q);
  submit<usm_shape_product, 2>(q);
  submit<usm_shape_int_loop, 1>(q);
  submit<usm_shape_stride, 1>(q);
  submit<usm_shape_backwards, 1>(q);
  submit<usm_shape_pointer, 1>(q);
  submit<usm_shape_search, 1>(q);
  submit<usm_shape_triangle, 1>(q);
  submit<usm_shape_window, 1>(q);
  submit<usm_shape_clamped, 1>(q);
  submit<usm_shape_ring, 1>(q);
  submit_groups<usm_shape_sums>(q);
  submit_groups<usm_shape_tile>(q);
  submit<usm_shape_data, 1>(q);
  submit<usm_counts_triad, 1>(q);
  submit<usm_counts_kinds, 1>(q);
  submit<usm_counts_loop, 1>(q);
  submit<usm_counts_nest, 1>(q);
  submit<usm_counts_inside, 1>(q);
  submit<usm_counts_integers, 1>(q);
  submit<usm_counts_data, 1>(q);
  submit<usm_counts_search, 1>(q);
  submit<usm_counts_triangle, 1>(q);
#ifdef PIANOLA_TEST_NO_IMAGES
  submit<usm_counts_unknown, 1>(q);
#endif
  submit<usm_counts_nothing, 1>(q);
  submit<usm_reduces_atomics, 1>(q);
  submit<usm_reduces_and_looks, 1>(q);
  submit<usm_reduces_in_place, 1>(q);
  submit<usm_reduces_to_an_end, 1>(q);
  submit<usm_reduces_for_two, 1>(q);
  submit<usm_reduces_elsewhere, 1>(q);
  submit<usm_reduces_behind_another, 1>(q);
  submit<usm_reduces_or_writes, 1>(q);

  q.submit([&](handler& h) {
    sycl::accessor x{a, h}, y{b, h};
    h.parallel_for<buffer_copy>(range<1>(8), [=](id<1> i) { y[i] = x[i]; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{a, h, range<1>(4), id<1>(2)}, y{b, h};
    h.parallel_for<buffer_ranged>(range<1>(4), [=](id<1> i) { y[i] = x[i]; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{m, h}, y{m2, h};
    h.parallel_for<buffer_2d>(m.get_range(), [=](id<2> i) { y[i] = x[i]; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{m, h}, y{m2, h};
    h.parallel_for<buffer_2d_subscripts>(m.get_range(),
                                         [=](item<2> i) { y[i[0]][i[1]] = x[i[0]][i[1] + 1]; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{c, h};
    h.parallel_for<buffer_3d>(c.get_range(), [=](id<3> i) { x[i] += 1.0; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{c, h, range<3>(2, 2, 2), id<3>(1, 1, 1)};
    h.parallel_for<buffer_3d_ranged>(range<3>(2, 2, 2), [=](id<3> i) { x[i] += 1.0; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{m, h}, y{m2, h};
    h.parallel_for<buffer_transposed>(m.get_range(), [=](id<2> i) { y[id<2>(i[1], i[0])] = x[i]; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{a, h};
    sycl::accessor y{b, h, sycl::write_only};
    h.parallel_for<buffer_read_only>(range<1>(8), [=](id<1> i) { y[i] = x[7 - i[0]]; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{a, h}, y{b, h};
    sycl::local_accessor<float, 1> tile{range<1>(8), h};
    h.parallel_for<buffer_tile>(nd_range<1>(64, 8), [=](nd_item<1> i) {
      tile[i.get_local_id(0)] = x[i.get_global_id(0)];
      sycl::group_barrier(i.get_group());
      y[i.get_global_id(0)] = tile[7 - i.get_local_id(0)];
    });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{a, h};
    struct {
      float number[16];
    } table{};
    h.parallel_for<buffer_table>(range<1>(8), [=](id<1> i) { x[i] = table.number[i[0] % 16]; });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{m, h};
    sycl::accessor y{m2, h, sycl::write_only};
    h.parallel_for<buffer_heat>(m.get_range(), [=](id<2> i) {
      const std::size_t r = i[0], c = i[1];
      if (r > 0 && c > 0 && r + 1 < x.get_range()[0] && c + 1 < x.get_range()[1])
        y[i] = x[i] + x[r - 1][c] + x[r + 1][c] + x[r][c - 1] + x[r][c + 1];
    });
  });
  q.submit([&](handler& h) {
    sycl::accessor x{m, h};
    sycl::accessor y{a, h, sycl::write_only};
    h.parallel_for<buffer_rows>(range<1>(8), [=](id<1> i) {
      float s = 0;
      for (std::size_t k = 0; k < x.get_range()[1]; ++k) s += x[i[0]][k];
      y[i] = s;
    });
  });
}
