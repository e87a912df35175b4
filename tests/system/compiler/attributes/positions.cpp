// SPDX-License-Identifier: Apache-2.0
// Kernel attributes arrive in IR from every place where the language takes them, in every standard.
// RUN: %{clang} -Werror -std=c++17 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -Werror -std=c++20 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -Werror -std=c++23 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | FileCheck %s
// Preprocessed source means the same.
// RUN: %{clang} -E %s -o %t.ii
// RUN: %{clang} -Werror -std=c++20 -x c++ -Xclang -disable-llvm-passes -S -emit-llvm %t.ii -o - | FileCheck %s

template <class Kernel>
void run(const Kernel& kernel) {
  kernel(3);
}
int touched;

constexpr int eight = 8;
#define SIZE eight

struct before {
  [[sycl::reqd_sub_group_size(16)]] void operator()(int i) const { touched = i; }
};
struct behind {
  void operator()(int i) const [[sycl::reqd_sub_group_size(16)]] { touched = i; }
};
struct declared {
  [[sycl::reqd_sub_group_size(16)]] void operator()(int i) const;
};
void declared::operator()(int i) const { touched = i; }
struct several {
  [[using sycl: reqd_sub_group_size(SIZE), reqd_work_group_size(4, 2)]] void operator()(
      int i) const {
    touched = i;
  }
};
struct other_vendor {
  [[intel::reqd_sub_group_size(SIZE)]] void operator()(int i) const { touched = i; }
};
template <int N>
struct member_of_template {
  [[sycl::reqd_sub_group_size(N)]] void operator()(int i) const { touched = i; }
};
template <int N>
struct member_of_template_behind {
  void operator()(int i) const [[sycl::reqd_sub_group_size(2 * N)]] { touched = i; }
};
template <int N>
void lambda_in_template() {
  run([=](auto i) [[sycl::reqd_sub_group_size(N)]] { touched = i; });
  run([=](int i) [[sycl::reqd_sub_group_size(N)]] { touched = i + 1; });
}

template <int N>
void several_on_lambda_in_template() {
  run([=](auto i) [[sycl::reqd_sub_group_size(N)]] [[sycl::reqd_work_group_size(N / 2, 2)]] {
    touched = i;
  });
  run([=](int i) [[sycl::reqd_work_group_size(N / 2, 2), sycl::reqd_sub_group_size(N)]] {
    touched = i + 1;
  });
}

void use() {
  run(before());
  run(behind());
  run(declared());
  run(several());
  run(other_vendor());
  run(member_of_template<16>());
  run(member_of_template_behind<4>());
  lambda_in_template<32>();
  several_on_lambda_in_template<8>();
  int n = 2;
  run([=](int i) [[sycl::reqd_sub_group_size(16)]] { touched = i + n; });
  run([=](int i) [[sycl::reqd_sub_group_size(16)]] [[sycl::reqd_work_group_size(4, 2)]] {
    touched = i * n;
  });
  auto changing = [=](int i) mutable noexcept
      [[sycl::reqd_sub_group_size(64)]] -> void { touched = n += i; };
  changing(4);
}

// CHECK-DAG: @[[SUB:.str[.0-9]*]] = {{.*}}c"pianola.reqd_sub_group_size\00"
// CHECK-DAG: @[[WORK:.str[.0-9]*]] = {{.*}}c"pianola.reqd_work_group_size\00"
// CHECK-DAG: @[[SIXTEEN:.args[.0-9]*]] = {{.*}} { i32 } { i32 16 }
// CHECK-DAG: @[[EIGHT:.args[.0-9]*]] = {{.*}} { i32 } { i32 8 }
// CHECK-DAG: @[[THIRTY_TWO:.args[.0-9]*]] = {{.*}} { i32 } { i32 32 }
// CHECK-DAG: @[[SIXTY_FOUR:.args[.0-9]*]] = {{.*}} { i32 } { i32 64 }
// CHECK-DAG: @[[TWO:.args[.0-9]*]] = {{.*}} { i32, i32 } { i32 4, i32 2 }
// CHECK: @llvm.global.annotations =
// CHECK-DAG: { ptr @_ZNK6beforeclEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[SIXTEEN]] }
// CHECK-DAG: { ptr @_ZNK6behindclEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[SIXTEEN]] }
// CHECK-DAG: { ptr @_ZNK8declaredclEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[SIXTEEN]] }
// CHECK-DAG: { ptr @_ZNK7severalclEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[EIGHT]] }
// CHECK-DAG: { ptr @_ZNK7severalclEi, ptr @[[WORK]], {{[^{}]*}}, ptr @[[TWO]] }
// CHECK-DAG: { ptr @_ZNK12other_vendorclEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[EIGHT]] }
// CHECK-DAG: { ptr @_ZNK18member_of_templateILi16EEclEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[SIXTEEN]] }
// CHECK-DAG: { ptr @_ZNK25member_of_template_behindILi4EEclEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[EIGHT]] }
// CHECK-DAG: { ptr @_ZZ18lambda_in_templateILi32EEvvENKUlT_E_clIiEEDaS0_, ptr @[[SUB]], {{[^{}]*}}, ptr @[[THIRTY_TWO]] }
// CHECK-DAG: { ptr @_ZZ18lambda_in_templateILi32EEvvENKUliE_clEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[THIRTY_TWO]] }
// CHECK-DAG: { ptr @_ZZ29several_on_lambda_in_templateILi8EEvvENKUlT_E_clIiEEDaS0_, ptr @[[SUB]], {{[^{}]*}}, ptr @[[EIGHT]] }
// CHECK-DAG: { ptr @_ZZ29several_on_lambda_in_templateILi8EEvvENKUlT_E_clIiEEDaS0_, ptr @[[WORK]], {{[^{}]*}}, ptr @[[TWO]] }
// CHECK-DAG: { ptr @_ZZ29several_on_lambda_in_templateILi8EEvvENKUliE_clEi, ptr @[[SUB]], {{[^{}]*}}, ptr @[[EIGHT]] }
// CHECK-DAG: { ptr @_ZZ29several_on_lambda_in_templateILi8EEvvENKUliE_clEi, ptr @[[WORK]], {{[^{}]*}}, ptr @[[TWO]] }
// CHECK-DAG: { ptr @"_ZZ3usevENK3$_0clEi", ptr @[[SUB]], {{[^{}]*}}, ptr @[[SIXTEEN]] }
// CHECK-DAG: { ptr @"_ZZ3usevENK3$_1clEi", ptr @[[SUB]], {{[^{}]*}}, ptr @[[SIXTEEN]] }
// CHECK-DAG: { ptr @"_ZZ3usevENK3$_1clEi", ptr @[[WORK]], {{[^{}]*}}, ptr @[[TWO]] }
// CHECK-DAG: { ptr @"_ZZ3usevEN3$_2clEi", ptr @[[SUB]], {{[^{}]*}}, ptr @[[SIXTY_FOUR]] }
