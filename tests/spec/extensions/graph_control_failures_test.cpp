// SPDX-License-Identifier: Apache-2.0
// Loops of which an iteration fails.
// host only: kernels that throw
#include <cstddef>
#include <exception>
#include <stdexcept>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

void set(sycl::buffer<int>& b, int value) {
  sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
  a[0] = value;
}

// Counts down to zero, and up; fails on the way if it meets `forbidden`.
auto counting(sycl::queue& q, sycl::buffer<int>& left, sycl::buffer<int>& done, int forbidden) {
  graphs::command_graph body(q);
  body.add([&](sycl::handler& h) {
    sycl::accessor l(left, h, sycl::read_write);
    sycl::accessor d(done, h, sycl::read_write);
    h.single_task([=] {
      if (l[0] == forbidden) throw std::runtime_error("an iteration gives up");
      l[0] -= 1;
      d[0] += 1;
    });
  });
  return body.finalize();
}

TEST(graph_control_failures, no_iteration_follows_one_that_has_failed) {
  int errors = 0;
  sycl::queue q{[&](const sycl::exception_list& list) { errors += static_cast<int>(list.size()); }};
  sycl::buffer<int> left{sycl::range<1>(1)}, done{sycl::range<1>(1)};
  set(left, 10);
  set(done, 0);
  const auto body = counting(q, left, done, 7);
  graphs::command_graph inner(q), outer(q), repeated(q);
  inner.add_while(left, body);
  outer.add_repeat(3, inner.finalize());
  repeated.add_repeat(1000, body);
  auto loop = outer.finalize();
  auto repeat = repeated.finalize();
  for (auto* graph : {&loop, &repeat}) {
    errors = 0;
    q.ext_oneapi_graph(*graph);
    q.wait_and_throw();
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(error_code_of([&] { sycl::host_accessor(done, sycl::read_only); }),
              sycl::errc::runtime);
    set(left, 5);  // overwritten: good again
    set(done, 0);
    q.ext_oneapi_graph(loop);
    q.wait_and_throw();
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(sycl::host_accessor(done, sycl::read_only)[0], 5);
    set(left, 10);
    set(done, 0);
  }
}

}  // namespace
