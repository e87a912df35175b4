// SPDX-License-Identifier: Apache-2.0
// 4.14.2: swizzles of vec, with SYCL_SIMPLE_SWIZZLES.
#define SYCL_SIMPLE_SWIZZLES
#include <type_traits>
#include <utility>

#include "checked.hpp"

namespace {

using sycl::elem;
using sycl::vec;

template <class A, class B>
bool equal(const A& a, const B& b) {
  static_assert(sycl::detail::element_count_v<A> == sycl::detail::element_count_v<B>);
  for (int i = 0; i < sycl::detail::element_count_v<A>; ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}

// Which members there are depends on the number of elements.
#define HAS(name)                    \
  template <class V, class = void>   \
  constexpr bool has_##name = false; \
  template <class V>                 \
  constexpr bool has_##name<V, std::void_t<decltype(std::declval<V&>().name())>> = true
HAS(x);
HAS(y);
HAS(w);
HAS(r);
HAS(s0);
HAS(s7);
HAS(sF);
HAS(lo);
HAS(xx);
HAS(zyx);
HAS(wwww);
HAS(rgba);
#undef HAS
static_assert(elem::x == 0 && elem::y == 1 && elem::z == 2 && elem::w == 3);
static_assert(elem::r == 0 && elem::g == 1 && elem::b == 2 && elem::a == 3);
static_assert(elem::s0 == 0 && elem::s1 == 1 && elem::s2 == 2 && elem::s3 == 3 && elem::s4 == 4 &&
              elem::s5 == 5 && elem::s6 == 6 && elem::s7 == 7 && elem::s8 == 8 && elem::s9 == 9 &&
              elem::sA == 10 && elem::sB == 11 && elem::sC == 12 && elem::sD == 13 &&
              elem::sE == 14 && elem::sF == 15);

template <int N>
using v = vec<int, N>;
static_assert(has_x<v<1>> && has_x<v<4>> && !has_x<v<8>> && has_y<v<2>> && !has_y<v<1>>);
static_assert(has_w<v<4>> && !has_w<v<3>> && has_r<v<4>> && !has_r<v<3>>);
static_assert(has_s0<v<1>> && has_s7<v<8>> && !has_s7<v<4>> && has_sF<v<16>> && !has_sF<v<8>>);
static_assert(has_lo<v<2>> && has_lo<v<3>> && !has_lo<v<1>>);
static_assert(has_xx<v<1>> && has_zyx<v<3>> && !has_zyx<v<2>> && has_wwww<v<4>> && !has_wwww<v<3>>);
static_assert(has_rgba<v<4>> && !has_rgba<v<3>> && !has_xx<v<8>>);
static_assert(has_lo<decltype(std::declval<v<8>&>().lo())> &&
              has_w<decltype(std::declval<v<8>&>().lo())>);

static_assert(std::is_same_v<decltype(std::declval<v<4>&>().x()), int&>);
static_assert(std::is_same_v<decltype(std::declval<const v<4>&>().x()), const int&>);
// A swizzle of a const vec is not written to; nor does one convert to a vec of another length.
static_assert(!std::is_convertible_v<decltype(std::declval<v<4>&>().lo()), v<4>>);
static_assert(std::is_convertible_v<decltype(std::declval<const v<4>&>().lo()), v<2>>);
static_assert(std::is_same_v<decltype(std::declval<v<4>&>().swizzle<0>() + 1), v<1>>);

struct names {
  int operator()() const {
    const vec<int, 16> all(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    CHECK(all.s0() == 0 && all.s1() == 1 && all.s2() == 2 && all.s3() == 3 && all.s4() == 4);
    CHECK(all.s5() == 5 && all.s6() == 6 && all.s7() == 7 && all.s8() == 8 && all.s9() == 9);
    CHECK(all.sA() == 10 && all.sB() == 11 && all.sC() == 12 && all.sD() == 13);
    CHECK(all.sE() == 14 && all.sF() == 15);
    const vec<int, 4> four(1, 2, 3, 4);
    CHECK(four.x() == 1 && four.y() == 2 && four.z() == 3 && four.w() == 4);
    CHECK(four.r() == 1 && four.g() == 2 && four.b() == 3 && four.a() == 4);
    vec<int, 4> written;
    written.x() = 5;
    written.g() = 6;
    written.s2() = 7;
    written.w() = 8;
    written.w()++;
    CHECK(equal(written, vec<int, 4>(5, 6, 7, 9)));
    return 0;
  }
};

struct parts {
  int operator()() const {
    const vec<int, 16> all(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    CHECK(equal(all.lo(), vec<int, 8>(0, 1, 2, 3, 4, 5, 6, 7)));
    CHECK(equal(all.hi(), vec<int, 8>(8, 9, 10, 11, 12, 13, 14, 15)));
    CHECK(equal(all.odd(), vec<int, 8>(1, 3, 5, 7, 9, 11, 13, 15)));
    CHECK(equal(all.even(), vec<int, 8>(0, 2, 4, 6, 8, 10, 12, 14)));
    CHECK(equal(all.hi().odd().lo(), vec<int, 2>(9, 11)) && all.hi().odd().lo().y() == 11);
    const vec<int, 3> three(1, 2, 3);
    CHECK(equal(three.lo(), vec<int, 2>(1, 2)) && three.hi()[0] == 3);
    CHECK(equal(three.even(), vec<int, 2>(1, 3)) && three.odd()[0] == 2);
    const vec<int, 2> two(1, 2);
    CHECK(two.lo() == 1 && two.hi() == 2 && two.even() == 1 && two.odd() == 2);
    vec<int, 8> written(0);
    written.odd().hi() = vec<int, 2>(5, 7);
    CHECK(equal(written, vec<int, 8>(0, 0, 0, 0, 0, 5, 0, 7)));
    return 0;
  }
};

struct indices {
  int operator()() const {
    vec<float, 4> a(1, 2, 3, 4);
    CHECK(equal(a.swizzle<elem::w, elem::z, elem::y, elem::x>(), vec<float, 4>(4, 3, 2, 1)));
    CHECK(equal(a.swizzle<3, 3, 0>(), vec<float, 3>(4, 4, 1)));
    CHECK(equal(a.swizzle<elem::s1, elem::s0, 2, 2, 2, 2, 3, 3>(),
                vec<float, 8>(2, 1, 3, 3, 3, 3, 4, 4)));
    CHECK(equal(a.swizzle<3, 2>().swizzle<1, 0, 0>(), vec<float, 3>(3, 4, 4)));
    const float third = a.swizzle<2>();
    CHECK(third == 3);
    const vec<float, 1> one = a.swizzle<1>();
    const vec<float, 1> again(a.swizzle<1>());
    CHECK(one == 2 && again == 2 && a.swizzle<1>() == 2 && a.swizzle<0>() + a.swizzle<3>() == 5);
    CHECK(equal(a * a.swizzle<1>(), vec<float, 4>(2, 4, 6, 8)));
    CHECK(equal(a.swizzle<0, 1>() * a.swizzle<1>(), vec<float, 2>(2, 4)));
    return 0;
  }
};

struct assignment {
  int operator()() const {
    vec<int, 4> a(1, 2, 3, 4);
    a.swizzle<0, 1>() = a.swizzle<1, 0>();  // swaps
    CHECK(equal(a, vec<int, 4>(2, 1, 3, 4)));
    a.lo() = a.hi();
    CHECK(equal(a, vec<int, 4>(3, 4, 3, 4)));
    a.wzyx() = vec<int, 4>(1, 2, 3, 4);
    CHECK(equal(a, vec<int, 4>(4, 3, 2, 1)));
    a.xz() = 7;
    CHECK(equal(a, vec<int, 4>(7, 3, 7, 1)));
    a.xy() = {1, 2};
    CHECK(equal(a, vec<int, 4>(1, 2, 7, 1)));
    a.zw() += a.xy();
    a.xy() *= 3;
    CHECK(equal(a, vec<int, 4>(3, 6, 8, 3)));
    a.xw() <<= vec<int, 2>(1, 2);
    a.yz() %= 5;
    CHECK(equal(a, vec<int, 4>(6, 1, 3, 12)));
    ++a.xy();
    CHECK(equal(a.zw()++, vec<int, 2>(3, 12)) && equal(a, vec<int, 4>(7, 2, 4, 13)));
    --a.rgba();
    a = a.wzyx();
    CHECK(equal(a, vec<int, 4>(12, 3, 1, 6)));
    a += a.xxxx();
    CHECK(equal(a, vec<int, 4>(24, 15, 13, 18)));
    a.swizzle<2>() = 1;
    a.swizzle<3>() -= 8;
    CHECK(a.z() == 1 && a.w() == 10);
    return 0;
  }
};

#define CHECK_WITH(op)                                                    \
  do {                                                                    \
    const vec<int, 2> a = p.lo(), b = q.wy();                             \
    CHECK(equal(p.lo() op q.wy(), a op b) && equal(p.lo() op b, a op b)); \
    CHECK(equal(a op q.wy(), a op b) && equal(p.lo() op 3, a op 3));      \
    CHECK(equal(3 op q.wy(), 3 op b));                                    \
  } while (false)

struct operators {
  int operator()() const {
    const vec<int, 4> p(12, 7, 0, 3);
    vec<int, 4> q(1, 5, 4, 3);
    CHECK_WITH(+);
    CHECK_WITH(-);
    CHECK_WITH(*);
    CHECK_WITH(/);
    CHECK_WITH(%);
    CHECK_WITH(&);
    CHECK_WITH(|);
    CHECK_WITH(^);
    CHECK_WITH(<<);
    CHECK_WITH(>>);
    CHECK_WITH(==);
    CHECK_WITH(!=);
    CHECK_WITH(<);
    CHECK_WITH(>);
    CHECK_WITH(<=);
    CHECK_WITH(>=);
    CHECK_WITH(&&);
    CHECK_WITH(||);
    CHECK(equal(-p.xy(), vec<int, 2>(-12, -7)) && equal(+p.yx(), vec<int, 2>(7, 12)));
    CHECK(equal(~p.zw(), vec<int, 2>(-1, -4)) && equal(!p.zw(), vec<int, 2>(-1, 0)));
    return 0;
  }
};

struct members {
  int operator()() const {
    vec<float, 4> a(1.5f, 2.5f, 3.5f, 4.5f);
    CHECK(equal(a.wx().convert<int>(), vec<int, 2>(4, 2)));  // to nearest even
    CHECK(equal(a.wx().convert<int, sycl::rounding_mode::rtp>(), vec<int, 2>(5, 2)));
    CHECK((a.xx().as<vec<int, 2>>()[1] == 0x3fc00000));
    CHECK(a.xyz().size() == 3 && a.xyz().byte_size() == 16 && a.xy().get_count() == 2 &&
          a.xy().get_size() == 8);
    float memory[] = {9, 8, 7, 6};
    a.zx().load(1, memory);
    CHECK(equal(a, vec<float, 4>(6, 2.5f, 7, 4.5f)));
    a.yw().store(0, memory);
    CHECK(memory[0] == 2.5f && memory[1] == 4.5f && memory[2] == 7);
    a.yx()[0] = 3;
    CHECK(a.y() == 3);
    a.bgr().x() = 1;
    CHECK(a.z() == 1);
    return 0;
  }
};

// Every one of the names, by comparing with positions computed from its letters.
template <int N, class V, class F>
bool named(const V& value, const char (&name)[N], const char* letters, F&& element) {
  for (int i = 0; i + 1 < N; ++i) {
    int at = 0;
    while (letters[at] != name[i]) ++at;
    if (element(i) != value[at]) return false;
  }
  return true;
}
#define NAMED(name, letters) CHECK(named(a, #name, letters, [&](int i) { return a.name()[i]; }))

struct permutations {
  int operator()() const {
    const char xyzw[] = "xyzw", rgba[] = "rgba";
    const vec<int, 4> a(10, 20, 30, 40);
    NAMED(xx, xyzw);
    NAMED(yx, xyzw);
    NAMED(wz, xyzw);
    NAMED(xyz, xyzw);
    NAMED(zzy, xyzw);
    NAMED(wxy, xyzw);
    NAMED(xyzw, xyzw);
    NAMED(wzyx, xyzw);
    NAMED(zxwy, xyzw);
    NAMED(yyyy, xyzw);
    NAMED(rg, rgba);
    NAMED(abg, rgba);
    NAMED(bgra, rgba);
    NAMED(aarr, rgba);
    const vec<int, 2> two(1, 2);
    CHECK(equal(two.yxyx(), vec<int, 4>(2, 1, 2, 1)));
    const vec<int, 3> three(1, 2, 3);
    CHECK(equal(three.zzxy(), vec<int, 4>(3, 3, 1, 2)));
    return 0;
  }
};

TEST(swizzles, name_each_element) { checked::everywhere<names>(); }
TEST(swizzles, lo_hi_odd_and_even_are_parts_of_parts) { checked::everywhere<parts>(); }
TEST(swizzles, take_any_positions_in_any_order) { checked::everywhere<indices>(); }
TEST(swizzles, are_assigned_to_after_the_right_side_was_read) { checked::everywhere<assignment>(); }
TEST(swizzles, stand_in_every_operator_for_the_vec_they_read_as) {
  checked::everywhere<operators>();
}
TEST(swizzles, have_the_members_of_vec) { checked::everywhere<members>(); }
TEST(swizzles, simple_ones_name_all_sequences) { checked::everywhere<permutations>(); }

}  // namespace
