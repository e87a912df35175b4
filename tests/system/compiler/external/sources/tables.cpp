// SPDX-License-Identifier: Apache-2.0
// Kernels over groups, with inline functions and constants that the other unit has as well.
#include <cstdio>
#include <sycl/sycl.hpp>

#include "functions.hpp"

SYCL_EXTERNAL int neighbour(int x, sycl::nd_item<1> it, int* shared);

namespace {

struct in_a_kernel {
  void operator()(sycl::nd_item<1> it) const {
    const int i = static_cast<int>(it.get_global_id(0));
    out[i] = table::row(i).plus(i) + table::entry(i) + table::sum_of_primes(i & 3) + ping(i);
  }
  int* out;
};

}  // namespace

int run_tables(sycl::queue& q);

int main() {
  sycl::queue q;
  int* out = sycl::malloc_shared<int>(64, q);
  q.parallel_for(sycl::nd_range<1>(64, 16), in_a_kernel{out}).wait();
  bool good = true;
  for (int i = 0; i < 64; ++i)
    good = good && out[i] == table::row(i).plus(i) + table::entry(i) + table::sum_of_primes(i & 3) +
                                 ping(i);
  std::printf("%s\n", good ? "as on the host" : "other than on the host");
  // On the processor barriers are in functions of the kernel's own unit.
  if (q.get_device().is_cpu()) {
    std::printf("64\n%d\n", run_tables(q));
    return 0;
  }
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int, 1> shared(16, h);
     h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
       const int i = static_cast<int>(it.get_global_id(0));
       out[i] = neighbour(i, it, shared.get_multi_ptr<sycl::access::decorated::no>().get());
     });
   }).wait();
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += out[i] == (i ^ 1);
  std::printf("%d\n%d\n", sum, run_tables(q));
  sycl::free(out, q);
}
