// SPDX-License-Identifier: Apache-2.0
// 6: the rules for extensions. (What each does: tests of the extensions, see docs/extensions.md.)
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

namespace {

// The implementation says its name by a macro, and no other's.
#if !defined(SYCL_IMPLEMENTATION_PIANOLA) || SYCL_IMPLEMENTATION_PIANOLA < 1
#error "no macro tells the implementation"
#endif
#if defined(SYCL_IMPLEMENTATION_ONEAPI) || defined(SYCL_IMPLEMENTATION_INTEL) ||             \
    defined(SYCL_IMPLEMENTATION_ACPP) || defined(__ADAPTIVECPP__) || defined(__HIPSYCL__) || \
    defined(__OPENSYCL__) || defined(__COMPUTECPP__) || defined(TRISYCL_CL_LANGUAGE_VERSION)
#error "the macro of another implementation"
#endif

// Feature-test macros grow with each revision, so they are numbers.
static_assert(SYCL_EXT_ONEAPI_GRAPH >= 1 && SYCL_EXT_ONEAPI_ENQUEUE_BARRIER >= 1 &&
              SYCL_EXT_CODEPLAY_ENQUEUE_NATIVE_COMMAND >= 1);

// What is added to classes has the vendor's prefix, and types are in namespaces of vendors.
TEST(extensions, have_names_with_their_vendors) {
  sycl::queue q;
  int value = 0;
  int* const p = &value;
  q.submit([&](sycl::handler& h) { h.host_task([=] { *p = 1; }); });
  const sycl::event barrier = q.ext_oneapi_submit_barrier();
  sycl::event(barrier).wait();
  EXPECT_EQ(value, 1);
  sycl::ext::oneapi::experimental::command_graph graph(q);
  graph.begin_recording(q);
  EXPECT_EQ(q.ext_oneapi_get_state(), sycl::ext::oneapi::experimental::queue_state::recording);
  graph.end_recording(q);
  EXPECT_FALSE(sycl::ext::pianola::is_device_code());
  EXPECT_TRUE(q.get_device().has(sycl::aspect::ext_oneapi_graph));
}

// An extension takes nothing away: names of the standard go on meaning what they meant.
TEST(extensions, leave_the_names_of_the_standard_to_it) {
  using namespace sycl;
  queue q;
  buffer<int, 1> b(range<1>(4));
  q.submit([&](handler& h) {
    accessor a(b, h, write_only, no_init);
    h.parallel_for(range<1>(4), [=](id<1> i) { a[i] = static_cast<int>(i[0]); });
  });
  EXPECT_EQ(host_accessor(b, read_only)[3], 3);
}

}  // namespace
