// SPDX-License-Identifier: Apache-2.0
// Kernels that throw inside of what a queue has captured.
// host only: kernels throw
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace pia = sycl::ext::pianola;
using captures = pia::property::queue::auto_capture;

// One command of four throws, in a repetition that is replayed.
TEST(auto_capture_failures, of_a_kernel_in_a_replay_are_those_of_the_command) {
  std::vector<std::string> told;
  sycl::queue q{[&](const sycl::exception_list& list) {
                  for (const std::exception_ptr& e : list) try {
                      std::rethrow_exception(e);
                    } catch (const std::exception& x) {
                      told.emplace_back(x.what());
                    }
                },
                sycl::property_list{sycl::property::queue::in_order{}, captures{}}};
  pia::reset_auto_capture_statistics();
  sycl::buffer<int> x{1}, y{1}, apart{1};
  for (sycl::buffer<int>* b : {&x, &y, &apart})
    sycl::host_accessor(*b, sycl::write_only, sycl::no_init)[0] = 0;
  constexpr int rounds = 60, failing = 50;
  const auto round = [&](int i) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h);
      h.single_task([=] { a[0] += 1; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(x, h, sycl::read_only);
      sycl::accessor to(y, h, sycl::write_only, sycl::no_init);
      h.single_task([=] {
        if (i == failing) throw std::runtime_error("the fiftieth gives up");
        to[0] = from[0];
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(apart, h);
      h.single_task([=] { a[0] += 2; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(y, h, sycl::read_only);
      sycl::accessor to(x, h);
      h.single_task([=] { to[0] = from[0]; });
    });
    q.wait_and_throw();
  };
  for (int i = 1; i < failing; ++i) round(i);
  EXPECT_TRUE(told.empty());
  const std::uint64_t before = pia::get_auto_capture_statistics().replays;
  EXPECT_GT(before, 0U);
  round(failing);
  EXPECT_GT(pia::get_auto_capture_statistics().replays, before) << "it was not replayed";
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], "the fiftieth gives up");
  // What it should have written is lost, what has nothing to do with it is not.
  EXPECT_EQ(sycl::host_accessor(apart, sycl::read_only)[0], 2 * failing);
  try {
    static_cast<void>(sycl::host_accessor(y, sycl::read_only)[0]);
    ADD_FAILURE() << "what the kernel has not written can be read";
  } catch (const sycl::exception& e) {
    EXPECT_NE(std::string(e.what()).find("the fiftieth gives up"), std::string::npos) << e.what();
  }
  // Overwritten it is good again, and the loop goes on.
  for (sycl::buffer<int>* b : {&x, &y})
    sycl::host_accessor(*b, sycl::write_only, sycl::no_init)[0] = 100;
  for (int i = failing + 1; i <= rounds; ++i) round(i);
  EXPECT_EQ(told.size(), 1U);
  EXPECT_EQ(sycl::host_accessor(x, sycl::read_only)[0], 100 + rounds - failing);
  EXPECT_EQ(sycl::host_accessor(apart, sycl::read_only)[0], 2 * rounds);
}

}  // namespace
