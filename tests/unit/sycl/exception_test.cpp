// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pianola/model/error.hpp>
#include <string>
#include <sycl/context.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/exception.hpp>
#include <system_error>

namespace {

TEST(exception, carries_code_category_and_text) {
  const sycl::exception e(sycl::errc::nd_range, "seven does not divide ten");
  EXPECT_EQ(e.code(), sycl::errc::nd_range);
  EXPECT_STREQ(e.what(), "seven does not divide ten");
  EXPECT_EQ(e.category(), sycl::sycl_category());
  EXPECT_STREQ(e.category().name(), "sycl");
  EXPECT_FALSE(e.has_context());
}

TEST(exception, without_text_says_what_its_code_means) {
  const sycl::exception e{sycl::make_error_code(sycl::errc::memory_allocation)};
  EXPECT_EQ(std::string(e.what()), e.code().message());
  EXPECT_NE(e.code().message(), "");
}

TEST(exception, takes_value_and_category) {
  const sycl::exception e(static_cast<int>(sycl::errc::build), sycl::sycl_category(), "text");
  EXPECT_EQ(e.code(), sycl::errc::build);
  const sycl::exception foreign(2, std::generic_category());
  EXPECT_EQ(foreign.category(), std::generic_category());
}

TEST(exception, every_errc_has_a_message_of_its_own) {
  for (int i = 0; i < 14; ++i)
    EXPECT_NE(sycl::sycl_category().message(i), sycl::sycl_category().message(i + 1));
}

TEST(exception, get_context_without_context_throws_invalid) {
  const sycl::exception e(sycl::errc::runtime, "");
  try {
    static_cast<void>(e.get_context());
    FAIL();
  } catch (const sycl::exception& inner) {
    EXPECT_EQ(inner.code(), sycl::errc::invalid);
  }
}

TEST(exception, remembers_its_context) {
  const sycl::context c;
  const sycl::exception e(c, sycl::errc::runtime, "text");
  ASSERT_TRUE(e.has_context());
  EXPECT_EQ(e.get_context(), c);
}

TEST(exception, keeps_its_text_when_moved_from) {
  sycl::exception e(sycl::errc::runtime, "text");
  const sycl::exception f(std::move(e));
  EXPECT_STREQ(e.what(), "text");
  EXPECT_STREQ(f.what(), "text");
}

TEST(exception, is_a_std_exception_and_nothrow_copyable) {
  static_assert(std::is_base_of<std::exception, sycl::exception>::value);
  static_assert(std::is_nothrow_copy_constructible<sycl::exception>::value);
  static_assert(std::is_error_code_enum<sycl::errc>::value);
}

TEST(exception_list, holds_its_exceptions_in_order) {
  const sycl::exception_list list({std::make_exception_ptr(1), std::make_exception_ptr(2)});
  ASSERT_EQ(list.size(), 2U);
  int sum = 0;
  for (const std::exception_ptr& e : list) {
    try {
      std::rethrow_exception(e);
    } catch (int i) {
      sum = 10 * sum + i;
    }
  }
  EXPECT_EQ(sum, 12);
}

TEST(translate, turns_errors_of_the_runtime_into_sycl_exceptions) {
  using code = pianola::model::error_code;
  const struct {
    code from;
    sycl::errc to;
  } cases[] = {{code::invalid, sycl::errc::invalid},
               {code::memory_allocation, sycl::errc::memory_allocation},
               {code::nd_range, sycl::errc::nd_range},
               {code::kernel_argument, sycl::errc::kernel_argument},
               {code::backend_mismatch, sycl::errc::backend_mismatch},
               {code::profiling, sycl::errc::profiling}};
  for (const auto& c : cases) {
    try {
      sycl::detail::translate([&] { throw pianola::model::user_error(c.from, "what to do"); });
      FAIL();
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), c.to);
      EXPECT_STREQ(e.what(), "what to do");
    }
  }
}

TEST(translate, an_internal_error_is_a_runtime_error) {
  try {
    sycl::detail::translate([] { throw pianola::model::internal_error("broken"); });
    FAIL();
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), sycl::errc::runtime);
  }
}

TEST(translate, lets_foreign_exceptions_and_results_pass) {
  EXPECT_THROW(sycl::detail::translate([] { throw 5; }), int);
  int value = 3;
  sycl::detail::translate([&]() -> int& { return value; }) = 4;
  EXPECT_EQ(value, 4);
}

}  // namespace
