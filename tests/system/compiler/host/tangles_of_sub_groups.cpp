// SPDX-License-Identifier: Apache-2.0
// Who comes to a place of the program is not known to loops over work-items: groups of just those are refused, with what to do
// instead.
// RUN: not %{clang} -fsyntax-only %s 2>&1 | FileCheck %s
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi::experimental;

// CHECK: error: {{.*}}tangles of a sub-group are there in library-only mode only; compiled kernels can part it by get_ballot_group
// CHECK: tangles_of_sub_groups.cpp:[[@LINE+1]]:{{.*}}get_tangle_group
unsigned tangle(sycl::sub_group g) { return oneapi::get_tangle_group(g); }

// CHECK: error: {{.*}}opportunistic groups are there in library-only mode only; compiled kernels can part a sub-group by get_ballot_group
// CHECK: tangles_of_sub_groups.cpp:[[@LINE+1]]:{{.*}}get_opportunistic_group
unsigned opportunistic() { return oneapi::this_kernel::get_opportunistic_group(); }
