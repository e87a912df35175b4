// SPDX-License-Identifier: Apache-2.0
// How the HIP driver's class finds a runtime and devices, and translates. What it does with a runtime that checks
// every call is tested by the backend's conformance suite.
#include "hip/src/hip_driver.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "environment.hpp"

namespace pianola::hip {
namespace {

using test::environment;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StrEq;

constexpr const char* variable = "PIANOLA_HIP_RUNTIME";

TEST(hip_driver, whose_runtime_is_missing_is_told_with_what_to_do) {
  const environment set(variable, "/nowhere/libamdhip64.so.5");
  const auto opened = hip_driver::open("");
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_FALSE(opened.user_fault);
  EXPECT_THAT(opened.reason,
              AllOf(HasSubstr("no HIP runtime"), HasSubstr("/nowhere/libamdhip64.so.5"),
                    HasSubstr("PIANOLA_HIP_RUNTIME")));
}

TEST(hip_driver, refuses_nonsense_even_where_there_is_no_runtime) {
  const environment set(variable, "/nowhere/libamdhip64.so.5");
  const auto opened = hip_driver::open("0+0");
  EXPECT_TRUE(opened.user_fault);
  EXPECT_THAT(opened.reason, HasSubstr("device 0 is named twice"));
}

TEST(hip_driver, whose_runtime_is_too_old_is_told_with_both_versions) {
  const environment set(variable, FAKES "/libfake_old_hip.so");
  const auto opened = hip_driver::open("");
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_THAT(opened.reason, AllOf(HasSubstr("too old"), HasSubstr("5.1"), HasSubstr("5.2")));
}

TEST(hip_driver, without_devices_names_the_variables_that_hide_them) {
  const environment set(variable, FAKES "/libfake_empty_hip.so");
  const environment all("CUDA_VISIBLE_DEVICES", nullptr);
  const environment of_rocr("ROCR_VISIBLE_DEVICES", nullptr);
  {
    const environment hidden("HIP_VISIBLE_DEVICES", nullptr);
    const auto opened = hip_driver::open("");
    EXPECT_THAT(opened.reason, AllOf(HasSubstr("no device"), HasSubstr("/dev/kfd")));
    EXPECT_FALSE(opened.user_fault);
  }
  const environment hidden("HIP_VISIBLE_DEVICES", "");
  EXPECT_THAT(hip_driver::open("").reason,
              HasSubstr("HIP_VISIBLE_DEVICES is empty and hides all devices: unset it"));
  const environment none("HIP_VISIBLE_DEVICES", "7");
  EXPECT_THAT(hip_driver::open("").reason,
              HasSubstr("HIP_VISIBLE_DEVICES='7' decides which devices are seen"));
}

// Debian's HIP on a machine without a device, which says so in one way or another.
TEST(hip_driver, is_not_there_where_the_vendors_runtime_sees_no_device) {
#ifdef HIP_LIBRARY
  const environment set(variable, HIP_LIBRARY);
  for (int time = 0; time < 2; ++time) {
    const auto opened = hip_driver::open("");
    if (opened.driver != nullptr) GTEST_SKIP() << "this machine has a device";
    EXPECT_FALSE(opened.user_fault);
    if (opened.reason.find("no HIP runtime") != std::string::npos)
      GTEST_SKIP() << "the library that was found cannot be loaded: " << opened.reason;
    EXPECT_THAT(opened.reason, HasSubstr("no device"));
  }
#else
  GTEST_SKIP() << "libamdhip64 is not installed";
#endif
}

// With the runtime that has a device.
class hip_devices : public testing::Test {
 protected:
  void SetUp() override {
    opened_ = hip_driver::open("");
    ASSERT_NE(opened_.driver, nullptr) << opened_.reason;
  }
  hip_driver& driver() { return *opened_.driver; }
  template <class T>
  T& fake(const char* name) {
    void* const library = dlopen(FAKES "/libfake_one_hip.so", RTLD_NOW | RTLD_NOLOAD);
    return *reinterpret_cast<T*>(dlsym(library, name));
  }

 private:
  environment set_{variable, FAKES "/libfake_one_hip.so"};
  hip_driver::opened opened_;
};

TEST_F(hip_devices, are_described_by_the_runtime) {
  const auto& devices = driver().devices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].architecture, "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(devices[0].properties.architecture, "gfx90a");
  const model::device_properties& p = devices[0].properties;
  EXPECT_EQ(p.name, "Fake");
  EXPECT_EQ(p.vendor, "Advanced Micro Devices, Inc.");
  EXPECT_EQ(p.vendor_id, 0x1002u);
  EXPECT_EQ(p.max_parameter_bytes, 4096u - 48u - 56u) << "what the compiler takes";
  EXPECT_EQ(p.timer_nanoseconds, 1000u);
  EXPECT_EQ(p.memory_bus_bits, static_cast<unsigned>(attribute_memory_bus_width));
  EXPECT_FALSE(p.free_memory_known) << "this runtime has no function for it";
  EXPECT_TRUE(p.error_correction);
  EXPECT_EQ(p.driver_version, "HIP 5.2");
  EXPECT_EQ(p.backend, "hip");
  EXPECT_THAT(p.sub_group_sizes, ElementsAre(64));
  EXPECT_EQ(p.max_work_group_size, 1024u);
  EXPECT_EQ(p.max_work_item_sizes[2], static_cast<unsigned>(attribute_max_block_dim_x));
  EXPECT_EQ(p.local_memory_bytes, 65536u - 1024u);
  EXPECT_EQ(devices[0].max_grid[2], 0xffffffffu / 1024) << "work-items are counted in 32 bits";
  EXPECT_EQ(devices[0].max_grid[0], static_cast<unsigned>(attribute_max_grid_dim_z));
  EXPECT_GT(driver().suitability(0, "gfx90a"), 0);
  EXPECT_EQ(driver().suitability(0, "gfx90a:xnack+"), 0);
}

TEST_F(hip_devices, can_what_the_runtime_has_functions_for) {
  EXPECT_FALSE(driver().can().graph_upload);
  EXPECT_FALSE(driver().can().node_updates);
  EXPECT_FALSE(driver().can().whole_graph_updates);
  EXPECT_FALSE(driver().can().event_nodes);
  EXPECT_TRUE(driver().refused_update(driver().update_kernel({}, {}, {})));
  EXPECT_TRUE(driver().refused_update(driver().update({}, {})));
  gpu::node n;
  EXPECT_EQ(driver().add_record({}, {}, 0, {}, n), not_supported);
  EXPECT_EQ(driver().add_wait({}, {}, 0, {}, n), not_supported);
  EXPECT_EQ(driver().set_recorded({}, {}, 0, {}), not_supported);
  EXPECT_EQ(driver().set_awaited({}, {}, 0, {}), not_supported);
}

TEST_F(hip_devices, fill_several_rows_in_a_graph_by_a_chain_of_nodes) {
  std::size_t& count = fake<std::size_t>("fake_node_count");
  count = 0;
  gpu::graph graph{this};
  gpu::fill_operation f;
  char memory[1];
  f.destination = memory;
  f.element_bytes = 4;
  f.width = 1;
  f.rows = 6;
  f.pitch = 8;
  gpu::node last;
  ASSERT_EQ(driver().add_fill(graph, {}, f, last), success);
  // The first row, a second one, two more, two more.
  EXPECT_EQ(std::string(fake<char[256]>("fake_nodes"), count), "SLCC");
  EXPECT_EQ(last.native, fake<char[256]>("fake_nodes") + 3);

  char(&changed)[256] = fake<char[256]>("fake_changed");
  changed[0] = 0;
  f.value = 7;
  EXPECT_TRUE(driver().refused_update(driver().update_fill({}, last, f)));
  ASSERT_EQ(driver().set_fill(last, f), success);
  EXPECT_THAT(changed, StrEq("SLCC"));
  // Another shape is another graph; five rows take as many nodes, but the last of them is a copy of one dimension.
  for (const unsigned rows : {3, 5}) {
    f.rows = rows;
    EXPECT_EQ(driver().set_fill(last, f), invalid_value);
  }
  driver().destroy(graph);
}

TEST_F(hip_devices, explain_errors_in_the_words_of_the_runtime) {
  const auto status = driver().explain(out_of_memory, "hipMalloc of 12 bytes");
  EXPECT_EQ(status.code, model::error_code::memory_allocation);
  EXPECT_THAT(status.reason,
              HasSubstr("HIP: hipMalloc of 12 bytes: what the runtime says (hipErrorName, 2)"));
  for (const int code : {214, 700, 702, 710, 719}) EXPECT_TRUE(driver().is_fatal(code)) << code;
  for (const int code : {0, 1, 2, 98, 600, 701, 709, 801})
    EXPECT_FALSE(driver().is_fatal(code)) << code;
}

}  // namespace
}  // namespace pianola::hip
