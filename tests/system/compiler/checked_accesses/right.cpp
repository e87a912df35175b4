// SPDX-License-Identifier: Apache-2.0
// Everything that a kernel may touch.
#include <vector>

#include "expect.hpp"

using sycl::access::decorated;

int main() {
  expect_nothing("accessors of every kind", [](sycl::queue& q) {
    sycl::buffer<int, 2> b(sycl::range(16, 16));
    auto flat = b.reinterpret<int, 1>(sycl::range<1>(256));
    sycl::buffer<int> row(flat, sycl::id(32), sycl::range(16));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(b.get_range(), [=](sycl::id<2> i) { a[i] = static_cast<int>(i[1]); });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(row, h);
      h.parallel_for(
          16, [=](sycl::id<1> i) { a.template get_multi_ptr<decorated::no>()[i[0]] += a[i]; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range(4, 4), sycl::id(2, 2));
      h.parallel_for(1, [=](sycl::id<1>) {
        for (int& element : a) element += 1;
        for (std::size_t i = 0; i < 4; ++i) a[3][i] += a[sycl::id(0, i)];
      });
    });
    sycl::host_accessor a(b);
    expect("the sums", a[2][5] == 11 && a[5][5] == 5 + 1 + 11 && a[5][6] == 6,
           std::to_string(a[5][5]));
  });
  expect_nothing("reductions, local memory, USM and memory of the work-item", [](sycl::queue& q) {
    constexpr std::size_t n = 1000;
    sycl::buffer<int> numbers(n), sum(1);
    int* const shared = sycl::malloc_shared<int>(n, q);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(numbers, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<int> l(8, h);
      h.parallel_for(sycl::nd_range<1>(n, 8), [=](sycl::nd_item<1> i) {
        int own[4] = {1, 2, 3, 4};
        l[i.get_local_id(0)] = own[i.get_local_id(0) % 4];
        sycl::group_barrier(i.get_group());
        a[i.get_global_id()] = l[7 - i.get_local_id(0)];
        shared[i.get_global_id(0)] = sycl::reduce_over_group(i.get_group(), 1, sycl::plus<>());
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(numbers, h, sycl::read_only);
      h.parallel_for(n,
                     sycl::reduction(sum, h, sycl::plus<int>(),
                                     sycl::property::reduction::initialize_to_identity()),
                     [=](sycl::id<1> i, auto& r) { r += a[i] + shared[i]; });
    });
    const int found = sycl::host_accessor(sum)[0];
    expect("the sum", found == 2500 + 8000, std::to_string(found));
    sycl::free(shared, q);
  });
  return failures == 0 ? 0 : 1;
}
