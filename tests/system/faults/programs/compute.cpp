// SPDX-License-Identifier: Apache-2.0
// compute [gpu]: a kernel on the default device, or on a graphics processor. What went wrong is said as a program says
// it that knows nothing about drivers, and the exit code is 3.
#include <cstdio>
#include <cstring>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

int sum_of_doubled(sycl::queue& q) {
  std::vector<int> v(64, 1);
  {
    sycl::buffer<int> b(v.data(), sycl::range<1>(v.size()));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{b, h, sycl::read_write};
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] *= 2; });
    });
    q.wait_and_throw();
  }
  int sum = 0;
  for (const int x : v) sum += x;
  return sum;
}

// Copies need no kernel.
bool copies(sycl::queue& q) {
  std::vector<int> v(64, 5), back(64, 0);
  int* p = sycl::malloc_device<int>(v.size(), q);
  q.memcpy(p, v.data(), v.size() * sizeof(int)).wait();
  q.memcpy(back.data(), p, v.size() * sizeof(int)).wait();
  sycl::free(p, q);
  return back == v;
}

const char* name_of(const sycl::queue& q) { return q.get_device().is_gpu() ? "gpu" : "cpu"; }

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  try {
    sycl::queue q = argc > 1 && std::strcmp(argv[1], "gpu") == 0 ? sycl::queue(sycl::gpu_selector_v)
                                                                 : sycl::queue();
    try {
      std::printf("%s %d\n", name_of(q), sum_of_doubled(q));
    } catch (const sycl::exception& e) {
      std::printf("%s: %s\n", e.code().message().c_str(), e.what());
      std::printf("compiled for it: %s\n",
                  q.get_device().AdaptiveCpp_has_compiled_kernels() ? "yes" : "no");
      std::printf("copies %s\n", copies(q) ? "work" : "fail");
      sycl::queue cpu(sycl::cpu_selector_v);
      std::printf("%s %d\n", name_of(cpu), sum_of_doubled(cpu));
      status = 3;
    }
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    status = 3;
  }
  return status;
}
