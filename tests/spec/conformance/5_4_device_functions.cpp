// SPDX-License-Identifier: Apache-2.0
// 5.4: what functions for devices may do in spite of their restrictions. (That pianolacc reports what they may not: tests of
// the compiler.)
#include <cstddef>
#include <new>

#include "checked.hpp"

namespace {

constexpr int table[] = {2, 3, 5, 7};
const double fraction = 0.25;
struct has_constant {
  static constexpr int member = 11;
};

// Polymorphic objects may be there and used, as long as nothing virtual is called.
struct with_virtual {
  virtual ~with_virtual() = default;
  virtual int overridden() const { return 1; }
  int plain() const { return value; }
  int value = 4;
};

struct own_new {
  int value;
  static void* operator new(std::size_t, own_new* at) { return at; }
  static void operator delete(void*, own_new*) {}
};

int does_not_throw(int x) noexcept { return x + 1; }

struct constants {
  int operator()() const {
    static constexpr int within[] = {1, 4, 9};
    int sum = 0;
    for (const int t : table) sum += t;
    CHECK(sum == 17);
    CHECK(fraction * 4 == 1.0);
    CHECK(has_constant::member == 11);
    CHECK(within[2] == 9);
    CHECK("text"[1] == 'e');
    return 0;
  }
};

struct placement_new {
  int operator()() const {
    alignas(own_new) unsigned char room[sizeof(own_new) * 2];
    int* const number = new (room) int(5);
    CHECK(*number == 5);
    own_new* const own = new (reinterpret_cast<own_new*>(room)) own_new{6};
    CHECK(own->value == 6);
    return 0;
  }
};

struct pointers {
  int operator()() const {
    int own[4] = {1, 2, 3, 4};
    int* p = own;
    int* const* const to_pointer = &p;
    p += 2;
    CHECK(**to_pointer == 3 && p - own == 2);
    int& reference = own[1];
    reference = 9;
    CHECK(own[1] == 9);
    const struct {
      int* at;
      std::size_t count;
    } holder{own, 4};
    CHECK(holder.at[holder.count - 1] == 4);
    CHECK(does_not_throw(1) == 2);
    return 0;
  }
};

struct unions {
  int operator()() const {
    union {
      unsigned word;
      float number;
    } u;
    u.word = 0x3f800000u;
    CHECK(u.word == 0x3f800000u);
    u.number = 2.0f;
    CHECK(u.number == 2.0f);
    return 0;
  }
};

TEST(device_functions, use_constants) { checked::everywhere<constants>(); }
TEST(device_functions, use_placement_new_and_operators_new_that_allocate_nothing) {
  checked::everywhere<placement_new>();
}
TEST(device_functions, use_pointers_and_references_to_their_own_variables) {
  checked::everywhere<pointers>();
}
TEST(device_functions, use_unions) { checked::everywhere<unions>(); }

// Pointers that the device does not follow may go there and come back.
TEST(device_functions, pass_pointers_that_they_do_not_follow) {
  int on_host = 0;
  int* const sent = &on_host;
  int* back = nullptr;
  {
    sycl::buffer<int*, 1> b(&back, sycl::range<1>(1));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { out[0] = sent; });
    });
  }
  EXPECT_EQ(back, sent);
}

}  // namespace
