// SPDX-License-Identifier: Apache-2.0
// 4.9.3: command groups.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <stdexcept>

#include "errors.hpp"

namespace {

// 4.9.3: a command group is called at once, in the thread that submits it, with at most one command.
TEST(command_group, is_called_before_submit_returns) {
  sycl::queue q;
  bool called = false;
  q.submit([&](sycl::handler& h) {
    called = true;
    h.single_task([] {});
  });
  EXPECT_TRUE(called);
}

TEST(command_group, may_be_a_function_object_or_empty) {
  struct group {
    int* data;
    void operator()(sycl::handler& h) const {
      int* const out = data;
      h.single_task([=] { *out = 4; });
    }
  };
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(1, q);
  q.submit(group{data}).wait();
  EXPECT_EQ(*data, 4);
  q.submit([](sycl::handler&) {}).wait();
  sycl::free(data, q);
}

TEST(command_group, with_two_commands_is_refused) {
  sycl::queue q;
  EXPECT_EQ(code_of([&] {
              q.submit([&](sycl::handler& h) {
                h.single_task([] {});
                h.single_task([] {});
              });
            }),
            sycl::errc::invalid);
}

TEST(command_group, that_throws_submits_nothing) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(1, q);
  *data = 0;
  EXPECT_THROW(q.submit([&](sycl::handler& h) {
    h.single_task([=] { *data = 1; });
    throw std::runtime_error("from the program");
  }),
               std::runtime_error);
  q.wait();
  EXPECT_EQ(*data, 0);
  sycl::free(data, q);
}

}  // namespace
