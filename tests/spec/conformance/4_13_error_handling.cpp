// SPDX-License-Identifier: Apache-2.0
// 4.13: error handling.
// also tests: 3.9.9
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace {

TEST(exception, is_made_of_a_code_and_a_text) {
  static_assert(std::is_base_of_v<std::exception, sycl::exception>);
  const sycl::exception plain(sycl::make_error_code(sycl::errc::invalid));
  EXPECT_EQ(plain.code(), sycl::errc::invalid);
  EXPECT_EQ(plain.category(), sycl::sycl_category());
  EXPECT_FALSE(plain.has_context());
  const sycl::exception text(sycl::make_error_code(sycl::errc::nd_range), "a text of mine");
  EXPECT_NE(std::string(text.what()).find("a text of mine"), std::string::npos);
  EXPECT_EQ(text.code(), sycl::errc::nd_range);
  const sycl::exception with_string(sycl::errc::kernel, std::string("as a string"));
  EXPECT_NE(std::string(with_string.what()).find("as a string"), std::string::npos);
  const sycl::exception by_number(7, sycl::sycl_category(), "by number");
  EXPECT_EQ(by_number.code().value(), 7);
  const sycl::exception by_number_alone(3, sycl::sycl_category());
  EXPECT_EQ(by_number_alone.code().value(), 3);
}

TEST(exception, may_have_a_context) {
  const sycl::context context;
  const sycl::exception e(context, sycl::make_error_code(sycl::errc::runtime), "with a context");
  ASSERT_TRUE(e.has_context());
  EXPECT_EQ(e.get_context(), context);
  const sycl::exception without(sycl::make_error_code(sycl::errc::runtime));
  try {
    (void)without.get_context();
    ADD_FAILURE() << "there is no context to get";
  } catch (const sycl::exception& thrown) {
    EXPECT_EQ(thrown.code(), sycl::errc::invalid);
  }
}

TEST(errc, is_an_error_code_of_its_own_category) {
  static_assert(std::is_error_code_enum_v<sycl::errc>);
  const std::error_code code = sycl::errc::memory_allocation;
  EXPECT_EQ(code.category(), sycl::sycl_category());
  EXPECT_EQ(std::string(sycl::sycl_category().name()), "sycl");
  EXPECT_EQ(static_cast<int>(sycl::errc::success), 0);
  const sycl::errc all[] = {sycl::errc::runtime,
                            sycl::errc::kernel,
                            sycl::errc::accessor,
                            sycl::errc::nd_range,
                            sycl::errc::event,
                            sycl::errc::kernel_argument,
                            sycl::errc::build,
                            sycl::errc::invalid,
                            sycl::errc::memory_allocation,
                            sycl::errc::platform,
                            sycl::errc::profiling,
                            sycl::errc::feature_not_supported,
                            sycl::errc::kernel_not_supported,
                            sycl::errc::backend_mismatch};
  for (const sycl::errc a : all) {
    EXPECT_NE(static_cast<int>(a), 0);
    EXPECT_FALSE(sycl::make_error_code(a).message().empty());
    int same = 0;
    for (const sycl::errc b : all) same += a == b;
    EXPECT_EQ(same, 1);
  }
}

// 4.13.1: errors of a call are thrown by it, errors of commands come to the async handler.
TEST(errors, of_a_call_are_thrown_by_it) {
  sycl::queue q;
  EXPECT_THROW(q.parallel_for(sycl::nd_range<1>(5, 2), [](sycl::nd_item<1>) {}), sycl::exception);
  try {
    sycl::buffer<int, 1> whole(sycl::range<1>(4));
    sycl::buffer<int, 1> part(whole, 2, 3);
    ADD_FAILURE() << "a sub-buffer beyond the end of its parent";
  } catch (const std::exception& e) {
    EXPECT_FALSE(std::string(e.what()).empty());
  }
}

TEST(errors, of_commands_come_to_the_handler_of_the_queue_when_it_is_asked) {
  std::vector<std::string> seen;
  const auto handler = [&](sycl::exception_list list) {
    EXPECT_GT(list.size(), 0u);
    for (auto each = list.begin(); each != list.end(); ++each) {
      try {
        std::rethrow_exception(*each);
      } catch (const std::exception& e) {
        seen.push_back(e.what());
      }
    }
  };
  static_assert(std::is_same_v<sycl::exception_list::value_type, std::exception_ptr>);
  sycl::queue q(handler);
  q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("one"); }); });
  q.wait();
  EXPECT_TRUE(seen.empty()) << "wait() does not hand out errors";
  q.throw_asynchronous();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0], "one");
  q.throw_asynchronous();
  EXPECT_EQ(seen.size(), 1u) << "an error is handed out once";
  q.submit([](sycl::handler& h) {
     h.host_task([] { throw std::runtime_error("two"); });
   }).wait_and_throw();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1], "two");
}

TEST(errors, of_commands_come_to_the_handler_of_the_context_without_one_of_the_queue) {
  int seen = 0;
  const sycl::context context(
      sycl::device(), [&](sycl::exception_list list) { seen += static_cast<int>(list.size()); });
  sycl::queue q(context, sycl::default_selector_v);
  q.submit([](sycl::handler& h) { h.host_task([] { throw 5; }); });
  q.wait_and_throw();
  EXPECT_EQ(seen, 1);
}

}  // namespace
