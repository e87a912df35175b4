// SPDX-License-Identifier: Apache-2.0
// A program that prints by the standard streams and includes nothing but SYCL's header, as many do.
#include <sycl/sycl.hpp>

struct prints_at_start {
  prints_at_start() : could(std::cout.rdbuf() != nullptr && (std::cout << "").good()) {}
  bool could;
};
const prints_at_start first;

int main() {
  sycl::queue q;
  int* const sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for(sycl::range<1>(10), sycl::reduction(sum, sycl::plus<int>()),
                 [](sycl::id<1> i, auto& s) { s += static_cast<int>(i[0]); })
      .wait();
  const bool right = *sum == 45 && first.could && std::cin.rdbuf() != nullptr;
  sycl::free(sum, q);
  std::clog << "the sum of the first ten numbers: " << (right ? "right" : "wrong") << std::endl;
  if (!right) std::cerr << "prints: a standard stream was not there, or the sum is wrong\n";
  std::cout << std::flush;
  return right ? 0 : 1;
}
