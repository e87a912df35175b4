// SPDX-License-Identifier: Apache-2.0
// 3.9.1: programs, and with them kernels, may use all of C++17 but what 5.4 takes out.
#include <array>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "checked.hpp"

namespace {

static_assert(__cplusplus >= 201703L);

template <auto Value>
struct constant {
  static constexpr auto value = Value;
};
template <class... T>
constexpr auto sum_of(T... values) {
  return (values + ... + 0);
}
template <class T>
int width_of(T) {
  if constexpr (sizeof(T) == 8)
    return 64;
  else if constexpr (std::is_same_v<T, char>)
    return 8;
  else
    return 32;
}
template <class A, class B>
struct both {
  A a;
  B b;
  both(A first, B second) : a(first), b(second) {}
};
struct aggregate_base {
  int x;
};
struct aggregate : aggregate_base {
  int y;
};
inline constexpr int in_all_units = 17;
[[nodiscard]] constexpr int twice(int x) noexcept { return 2 * x; }
using no_throw = int (*)(int) noexcept;
static_assert(std::is_same_v<decltype(&twice), no_throw>);

struct outer {
  int value = 3;
  int call() const {
    // A copy of *this.
    const auto f = [*this](int x) { return value * x; };
    return f(4);
  }
};

struct language {
  int operator()() const {
    const auto [first, second] = std::pair(1, 2.5f);
    CHECK(first == 1 && second == 2.5f);
    int array[] = {4, 5};
    auto& [x, y] = array;
    x = 6;
    CHECK(array[0] == 6 && y == 5);
    if (const int t = twice(3); t == 6) {
      CHECK(t + 1 == 7);
    } else {
      return __LINE__;
    }
    switch (const int s = 2; s) {
      case 1:
        return __LINE__;
      case 2:
        x = 1;
        [[fallthrough]];
      default:
        x += 1;
    }
    CHECK(x == 2);
    CHECK(sum_of(1, 2, 3) == 6 && sum_of() == 0);
    CHECK(width_of(1L) == 64 && width_of('a') == 8 && width_of(1.0f) == 32);
    const both deduced(1, 'c');
    static_assert(std::is_same_v<decltype(deduced), const both<int, char>>);
    CHECK(deduced.a == 1 && deduced.b == 'c');
    CHECK((constant<5>::value == 5 && constant<'x'>::value == 'x'));
    constexpr auto square = [](int v) { return v * v; };
    static_assert(square(4) == 16);
    CHECK(square(in_all_units) == 289);
    const aggregate with_base{{1}, 2};
    CHECK(with_base.x + with_base.y == 3);
    CHECK(outer().call() == 12);
    [[maybe_unused]] const int unused = 0;
    const auto generic = [](auto a, auto b) { return a + b; };
    CHECK(generic(1, 2u) == 3u && generic(1.5, 1) == 2.5);
    int sum = 0;
    for (const int v : {1, 2, 3}) sum += v;
    CHECK(sum == 6);
    alignas(64) char aligned[64] = {};
    CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
    enum class small : unsigned char { a, b };
    const small direct{1};
    CHECK(direct == small::b);
    CHECK(0x1p4 == 16.0 && 1'000 == 1000 && 0b101 == 5);
    return 0;
  }
};

struct library {
  int operator()() const {
    const std::array a = {1, 2, 3};
    CHECK(std::get<1>(a) == 2 && a.size() == 3);
    const std::tuple t(1, 2L, 'c');
    CHECK(std::get<1>(t) == 2L && std::get<char>(t) == 'c');
    std::optional<int> o;
    CHECK(!o.has_value());
    o = 5;
    CHECK(o && *o == 5);
    const std::variant<int, float> v = 2.5f;
    CHECK(v.index() == 1 && *std::get_if<float>(&v) == 2.5f && std::get_if<int>(&v) == nullptr);
    int from = 1;
    const int before = std::exchange(from, 2);
    CHECK(before == 1 && from == 2);
    CHECK((std::conjunction_v<std::true_type, std::is_integral<int>>));
    return 0;
  }
};

TEST(cpp17, language_features_work_on_the_host_and_in_kernels) { checked::everywhere<language>(); }
TEST(cpp17, library_types_without_calls_of_the_library_work_in_kernels) {
  checked::everywhere<library>();
}

}  // namespace
