// SPDX-License-Identifier: Apache-2.0
// 3.13.1: device copyable types.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "checked.hpp"

namespace {

struct plain {
  int a;
};
struct copied_by_code {
  copied_by_code() = default;
  copied_by_code(const copied_by_code& other) : a(other.a) {}
  int a = 0;
};
struct promised : copied_by_code {};
template <class T>
struct promised_template : copied_by_code {};

}  // namespace

// In namespace sycl, whatever inline namespace the implementation has.
namespace sycl {
template <>
struct is_device_copyable<promised> : std::true_type {};
template <class T>
struct is_device_copyable<promised_template<T>> : is_device_copyable<T> {};
}  // namespace sycl

namespace {

using sycl::is_device_copyable_v;

static_assert(is_device_copyable_v<int> && is_device_copyable_v<plain> &&
              is_device_copyable_v<int[3]>);
static_assert(!is_device_copyable_v<copied_by_code> && !is_device_copyable_v<const copied_by_code>);
static_assert(!is_device_copyable_v<copied_by_code[2]> && !is_device_copyable_v<std::string>);
static_assert(is_device_copyable_v<promised> && is_device_copyable_v<const promised>);
static_assert(is_device_copyable_v<volatile promised> &&
              is_device_copyable_v<const volatile promised[4]>);
static_assert(is_device_copyable_v<promised_template<int>> &&
              !is_device_copyable_v<promised_template<std::string>>);

static_assert(is_device_copyable_v<std::array<promised, 3>> &&
              !is_device_copyable_v<std::array<std::string, 2>>);
static_assert(is_device_copyable_v<std::array<std::string, 0>>);
static_assert(is_device_copyable_v<std::optional<promised>> &&
              !is_device_copyable_v<std::optional<std::string>>);
static_assert(is_device_copyable_v<std::pair<int, promised>> &&
              !is_device_copyable_v<std::pair<int, std::string>>);
static_assert(is_device_copyable_v<std::tuple<>> &&
              is_device_copyable_v<std::tuple<int, promised, float>>);
static_assert(!is_device_copyable_v<std::tuple<int, std::string>>);
static_assert(is_device_copyable_v<std::variant<int, promised>>);
static_assert(!is_device_copyable_v<std::variant<int, std::string>>);
static_assert(is_device_copyable_v<std::string_view> && is_device_copyable_v<std::u32string_view>);
static_assert(is_device_copyable_v<sycl::span<std::string>> &&
              is_device_copyable_v<const sycl::span<int, 3>>);
static_assert(is_device_copyable_v<const std::pair<const int, promised>>);
static_assert(!is_device_copyable_v<std::unique_ptr<int>> &&
              !is_device_copyable_v<std::vector<int>>);

TEST(device_copyable, pairs_tuples_and_what_a_program_promises_go_to_kernels) {
  const std::pair<int, float> pair(1, 2.0f);
  const std::tuple<int, long, char> tuple(3, 4L, 'a');
  promised own;
  own.a = 5;
  std::array<int, 2> numbers = {6, 7};
  std::optional<int> maybe = 8;
  int sum = 0;
  {
    sycl::buffer<int> result(&sum, 1);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
      h.single_task([=] {
        out[0] = pair.first + static_cast<int>(pair.second) + std::get<0>(tuple) +
                 static_cast<int>(std::get<1>(tuple)) + (std::get<2>(tuple) - 'a') + own.a +
                 numbers[0] + numbers[1] + *maybe;
      });
    });
  }
  EXPECT_EQ(sum, 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8);

  // Commands copy them as bytes, reductions combine them.
  using place = std::pair<float, int>;
  sycl::queue q;
  place* const smallest = sycl::malloc_shared<place>(2, q);
  q.fill(smallest, place(1e9f, -1), 2).wait();
  q.parallel_for(sycl::range<1>(100),
                 sycl::reduction(smallest, place(1e9f, -1), sycl::minimum<place>()),
                 [=](sycl::id<1> i, auto& least) {
                   const int number = static_cast<int>(i[0]), away = number - 37;
                   least.combine(place(static_cast<float>(away * away), number));
                 })
      .wait();
  EXPECT_EQ(smallest[0], place(0.0f, 37));
  EXPECT_EQ(smallest[1], place(1e9f, -1));
  sycl::free(smallest, q);
  sycl::buffer<place> places{sycl::range<1>(3)};
  q.submit([&](sycl::handler& h) {
    h.fill(sycl::accessor(places, h, sycl::write_only), place(2.0f, 5));
  });
  EXPECT_EQ(sycl::host_accessor(places, sycl::read_only)[2], place(2.0f, 5));
}

}  // namespace
