// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace ext = sycl::ext::oneapi::experimental;

namespace {
struct answer {
  int value;
};
class target_class;
}  // namespace

namespace sycl::ext::oneapi::experimental {
template <>
struct is_property_key<answer> : std::true_type {};
template <>
struct is_property_key_of<answer, target_class> : std::true_type {};
}  // namespace sycl::ext::oneapi::experimental

namespace {

constexpr ext::properties both{ext::sub_group_size<8>, answer{42}};

static_assert(ext::is_property_key_v<ext::sub_group_size_key>);
static_assert(ext::is_property_value_v<decltype(ext::sub_group_size<8>)>);
static_assert(ext::is_property_value_v<answer> && !ext::is_property_value_v<int>);
static_assert(ext::is_property_value_of_v<answer, target_class> &&
              !ext::is_property_key_of_v<ext::sub_group_size_key, target_class>);
static_assert(ext::is_property_list_v<decltype(both)> ==
              ext::is_property_list_v<const ext::empty_properties_t>);
static_assert(ext::is_property_list_v<ext::empty_properties_t> && !ext::is_property_list_v<answer>);
static_assert(std::is_same_v<ext::sub_group_size_key::value_t<8>,
                             std::remove_const_t<decltype(ext::sub_group_size<8>)>>);

TEST(properties, are_found_by_key_at_compile_time) {
  static_assert(both.has_property<ext::sub_group_size_key>());
  static_assert(both.has_property<answer>());
  static_assert(!both.has_property<ext::work_group_size_key>());
  static_assert(both.get_property<answer>().value == 42);
  static_assert(decltype(both)::get_property<ext::sub_group_size_key>().value == 8);
  static_assert(!ext::empty_properties_t::has_property<answer>());
  constexpr ext::properties sizes{ext::work_group_size<4, 8>, ext::work_group_size_hint<2>};
  static_assert(sizes.get_property<ext::work_group_size_key>()[1] == 8);
  static_assert(sizes.get_property<ext::work_group_size_hint_key>()[0] == 2);
  static_assert(sizeof(ext::properties{answer{1}}) == sizeof(answer));
  answer given{7};
  EXPECT_EQ(ext::properties{given}.get_property<answer>().value, 7);
}

TEST(properties, in_any_order_make_one_type_of_list) {
  constexpr ext::properties one{answer{42}, ext::host_access_read, ext::device_image_scope};
  constexpr ext::properties other{ext::device_image_scope, answer{42}, ext::host_access_read};
  static_assert(std::is_same_v<decltype(one), decltype(other)>);
  static_assert(other.get_property<answer>().value == 42);
  ext::properties copy{one};
  static_assert(std::is_same_v<decltype(copy), std::remove_const_t<decltype(one)>>);
  EXPECT_EQ(copy.get_property<answer>().value, 42);
  constexpr ext::properties written{answer{1}, ext::host_access_write};
  static_assert(!std::is_same_v<decltype(written),
                                const decltype(ext::properties{answer{1}, ext::host_access_read})>);
}

template <class T, class = void>
struct has_value : std::false_type {};
template <class T>
struct has_value<T, std::void_t<decltype(T::value)>> : std::true_type {};
template <class T, class = void>
struct has_value_t : std::false_type {};
template <class T>
struct has_value_t<T, std::void_t<typename T::value_t>> : std::true_type {};

struct some_key {};

TEST(properties, of_values_that_are_types_can_be_compared_and_tell_their_value) {
  static_assert(ext::host_access_read == ext::host_access<ext::host_access_enum::read>);
  static_assert(!(ext::host_access_read == ext::host_access_write));
  static_assert(ext::host_access_read != ext::host_access_write);
  static_assert(!(ext::device_image_scope != ext::device_image_scope));
  constexpr ext::properties list{ext::device_image_scope, ext::host_access_write};
  static_assert(list.get_property<ext::host_access_key>() == ext::host_access_write);
  static_assert(list.get_property<ext::host_access_key>().value == ext::host_access_enum::write);
  using written = decltype(list.get_property<ext::host_access_key>());
  static_assert(written::value_t::value == ext::host_access_enum::write);
  using scope = decltype(list.get_property<ext::device_image_scope_key>());
  static_assert(!has_value<scope>::value && !has_value_t<scope>::value);
  // A type that is no constant has no value, and several say nothing.
  using of_type = ext::property_value<some_key, int>;
  static_assert(std::is_same_v<of_type::value_t, int> && !has_value<of_type>::value);
  static_assert(!has_value_t<ext::property_value<some_key, int, int>>::value);
  static_assert(ext::input_data_placement<ext::group_algorithm_data_placement::striped> !=
                ext::input_data_placement<ext::group_algorithm_data_placement::blocked>);
}

struct hinted {
  int* data;
  void operator()(sycl::nd_item<1> i) const { data[i.get_global_id(0)] = 1; }
  auto get(ext::properties_tag) const { return ext::properties{ext::work_group_size_hint<64>}; }
};

TEST(properties, a_hint_about_the_group_size_binds_nobody) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(8, q);
  q.parallel_for(sycl::nd_range<1>(8, 4), hinted{data}).wait();
  EXPECT_EQ(data[7], 1);
  sycl::free(data, q);
}

}  // namespace
