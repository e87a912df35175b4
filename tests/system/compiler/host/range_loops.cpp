// SPDX-License-Identifier: Apache-2.0
// Work-items of a range do not touch each other's memory, and the vectoriser knows: it need not compare addresses
// when the loop runs, also where it could not.
// RUN: %{clang} -O3 -S -emit-llvm -fno-discard-value-names %s -o - | FileCheck %s
#include <sycl/glue/kernel_launcher_range.hpp>

using namespace pianola;

namespace {

// Parameters of what is local to a file are LLVM's to change: with new calls it would forget what it knew
// about the old ones.
struct exchange {
  unsigned* data;
  std::size_t distance, length;
  void operator()(sycl::id<1> i) const {
    const std::size_t low = 2 * i[0] - (i[0] & (distance - 1));
    const unsigned x = data[low], y = data[low + distance];
    const bool up = (low & length) == 0;
    data[low] = (x < y) == up ? x : y;
    data[low + distance] = (x < y) == up ? y : x;
  }
};

}  // namespace

void run(const void* kernel, const model::launch_geometry& geometry, const model::box& part) {
  // CHECK-LABEL: define {{.*}}run
  // CHECK-NOT: vector.memcheck
  // CHECK: store <4 x i32>
  // CHECK-NOT: vector.memcheck
  // CHECK: ret void
  glue::run_items<1, false>(*static_cast<const exchange*>(kernel), geometry, part);
}
