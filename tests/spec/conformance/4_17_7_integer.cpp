// SPDX-License-Identifier: Apache-2.0
// 4.17.7: integer functions.
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

__extension__ typedef __int128 wide;

/// What a function gives, counted in 128 bits.
template <class T>
struct oracle {
  static constexpr wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  static constexpr int bits = 8 * sizeof(T);
  static T saturated(wide x) { return static_cast<T>(x < low ? low : x > high ? high : x); }
  static T wrapped(wide x) { return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x)); }
  /// Rounds down.
  static wide half(wide x) { return x >> 1; }
};

template <class T>
std::vector<T> numbers() {
  using limits = std::numeric_limits<T>;
  std::vector<T> all{0,
                     1,
                     2,
                     3,
                     5,
                     7,
                     8,
                     31,
                     100,
                     limits::max(),
                     limits::max() - 1,
                     limits::max() / 2,
                     limits::max() / 2 + 1,
                     limits::min(),
                     limits::min() + 1,
                     limits::min() / 2};
  all.push_back(static_cast<T>(-1));
  all.push_back(static_cast<T>(-7));
  std::uint64_t state = 1;
  for (int i = 0; i < 14; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    all.push_back(static_cast<T>(state >> (64 - 8 * sizeof(T))));
  }
  return all;
}

enum function {
  f_abs_diff,
  f_add_sat,
  f_sub_sat,
  f_hadd,
  f_rhadd,
  f_mul_hi,
  f_mad_hi,
  f_mad_sat,
  f_rotate,
  f_max,
  f_min,
  f_clamp,
  f_abs,
  f_clz,
  f_ctz,
  f_popcount,
  function_count
};

template <class T>
T compute(int code, T x, T y, T z) {
  switch (code) {
    case f_abs_diff:
      return sycl::abs_diff(x, y);
    case f_add_sat:
      return sycl::add_sat(x, y);
    case f_sub_sat:
      return sycl::sub_sat(x, y);
    case f_hadd:
      return sycl::hadd(x, y);
    case f_rhadd:
      return sycl::rhadd(x, y);
    case f_mul_hi:
      return sycl::mul_hi(x, y);
    case f_mad_hi:
      return sycl::mad_hi(x, y, z);
    case f_mad_sat:
      return sycl::mad_sat(x, y, z);
    case f_rotate:
      return sycl::rotate(x, y);
    case f_max:
      return sycl::max(x, y);
    case f_min:
      return sycl::min(x, y);
    case f_clamp:
      return y <= z ? sycl::clamp(x, y, z) : T(0);
    case f_abs:
      return sycl::abs(x);
    case f_clz:
      return sycl::clz(x);
    case f_ctz:
      return sycl::ctz(x);
    default:
      return sycl::popcount(x);
  }
}

template <class T>
T expected(int code, T a, T b, T c) {
  using o = oracle<T>;
  using unsigned_t = std::make_unsigned_t<T>;
  const wide x = a, y = b, z = c;
  const auto bits = static_cast<unsigned_t>(a);
  switch (code) {
    case f_abs_diff:
      return o::wrapped(x > y ? x - y : y - x);
    case f_add_sat:
      return o::saturated(x + y);
    case f_sub_sat:
      return o::saturated(x - y);
    case f_hadd:
      return o::wrapped(o::half(x + y));
    case f_rhadd:
      return o::wrapped(o::half(x + y + 1));
    case f_mul_hi:
    case f_mad_hi: {
      __extension__ typedef unsigned __int128 unsigned_wide;
      const wide product = std::is_signed_v<T>
                               ? (x * y) >> o::bits
                               : static_cast<wide>((static_cast<unsigned_wide>(a) * b) >> o::bits);
      return o::wrapped(code == f_mul_hi ? product : product + z);
    }
    case f_mad_sat: {
      if (std::is_unsigned_v<T> && sizeof(T) == 8 && a != 0 &&
          b > std::numeric_limits<T>::max() / a)
        return std::numeric_limits<T>::max();
      return o::saturated(x * y + z);
    }
    case f_rotate: {
      unsigned_t turned = bits;
      const int by = static_cast<int>(static_cast<unsigned_t>(b) % o::bits);
      for (int i = 0; i < by; ++i)
        turned = static_cast<unsigned_t>((turned << 1) | (turned >> (o::bits - 1)));
      return static_cast<T>(turned);
    }
    case f_max:
      return x > y ? a : b;
    case f_min:
      return x < y ? a : b;
    case f_clamp:
      return y > z ? T(0) : x < y ? b : x > z ? c : a;
    case f_abs:
      return o::wrapped(x < 0 ? -x : x);
    case f_clz: {
      int count = 0;
      while (count < o::bits && ((bits >> (o::bits - 1 - count)) & 1) == 0) ++count;
      return static_cast<T>(count);
    }
    case f_ctz: {
      int count = 0;
      while (count < o::bits && ((bits >> count) & 1) == 0) ++count;
      return static_cast<T>(count);
    }
    default: {
      int count = 0;
      for (int i = 0; i < o::bits; ++i) count += (bits >> i) & 1;
      return static_cast<T>(count);
    }
  }
}

template <class T>
class integer : public ::testing::Test {};
using integers = ::testing::Types<char, signed char, unsigned char, short, unsigned short, int,
                                  unsigned int, long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(integer, integers);

TYPED_TEST(integer, functions_are_exact_at_every_edge) {
  using T = TypeParam;
  std::vector<T> xs, ys, zs;
  const std::vector<T> all = numbers<T>();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      xs.push_back(all[i]);
      ys.push_back(all[j]);
      zs.push_back(all[(i + 3 * j) % all.size()]);
    }
  const std::size_t n = xs.size();
  std::vector<T> results(n * function_count);
  sycl::queue queue;
  {
    sycl::buffer<T, 1> from_x(xs.data(), n), from_y(ys.data(), n), from_z(zs.data(), n);
    sycl::buffer<T, 2> to(results.data(), {function_count, n});
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor x(from_x, handler, sycl::read_only), y(from_y, handler, sycl::read_only),
          z(from_z, handler, sycl::read_only);
      sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range<2>(function_count, n), [=](sycl::id<2> i) {
        out[i] = compute<T>(static_cast<int>(i[0]), x[i[1]], y[i[1]], z[i[1]]);
      });
    });
  }
  for (int code = 0; code < function_count; ++code)
    for (std::size_t i = 0; i < n; ++i) {
      const T got = results[static_cast<std::size_t>(code) * n + i],
              wanted = expected<T>(code, xs[i], ys[i], zs[i]);
      ASSERT_EQ(+got, +wanted) << "function " << code << " of " << +xs[i] << ", " << +ys[i] << ", "
                               << +zs[i];
    }
}

TYPED_TEST(integer, functions_work_on_each_element_of_marray) {
  using T = TypeParam;
  const sycl::marray<T, 3> x(T(1), T(100), std::numeric_limits<T>::max()), y(T(3), T(99), T(1)),
      z(T(5), T(6), T(7));
  const sycl::marray<T, 3> sums = sycl::add_sat(x, y), hadds = sycl::hadd(x, y),
                           zeros = sycl::clz(x), mads = sycl::mad_sat(x, y, z),
                           smallest = sycl::min(x, T(50)), clamped = sycl::clamp(x, T(2), T(50)),
                           clamped_each = sycl::clamp(x, y, y), magnitudes = sycl::abs(x),
                           turned = sycl::rotate(x, y), highest = sycl::max(x, y);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sums[i], sycl::add_sat(x[i], y[i]));
    EXPECT_EQ(hadds[i], sycl::hadd(x[i], y[i]));
    EXPECT_EQ(zeros[i], sycl::clz(x[i]));
    EXPECT_EQ(mads[i], sycl::mad_sat(x[i], y[i], z[i]));
    EXPECT_EQ(smallest[i], sycl::min(x[i], T(50)));
    EXPECT_EQ(clamped[i], sycl::clamp(x[i], T(2), T(50)));
    EXPECT_EQ(clamped_each[i], y[i]);
    EXPECT_EQ(magnitudes[i], sycl::abs(x[i]));
    EXPECT_EQ(turned[i], sycl::rotate(x[i], y[i]));
    EXPECT_EQ(highest[i], sycl::max(x[i], y[i]));
  }
}

template <class T>
void works_on_vec() {
  const sycl::vec<T, 4> x(T(1), T(100), std::numeric_limits<T>::max(), T(17)),
      y(T(3), T(99), T(1), T(2));
  const sycl::vec<T, 4> differences = sycl::abs_diff(x, y),
                        high = sycl::mul_hi(x, y.template swizzle<3, 2, 1, 0>()),
                        least = sycl::min(x, T(50)),
                        bits = sycl::popcount(x.template swizzle<3, 2, 1, 0>()),
                        mads = sycl::mad_hi(x, y, y), saturated = sycl::sub_sat(y, x),
                        up = sycl::rhadd(x, y), trailing = sycl::ctz(x);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(differences[i], sycl::abs_diff(x[i], y[i]));
    EXPECT_EQ(high[i], sycl::mul_hi(x[i], y[3 - i]));
    EXPECT_EQ(least[i], sycl::min(x[i], T(50)));
    EXPECT_EQ(bits[i], sycl::popcount(x[3 - i]));
    EXPECT_EQ(mads[i], sycl::mad_hi(x[i], y[i], y[i]));
    EXPECT_EQ(saturated[i], sycl::sub_sat(y[i], x[i]));
    EXPECT_EQ(up[i], sycl::rhadd(x[i], y[i]));
    EXPECT_EQ(trailing[i], sycl::ctz(x[i]));
  }
}

TEST(integers, functions_work_on_each_element_of_vec_and_swizzle) {
  works_on_vec<std::int8_t>();
  works_on_vec<std::uint16_t>();
  works_on_vec<std::int32_t>();
  works_on_vec<std::uint64_t>();
}

TEST(integers, products_of_24_bits_are_exact) {
  EXPECT_EQ(sycl::mul24(-1000, 2000), -2000000);
  EXPECT_EQ(sycl::mul24(0xffu, 0xffffu), 0xffu * 0xffffu);
  EXPECT_EQ(sycl::mad24(-1000, 2000, 7), -1999993);
  const sycl::vec<int, 2> v(3, -4);
  EXPECT_EQ((sycl::mad24(v, v, v))[1], 12);
  const sycl::marray<unsigned, 3> m(1u, 2u, 3u);
  EXPECT_EQ(sycl::mul24(m, m)[2], 9u);
}

TEST(integers, upsample_joins_a_high_and_a_low_half) {
  const auto joined = sycl::upsample(std::int8_t(-1), std::uint8_t(2));
  static_assert(std::is_same_v<decltype(joined), const std::int16_t>);
  EXPECT_EQ(joined, -254);
  EXPECT_EQ(sycl::upsample(std::uint16_t(1), std::uint16_t(2)), 0x10002u);
  EXPECT_EQ(sycl::upsample(-1, 0xfffffffeu), std::int64_t(-2));
  EXPECT_EQ(sycl::upsample(0x80000000u, 1u), 0x8000000000000001u);
  const auto several =
      sycl::upsample(sycl::vec<std::int16_t, 2>(1, -1), sycl::vec<std::uint16_t, 2>(2, 3));
  static_assert(std::is_same_v<decltype(several), const sycl::vec<std::int32_t, 2>>);
  EXPECT_EQ(several[0], 0x10002);
  EXPECT_EQ(several[1], -65533);
  const auto arrays = sycl::upsample(sycl::marray<std::uint8_t, 3>(1, 2, 3),
                                     sycl::marray<std::uint8_t, 3>(4, 5, 6));
  static_assert(std::is_same_v<decltype(arrays), const sycl::marray<std::uint16_t, 3>>);
  EXPECT_EQ(arrays[2], 0x306);
}

TEST(integers, arguments_of_one_type_choose_the_integer_functions) {
  static_assert(std::is_same_v<decltype(sycl::max(1, 2)), int>);
  static_assert(std::is_same_v<decltype(sycl::clamp(1u, 2u, 3u)), unsigned>);
  static_assert(std::is_same_v<decltype(sycl::abs(short(-1))), short>);
  static_assert(std::is_same_v<decltype(sycl::max(1, 2.0f)), float>);
}

TEST(integers, functions_take_the_types_of_their_arguments_as_template_arguments) {
  using V = sycl::vec<int, 2>;
  static_assert(sycl::max<int, int>(1, 2) == 2 && sycl::max<int>(1, 2) == 2);
  static_assert(sycl::min<short, short>(1, 2) == 1 && sycl::min<long>(1, 2) == 1);
  static_assert(sycl::clamp<int, int, int>(5, 1, 3) == 3 && sycl::clamp<int>(5, 1, 3) == 3);
  static_assert(sycl::mad_hi<int, int, int>(2, 3, 4) == 4);
  static_assert(sycl::mad_sat<char, char, char>(100, 2, 1) == 127);
  static_assert(sycl::mad24<int, int, int>(2, 3, 4) == 10 && sycl::mul24<int, int>(2, 3) == 6);
  static_assert(sycl::add_sat<unsigned, unsigned>(~0u, 1u) == ~0u);
  const V v(1, 9), w(5);
  EXPECT_TRUE((sycl::max<V, V>(v, w)[0] == 5 && sycl::max<V>(v, 5)[0] == 5));
  EXPECT_TRUE((sycl::clamp<V, V, V>(v, w, w)[1] == 5 && sycl::clamp<V>(v, 2, 5)[0] == 2));
  EXPECT_EQ((sycl::hadd<V, V>(v, w)[1]), 7);
  EXPECT_EQ((sycl::mad24<V, V, V>(v, w, v)[0]), 6);
  EXPECT_EQ((sycl::abs<V>(v)[1]), 9);
}

}  // namespace
