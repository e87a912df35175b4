// SPDX-License-Identifier: Apache-2.0
// counters LIBRARY LIBRARY: what libraries with variables of devices count that come, stay together and go.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include <sycl/sycl.hpp>

namespace {

namespace experimental = sycl::ext::oneapi::experimental;

// The program has one of that name itself, which libraries must not take for theirs.
experimental::device_global<int> counter{7};

class library {
 public:
  explicit library(const char* name) : name_(name), opened_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (opened_ != nullptr) return;
    std::printf("%s\n", dlerror());
    std::exit(1);
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  ~library() {
    dlclose(opened_);
    if (dlopen(name_, RTLD_NOW | RTLD_NOLOAD) != nullptr) std::printf("still there\n");
  }
  int count(int by) const { return reinterpret_cast<int (*)(int)>(dlsym(opened_, "count"))(by); }
  void set(int value) const { reinterpret_cast<void (*)(int)>(dlsym(opened_, "set"))(value); }

 private:
  const char* name_;
  void* opened_;
};

int own() {
  sycl::queue q{sycl::property::queue::in_order()};
  q.single_task([=] { counter = counter + 1; });
  int value = 0;
  q.copy(counter, &value).wait();
  return value;
}

}  // namespace

int main(int, char** names) {
  for (int round = 0; round < 3; ++round) {
    const library a(names[1]);
    std::printf("%d", a.count(1));
    {
      const library b(names[2]);
      std::printf(" %d %d", b.count(2), a.count(3));
      b.set(50);
      std::printf(" %d", b.count(4));
    }
    // Where the closed one was, the next may be.
    const library b(names[2]);
    std::printf(" %d %d", b.count(5), a.count(6));
    a.set(90);
    std::printf(" %d %d own %d\n", a.count(7), b.count(8), own());
  }
}
