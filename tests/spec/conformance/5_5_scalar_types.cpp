// SPDX-License-Identifier: Apache-2.0
// 5.5: fundamental types have the same size, alignment and representation in kernels as on the host. 3.14: so the order of
// bytes is the host's.
// also tests: 3.14
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace {

template <class T>
struct after_a_char {
  char c;
  T value;
};

template <class... T>
struct types {
  static constexpr std::size_t count = 4 * sizeof...(T);
  /// Size, alignment, place in a struct, and whether it has a sign, as whoever calls this sees it.
  static void describe(std::uint32_t* to) {
    (
        [&] {
          *to++ = sizeof(T);
          *to++ = alignof(T);
          const after_a_char<T> pair{};
          *to++ = static_cast<std::uint32_t>(reinterpret_cast<const char*>(&pair.value) - &pair.c);
          *to++ = static_cast<T>(-1) < static_cast<T>(0);
        }(),
        ...);
  }
};
using all = types<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned,
                  long, unsigned long, long long, unsigned long long, float, double, std::int8_t,
                  std::int16_t, std::int32_t, std::int64_t, std::size_t, std::ptrdiff_t, wchar_t,
                  char16_t, char32_t, sycl::half>;

TEST(scalar_types, have_the_hosts_layout_in_kernels) {
  static_assert(sizeof(char) == 1 && sizeof(short) >= 2 && sizeof(int) >= 2 && sizeof(long) >= 4 &&
                sizeof(long long) >= 8);
  static_assert(std::numeric_limits<float>::is_iec559 && sizeof(float) == 4);
  static_assert(std::numeric_limits<double>::is_iec559 && sizeof(double) == 8);
  std::vector<std::uint32_t> host(all::count), kernel(all::count);
  all::describe(host.data());
  {
    sycl::buffer<std::uint32_t, 1> b(kernel);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { all::describe(&out[0]); });
    });
  }
  EXPECT_EQ(kernel, host);
}

struct mixed {
  char c;
  double d;
  short s;
  void* p;
  bool b;
  std::size_t n;
};

TEST(scalar_types, keep_their_bytes_between_host_and_kernel) {
  const std::uint64_t number = 0x0102030405060708u;
  unsigned char bytes[sizeof number], in_kernel[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  {
    sycl::buffer<unsigned char, 1> b(in_kernel, sycl::range<1>(sizeof number));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only, sycl::no_init);
      h.single_task([=] {
        const auto* const from = reinterpret_cast<const unsigned char*>(&number);
        for (std::size_t i = 0; i < sizeof number; ++i) out[i] = from[i];
      });
    });
  }
  EXPECT_EQ(std::memcmp(bytes, in_kernel, sizeof number), 0);
}

TEST(scalar_types, keep_their_places_in_structs) {
  const mixed sent{'c', 2.5, -3, nullptr, true, std::numeric_limits<std::size_t>::max()};
  mixed back{};
  {
    sycl::buffer<mixed, 1> b(&back, sycl::range<1>(1));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only, sycl::no_init);
      h.single_task([=] {
        out[0] = sent;
        out[0].s = static_cast<short>(sent.s - 1);
      });
    });
  }
  EXPECT_EQ(back.c, 'c');
  EXPECT_EQ(back.d, 2.5);
  EXPECT_EQ(back.s, -4);
  EXPECT_EQ(back.p, nullptr);
  EXPECT_TRUE(back.b);
  EXPECT_EQ(back.n, sent.n);
}

TEST(endianness, of_devices_can_be_asked_for) {
  const std::uint16_t probe = 1;
  unsigned char first;
  std::memcpy(&first, &probe, 1);
  for (const sycl::device& d : sycl::device::get_devices())
    EXPECT_EQ(d.get_info<sycl::info::device::is_endian_little>(), first == 1);
}

}  // namespace
