// SPDX-License-Identifier: Apache-2.0
// A program that hides its names, as those of libraries often are: nothing that it shares with libpianola.so may be known by
// the address of something in the headers, of which it has one of its own.
// option: -fvisibility=hidden
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

namespace experimental = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
void set_to(int* where, int value) { *where = value; }

template <class F>
bool throws(sycl::errc expected, F&& f) {
  try {
    f();
  } catch (const sycl::exception& e) {
    return e.code() == expected && e.category() == sycl::sycl_category();
  }
  return false;
}

int main() {
  bool right = true;
  const auto check = [&](bool holds, const char* what) {
    if (!holds) std::printf("hidden names: %s\n", what);
    right = right && holds;
  };

  sycl::queue q{sycl::property::queue::in_order()};
  check(q.is_in_order(), "the queue is not in order");
  check(throws(sycl::errc::invalid, [] { sycl::context c(std::vector<sycl::device>{}); }),
        "an exception of the library is not caught, or has another category");
  const sycl::event a, b;
  check(a != b && a == sycl::event(a), "default-constructed events are not told apart");

  int* const where = sycl::malloc_shared<int>(1, q);
  *where = 0;
  const auto bundle =
      experimental::get_kernel_bundle<set_to, sycl::bundle_state::executable>(q.get_context());
  const sycl::kernel k = bundle.ext_oneapi_get_kernel<set_to>();
  q.submit([&](sycl::handler& h) {
    h.set_args(where, 7);
    h.parallel_for(sycl::nd_range<1>(1, 1), k);
  });
  q.wait_and_throw();
  check(*where == 7, "a function that is launched by its kernel object has not run");
  sycl::free(where, q);

  if (right) std::puts("OK");
  return right ? 0 : 1;
}
