// SPDX-License-Identifier: Apache-2.0
// 4.11: kernel identifiers, kernel bundles, device images and kernels.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

using sycl::bundle_state;
namespace experimental = sycl::ext::oneapi::experimental;

class first;
class second;
class absent;
class grouped;
struct function_object {
  int* to;
  void operator()(sycl::id<1> i) const { to[i] = 3; }
};
struct demanding {
  void operator()() const {}
  auto get(experimental::properties_tag) const {
    return experimental::properties{experimental::device_has<sycl::aspect::custom>};
  }
};
struct in_groups {
  void operator()(sycl::nd_item<2>) const {}
  auto get(experimental::properties_tag) const {
    return experimental::properties{experimental::work_group_size<2, 16>};
  }
};
struct needing_two {
  void operator()() const {}
  auto get(experimental::properties_tag) const {
    return experimental::properties{
        experimental::device_has<sycl::aspect::fp64, sycl::aspect::atomic64>};
  }
};

/// Never called: that the program could launch them makes kernels known.
void launches(sycl::queue& q, int* to) {
  q.single_task<first>([=] { to[0] = 1; });
  q.single_task<second>([=] { to[0] = 2; });
  q.parallel_for(sycl::range<1>(1), function_object{to});
  q.single_task(demanding{});
  q.single_task(needing_two{});
  q.parallel_for<grouped>(sycl::nd_range<2>({2, 16}, {2, 16}), in_groups{});
}
[[maybe_unused]] auto* volatile keep_launches = &launches;

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(kernel_ids, are_found_by_name_whether_or_not_the_kernel_was_launched) {
  const sycl::kernel_id id = sycl::get_kernel_id<first>();
  EXPECT_EQ(id, sycl::get_kernel_id<first>());
  EXPECT_NE(id, sycl::get_kernel_id<second>());
  EXPECT_NE(std::string(id.get_name()).find("first"), std::string::npos);
  EXPECT_EQ(std::hash<sycl::kernel_id>()(id),
            std::hash<sycl::kernel_id>()(sycl::get_kernel_id<first>()));
  EXPECT_NO_THROW(sycl::get_kernel_id<function_object>());
}

TEST(kernel_ids, of_no_kernel_are_refused) {
  EXPECT_EQ(code_of([] { sycl::get_kernel_id<absent>(); }), sycl::errc::invalid);
}

TEST(kernel_ids, are_listed_without_the_kernels_of_the_library) {
  sycl::queue q;
  struct big {
    char bytes[1000];
  };
  sycl::buffer<big, 1> b{sycl::range<1>(2)};
  const std::size_t before = sycl::get_kernel_ids().size();
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.fill(a, big{});
  });
  const std::vector<sycl::kernel_id> all = sycl::get_kernel_ids();
  EXPECT_EQ(all.size(), before);
  EXPECT_TRUE(contains(all, sycl::get_kernel_id<first>()));
  EXPECT_TRUE(contains(all, sycl::get_kernel_id<function_object>()));
  for (const sycl::kernel_id& id : all)
    EXPECT_EQ(std::string(id.get_name()).find("fill_elements"), std::string::npos) << id.get_name();
}

template <bundle_state State>
void check_bundle_of_all() {
  sycl::queue q;
  const sycl::context c = q.get_context();
  ASSERT_TRUE(sycl::has_kernel_bundle<State>(c));
  ASSERT_TRUE(sycl::has_kernel_bundle<State>(c, {q.get_device()}));
  const sycl::kernel_bundle<State> bundle = sycl::get_kernel_bundle<State>(c);
  EXPECT_FALSE(bundle.empty());
  EXPECT_EQ(bundle.get_context(), c);
  EXPECT_EQ(bundle.get_backend(), q.get_backend());
  EXPECT_EQ(bundle.get_devices(), c.get_devices());
  EXPECT_TRUE(bundle.template has_kernel<first>());
  EXPECT_TRUE(bundle.template has_kernel<first>(q.get_device()));
  EXPECT_TRUE(bundle.has_kernel(sycl::get_kernel_id<second>()));
  EXPECT_TRUE(bundle.has_kernel(sycl::get_kernel_id<second>(), q.get_device()));
  EXPECT_FALSE(bundle.template has_kernel<absent>());
  EXPECT_FALSE(bundle.template has_kernel<demanding>());
  EXPECT_TRUE(contains(bundle.get_kernel_ids(), sycl::get_kernel_id<first>()));
  EXPECT_FALSE(contains(bundle.get_kernel_ids(), sycl::get_kernel_id<demanding>()));
  std::size_t images = 0;
  bool found = false;
  for (const sycl::device_image<State>& image : bundle) {
    ++images;
    if (image.has_kernel(sycl::get_kernel_id<first>())) {
      found = true;
      EXPECT_TRUE(image.has_kernel(sycl::get_kernel_id<first>(), q.get_device()));
    }
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(images, static_cast<std::size_t>(std::distance(bundle.begin(), bundle.end())));
  const sycl::kernel_bundle<State> copy = bundle;
  EXPECT_TRUE(copy == bundle);
  EXPECT_EQ(std::hash<sycl::kernel_bundle<State>>()(copy),
            std::hash<sycl::kernel_bundle<State>>()(bundle));
  EXPECT_TRUE(bundle != sycl::get_kernel_bundle<State>(c));
}

TEST(kernel_bundles, of_every_state_hold_the_kernels_that_devices_can_run) {
  check_bundle_of_all<bundle_state::input>();
  check_bundle_of_all<bundle_state::object>();
  check_bundle_of_all<bundle_state::executable>();
}

// Iterators of the standard library's category "forward", and what is more, refer to objects that are there.
TEST(kernel_bundles, have_iterators_to_images_that_last) {
  const sycl::context c;
  auto bundle = sycl::get_kernel_bundle<bundle_state::executable>(c);
  using iterator = decltype(bundle)::device_image_iterator;
  using image = sycl::device_image<bundle_state::executable>;
  static_assert(std::is_same_v<std::iterator_traits<iterator>::iterator_category,
                               std::random_access_iterator_tag>);
  static_assert(std::is_same_v<std::iterator_traits<iterator>::value_type, image>);
  static_assert(std::is_same_v<decltype(*iterator()), const image&>);
  static_assert(std::is_default_constructible_v<iterator>);
  ASSERT_TRUE(bundle.begin() != bundle.end());
  const auto copy = bundle;
  EXPECT_TRUE(bundle.begin() == copy.begin());
  EXPECT_EQ(&*bundle.begin(), &*copy.begin());
  iterator a = bundle.begin(), b = a;
  EXPECT_TRUE(a++ == b);
  EXPECT_TRUE(a == ++b);
  EXPECT_TRUE(--b == bundle.begin());
  EXPECT_TRUE(a-- > b);
  EXPECT_TRUE(a <= b && !(a < b));
  const auto count = bundle.end() - bundle.begin();
  ASSERT_GT(count, 1);
  EXPECT_EQ(&bundle.begin()[count - 1], &*(bundle.end() - 1));
  EXPECT_EQ(&bundle.begin()[1], &*++bundle.begin());
  EXPECT_TRUE(1 + bundle.begin() == bundle.begin() + 1);
  const image* const first = &*bundle.begin();
  bundle = sycl::get_kernel_bundle<bundle_state::executable>(c);
  EXPECT_TRUE(*first == *copy.begin());
}

TEST(kernel_bundles, hold_what_was_asked_for) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  const auto check = [&](const auto& bundle) {
    EXPECT_TRUE(bundle.template has_kernel<first>());
    EXPECT_FALSE(bundle.template has_kernel<second>());
    EXPECT_EQ(bundle.get_kernel_ids(), std::vector<sycl::kernel_id>{sycl::get_kernel_id<first>()});
  };
  const std::vector<sycl::kernel_id> ids{sycl::get_kernel_id<first>()};
  const auto selector = [&](const sycl::device_image<bundle_state::executable>& image) {
    return image.has_kernel(ids[0]);
  };
  check(sycl::get_kernel_bundle<bundle_state::executable>(c, ids));
  check(sycl::get_kernel_bundle<bundle_state::executable>(c, {d}, ids));
  check(sycl::get_kernel_bundle<first, bundle_state::executable>(c));
  check(sycl::get_kernel_bundle<first, bundle_state::executable>(c, {d}));
  check(sycl::get_kernel_bundle<bundle_state::executable>(c, selector));
  check(sycl::get_kernel_bundle<bundle_state::executable>(c, {d}, selector));
  EXPECT_TRUE((sycl::has_kernel_bundle<bundle_state::executable>(c, ids)));
  EXPECT_TRUE((sycl::has_kernel_bundle<bundle_state::executable>(c, {d}, ids)));
  EXPECT_TRUE((sycl::has_kernel_bundle<first, bundle_state::input>(c)));
  EXPECT_TRUE((sycl::has_kernel_bundle<first, bundle_state::object>(c, {d})));
  EXPECT_TRUE(sycl::get_kernel_bundle<bundle_state::executable>(c, {d, d}).get_devices().size() ==
              1);
}

TEST(kernel_bundles, with_kernels_that_no_device_can_run_are_refused) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  EXPECT_FALSE(sycl::is_compatible<demanding>(q.get_device()));
  EXPECT_TRUE(sycl::is_compatible<first>(q.get_device()));
  EXPECT_FALSE(sycl::is_compatible({sycl::get_kernel_id<first>(), sycl::get_kernel_id<demanding>()},
                                   q.get_device()));
  EXPECT_FALSE((sycl::has_kernel_bundle<demanding, bundle_state::executable>(c)));
  EXPECT_EQ(code_of([&] { sycl::get_kernel_bundle<demanding, bundle_state::executable>(c); }),
            sycl::errc::invalid);
}

TEST(kernel_bundles, want_devices_of_the_context) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  const std::vector<sycl::device> none;
  EXPECT_EQ(code_of([&] { sycl::get_kernel_bundle<bundle_state::executable>(c, none); }),
            sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { (void)sycl::has_kernel_bundle<bundle_state::executable>(c, none); }),
            sycl::errc::invalid);
  for (const sycl::device& other : sycl::device::get_devices()) {
    if (contains(c.get_devices(), other)) continue;
    EXPECT_EQ(code_of([&] { sycl::get_kernel_bundle<bundle_state::executable>(c, {other}); }),
              sycl::errc::invalid);
    EXPECT_EQ(code_of([&] { (void)sycl::has_kernel_bundle<bundle_state::input>(c, {other}); }),
              sycl::errc::invalid);
  }
}

TEST(kernel_bundles, are_joined_compiled_linked_and_built) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  const auto one = sycl::get_kernel_bundle<first, bundle_state::input>(c);
  const auto two = sycl::get_kernel_bundle<second, bundle_state::input>(c);
  const auto both = sycl::join(std::vector{one, two});
  EXPECT_TRUE(both.has_kernel<first>() && both.has_kernel<second>());
  const sycl::kernel_bundle<bundle_state::object> object_one = sycl::compile(one);
  const sycl::kernel_bundle<bundle_state::object> object_two =
      sycl::compile(two, two.get_devices());
  const sycl::kernel_bundle<bundle_state::executable> linked =
      sycl::link(std::vector{object_one, object_two});
  EXPECT_TRUE(linked.has_kernel<first>() && linked.has_kernel<second>());
  EXPECT_EQ(linked.get_devices(), c.get_devices());
  EXPECT_TRUE(sycl::link(object_one).has_kernel<first>());
  EXPECT_TRUE(sycl::link(object_one, {q.get_device()}).has_kernel<first>());
  EXPECT_TRUE(sycl::link(std::vector{object_one}, {q.get_device()}).has_kernel<first>());
  EXPECT_TRUE(sycl::build(both).has_kernel<second>());
  EXPECT_TRUE(sycl::build(both, {q.get_device()}).has_kernel<second>());
}

TEST(kernel_bundles, of_different_contexts_are_not_united) {
  const sycl::device d;
  const sycl::context a(d), b(d);
  const std::vector bundles{sycl::get_kernel_bundle<first, bundle_state::object>(a),
                            sycl::get_kernel_bundle<first, bundle_state::object>(b)};
  EXPECT_EQ(code_of([&] { sycl::join(bundles); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { sycl::link(bundles); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { sycl::link(std::vector<sycl::kernel_bundle<bundle_state::object>>{}); }),
            sycl::errc::invalid);
}

template <bundle_state State>
bool has_image_of(const sycl::kernel_bundle<State>& b, const sycl::device_image<State>& image) {
  const std::hash<sycl::device_image<State>> hash;
  return std::any_of(b.begin(), b.end(), [&](const sycl::device_image<State>& mine) {
    return mine == image && hash(mine) == hash(image);
  });
}

TEST(kernel_bundles, that_are_joined_hold_the_images_of_those_they_are_joined_of) {
  const sycl::context c;
  const auto one = sycl::get_kernel_bundle<first, bundle_state::executable>(c);
  const auto two = sycl::get_kernel_bundle<second, bundle_state::executable>(c);
  const auto none = sycl::get_kernel_bundle<bundle_state::executable>(
      c, [](const sycl::device_image<bundle_state::executable>&) { return false; });
  const auto joined = sycl::join(std::vector{none, one, two, one});
  EXPECT_EQ(joined.end() - joined.begin(), 2);
  EXPECT_TRUE(has_image_of(joined, *one.begin()));
  EXPECT_TRUE(has_image_of(joined, *two.begin()));
  EXPECT_FALSE(has_image_of(one, *two.begin()));
  const auto elsewhere =
      sycl::get_kernel_bundle<first, bundle_state::executable>(sycl::context(c.get_devices()));
  EXPECT_FALSE(has_image_of(joined, *elsewhere.begin()));
}

TEST(kernel_bundles, of_nothing_are_there_and_empty) {
  const sycl::context c;
  using bundles = std::vector<sycl::kernel_bundle<bundle_state::object>>;
  EXPECT_TRUE(sycl::join(bundles()).empty());
  EXPECT_TRUE(sycl::join(bundles()).get_devices().empty());
  const std::vector<sycl::kernel_id> no_kernels;
  EXPECT_TRUE(sycl::has_kernel_bundle<bundle_state::executable>(c, no_kernels));
  EXPECT_TRUE(sycl::has_kernel_bundle<bundle_state::input>(c, c.get_devices(), no_kernels));
}

TEST(kernels, know_their_bundle_and_what_they_ask_of_a_launch) {
  sycl::queue q;
  const auto bundle = sycl::get_kernel_bundle<bundle_state::executable>(q.get_context());
  const sycl::kernel k = bundle.get_kernel<grouped>();
  EXPECT_TRUE(k.get_kernel_bundle() == bundle);
  EXPECT_EQ(k.get_context(), q.get_context());
  EXPECT_EQ(k.get_backend(), q.get_backend());
  EXPECT_TRUE(k == bundle.get_kernel(sycl::get_kernel_id<grouped>()));
  EXPECT_TRUE(k != bundle.get_kernel<first>());
  EXPECT_EQ(std::hash<sycl::kernel>()(k), std::hash<sycl::kernel>()(bundle.get_kernel<grouped>()));
  EXPECT_EQ(k.get_info<sycl::info::kernel::attributes>(), "reqd_work_group_size(1,2,16)");
  EXPECT_EQ(bundle.get_kernel<first>().get_info<sycl::info::kernel::attributes>(), "");
  EXPECT_EQ(bundle.get_kernel<needing_two>().get_info<sycl::info::kernel::attributes>(),
            "device_has(fp64,atomic64)");
  EXPECT_EQ(code_of([&] { (void)k.get_info<sycl::info::kernel::num_args>(); }),
            sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { (void)bundle.get_kernel<demanding>(); }), sycl::errc::invalid);
}

TEST(kernels, tell_what_they_are_like_on_a_device) {
  namespace specific = sycl::info::kernel_device_specific;
  sycl::queue q;
  const sycl::device d = q.get_device();
  const auto bundle = sycl::get_kernel_bundle<bundle_state::executable>(q.get_context());
  const sycl::kernel k = bundle.get_kernel<grouped>(), any = bundle.get_kernel<first>();
  EXPECT_EQ(k.get_info<specific::work_group_size>(d), 32U);
  EXPECT_EQ(any.get_info<specific::work_group_size>(d),
            d.get_info<sycl::info::device::max_work_group_size>());
  EXPECT_EQ(k.get_info<specific::compile_work_group_size>(d), sycl::range<3>(1, 2, 16));
  EXPECT_EQ(any.get_info<specific::compile_work_group_size>(d), sycl::range<3>(0, 0, 0));
  const auto sizes = d.get_info<sycl::info::device::sub_group_sizes>();
  EXPECT_EQ(any.get_info<specific::preferred_work_group_size_multiple>(d), sizes.at(0));
  EXPECT_EQ(any.get_info<specific::max_sub_group_size>(d), sizes.at(0));
  EXPECT_EQ(k.get_info<specific::max_num_sub_groups>(d), (32 + sizes.at(0) - 1) / sizes.at(0));
  EXPECT_EQ(any.get_info<specific::compile_sub_group_size>(d), 0U);
  EXPECT_EQ(any.get_info<specific::compile_num_sub_groups>(d), 0U);
  EXPECT_EQ(any.get_info<specific::private_mem_size>(d), 0U);
  EXPECT_EQ(code_of([&] { (void)any.get_info<specific::global_work_size>(d); }),
            sycl::errc::invalid);
  static_assert(std::is_same_v<specific::global_work_size::return_type, sycl::range<3>>);
  static_assert(std::is_same_v<specific::max_num_sub_groups::return_type, std::uint32_t>);
}

class taken;
class not_taken;

TEST(kernel_bundles, are_what_a_command_group_takes_its_kernel_from) {
  sycl::queue q;
  const auto bundle = sycl::get_kernel_bundle<taken, bundle_state::executable>(q.get_context());
  int result = 0;
  {
    sycl::buffer<int, 1> b(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.use_kernel_bundle(bundle);
      h.single_task<taken>([=] { a[0] = 5; });
    });
    const auto refused = [&](bool before) {
      return code_of([&] {
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::read_write);
          if (before) h.use_kernel_bundle(bundle);
          h.single_task<not_taken>([=] { a[0] = 6; });
        });
      });
    };
    EXPECT_EQ(refused(true), sycl::errc::kernel_not_supported);
  }
  EXPECT_EQ(result, 5);
}

TEST(kernel_bundles, of_another_context_than_the_queue_are_refused) {
  sycl::queue q;
  const sycl::context other(q.get_device());
  const auto bundle = sycl::get_kernel_bundle<taken, bundle_state::executable>(other);
  EXPECT_EQ(code_of([&] { q.submit([&](sycl::handler& h) { h.use_kernel_bundle(bundle); }); }),
            sycl::errc::invalid);
}

TEST(devices, have_no_kernels_that_the_program_does_not_bring_along) {
  EXPECT_TRUE(sycl::device().get_info<sycl::info::device::built_in_kernel_ids>().empty());
}

}  // namespace
