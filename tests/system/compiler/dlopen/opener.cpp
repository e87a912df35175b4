// SPDX-License-Identifier: Apache-2.0
// opener LIBRARY...: opens each in turn, twice, prints what its kernels compute, and closes it.
#include <dlfcn.h>

#include <cstdio>

#include <sycl/sycl.hpp>

namespace {

int own_kernel() {
  sycl::buffer<int> b{sycl::range<1>(4)};
  sycl::queue q;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{b, h, sycl::write_only};
    h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]) + 1; });
  });
  sycl::host_accessor a{b};
  return a[0] + a[1] + a[2] + a[3];
}

}  // namespace

int main(int count, char** names) {
  for (int round = 0; round < 2; ++round)
    for (int i = 1; i < count; ++i) {
      void* library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
      }
      auto* const run = reinterpret_cast<int (*)(int)>(dlsym(library, "scale_and_sum"));
      std::printf("%d", run(16));
      dlclose(library);
      const bool gone = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD) == nullptr;
      std::printf(" %s %d\n", gone ? "gone" : "still there", own_kernel());
    }
}
