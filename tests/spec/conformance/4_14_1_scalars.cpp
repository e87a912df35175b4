// SPDX-License-Identifier: Apache-2.0
// 4.14.1: scalar data types, half; and sycl_ext_oneapi_bfloat16, which behaves alike.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>
#include <type_traits>

#include "checked.hpp"

namespace {

using sycl::half;
using sycl::ext::oneapi::bfloat16;

static_assert(std::is_same_v<sycl::byte, std::uint8_t> && std::is_same_v<sycl::schar, signed char>);
static_assert(std::is_same_v<sycl::uchar, unsigned char> &&
              std::is_same_v<sycl::ushort, unsigned short>);
static_assert(std::is_same_v<sycl::uint, unsigned> && std::is_same_v<sycl::ulong, unsigned long>);
static_assert(std::is_same_v<sycl::longlong, long long> &&
              std::is_same_v<sycl::ulonglong, unsigned long long>);
static_assert(std::is_same_v<sycl::cl_int, std::int32_t> &&
              std::is_same_v<sycl::opencl::cl_ulong, std::uint64_t>);
static_assert(std::is_same_v<sycl::cl_half, half> && std::is_same_v<sycl::opencl::cl_float, float>);
static_assert(sizeof(half) == 2 && alignof(half) == 2 && sizeof(bfloat16) == 2 &&
              alignof(bfloat16) == 2);
static_assert(sycl::is_device_copyable_v<half> && sycl::is_device_copyable_v<bfloat16>);
static_assert(std::is_trivially_default_constructible_v<half> &&
              std::is_trivially_copyable_v<half>);

// Types of operations.
static_assert(std::is_same_v<decltype(half(1) + half(1)), half> &&
              std::is_same_v<decltype(half(1) * 2), half>);
static_assert(std::is_same_v<decltype(half(1) / 2.0f), float> &&
              std::is_same_v<decltype(2.0 - half(1)), double>);
static_assert(std::is_same_v<decltype(-half(1)), half> &&
              std::is_same_v<decltype(half(1) < 2), bool>);
static_assert(std::is_same_v<decltype(bfloat16(1) + bfloat16(1)), bfloat16>);
static_assert(std::is_same_v<decltype(bfloat16(1) * 2.0f), bfloat16>);
static_assert(std::is_convertible_v<half, float> && std::is_convertible_v<float, half>);
static_assert(std::is_convertible_v<bfloat16, half> && std::is_convertible_v<half, bfloat16>);

// In constant expressions.
static_assert(half(1.5f) + half(2) == 3.5f && half(0.1f) != 0.1f && -half(2) == half(-2.0) &&
              !half(0));
static_assert(bfloat16(1.5f) * bfloat16(2) == 3.0f && bfloat16(-0.0f) == 0);
static_assert(sycl::bit_cast<std::uint16_t>(half(1)) == 0x3c00 &&
              sycl::bit_cast<float>(0x40000000u) == 2.0f);
using limits = std::numeric_limits<half>;
static_assert(limits::is_specialized && limits::digits == 11 && limits::max_exponent == 16 &&
              limits::has_infinity);
static_assert(limits::max() == 65504.0f && limits::lowest() == -65504.0f &&
              limits::min() == 0x1p-14f);
static_assert(limits::epsilon() == 0x1p-10f && limits::denorm_min() == 0x1p-24f &&
              limits::infinity() > limits::max());
static_assert(std::numeric_limits<bfloat16>::max() == 0x1.fep127f &&
              std::numeric_limits<bfloat16>::epsilon() == 0x1p-7f);

std::uint16_t bits(half h) { return sycl::bit_cast<std::uint16_t>(h); }
std::uint16_t bits(bfloat16 b) { return sycl::bit_cast<std::uint16_t>(b); }

/// The format's neighbours of a value, found without converting to it: nearest, ties to the even one.
template <class Narrow, class Wide>
std::uint16_t nearest(Wide value) {
  constexpr std::uint16_t largest = std::is_same_v<Narrow, half> ? 0x7bff : 0x7f7f;
  const Wide magnitude = std::fabs(value);
  int low = 0, high = largest + 1;  // the last one for all that is larger
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const auto number =
        static_cast<float>(sycl::bit_cast<Narrow>(static_cast<std::uint16_t>(middle)));
    (static_cast<Wide>(number) <= magnitude ? low : high) = middle;
  }
  const double below = static_cast<float>(sycl::bit_cast<Narrow>(static_cast<std::uint16_t>(low)));
  const double above = high <= largest
                           ? static_cast<double>(static_cast<float>(
                                 sycl::bit_cast<Narrow>(static_cast<std::uint16_t>(high))))
                           : (std::is_same_v<Narrow, half> ? 0x1p16 : 0x1p128);
  // Not the differences: they would be rounded.
  const double middle = (below + above) / 2;
  const bool up = static_cast<double>(magnitude) > middle ||
                  (static_cast<double>(magnitude) == middle && low % 2 == 1);
  return static_cast<std::uint16_t>((up ? high : low) | (std::signbit(value) ? 0x8000 : 0));
}

template <class Narrow>
void check_all_values() {
  for (unsigned i = 0; i < 0x10000; ++i) {
    const auto value = sycl::bit_cast<Narrow>(static_cast<std::uint16_t>(i));
    const float wide = value;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Narrow(wide))));
      continue;
    }
    ASSERT_EQ(bits(Narrow(wide)), i);
    ASSERT_EQ(bits(Narrow(static_cast<double>(wide))), i);
  }
}

template <class Narrow>
void check_rounding() {
  std::uint64_t random = 88172645463325252u;
  for (int i = 0; i < 20000; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const auto f = sycl::bit_cast<float>(static_cast<std::uint32_t>(random));
    if (!std::isnan(f)) {
      ASSERT_EQ(bits(Narrow(f)), nearest<Narrow>(f)) << f;
    }
    // Near ties of the narrow format, where rounding twice would go wrong.
    const float number = sycl::bit_cast<Narrow>(static_cast<std::uint16_t>(random & 0x7fff));
    const float next = sycl::bit_cast<Narrow>(static_cast<std::uint16_t>((random & 0x7fff) + 1));
    if (!std::isfinite(number) || !std::isfinite(next)) continue;
    const double tie = (static_cast<double>(number) + next) / 2;
    for (const double d : {tie, std::nextafter(tie, 1e308), std::nextafter(tie, -1e308), -tie}) {
      ASSERT_EQ(bits(Narrow(d)), nearest<Narrow>(d)) << d;
      ASSERT_EQ(bits(Narrow(static_cast<float>(d))), nearest<Narrow>(static_cast<float>(d))) << d;
    }
  }
}

TEST(half, converts_to_float_and_back_without_loss) { check_all_values<half>(); }
TEST(half, rounds_to_the_nearest_value_once) { check_rounding<half>(); }
TEST(bfloat16, converts_to_float_and_back_without_loss) { check_all_values<bfloat16>(); }
TEST(bfloat16, rounds_to_the_nearest_value_once) { check_rounding<bfloat16>(); }

template <class Narrow>
struct arithmetic {
  int operator()() const {
    const float values[] = {0.5f, -1.25f, 3.0f, 100.0f, 0.0078125f};
    for (const float x : values) {
      for (const float y : values) {
        const Narrow a = x, b = y;
        const float p = a, q = b;
        CHECK(a + b == Narrow(p + q) && a - b == Narrow(p - q) && a * b == Narrow(p * q) &&
              a / b == Narrow(p / q));
        CHECK((a == b) == (p == q) && (a != b) == (p != q) && (a < b) == (p < q) &&
              (a > b) == (p > q));
        CHECK((a <= b) == (p <= q) && (a >= b) == (p >= q) && (a < y) == (p < y) &&
              (x <= b) == (x <= q));
        Narrow c = a;
        c += b;
        CHECK(c == Narrow(p + q));
        c = a;
        c -= b;
        CHECK(c == Narrow(p - q));
        c = a;
        c *= b;
        CHECK(c == Narrow(p * q));
        c = a;
        c /= b;
        CHECK(c == Narrow(p / q));
        c = a;
        c *= 2;
        c += 1.0f;
        CHECK(c == Narrow(static_cast<float>(Narrow(p * 2)) + 1));
        float f = x;
        f += b;
        CHECK(f == x + q);
      }
    }
    Narrow n = 2;
    CHECK(n++ == 2 && n == 3 && ++n == 4 && n-- == 4 && --n == 2 && -n == -2 && +n == 2 && !!n);
    const int whole = static_cast<int>(Narrow(7.9f));
    const double wide = Narrow(0.5);
    CHECK(whole == 7 && wide == 0.5 && Narrow(3u) == 3 && Narrow(true) == 1 && Narrow(-5L) == -5);
    const Narrow infinity = std::numeric_limits<Narrow>::infinity(),
                 nan = std::numeric_limits<Narrow>::quiet_NaN();
    CHECK(infinity > std::numeric_limits<Narrow>::max() && !(nan == nan) && nan != nan &&
          !(nan < 1));
    CHECK(sycl::bit_cast<std::uint16_t>(-Narrow(0)) == 0x8000 && -Narrow(0) == Narrow(0));
    return 0;
  }
};
TEST(half, calculates_in_kernels_as_on_the_host) { checked::everywhere<arithmetic<half>>(); }
TEST(bfloat16, calculates_in_kernels_as_on_the_host) {
  checked::everywhere<arithmetic<bfloat16>>();
}

// A program's own functions, with the names of some of SYCL's, called unqualified.
namespace of_program {
template <class To, class From>
To bit_cast(const From& from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
template <class T>
T clamp(const T& value, const T&, const T&) {
  return value;
}
std::uint16_t bits_of(half value) {
  return bit_cast<std::uint16_t>(clamp(value, half(5), half(6)));
}
}  // namespace of_program

TEST(half, leaves_unqualified_calls_to_the_program) {
  EXPECT_EQ(of_program::bits_of(half(1)), 0x3c00);
}

TEST(half, is_hashed_read_and_written) {
  EXPECT_EQ(std::hash<half>()(half(1.5f)), std::hash<half>()(half(1.5)));
  EXPECT_EQ(std::hash<half>()(half(0.0f)), std::hash<half>()(half(-0.0f)));
  EXPECT_NE(std::hash<half>()(half(1)), std::hash<half>()(half(2)));
  std::stringstream text;
  text << half(1.5f) << ' ' << bfloat16(2.5f);
  EXPECT_EQ(text.str(), "1.5 2.5");
  half h;
  bfloat16 b;
  text >> h >> b;
  EXPECT_EQ(h, 1.5f);
  EXPECT_EQ(b, 2.5f);
}

}  // namespace
