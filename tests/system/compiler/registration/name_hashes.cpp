// SPDX-License-Identifier: Apache-2.0
// A hash of an object's name is a constant: of the name alone where other translation units see the object, too.
// RUN: %{clang} -O1 -S -emit-llvm -o - %s | FileCheck %s
#include <sycl/glue/intrinsics.hpp>

int shared;
static int own, own_too;

// CHECK-LABEL: @of_shared
// CHECK: ret i64 579278177429913076
extern "C" std::uint64_t of_shared() { return __pianola_name_hash(&shared); }

// CHECK-LABEL: @of_own
// CHECK: ret i64 [[OWN:-?[0-9]+]]
extern "C" std::uint64_t of_own() { return __pianola_name_hash(&own); }

// CHECK-LABEL: @of_own_again
// CHECK: ret i64 [[OWN]]
extern "C" std::uint64_t of_own_again() { return __pianola_name_hash(&own); }

// CHECK-LABEL: @differs
// CHECK: ret i1 true
extern "C" bool differs() { return __pianola_name_hash(&own) != __pianola_name_hash(&own_too); }

// CHECK-NOT: __pianola_name_hash
