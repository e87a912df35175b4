// SPDX-License-Identifier: Apache-2.0
// standard: 20
// Sums, extremes and histograms by reduction variables: of buffers, of pointers, of spans, with operators of the
// program, several in one kernel, over ranges and nd_ranges.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

using namespace sycl;

struct extreme {
  float value;
  int index;
};
struct larger {
  extreme operator()(const extreme& a, const extreme& b) const {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

#define CHECK(condition)                          \
  if (!(condition)) {                             \
    std::puts("reductions: not so: " #condition); \
    failed = true;                                \
  }

int main() {
  bool failed = false;
  constexpr int n = 1500;
  queue q{property::queue::in_order{}};
  std::vector<int> data(n);
  std::iota(data.begin(), data.end(), -700);

  int sum = 1000, largest = 0;
  {
    buffer values(data);
    buffer sum_of(&sum, range(1)), max_of(&largest, range(1));
    q.submit([&](handler& h) {
      accessor v(values, h, read_only);
      h.parallel_for(
          range(n), reduction(sum_of, h, plus<>()),
          reduction(max_of, h, maximum<int>(), property::reduction::initialize_to_identity{}),
          [=](id<1> i, auto& total, auto& top) {
            total += v[i];
            top.combine(v[i]);
          });
    });
  }
  CHECK(sum == 1000 + std::accumulate(data.begin(), data.end(), 0));
  CHECK(largest == 799);

  extreme* best = malloc_shared<extreme>(1, q);
  unsigned* counts = malloc_shared<unsigned>(8, q);
  unsigned long* odd = malloc_shared<unsigned long>(1, q);
  *best = {-1e30f, -1};
  std::fill_n(counts, 8, 5u);
  *odd = 0;
  const auto height = [](int i) { return static_cast<float>((i * 7919) % 1009); };
  q.parallel_for(nd_range<1>(1536, 64), reduction(best, extreme{-1e30f, -1}, larger{}),
                 [=](nd_item<1> it, auto& winner) {
                   const int i = static_cast<int>(it.get_global_id(0));
                   if (i < n) winner.combine({height(i), i});
                 });
  q.parallel_for(range<2>(30, 50), reduction(span<unsigned, 8>(counts, 8), plus<unsigned>{}),
                 reduction(odd, bit_xor<>()),
                 [=](item<2> it, auto& histogram, auto& parity) {
                   histogram[it.get_linear_id() % 8]++;
                   parity ^= it.get_linear_id();
                 })
      .wait();
  extreme expected{-1e30f, -1};
  unsigned expected_counts[8] = {5, 5, 5, 5, 5, 5, 5, 5};
  unsigned long expected_odd = 0;
  for (int i = 0; i < n; ++i) {
    expected = larger{}(expected, {height(i), i});
    ++expected_counts[i % 8];
    expected_odd ^= static_cast<unsigned long>(i);
  }
  CHECK(best->index == expected.index && best->value == expected.value);
  CHECK(std::equal(counts, counts + 8, expected_counts));
  CHECK(*odd == expected_odd);

  // A lambda as operator, without an identity; and a std::span.
  float* product = malloc_shared<float>(1, q);
  *product = 2.0f;
  std::fill_n(counts, 8, 0u);
  auto times = [](auto a, auto b) { return a * b; };
  auto e = q.parallel_for(range{10}, reduction(product, times),
                          [=](id<1>, auto& r) { r.combine(0.5f); });
  q.parallel_for(range{100}, e, reduction(std::span<unsigned, 4>(counts, 4), bit_or<>()),
                 [=](auto i, auto& bits) { bits[i % 4] |= 1u << (static_cast<unsigned>(i) % 16); });
  q.wait_and_throw();
  CHECK(*product == 2.0f / 1024);
  CHECK(counts[0] == 0x1111 && counts[3] == 0x8888 && counts[4] == 0);
  for (void* p : std::initializer_list<void*>{best, counts, odd, product}) sycl::free(p, q);
  return failed;
}
