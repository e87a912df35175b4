// SPDX-License-Identifier: Apache-2.0
// Attributes that make no sense are errors where they are written, in both positions.
// RUN: not %{clang} -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

int n;

struct a {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'reqd_sub_group_size' attribute requires parameter 1 to be a constant expression
  [[sycl::reqd_sub_group_size(n)]] void operator()(int) const;
};
struct b {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'reqd_sub_group_size' attribute requires parameter 1 to be a constant expression
  void operator()(int) const [[sycl::reqd_sub_group_size(n)]];
};
struct c {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_sub_group_size' needs sizes of at most 64 bits
  void operator()(int) const [[sycl::reqd_sub_group_size(__int128(1) << 64)]];
};
struct d {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_sub_group_size' is given twice
  void operator()(int) const [[sycl::reqd_sub_group_size(8), sycl::reqd_sub_group_size(4)]];
};
struct e {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'reqd_sub_group_size' attribute takes at least 1 argument
  void operator()(int) const [[sycl::reqd_sub_group_size]];
};
struct f {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_sub_group_size' needs arguments in parentheses
  [[sycl::reqd_sub_group_size]] void operator()(int) const;
};
struct g {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_sub_group_size' takes one argument
  void operator()(int) const [[sycl::reqd_sub_group_size(8, 8)]];
};
struct h {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_work_group_size' needs sizes of at least 1
  [[sycl::reqd_work_group_size(4, 0)]] void operator()(int) const;
};
struct i {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_work_group_size' takes one to three arguments
  void operator()(int) const [[sycl::reqd_work_group_size(1, 2, 3, 4)]];
};
struct j {
  // CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_sub_group_size' needs integral constants
  [[sycl::reqd_sub_group_size("x")]] void operator()(int) const;
};
// CHECK: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_sub_group_size' is an attribute of functions
[[sycl::reqd_sub_group_size(8)]] int variable;

template <int N>
struct k {
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'sycl::reqd_sub_group_size' needs sizes of at least 1
  void operator()(int) const [[sycl::reqd_sub_group_size(N)]] {}
};
void use() { k<0>()(1); }

// What is no attribute of ours stays clang's business, and so do other uses of the names.
// CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: unknown attribute 'reqd_sub_group_size' ignored
[[other::reqd_sub_group_size(7)]] void function();
namespace sycl {
int reqd_work_group_size_hint(int x);
}
int called = sycl::reqd_work_group_size_hint(1);
