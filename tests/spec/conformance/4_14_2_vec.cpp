// SPDX-License-Identifier: Apache-2.0
// 4.14.2: vec. Its swizzles are in 4_14_2_swizzles.cpp.
#include <cstdint>
#include <limits>
#include <type_traits>

#include "checked.hpp"

namespace {

using sycl::half;
using sycl::rounding_mode;
using sycl::vec;

template <class T>
using truth = sycl::detail::signed_like_t<T>;

template <class T, int N>
vec<T, N> counting(int first) {
  vec<T, N> v;
  for (int i = 0; i < N; ++i) v[i] = static_cast<T>(first + i);
  return v;
}

template <class T, int N>
bool equal(const vec<T, N>& a, const vec<T, N>& b) {
  for (int i = 0; i < N; ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}

// Layout and properties that no program runs for.
template <class T, int N>
constexpr bool has_the_layout_of_the_specification() {
  constexpr std::size_t size = sizeof(T) * (N == 3 ? 4 : N);
  return sizeof(vec<T, N>) == size && alignof(vec<T, N>) == (size < 64 ? size : 64) &&
         vec<T, N>::byte_size() == size && vec<T, N>::size() == N &&
         std::is_trivially_copyable_v<vec<T, N>> && sycl::is_device_copyable_v<vec<T, N>> &&
         std::is_same_v<typename vec<T, N>::element_type, T> &&
         std::is_same_v<typename vec<T, N>::value_type, T> &&
         std::is_convertible_v<T, vec<T, N>> == (N == 1) && std::is_constructible_v<vec<T, N>, T>;
}
template <class T>
constexpr bool of_all_sizes() {
  return has_the_layout_of_the_specification<T, 1>() &&
         has_the_layout_of_the_specification<T, 2>() &&
         has_the_layout_of_the_specification<T, 3>() &&
         has_the_layout_of_the_specification<T, 4>() &&
         has_the_layout_of_the_specification<T, 8>() &&
         has_the_layout_of_the_specification<T, 16>();
}
static_assert(of_all_sizes<bool>() && of_all_sizes<char>() && of_all_sizes<signed char>() &&
              of_all_sizes<unsigned char>() && of_all_sizes<short>() &&
              of_all_sizes<unsigned short>() && of_all_sizes<int>() && of_all_sizes<unsigned>() &&
              of_all_sizes<long>() && of_all_sizes<unsigned long>() && of_all_sizes<long long>() &&
              of_all_sizes<unsigned long long>() && of_all_sizes<float>() &&
              of_all_sizes<double>() && of_all_sizes<half>());
static_assert(sizeof(vec<std::byte, 4>) == 4);

#define SAME(alias, ...) static_assert(std::is_same_v<sycl::alias, vec<__VA_ARGS__>>)
SAME(char2, std::int8_t, 2);
SAME(uchar3, std::uint8_t, 3);
SAME(short4, std::int16_t, 4);
SAME(ushort8, std::uint16_t, 8);
SAME(int16, std::int32_t, 16);
SAME(uint2, std::uint32_t, 2);
SAME(long3, std::int64_t, 3);
SAME(ulong4, std::uint64_t, 4);
SAME(half8, half, 8);
SAME(float16, float, 16);
SAME(double2, double, 2);
#undef SAME

static_assert(std::is_same_v<decltype(vec(1, 2, 3)), vec<int, 3>>);
static_assert(std::is_same_v<decltype(vec(1.0f, 2.0f)), vec<float, 2>>);
// A number of elements that does not fit, and elements that do not convert.
static_assert(!std::is_constructible_v<vec<int, 4>, int, int>);
static_assert(!std::is_constructible_v<vec<int, 4>, vec<int, 2>, vec<int, 3>>);
static_assert(!std::is_constructible_v<vec<int, 4>, vec<float, 2>, vec<int, 2>>);
static_assert(!std::is_convertible_v<vec<int, 4>, vec<float, 4>>);
static_assert(std::is_convertible_v<vec<float, 1>, float> &&
              !std::is_convertible_v<vec<float, 2>, float>);

// In constant expressions too.
constexpr vec<int, 4> constant(1, vec<int, 2>(2), 3);
static_assert(((constant + 1) * constant)[2] == 6 && (constant < 2)[0] == -1 &&
              (-constant)[3] == -3);

template <class T, int N>
struct constructors {
  int operator()() const {
    const vec<T, N> zero{};
    for (int i = 0; i < N; ++i) CHECK(zero[i] == T(0));
    const vec<T, N> same(static_cast<T>(1));
    for (int i = 0; i < N; ++i) CHECK(same[i] == static_cast<T>(1));
    const vec<T, N> copy = same;
    CHECK(equal(copy, same));
    vec<T, N> assigned;
    assigned = static_cast<T>(0);
    CHECK(equal(assigned, zero));
    assigned = same;
    CHECK(equal(assigned, same));
    return 0;
  }
};

struct mixed_constructors {
  int operator()() const {
    const vec<int, 2> two(1, 2);
    const vec<int, 3> three(two, 3), other(0, two);
    const vec<int, 4> four(two, vec<int, 2>(3, 4)), again(1, two, 4L), last(three, 4);
    CHECK(equal(three, vec<int, 3>(1, 2, 3)) && equal(other, vec<int, 3>(0, 1, 2)));
    CHECK(equal(four, vec<int, 4>(1, 2, 3, 4)) && equal(last, four));
    CHECK(equal(again, vec<int, 4>(1, 1, 2, 4)));
    const vec<int, 8> eight(four, two, 5, 6);
    const vec<int, 16> sixteen(eight, three, 7, four.lo(), two.swizzle<1, 0>());
    const int expected[] = {1, 2, 3, 4, 1, 2, 5, 6, 1, 2, 3, 7, 1, 2, 2, 1};
    for (int i = 0; i < 16; ++i) CHECK(sixteen[i] == expected[i]);
    const vec<float, 1> one = 2.5f;
    const float number = one;
    CHECK(number == 2.5f && static_cast<int>(one) == 2 && one * 2 == 5.0f);
    const vec<float, 2> braces = {1.0f, 2.0f};
    CHECK(braces.x() == 1 && braces.y() == 2);
    return 0;
  }
};

// Of every element type: against what the operator does with the elements.
#define CHECK_BINARY(op)                                                                \
  do {                                                                                  \
    const vec<T, N> r = a op b, s = a op static_cast<T>(2), t = static_cast<T>(2) op b; \
    vec<T, N> u = a, w = a;                                                             \
    u op## = b;                                                                         \
    w op## = static_cast<T>(2);                                                         \
    for (int i = 0; i < N; ++i) {                                                       \
      CHECK(r[i] == static_cast<T>(a[i] op b[i]) && u[i] == r[i]);                      \
      CHECK(s[i] == static_cast<T>(a[i] op static_cast<T>(2)) && w[i] == s[i]);         \
      CHECK(t[i] == static_cast<T>(static_cast<T>(2) op b[i]));                         \
    }                                                                                   \
  } while (false)
#define CHECK_RELATION(op)                                                                     \
  do {                                                                                         \
    const vec<truth<T>, N> r = a op b, s = a op static_cast<T>(5), t = static_cast<T>(5) op b; \
    static_assert(std::is_same_v<decltype(a op b), vec<truth<T>, N>>);                         \
    for (int i = 0; i < N; ++i) {                                                              \
      CHECK(r[i] == ((a[i] op b[i]) ? -1 : 0));                                                \
      CHECK(s[i] == ((a[i] op static_cast<T>(5)) ? -1 : 0));                                   \
      CHECK(t[i] == ((static_cast<T>(5) op b[i]) ? -1 : 0));                                   \
    }                                                                                          \
  } while (false)

template <class T, int N>
struct operators {
  int operator()() const {
    const vec<T, N> a = counting<T, N>(3), b = counting<T, N>(1);
    CHECK_BINARY(+);
    CHECK_BINARY(-);
    CHECK_BINARY(*);
    CHECK_BINARY(/);
    vec<T, N> c = counting<T, N>(4), d = counting<T, N>(6);
    d[0] = T(0);
    {
      const vec<T, N> a = c, b = d;
      CHECK_RELATION(==);
      CHECK_RELATION(!=);
      CHECK_RELATION(<);
      CHECK_RELATION(>);
      CHECK_RELATION(<=);
      CHECK_RELATION(>=);
      CHECK_RELATION(&&);
      CHECK_RELATION(||);
    }
    const vec<truth<T>, N> negated = !d;
    const vec<T, N> minus = -a, plus = +a;
    for (int i = 0; i < N; ++i) {
      CHECK(negated[i] == (i == 0 ? -1 : 0));
      CHECK(minus[i] == static_cast<T>(-a[i]) && plus[i] == a[i]);
    }
    if constexpr (!std::is_same_v<T, bool>) {
      vec<T, N> e = a;
      CHECK(equal(e++, a) && equal(e, a + 1));
      CHECK(equal(--e, a) && equal(e--, a) && equal(++e, a));
    }
    if constexpr (std::is_integral_v<T>) {
      CHECK_BINARY(%);
      CHECK_BINARY(&);
      CHECK_BINARY(|);
      CHECK_BINARY(^);
      CHECK_BINARY(<<);
      CHECK_BINARY(>>);
      const vec<T, N> inverted = ~a;
      for (int i = 0; i < N; ++i) CHECK(inverted[i] == static_cast<T>(~a[i]));
    }
    return 0;
  }
};

// Scalars of other types become elements.
struct scalars_of_other_types {
  int operator()() const {
    const vec<float, 4> a(1.5f);
    CHECK(equal(a + 1, vec<float, 4>(2.5f)) && equal(2.0 * a, vec<float, 4>(3.0f)));
    const vec<float, 1> one = 1.5f;
    CHECK((one + 1) == 2.5f && (1 + one) == 2.5f && (one + one) == 3.0f);
    vec<half, 4> h(0.5f);
    h += 1;
    h = h * 2.0 + half(1);
    CHECK(equal(h, vec<half, 4>(4)));
    vec<bool, 2> b(true, false);
    // As of a bool, which is made an int first.
    CHECK((~b)[0] && (~b)[1] && (~b.swizzle<1, 0>())[0]);
    CHECK(equal(b & true, b) && equal(b ^ b, vec<bool, 2>(false)) && (b == true)[1] == 0 &&
          (!b)[1] == -1);
    vec<std::byte, 2> c(std::byte{5});
    CHECK((c & std::byte{4})[1] == std::byte{4} && (c == std::byte{5})[0] == -1);
    return 0;
  }
};

struct loads_and_stores {
  int operator()() const {
    float memory[16];
    for (int i = 0; i < 16; ++i) memory[i] = static_cast<float>(i);
    vec<float, 4> v;
    v.load(1, memory);
    CHECK(v[0] == 4 && v[3] == 7);
    v.store(3, memory);
    CHECK(memory[12] == 4 && memory[15] == 7 && memory[11] == 11);
    vec<float, 3> three;
    three.load(2, memory);
    CHECK(three[0] == 6 && three[2] == 8);
    three.store(0, memory);
    CHECK(memory[0] == 6 && memory[2] == 8 && memory[3] == 3);
    three.store(1, memory);
    CHECK(memory[3] == 6 && memory[5] == 8 && memory[6] == 6);
    using space = sycl::access::address_space;
    using sycl::access::decorated;
    const auto raw = sycl::address_space_cast<space::private_space, decorated::no>(memory);
    const auto generic = sycl::address_space_cast<space::generic_space, decorated::yes>(memory);
    v.load(0, sycl::multi_ptr<const float, space::private_space, decorated::no>(raw));
    CHECK(v[0] == 6 && v[3] == 6);
    v.load(1, raw);
    CHECK(v[0] == 7);
    v.store(2, generic);
    CHECK(memory[8] == 7);
    v.store(0, sycl::private_ptr<float>(memory));
    CHECK(memory[0] == 7);
    // The address space, and whether it is decorated, may be given.
    v.load<space::private_space>(1, raw);
    v.store<space::generic_space, decorated::yes>(3, generic);
    CHECK(memory[12] == memory[4] && memory[15] == memory[7]);
    v.lo().load<space::private_space, decorated::no>(0, raw);
    v.hi().store<space::private_space>(7, raw);
    CHECK(v[0] == memory[0] && v[1] == memory[1] && memory[14] == v[2] && memory[15] == v[3]);
    return 0;
  }
};

struct reinterpretation {
  int operator()() const {
    const vec<float, 2> f(1.0f, -2.0f);
    const auto bits = f.as<vec<std::uint32_t, 2>>();
    CHECK(bits[0] == 0x3f800000u && bits[1] == 0xc0000000u);
    const auto shorts = f.as<vec<std::uint16_t, 4>>();
    CHECK(shorts[0] == 0 && shorts[1] == 0x3f80 && shorts[3] == 0xc000);
    CHECK(equal(shorts.as<vec<float, 2>>(), f));
    CHECK((vec<int, 3>(1, 2, 3).as<vec<int, 4>>()[2] == 3));
    return 0;
  }
};

template <class To, rounding_mode Mode, class From>
To converted(From from) {
  return vec<From, 2>(from).template convert<To, Mode>()[1];
}

struct conversions {
  int operator()() const {
    constexpr auto rte = rounding_mode::rte, rtz = rounding_mode::rtz, rtp = rounding_mode::rtp,
                   rtn = rounding_mode::rtn, automatic = rounding_mode::automatic;
    // To integers.
    const double values[] = {2.5, -2.5, 3.5, 2.25, -2.75};
    const int nearest[] = {2, -2, 4, 2, -3}, zero[] = {2, -2, 3, 2, -2}, up[] = {3, -2, 4, 3, -2},
              down[] = {2, -3, 3, 2, -3};
    for (int i = 0; i < 5; ++i) {
      CHECK(converted<int, rte>(values[i]) == nearest[i] &&
            converted<int, automatic>(values[i]) == nearest[i]);
      CHECK(converted<int, rtz>(values[i]) == zero[i]);
      CHECK(converted<int, rtp>(values[i]) == up[i] && converted<int, rtn>(values[i]) == down[i]);
      const float f = static_cast<float>(values[i]);
      CHECK(converted<short, rte>(f) == nearest[i] && converted<short, rtp>(f) == up[i]);
      CHECK(converted<long, rtn>(half(f)) == down[i] && converted<long, rtz>(half(f)) == zero[i]);
    }
    // To narrower floating-point types: a value a little above 1, and one that is too large.
    const double above = 1.0 + 0x1p-30;
    CHECK(converted<float, rte>(above) == 1.0f && converted<float, rtz>(above) == 1.0f);
    CHECK(converted<float, rtn>(above) == 1.0f && converted<float, rtp>(above) == 1.0f + 0x1p-23f);
    CHECK(converted<float, rtn>(-above) == -1.0f - 0x1p-23f &&
          converted<float, rtp>(-above) == -1.0f);
    CHECK(converted<half, rtp>(above) == half(1.0f + 0x1p-10f) &&
          converted<half, rtz>(above) == half(1));
    constexpr float most = std::numeric_limits<float>::max();
    CHECK(converted<float, rtz>(1e300) == most && converted<float, rtp>(1e300) > most);
    CHECK(converted<float, automatic>(1e300) > most && converted<float, rtn>(1e300) == most);
    CHECK(converted<half, rtz>(1e6f) == std::numeric_limits<half>::max());
    CHECK(converted<float, rtp>(1e-300) == std::numeric_limits<float>::denorm_min());
    CHECK(converted<float, rtn>(1e-300) == 0);
    // From integers.
    constexpr int large = (1 << 24) + 1;
    CHECK(converted<float, rte>(large) == 16777216.0f &&
          converted<float, rtp>(large) == 16777218.0f);
    CHECK(converted<float, rtz>(-large) == -16777216.0f &&
          converted<float, rtn>(-large) == -16777218.0f);
    constexpr std::uint64_t all = ~std::uint64_t{0};
    CHECK(converted<float, rtp>(all) == 0x1p64f && converted<float, rtz>(all) == 0x1.fffffep63f);
    CHECK(converted<double, rtn>(all) == 0x1.fffffffffffffp63);
    CHECK(converted<half, rtz>(70000) == std::numeric_limits<half>::max());
    CHECK(converted<half, rtp>(2049) == half(2050.0f) &&
          converted<half, rte>(2049) == half(2048.0f));
    // Between integers, to and from bool.
    CHECK(converted<std::uint8_t, automatic>(0x1ff) == 0xff &&
          converted<long, automatic>(-3) == -3L);
    CHECK(converted<bool, automatic>(0.5f) && !converted<bool, automatic>(0));
    CHECK(converted<float, automatic>(true) == 1.0f);
    return 0;
  }
};

#define EVERYWHERE(...) checked::everywhere<__VA_ARGS__>()

TEST(vec, is_constructed_from_nothing_a_scalar_and_a_vec) {
  EVERYWHERE(constructors<float, 1>);
  EVERYWHERE(constructors<int, 2>);
  EVERYWHERE(constructors<double, 3>);
  EVERYWHERE(constructors<half, 4>);
  EVERYWHERE(constructors<unsigned char, 8>);
  EVERYWHERE(constructors<bool, 16>);
}

TEST(vec, is_constructed_from_scalars_vecs_and_swizzles_in_any_mixture) {
  EVERYWHERE(mixed_constructors);
}

TEST(vec, operators_treat_elements_of_every_type_alike) {
  EVERYWHERE(operators<signed char, 4>);
  EVERYWHERE(operators<unsigned char, 2>);
  EVERYWHERE(operators<short, 3>);
  EVERYWHERE(operators<unsigned short, 8>);
  EVERYWHERE(operators<int, 4>);
  EVERYWHERE(operators<unsigned, 16>);
  EVERYWHERE(operators<long, 2>);
  EVERYWHERE(operators<unsigned long long, 3>);
  EVERYWHERE(operators<float, 4>);
  EVERYWHERE(operators<double, 2>);
  EVERYWHERE(operators<half, 3>);
}

TEST(vec, operators_treat_any_number_of_elements_alike) {
  EVERYWHERE(operators<int, 1>);
  EVERYWHERE(operators<float, 1>);
  EVERYWHERE(operators<float, 3>);
  EVERYWHERE(operators<float, 8>);
  EVERYWHERE(operators<float, 16>);
}

TEST(vec, operators_convert_scalars_of_other_types) { EVERYWHERE(scalars_of_other_types); }

TEST(vec, load_and_store_count_in_vecs) { EVERYWHERE(loads_and_stores); }

TEST(vec, as_keeps_the_bytes) { EVERYWHERE(reinterpretation); }

TEST(vec, convert_rounds_as_asked) { EVERYWHERE(conversions); }

TEST(vec, is_written_to_buffers_by_many_work_items) {
  std::vector<sycl::float4> values(64);
  {
    sycl::buffer<sycl::float4> buffer(values.data(), 64);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(buffer, h, sycl::write_only, sycl::no_init);
      h.parallel_for(64, [=](sycl::item<1> it) {
        sycl::float4 v(static_cast<float>(it.get_id(0)));
        v += sycl::float4(0, 1, 2, 3);
        out[it] = v;
      });
    });
  }
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(values[i][j], static_cast<float>(i + j));
}

}  // namespace
