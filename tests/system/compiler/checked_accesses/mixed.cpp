// SPDX-License-Identifier: Apache-2.0
// One of two files of a program: with CHECKED the one that has main and whose accesses are checked.
#include "expect.hpp"

std::string add_with_others(sycl::queue& q, sycl::buffer<int, 3>& b);

namespace {

template <class Tag>
class adds;

template <class Tag>
void add(sycl::queue& q, sycl::buffer<int, 3>& b, std::size_t planes) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for<adds<Tag>>(sycl::range<3>(planes, 3, 4),
                              [=](sycl::id<3> i) { a[i[0]][i[1]][i[2]] += a[i] + 1; });
  });
}

}  // namespace

#if defined(CHECKED)
int main() {
  sycl::buffer<int, 3> b(sycl::range(2, 3, 4));
  {
    sycl::host_accessor a(b);
    for (int& element : a) element = 1;
  }
  expect_nothing("what is right", [&](sycl::queue& q) {
    add<int>(q, b, 2);
    add_with_others(q, b);
  });
  expect_told("what is not", 0, "}, its range is {2, 3, 4}", [&](sycl::queue& q) {
    sycl::buffer<int, 3> other(b.get_range());
    add<int>(q, other, 3);
  });
  sycl::host_accessor a(b);
  expect("the sum", a[1][2][3] == 7, std::to_string(a[1][2][3]));
  return failures == 0 ? 0 : 1;
}
#else
std::string add_with_others(sycl::queue& q, sycl::buffer<int, 3>& b) {
  add<int>(q, b, 2);
  return {};
}
#endif
