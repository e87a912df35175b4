// SPDX-License-Identifier: Apache-2.0
#include "kernels/image_registry.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <pianola/runtime/images.hpp>

namespace {

using pianola::model::index_factor;
using pianola::model::kernel_id;
using pianola::runtime::find_kernel_facts;
using pianola::runtime::image_registry;
using ::testing::HasSubstr;

constexpr std::uint32_t factor(pianola_factor_kind kind, std::uint32_t where = 0) {
  return (static_cast<std::uint32_t>(kind) << PIANOLA_FACTOR_KIND_SHIFT) | where;
}
constexpr std::uint32_t one = factor(PIANOLA_FACTOR_ONE);

constexpr std::uint32_t reduced_by(std::uint32_t operation) {
  return operation << PIANOLA_ACCESS_REDUCTION_SHIFT;
}

// What the compiler emits for an object file with one kernel and one image.
struct object_file {
  explicit object_file(std::uint64_t id, const char* name = "scale") {
    kernel.id = id;
    kernel.symbol = "pianola_kernel_x";
    kernel.name = name;
    kernel.kind = PIANOLA_KERNEL_RANGE;
    kernel.dimensions = 1;
    kernel.argument_bytes = 16;
    kernel.argument_alignment = 8;
    kernel.flags =
        PIANOLA_KERNEL_USES_KNOWN | PIANOLA_KERNEL_USES_ONLY | PIANOLA_KERNEL_OPERATIONS_KNOWN;
    kernel.use_count = 2;
    kernel.uses = uses;
    kernel.operation_count = 1;
    kernel.operations = &operations;
    image = {"pianola-sim", "code", 4};
    set = {PIANOLA_IMAGE_SET_VERSION, 1, &image, 1, &kernel, 0, nullptr};
  }
  object_file(const object_file&) = delete;
  object_file& operator=(const object_file&) = delete;

  void load() { pianola_register_images_v1(&set); }
  void unload() { pianola_unregister_images_v1(&set); }

  pianola_index_term terms[1] = {{4, {factor(PIANOLA_FACTOR_ID, 2), one, one, one}}};
  pianola_index_term number[1] = {{1, {factor(PIANOLA_FACTOR_U64, 8), one, one, one}}};
  pianola_access_loop loop = {{1, terms}, {1, number}, 0, -1, 4, 1, PIANOLA_LOOP_UNSIGNED};
  pianola_access_condition condition = {PIANOLA_CONDITION_BELOW, {1, terms}, {1, number}};
  pianola_operations operations = {PIANOLA_OPERATIONS_NARROW, 5, 2, 1, 1, 1, &loop, &condition};
  pianola_access access = {
      PIANOLA_ACCESS_READ | PIANOLA_ACCESS_CERTAIN | reduced_by(PIANOLA_REDUCTION_XOR),
      4,
      {1, terms},
      1,
      1,
      &loop,
      &condition};
  pianola_argument_use uses[2] = {
      {0, PIANOLA_USE_POINTER | PIANOLA_USE_READ | PIANOLA_USE_ELEMENT_WISE | PIANOLA_USE_LISTED, 4,
       1, terms, 1, &access},
      {8, PIANOLA_USE_POINTER | PIANOLA_USE_UNKNOWN, 0, 0, nullptr, 0, nullptr}};
  pianola_kernel kernel{};
  pianola_image image{};
  pianola_image_set set{};
};

const pianola_kernel* find(std::uint64_t id) {
  return image_registry::instance().find_kernel(kernel_id(id));
}

TEST(image_registry, a_registered_kernel_is_found_with_its_images_until_it_is_unregistered) {
  object_file file(0x1001);
  EXPECT_EQ(find(0x1001), nullptr);
  file.load();
  EXPECT_EQ(find(0x1001), &file.kernel);
  const auto images = image_registry::instance().find_images(kernel_id(0x1001));
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(std::string(images[0].architecture), "pianola-sim");
  file.unload();
  EXPECT_EQ(find(0x1001), nullptr);
  EXPECT_TRUE(image_registry::instance().find_images(kernel_id(0x1001)).empty());
  EXPECT_EQ(find_kernel_facts(kernel_id(0x1001)), nullptr);
}

TEST(image_registry, nothing_is_left_of_an_object_file_that_has_gone) {
  const std::size_t before = image_registry::instance().size();
  for (int i = 0; i < 3; ++i) {
    object_file file(0x1002);
    file.load();
    EXPECT_EQ(image_registry::instance().size(), before + 1);
    file.unload();
  }
  EXPECT_EQ(image_registry::instance().size(), before);
}

TEST(image_registry, what_the_compiler_knows_of_arguments_is_translated) {
  object_file file(0x1003);
  file.load();
  const auto* facts = find_kernel_facts(kernel_id(0x1003));
  ASSERT_NE(facts, nullptr);
  EXPECT_TRUE(facts->only_uses);
  const auto* first = facts->at(0);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->read);
  EXPECT_FALSE(first->written);
  EXPECT_TRUE(first->element_wise);
  EXPECT_EQ(first->element_bytes, 4U);
  ASSERT_EQ(first->terms.size(), 1U);
  EXPECT_EQ(first->terms[0].coefficient, 4);
  EXPECT_EQ(first->terms[0].factors[0].what, index_factor::kind::id);
  EXPECT_EQ(first->terms[0].factors[0].where, 2U);
  EXPECT_EQ(first->terms[0].factors[1].what, index_factor::kind::one);
  ASSERT_TRUE(first->listed);
  ASSERT_EQ(first->accesses.size(), 1U);
  const auto& access = first->accesses[0];
  EXPECT_TRUE(access.read && !access.written && access.certain && !access.narrow);
  EXPECT_EQ(access.length, 4U);
  EXPECT_EQ(access.start.size(), 1U);
  ASSERT_EQ(access.loops.size(), 1U);
  const auto& loop = access.loops[0];
  EXPECT_EQ(loop.count[0].factors[0].what, index_factor::kind::unsigned64);
  EXPECT_EQ(loop.least, 0);
  EXPECT_EQ(loop.plus, -1);
  EXPECT_EQ(loop.divisor, 4U);
  EXPECT_EQ(loop.extra, 1U);
  EXPECT_TRUE(loop.is_unsigned);
  ASSERT_EQ(access.conditions.size(), 1U);
  EXPECT_EQ(access.conditions[0].what, pianola::model::access_condition::kind::below);
  EXPECT_EQ(access.reduction, pianola::model::reduction_operation::bit_xor);
  ASSERT_TRUE(facts->operations_known);
  ASSERT_EQ(facts->operations.size(), 1U);
  const auto& operations = facts->operations[0];
  EXPECT_TRUE(operations.narrow);
  EXPECT_EQ(operations.simple, 5U);
  EXPECT_EQ(operations.divisions, 2U);
  EXPECT_EQ(operations.functions, 1U);
  ASSERT_EQ(operations.loops.size(), 1U);
  EXPECT_EQ(operations.loops[0].divisor, 4U);
  ASSERT_EQ(operations.conditions.size(), 1U);
  const auto* second = facts->at(8);
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(second->unknown && second->read && second->written);
  EXPECT_FALSE(second->element_wise);
  EXPECT_FALSE(second->listed);
  EXPECT_EQ(facts->at(12), nullptr);
  file.unload();
}

TEST(image_registry, a_use_with_a_factor_of_a_later_version_is_not_element_wise) {
  object_file file(0x1004);
  file.terms[0].factors[1] = 9U << PIANOLA_FACTOR_KIND_SHIFT;
  file.load();
  const auto* facts = find_kernel_facts(kernel_id(0x1004));
  ASSERT_NE(facts, nullptr);
  EXPECT_TRUE(facts->at(0)->read);
  EXPECT_FALSE(facts->at(0)->element_wise);
  EXPECT_FALSE(facts->at(0)->listed);
  file.unload();
}

TEST(image_registry, a_reduction_of_a_later_version_leaves_the_accesses_unlisted) {
  object_file file(0x1007);
  file.access.flags = PIANOLA_ACCESS_READ | reduced_by(PIANOLA_REDUCTION_FLOAT_MAXIMUM + 1);
  file.load();
  const auto* facts = find_kernel_facts(kernel_id(0x1007));
  ASSERT_NE(facts, nullptr);
  EXPECT_FALSE(facts->at(0)->listed);
  file.unload();
}

TEST(image_registry, operations_that_are_not_understood_are_not_known) {
  object_file file(0x1008);
  file.loop.divisor = 0;
  file.load();
  EXPECT_FALSE(find_kernel_facts(kernel_id(0x1008))->operations_known);
  file.unload();
  object_file unknown(0x1009);
  unknown.kernel.flags = PIANOLA_KERNEL_USES_KNOWN;
  unknown.load();
  EXPECT_FALSE(find_kernel_facts(kernel_id(0x1009))->operations_known);
  unknown.unload();
}

TEST(image_registry, a_kernel_whose_accesses_the_compiler_could_not_follow_has_no_facts) {
  object_file file(0x1005);
  file.kernel.flags = 0;
  file.load();
  EXPECT_NE(find(0x1005), nullptr);
  EXPECT_EQ(find_kernel_facts(kernel_id(0x1005)), nullptr);
  file.unload();
}

TEST(image_registry, of_two_sets_with_one_kernel_the_first_is_found_until_it_goes) {
  object_file first(0x1006), second(0x1006);
  first.load();
  ::testing::internal::CaptureStderr();
  second.load();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "");  // one object in two libraries is no fault
  EXPECT_EQ(find(0x1006), &first.kernel);
  first.unload();
  EXPECT_EQ(find(0x1006), &second.kernel);
  second.unload();
  EXPECT_EQ(find(0x1006), nullptr);
}

TEST(image_registry, different_kernels_with_one_id_are_reported) {
  object_file first(0x1007, "scale"), second(0x1007, "shift");
  first.load();
  ::testing::internal::CaptureStderr();
  second.load();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("kernels 'scale' and 'shift' have the same id 0000000000001007"));
  second.unload();
  EXPECT_EQ(find(0x1007), &first.kernel);
  first.unload();
}

TEST(image_registry, a_set_of_an_unknown_version_is_reported_and_ignored) {
  object_file file(0x1008);
  file.set.version = 7;
  const std::size_t before = image_registry::instance().size();
  ::testing::internal::CaptureStderr();
  file.load();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("in format 7"));
  EXPECT_EQ(find(0x1008), nullptr);
  file.unload();
  EXPECT_EQ(image_registry::instance().size(), before);
}

TEST(image_registry, registering_a_set_twice_counts_once) {
  object_file file(0x1009);
  const std::size_t before = image_registry::instance().size();
  file.load();
  file.load();
  EXPECT_EQ(image_registry::instance().size(), before + 1);
  file.unload();
  EXPECT_EQ(find(0x1009), nullptr);
}

TEST(image_registry, object_files_come_and_go_while_others_look) {
  std::atomic<bool> stop{false};
  object_file stays(0x2000);
  stays.load();
  std::atomic<int> missed{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 1; t <= 3; ++t)
    threads.emplace_back([t, &missed] {
      for (int i = 0; i < 500; ++i) {
        object_file file(0x2000 + t);
        file.load();
        if (find(0x2000 + t) != &file.kernel) ++missed;
        file.unload();
        if (find(0x2000 + t) != nullptr) ++missed;
      }
    });
  threads.emplace_back([&] {
    while (!stop)
      if (find(0x2000) != &stays.kernel || find_kernel_facts(kernel_id(0x2000)) == nullptr)
        ++missed;
  });
  for (std::size_t i = 0; i + 1 < threads.size(); ++i) threads[i].join();
  stop = true;
  threads.back().join();
  EXPECT_EQ(missed, 0);
  stays.unload();
}

}  // namespace
