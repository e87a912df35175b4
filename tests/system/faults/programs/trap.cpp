// SPDX-License-Identifier: Apache-2.0
// trap [recorded]: a kernel traps on a graphics processor that holds data. Its devices are lost; the processor and what
// it holds are not.
#include <cstdio>
#include <vector>

#include <sycl/sycl.hpp>

namespace experimental = sycl::ext::oneapi::experimental;

namespace {

constexpr std::size_t size = 64;

void print(const char* what, const sycl::exception& e) { std::printf("%s: %s\n", what, e.what()); }

void trap_at(sycl::queue& q, sycl::buffer<int>& b, std::size_t bad) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{b, h, sycl::read_write};
    h.parallel_for(b.get_range(), [=](sycl::id<1> i) {
      if (i[0] == bad) __builtin_trap();
      a[i] += 1;
    });
  });
}

}  // namespace

int main(int argc, char**) {
  sycl::queue cpu(sycl::cpu_selector_v);
  sycl::buffer<int> kept{sycl::range<1>(size)}, b{sycl::range<1>(size)};
  cpu.submit([&](sycl::handler& h) {
    sycl::accessor a{kept, h, sycl::write_only, sycl::no_init};
    h.parallel_for(kept.get_range(), [=](sycl::id<1> i) { a[i] = 3; });
  });
  sycl::queue q(sycl::gpu_selector_v, [](const sycl::exception_list& list) {
    for (const std::exception_ptr& e : list) {
      try {
        std::rethrow_exception(e);
      } catch (const sycl::exception& x) {
        print("asynchronous", x);
      }
    }
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{kept, h, sycl::read_only};
    sycl::accessor c{b, h, sycl::write_only, sycl::no_init};
    h.parallel_for(b.get_range(), [=](sycl::id<1> i) { c[i] = a[i]; });
  });
  try {
    if (argc > 1) {
      experimental::command_graph g(q.get_context(), q.get_device());
      g.begin_recording(q);
      trap_at(q, b, size / 2);
      g.end_recording(q);
      auto replay = g.finalize();
      q.ext_oneapi_graph(replay);
    } else {
      trap_at(q, b, size / 2);
    }
    q.wait_and_throw();
  } catch (const sycl::exception& e) {
    print("synchronous", e);
  }
  try {
    trap_at(q, b, size);
    q.wait_and_throw();
    std::puts("used again");
  } catch (const sycl::exception& e) {
    print("used again", e);
  }
  try {
    sycl::host_accessor a{b, sycl::read_only};
    std::printf("read: %d\n", a[0]);
  } catch (const sycl::exception& e) {
    print("read", e);
  }
  std::printf("available: %s\n",
              q.get_device().get_info<sycl::info::device::is_available>() ? "yes" : "no");
  cpu.submit([&](sycl::handler& h) {
    sycl::accessor a{kept, h, sycl::read_write};
    h.parallel_for(kept.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
  });
  cpu.wait_and_throw();
  sycl::host_accessor a{kept, sycl::read_only};
  std::printf("cpu: %d\n", a[size / 2]);
}
