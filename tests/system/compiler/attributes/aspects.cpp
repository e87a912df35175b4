// SPDX-License-Identifier: Apache-2.0
// device_has in all positions and forms becomes a set that the program can ask for; vec_type_hint is understood.
// RUN: %{clang} -Werror -std=c++17 -O1 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=pianola.device_has
// RUN: %{clang} -Werror -std=c++20 -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -Werror -std=c++23 -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -E %s -o %t.ii
// RUN: %{clang} -Werror -std=c++20 -x c++ -O1 -S -emit-llvm %t.ii -o - | FileCheck %s
// RUN: not %{clang} -std=c++20 -DREFUSED -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
// RUN: %{clang} -std=c++20 -DUNNAMED -O1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNNAMED --implicit-check-not=warning:
#include <sycl/glue/kernel_body.hpp>
#include <sycl/glue/kernel_requirements.hpp>

using sycl::aspect;

template <class Kernel>
unsigned long aspects_of(const Kernel&) {
  constexpr auto body = &pianola::glue::kernel_body<Kernel, 0, 1>;
  return __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 4);
}

#if !defined(REFUSED) && !defined(UNNAMED)
int touched;

struct four {
  float x[4];
};

[[sycl::device_has(aspect::atomic64)]] void helper() { touched = 3; }

struct before {
  [[sycl::device_has(sycl::aspect::fp16), sycl::vec_type_hint(four)]] void operator()() const {
    touched = 1;
  }
};
struct behind {
  void operator()() const
      [[sycl::vec_type_hint(float), sycl::device_has(aspect::fp16, aspect::fp64)]] {
    touched = 2;
  }
};
template <aspect... A>
struct of_template {
  [[sycl::device_has(A...)]] void operator()() const { touched = sizeof...(A); }
};
constexpr aspect chosen(bool gpu) { return gpu ? (aspect::gpu) : (aspect::cpu); }

// CHECK-LABEL: define{{.*}} i64 @first(
// CHECK: ret i64 64
extern "C" unsigned long first() { return aspects_of(before()); }
// CHECK-LABEL: define{{.*}} i64 @second(
// CHECK: ret i64 192
extern "C" unsigned long second() { return aspects_of(behind()); }
// CHECK-LABEL: define{{.*}} i64 @third(
// CHECK: ret i64 3
extern "C" unsigned long third() { return aspects_of(of_template<aspect::cpu, aspect::gpu>()); }
// CHECK-LABEL: define{{.*}} i64 @none(
// CHECK: ret i64 0
extern "C" unsigned long none() { return aspects_of(of_template<>()); }
// Of functions that the kernel calls, too.
// CHECK-LABEL: define{{.*}} i64 @lambda(
// CHECK: ret i64 258
extern "C" unsigned long lambda() {
  return aspects_of([]() [[sycl::device_has(chosen((true)))]] { helper(); });
}
// CHECK-LABEL: define{{.*}} i64 @empty(
// CHECK: ret i64 0
extern "C" unsigned long empty() {
  return aspects_of([]() [[sycl::device_has()]] { touched = 7; });
}

#elif defined(REFUSED)
int n;
struct a {
  // REFUSED: error: static assertion failed due to requirement {{.*}}device_has takes enumerators of sycl::aspect
  // REFUSED: aspects.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'device_has' attribute requires parameter 1 to be a constant expression
  [[sycl::device_has(n)]] void operator()() const;
};
struct b {
  // REFUSED: aspects.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::device_has' is given twice
  void operator()() const [[sycl::device_has(aspect::cpu), sycl::device_has(aspect::gpu)]];
};
struct c {
  // REFUSED: aspects.cpp:[[@LINE+1]]:{{[0-9]+}}: error: expected a type
  void operator()() const [[sycl::vec_type_hint(3)]];
};

#else
double twice(double x) { return 2 * x; }
long wide;
unsigned long ask(float* p) {
  // UNNAMED-DAG: warning: 'ask(float*)::$_0::operator()() const' uses 'double', which needs aspect::fp64 and is not among those of its attribute device_has
  unsigned long sum =
      aspects_of([=]() [[sycl::device_has()]] { p[0] = static_cast<float>(twice(p[1])); });
  // UNNAMED-DAG: warning: 'ask(float*)::$_1::operator()() const' uses atomic accesses to 64 bits, which need aspect::atomic64 and
  sum += aspects_of([=]() [[sycl::device_has(aspect::fp64)]] { __atomic_fetch_add(&wide, 1, 0); });
  // UNNAMED-DAG: warning: 'ask(float*)::$_2::operator()() const' uses half-precision numbers, which need aspect::fp16 and
  sum += aspects_of([=]() [[sycl::device_has(aspect::gpu)]] {
    p[0] = static_cast<float>(static_cast<_Float16>(p[1]));
  });
  // All are named, and nothing is said.
  sum += aspects_of([=]() [[sycl::device_has(aspect::fp64, aspect::atomic64)]] {
    p[0] = static_cast<float>(twice(p[1]));
    __atomic_fetch_add(&wide, 1, 0);
  });
  sum += aspects_of([=] { p[0] = static_cast<float>(twice(p[1])); });
  return sum;
}
#endif
