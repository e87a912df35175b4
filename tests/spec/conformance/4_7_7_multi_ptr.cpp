// SPDX-License-Identifier: Apache-2.0
// 4.7.7: multi_ptr, its legacy form and its aliases; sycl_khr_static_addrspace_cast.
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

#include "checked.hpp"

namespace {

using sycl::multi_ptr;
using sycl::access::decorated;
using space = sycl::access::address_space;

template <class T, space S = space::global_space, decorated D = decorated::no>
using ptr = multi_ptr<T, S, D>;

struct point {
  int x, y;
};

template <space S, decorated D>
constexpr bool has_the_members_of_the_specification() {
  using p = multi_ptr<int, S, D>;
  using c = multi_ptr<const int, S, D>;
  using v = multi_ptr<void, S, D>;
  using cv = multi_ptr<const void, S, D>;
  return p::address_space == S && p::is_decorated == (D == decorated::yes) &&
         std::is_same_v<typename p::value_type, int> &&
         std::is_same_v<typename p::difference_type, std::ptrdiff_t> &&
         std::is_same_v<typename p::iterator_category, std::random_access_iterator_tag> &&
         std::is_same_v<sycl::remove_decoration_t<typename p::pointer>, int*> &&
         std::is_same_v<sycl::remove_decoration_t<typename p::reference>, int&> &&
         std::is_same_v<typename v::pointer, void*> && std::is_trivially_copyable_v<p> &&
         sizeof(p) == sizeof(int*) &&
         // From raw pointers explicitly, from null implicitly.
         std::is_constructible_v<p, int*> && !std::is_convertible_v<int*, p> &&
         std::is_convertible_v<std::nullptr_t, p> && std::is_default_constructible_v<p> &&
         // To const, to void, to the other decoration; not back.
         std::is_convertible_v<p, c> && !std::is_constructible_v<p, c> &&
         std::is_convertible_v<p, v> && std::is_convertible_v<c, cv> &&
         std::is_convertible_v<p, cv> && !std::is_constructible_v<v, c> &&
         !std::is_convertible_v<v, p> && std::is_constructible_v<p, v> &&
         std::is_constructible_v<c, cv> && !std::is_constructible_v<p, cv> &&
         std::is_convertible_v<v, cv> && !std::is_constructible_v<v, cv> &&
         std::is_convertible_v<p, multi_ptr<int, S, decorated::no>> &&
         std::is_convertible_v<p, multi_ptr<int, S, decorated::yes>> &&
         // No other element type, implicitly to the raw pointer.
         !std::is_constructible_v<multi_ptr<float, S, D>, p> && std::is_convertible_v<p, int*> &&
         !std::is_convertible_v<v, void*> && std::is_constructible_v<void*, v>;
}
template <decorated D>
constexpr bool in_all_spaces() {
  return has_the_members_of_the_specification<space::global_space, D>() &&
         has_the_members_of_the_specification<space::local_space, D>() &&
         has_the_members_of_the_specification<space::private_space, D>() &&
         has_the_members_of_the_specification<space::generic_space, D>();
}
static_assert(in_all_spaces<decorated::no>() && in_all_spaces<decorated::yes>());

// Into generic implicitly, out of it explicitly, between others not at all.
static_assert(std::is_convertible_v<ptr<int, space::local_space>, ptr<int, space::generic_space>>);
static_assert(std::is_assignable_v<ptr<int, space::generic_space>&,
                                   ptr<int, space::private_space, decorated::yes>>);
static_assert(!std::is_convertible_v<ptr<int, space::generic_space>, ptr<int>>);
static_assert(std::is_constructible_v<ptr<int>, ptr<int, space::generic_space>>);
static_assert(
    std::is_constructible_v<ptr<const int>, ptr<int, space::generic_space, decorated::yes>>);
static_assert(!std::is_constructible_v<ptr<int>, ptr<const int, space::generic_space>>);
static_assert(!std::is_constructible_v<ptr<int>, ptr<int, space::local_space>>);
static_assert(
    !std::is_constructible_v<ptr<int, space::constant_space>, ptr<int, space::generic_space>>);

static_assert(
    !std::is_constructible_v<ptr<int, space::generic_space>, ptr<int, space::constant_space>>);

static_assert(std::is_same_v<sycl::raw_global_ptr<int>, ptr<int>>);
static_assert(
    std::is_same_v<sycl::decorated_local_ptr<int>, ptr<int, space::local_space, decorated::yes>>);
static_assert(std::is_same_v<sycl::raw_private_ptr<int>, ptr<int, space::private_space>>);
static_assert(
    std::is_same_v<sycl::global_ptr<int>, multi_ptr<int, space::global_space, decorated::legacy>>);
static_assert(std::is_same_v<sycl::local_ptr<int, decorated::yes>, sycl::decorated_local_ptr<int>>);
static_assert(std::is_same_v<sycl::constant_ptr<int>,
                             multi_ptr<int, space::constant_space, decorated::legacy>>);

template <space S, decorated D>
struct members {
  int operator()() const {
    int numbers[] = {1, 2, 3, 4, 5};
    using p = multi_ptr<int, S, D>;
    p a(numbers), b = a;
    CHECK(*a == 1 && a[2] == 3 && a.get() == numbers && a.get_raw() == numbers &&
          a.get_decorated() == numbers);
    CHECK(*++a == 2 && *a++ == 2 && *a == 3 && *--a == 2 && *a-- == 2 && *a == 1);
    CHECK(*(a += 3) == 4 && *(a -= 2) == 2 && *(b + 2) == 3 && *(a + 1 - 2) == 1 && a - b == 1);
    *a = 7;
    a[1] = 8;
    CHECK(numbers[1] == 7 && numbers[2] == 8);
    CHECK(a == a && a != b && b < a && a > b && b <= a && a >= b && a == numbers + 1);
    CHECK(a != nullptr && nullptr != a && a > nullptr && nullptr < a && a >= nullptr &&
          nullptr <= a);
    b = nullptr;
    CHECK(b == nullptr && p() == b && p(nullptr) == nullptr && !(b < nullptr) && !b);
    point one{3, 4};
    multi_ptr<point, S, D> q(&one);
    q->x = 5;
    CHECK((*q).x + q->y == 9);
    const multi_ptr<const int, S, D> c = a;
    const multi_ptr<void, S, D> v = a;
    const multi_ptr<const void, S, D> cv = c;
    CHECK(*c == 7 && v.get() == numbers + 1 && cv.get() == v.get() &&
          cv == multi_ptr<const void, S, D>(v));
    CHECK(*static_cast<p>(v) == 7 && *static_cast<multi_ptr<const int, S, D>>(cv) == 7 &&
          v != nullptr);
    const multi_ptr<int, S, decorated::no> plain = a;
    const multi_ptr<int, S, decorated::yes> decorated_one = plain;
    CHECK(*plain == 7 && *decorated_one == 7);
    int* raw = a;
    CHECK(raw == numbers + 1);
    return 0;
  }
};

struct casts {
  int operator()() const {
    int number = 3;
    const auto own = sycl::address_space_cast<space::private_space, decorated::yes>(&number);
    static_assert(
        std::is_same_v<decltype(own), const ptr<int, space::private_space, decorated::yes>>);
    ptr<int, space::generic_space> any = own;
    CHECK(*any == 3 && any.get() == &number);
    any = nullptr;
    any = own;
    const auto back = static_cast<sycl::raw_private_ptr<int>>(any);
    const auto constant = static_cast<sycl::raw_private_ptr<const int>>(any);
    CHECK(*back == 3 && *constant == 3);
    const auto made = sycl::make_ptr<int, space::private_space, decorated::legacy>(&number);
    CHECK(*made == 3);
    const auto khr = sycl::khr::static_addrspace_cast<space::private_space>(&number);
    static_assert(std::is_same_v<decltype(khr), const sycl::raw_private_ptr<int>>);
    const auto from_any = sycl::khr::static_addrspace_cast<space::private_space>(any);
    CHECK(khr == from_any && *from_any == 3);
    return 0;
  }
};

struct legacy {
  int operator()() const {
    int numbers[] = {1, 2, 3};
    sycl::private_ptr<int> p = numbers;
    CHECK(*p == 1 && p[1] == 2 && *(p + 2) == 3 && *++p == 2 && p == numbers + 1 &&
          p.get() == numbers + 1);
    p = numbers;
    int* raw = p;
    const sycl::private_ptr<const int> c = p;
    sycl::private_ptr<void> v = p;
    void* raw_void = v;
    CHECK(raw == numbers && *c == 1 && raw_void == numbers &&
          *static_cast<sycl::private_ptr<int>>(v) == 1);
    v = raw;
    p = nullptr;
    CHECK(p == nullptr && v.get() == numbers);
    sycl::global_ptr<const int>(numbers).prefetch(3);
    static_assert(std::is_same_v<sycl::private_ptr<int>::element_type, int>);
    static_assert(std::is_same_v<sycl::private_ptr<int>::pointer_t, int*>);
    return 0;
  }
};
static_assert(SYCL_KHR_STATIC_ADDRSPACE_CAST == 1);

TEST(multi_ptr, has_the_operators_of_a_pointer) {
  checked::everywhere<members<space::private_space, decorated::no>>();
  checked::everywhere<members<space::private_space, decorated::yes>>();
  checked::everywhere<members<space::generic_space, decorated::no>>();
  checked::everywhere<members<space::generic_space, decorated::yes>>();
}

TEST(multi_ptr, goes_into_the_generic_space_and_out_of_it) { checked::everywhere<casts>(); }

TEST(multi_ptr, has_the_legacy_interface) { checked::everywhere<legacy>(); }

TEST(multi_ptr, is_made_of_accessors) {
  std::vector<int> in(16), out(16);
  std::iota(in.begin(), in.end(), 1);
  {
    sycl::buffer<int> from(in.data(), 16), to(out.data(), 16);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor source(from, h, sycl::read_only);
      sycl::accessor target(to, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<int> local(4, h);
      h.parallel_for(sycl::nd_range<1>(16, 4), [=](sycl::nd_item<1> it) {
        const multi_ptr read(source);
        const multi_ptr write(target);
        const multi_ptr shared(local);
        static_assert(std::is_same_v<decltype(read), const sycl::raw_global_ptr<const int>>);
        static_assert(std::is_same_v<decltype(write), const sycl::raw_global_ptr<int>>);
        static_assert(std::is_same_v<decltype(shared), const sycl::raw_local_ptr<int>>);
        const auto l = it.get_local_id(0), g = it.get_global_id(0);
        shared[l] = read[g];
        sycl::group_barrier(it.get_group());
        const multi_ptr<const int, space::generic_space, decorated::yes> any(local);
        const sycl::decorated_global_ptr<const void> nothing(source);
        const sycl::global_ptr<int> old = target;
        const sycl::local_ptr<int> old_local = local;
        write[g] = any[3 - l] * 10 + (nothing.get() == read.get()) + (old == write.get()) +
                   (old_local[l] == shared[l]);
        static_assert(std::is_same_v<decltype(source.get_multi_ptr<decorated::yes>()),
                                     sycl::decorated_global_ptr<const int>>);
        if (source.get_multi_ptr<decorated::no>() != read) write[g] = -1;
        if (local.get_multi_ptr<decorated::no>() != shared) write[g] = -2;
      });
    });
  }
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[i], (i / 4 * 4 + 4 - i % 4) * 10 + 3) << i;
}

// Accessors of SYCL 1.2.1 with target::constant_buffer give pointers into their own space.
// Whose elements are of a class with operators that take what converts to bool, as pointers do.
TEST(multi_ptr, to_vecs_of_bool_is_counted_on) {
  using flags = sycl::vec<bool, 1>;
  sycl::buffer<flags, 1> b(4);
  sycl::queue().submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.single_task([=] {
      for (std::size_t i = 0; i < 4; ++i) *(a.get_pointer() + i) = flags(i % 2 == 1);
      if (a.get_pointer() == nullptr) a[0] = flags(true);
    });
  });
  const sycl::host_accessor a(b, sycl::read_only);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(a[i][0], i % 2 == 1) << i;
  EXPECT_TRUE((flags(true) & true)[0]);
}

TEST(multi_ptr, is_made_of_accessors_to_constant_buffers) {
  int out[3] = {};
  const int in[2] = {4, 5};
  {
    sycl::buffer<int, 1> from(in, 2), to(out, 3);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor<int, 1, sycl::access_mode::read, sycl::target::constant_buffer> source(from,
                                                                                            h);
      static_assert(std::is_same_v<decltype(source.get_pointer()), sycl::constant_ptr<int>>);
      sycl::accessor target(to, h, sycl::write_only);
      h.single_task([=] {
        const sycl::constant_ptr<int> a(source.get_pointer());
        const sycl::constant_ptr<const int> b(source);
        const auto c = sycl::make_ptr<int, space::constant_space>(a.get());
        static_assert(std::is_same_v<decltype(c), const sycl::constant_ptr<int>>);
        target[0] = *a;
        target[1] = b[1];
        target[2] = c[1] + source[0];
      });
    });
  }
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(out[1], 5);
  EXPECT_EQ(out[2], 9);
}

// Only global memory is fetched in advance; legacy pointers have the member anyway.
template <class Pointer, class = void>
inline constexpr bool prefetches = false;
template <class Pointer>
inline constexpr bool prefetches<
    Pointer, std::void_t<decltype(std::declval<const Pointer&>().prefetch(std::size_t{1}))>> = true;
static_assert(prefetches<sycl::raw_global_ptr<int>> &&
              prefetches<sycl::decorated_global_ptr<const int>>);
static_assert(!prefetches<sycl::raw_local_ptr<int>> && !prefetches<sycl::raw_private_ptr<int>> &&
              !prefetches<sycl::decorated_local_ptr<int>>);
static_assert(prefetches<sycl::global_ptr<int>>);

}  // namespace
