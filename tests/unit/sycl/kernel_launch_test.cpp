// SPDX-License-Identifier: Apache-2.0
// The launcher by itself: entry points called as an executor calls them.
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace glue = pianola::glue;
namespace model = pianola::model;

template <class Shape, class Name = void, class Kernel>
const model::kernel_descriptor& describe(const Kernel&) {
  return glue::describe_kernel<Name, Kernel, Shape>();
}

template <class Shape, class Kernel>
void run(const Kernel& kernel, const model::launch_geometry& geometry, const model::box& part,
         model::array_view<const model::argument_slot> slots = {}, void* local = nullptr) {
  describe<Shape>(kernel).entry(&kernel, geometry, part, slots,
                                model::group_resources{local, 1 << 16});
}

model::launch_geometry over(model::extent3 global) {
  model::launch_geometry g;
  g.global = global;
  return g;
}

model::launch_geometry grouped(model::extent3 global, model::extent3 local) {
  model::launch_geometry g = over(global);
  g.local = local;
  g.grouped = true;
  return g;
}

TEST(kernel_launch, runs_exactly_the_items_of_the_part) {
  std::vector<int> hits(3 * 4 * 5);
  int* h = hits.data();
  const auto kernel = [=](sycl::item<3> it) { h[it.get_linear_id()] += 1; };
  const model::box part{{{1, 1, 2}}, {{3, 4, 4}}};
  run<glue::range_shape<3, false>>(kernel, over({{3, 4, 5}}), part);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 5; ++k) {
        const bool inside = i >= 1 && j >= 1 && k >= 2 && k < 4;
        EXPECT_EQ(hits[(i * 4 + j) * 5 + k], inside ? 1 : 0) << i << ' ' << j << ' ' << k;
      }
}

TEST(kernel_launch, an_empty_part_runs_nothing) {
  int hits = 0;
  int* h = &hits;
  const auto kernel = [=](sycl::id<2>) { *h += 1; };
  run<glue::range_shape<2, false>>(kernel, over({{1, 4, 4}}), model::box{{{0, 2, 0}}, {{1, 2, 4}}});
  run<glue::range_shape<2, false>>(kernel, over({{1, 4, 4}}), model::box{{{0, 0, 3}}, {{1, 4, 3}}});
  EXPECT_EQ(hits, 0);
}

TEST(kernel_launch, an_index_may_be_taken_as_item_id_integer_or_auto) {
  std::vector<std::size_t> seen(4);
  std::size_t* s = seen.data();
  const auto whole = model::box::of({{1, 1, 4}});
  const auto check = [&] {
    EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3}));
    seen.assign(4, 99);
  };
  seen.assign(4, 99);
  run<glue::range_shape<1, false>>([=](sycl::item<1> i) { s[i] = i.get_id(0); }, over({{1, 1, 4}}),
                                   whole);
  check();
  run<glue::range_shape<1, false>>([=](sycl::item<1, false> i) { s[i] = i.get_linear_id(); },
                                   over({{1, 1, 4}}), whole);
  check();
  run<glue::range_shape<1, false>>([=](sycl::id<1> i) { s[i] = i; }, over({{1, 1, 4}}), whole);
  check();
  run<glue::range_shape<1, false>>([=](int i) { s[i] = static_cast<std::size_t>(i); },
                                   over({{1, 1, 4}}), whole);
  check();
  run<glue::range_shape<1, false>>([=](auto i) { s[i] = i.get_range(0) - 4 + i; },
                                   over({{1, 1, 4}}), whole);
  check();
  run<glue::range_shape<1, false>>([=](sycl::id<1> i, sycl::kernel_handler) { s[i] = i; },
                                   over({{1, 1, 4}}), whole);
  check();
}

TEST(kernel_launch, an_offset_is_added_to_ids_and_not_to_linear_ids) {
  std::size_t seen[2][2] = {};
  auto* s = &seen[0];
  model::launch_geometry g = over({{1, 1, 2}});
  g.offset = {{0, 0, 10}};
  run<glue::range_shape<1, true>>(
      [=](sycl::item<1> i) {
        s[i.get_linear_id()][0] = i.get_id(0);
        s[i.get_linear_id()][1] = i.get_offset()[0];
      },
      g, model::box::of({{1, 1, 2}}));
  EXPECT_EQ(seen[0][0], 10u);
  EXPECT_EQ(seen[1][0], 11u);
  EXPECT_EQ(seen[1][1], 10u);
}

TEST(kernel_launch, rows_beyond_the_range_of_int_are_run) {
  std::size_t last = 0;
  std::size_t* l = &last;
  const std::size_t n = (std::size_t{1} << 31) + 5;
  run<glue::range_shape<1, false>>([=](sycl::id<1> i) { *l = i; }, over({{1, 1, n}}),
                                   model::box{{{0, 0, n - 3}}, {{1, 1, n}}});
  EXPECT_EQ(last, n - 1);
}

TEST(kernel_launch, groups_know_their_place_in_every_dimension) {
  struct seen {
    std::size_t global, local, group, local_range, group_range, offset;
  };
  std::vector<seen> all(4 * 6 * 8);
  seen* a = all.data();
  model::launch_geometry g = grouped({{4, 6, 8}}, {{2, 3, 4}});
  g.offset = {{100, 0, 0}};
  run<glue::nd_range_shape<3>>(
      [=](sycl::nd_item<3> it) {
        a[it.get_global_linear_id()] = {it.get_global_id(0),      it.get_local_linear_id(),
                                        it.get_group_linear_id(), it.get_local_range(1),
                                        it.get_group_range(2),    it.get_offset()[0]};
      },
      g, model::box::of({{2, 2, 2}}));
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 8; ++k) {
        const seen& s = all[(i * 6 + j) * 8 + k];
        EXPECT_EQ(s.global, i + 100);
        EXPECT_EQ(s.local, ((i % 2) * 3 + j % 3) * 4 + k % 4);
        EXPECT_EQ(s.group, ((i / 2) * 2 + j / 3) * 2 + k / 4);
        EXPECT_EQ(s.local_range, 3u);
        EXPECT_EQ(s.group_range, 2u);
        EXPECT_EQ(s.offset, 100u);
      }
}

TEST(kernel_launch, every_item_of_a_group_without_barriers_runs_once) {
  for (const model::extent3 local :
       {model::extent3{{1, 1, 1}}, model::extent3{{1, 1, 7}}, model::extent3{{1, 5, 1}},
        model::extent3{{3, 1, 1}}, model::extent3{{2, 3, 4}}}) {
    std::vector<int> hits(volume(local) * 8);
    int* h = hits.data();
    run<glue::nd_range_shape<3>>([=](sycl::nd_item<3> it) { h[it.get_global_linear_id()] += 1; },
                                 grouped({{local[0] * 2, local[1] * 2, local[2] * 2}}, local),
                                 model::box::of({{2, 2, 2}}));
    EXPECT_EQ(hits, std::vector<int>(hits.size(), 1));
  }
}

TEST(kernel_launch, a_group_barrier_separates_what_is_before_from_what_is_after) {
  constexpr std::size_t n = 33;
  std::vector<int> stage(n), sums(n);
  int* s = stage.data();
  int* out = sums.data();
  run<glue::nd_range_shape<1>>(
      [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_local_id(0);
        s[i] = 1;
        sycl::group_barrier(it.get_group());
        int sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += s[j];
        sycl::group_barrier(it.get_group());
        s[i] = 0;
        out[i] = sum;
      },
      grouped({{1, 1, n}}, {{1, 1, n}}), model::box::of({{1, 1, 1}}));
  EXPECT_EQ(sums, std::vector<int>(n, static_cast<int>(n)));
}

TEST(kernel_launch, a_sub_group_may_meet_where_the_others_do_not) {
  constexpr std::size_t n = 24;
  std::vector<int> stage(n), sums(n);
  int* s = stage.data();
  int* out = sums.data();
  run<glue::nd_range_shape<1>>(
      [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_local_id(0);
        const sycl::sub_group sg = it.get_sub_group();
        if (sg.get_group_linear_id() != 1) return;
        s[i] = 1;
        sycl::group_barrier(sg);
        for (std::size_t j = 8; j < 16; ++j) out[i] += s[j];
      },
      grouped({{1, 1, n}}, {{1, 1, n}}), model::box::of({{1, 1, 1}}));
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(sums[i], i / 8 == 1 ? 8 : 0) << i;
}

TEST(kernel_launch, a_sub_group_barrier_separates_the_items_of_a_sub_group) {
  constexpr std::size_t n = 20;
  std::vector<int> stage(n), sums(n);
  int* s = stage.data();
  int* out = sums.data();
  run<glue::nd_range_shape<1>>(
      [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_local_id(0);
        const sycl::sub_group sg = it.get_sub_group();
        const std::size_t first = i - sg.get_local_linear_id();
        s[i] = 1;
        sycl::group_barrier(sg);
        for (std::size_t j = 0; j < sg.get_local_linear_range(); ++j) out[i] += s[first + j];
      },
      grouped({{1, 1, n}}, {{1, 1, n}}), model::box::of({{1, 1, 1}}));
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(sums[i], i < 16 ? 8 : 4) << i;
}

#if !defined(__PIANOLACC__)  // compiled kernels have no scheduler that could notice
// Who has left counts as arrived, and the others find what was written before.
TEST(kernel_launch, a_barrier_may_be_reached_by_those_that_are_left_without_the_first_item) {
  std::vector<int> before(8), seen(8, -1);
  const auto kernel = [&](sycl::nd_item<1> it) {
    const std::size_t i = it.get_local_id(0);
    if (i < 3) return;
    before[i] = static_cast<int>(i);
    sycl::group_barrier(it.get_group());
    seen[i] = before[10 - i];
  };
  run<glue::nd_range_shape<1>>(kernel, grouped({{1, 1, 8}}, {{1, 1, 8}}),
                               model::box::of({{1, 1, 1}}));
  EXPECT_EQ(seen, (std::vector<int>{-1, -1, -1, 7, 6, 5, 4, 3}));
}

#endif

TEST(kernel_launch, exceptions_of_work_items_pass_through) {
  const auto in_range = [](sycl::id<1> i) {
    if (i[0] == 2) throw std::runtime_error("two");
  };
  const auto run_range = [&] {
    run<glue::range_shape<1, false>>(in_range, over({{1, 1, 4}}), model::box::of({{1, 1, 4}}));
  };
  EXPECT_THROW(run_range(), std::runtime_error);
  const auto in_group = [](sycl::nd_item<1> it) {
    sycl::group_barrier(it.get_group());
    if (it.get_local_id(0) == 2) throw std::runtime_error("two");
  };
  const auto run_group = [&] {
    run<glue::nd_range_shape<1>>(in_group, grouped({{1, 1, 4}}, {{1, 1, 4}}),
                                 model::box::of({{1, 1, 1}}));
  };
  EXPECT_THROW(run_group(), std::runtime_error);
}

// What a local accessor does with the pointer that it holds.
template <class T>
T* local_memory_at(T* stored) {
#if defined(__PIANOLACC__)
  return reinterpret_cast<T*>(static_cast<char*>(__pianola_local_memory()) +
                              reinterpret_cast<std::uintptr_t>(stored));
#else
  return stored;
#endif
}

struct with_local {
  int* local;
  int* out;
  void operator()(sycl::nd_item<1> it) const {
    const std::size_t i = it.get_local_id(0);
    int* const l = local_memory_at(local);
    l[i] = static_cast<int>(i);
    sycl::group_barrier(it.get_group());
    out[it.get_global_id(0)] = l[it.get_local_range(0) - 1 - i];
  }
};

TEST(kernel_launch, local_slots_are_patched_in_the_copy_of_the_running_thread_only) {
  std::vector<int> arena(64), out(8);
  const with_local kernel{nullptr, out.data()};
  const model::argument_slot slots[] = {{0, model::argument_slot::kind::local_memory, 0, 16}};
  run<glue::nd_range_shape<1>>(kernel, grouped({{1, 1, 8}}, {{1, 1, 4}}),
                               model::box::of({{1, 1, 2}}), slots, arena.data());
  EXPECT_EQ(out, (std::vector<int>{3, 2, 1, 0, 3, 2, 1, 0}));
  EXPECT_EQ(kernel.local, nullptr);
  EXPECT_EQ(arena[3], 0);  // byte offset 16 is element 4
  EXPECT_EQ(arena[5], 1);
}

TEST(kernel_launch, a_kernel_with_a_destructor_is_destroyed_as_often_as_it_was_copied) {
  const auto shared = std::make_shared<int>(7);
  int* l = nullptr;
  int seen = 0;
  int* s = &seen;
  std::vector<int> arena(16);
  {
    const auto kernel = [l, s, shared](sycl::nd_item<1> it) {
      int* const own = local_memory_at(l) + it.get_local_id(0);
      *own = *shared;
      *s += *own;
    };
    const model::kernel_descriptor& d = describe<glue::nd_range_shape<1>>(kernel);
    ASSERT_NE(d.operations, nullptr);
    const model::argument_slot slots[] = {{0, model::argument_slot::kind::local_memory, 0, 0}};
    run<glue::nd_range_shape<1>>(kernel, grouped({{1, 1, 2}}, {{1, 1, 2}}),
                                 model::box::of({{1, 1, 1}}), slots, arena.data());
    std::vector<unsigned char> raw(sizeof(kernel) + 16);
    void* at = raw.data();
    std::size_t room = raw.size();
    at = std::align(alignof(decltype(kernel)), sizeof(kernel), at, room);
    d.operations->copy(at, &kernel);
    EXPECT_EQ(shared.use_count(), 3);
    d.operations->destroy(at);
  }
  EXPECT_EQ(seen, 14);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(kernel_launch, a_kernel_has_one_description_with_its_size_and_a_name) {
  double factor = 2;
  const auto kernel = [=](sycl::id<1>) { (void)factor; };
  const model::kernel_descriptor& d =
      describe<glue::range_shape<1, false>, class the_name_of_this_kernel>(kernel);
  EXPECT_EQ(&d, (&describe<glue::range_shape<1, false>, class the_name_of_this_kernel>(kernel)));
  EXPECT_EQ(d.argument_bytes, sizeof(double));
  EXPECT_EQ(d.argument_alignment, alignof(double));
  EXPECT_EQ(d.operations, nullptr);
  EXPECT_NE(d.statistics, nullptr);
  EXPECT_NE(std::string(d.name).find("the_name_of_this_kernel"), std::string::npos) << d.name;
  EXPECT_EQ(std::string(d.name).find('/'), std::string::npos) << d.name;
}

TEST(kernel_launch, two_lambdas_of_one_function_and_one_signature_have_different_ids) {
  const auto first = [](sycl::id<1>) {};
  const auto second = [](sycl::id<1>) {};
  EXPECT_NE((describe<glue::range_shape<1, false>>(first).id),
            (describe<glue::range_shape<1, false>>(second).id));
}

TEST(kernel_launch, equal_names_in_two_translation_units_give_different_ids) {
  EXPECT_NE(glue::type_hash<int>("a.cpp"), glue::type_hash<int>("b.cpp"));
  EXPECT_EQ(glue::type_hash<int>("a.cpp"), glue::type_hash<int>("a.cpp"));
}

}  // namespace
