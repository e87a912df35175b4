// SPDX-License-Identifier: Apache-2.0
// How the CUDA driver's class finds a driver and devices, and translates. What it does with a driver that checks
// every call is tested by the backend's conformance suite.
#include "cuda/src/cuda_driver.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "cuda/src/conditions.hpp"
#include "cuda/src/descriptions.hpp"
#include "environment.hpp"

namespace pianola::cuda {
namespace {

using test::environment;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* variable = "PIANOLA_CUDA_DRIVER";

TEST(cuda_driver, that_is_missing_is_told_with_what_to_do) {
  const environment set(variable, "/nowhere/libcuda.so.1");
  const auto opened = cuda_driver::open("");
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_FALSE(opened.user_fault);
  EXPECT_THAT(opened.reason, AllOf(HasSubstr("no CUDA driver"), HasSubstr("/nowhere/libcuda.so.1"),
                                   HasSubstr("PIANOLA_CUDA_DRIVER")));
}

TEST(cuda_driver, refuses_nonsense_even_where_there_is_no_driver) {
  const environment set(variable, "/nowhere/libcuda.so.1");
  const auto opened = cuda_driver::open("gpu");
  EXPECT_TRUE(opened.user_fault);
  EXPECT_THAT(opened.reason, HasSubstr("cuda:gpu: 'gpu' is no number of a device"));
}

TEST(cuda_driver, that_is_too_old_is_told_with_both_versions) {
  const environment set(variable, FAKES "/libfake_old_cuda.so");
  const auto opened = cuda_driver::open("");
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_FALSE(opened.user_fault);
  EXPECT_THAT(opened.reason, AllOf(HasSubstr("too old"), HasSubstr("11.4"), HasSubstr("12.0")));
}

TEST(cuda_driver, without_devices_names_the_variable_that_hides_them) {
  const environment set(variable, FAKES "/libfake_empty_cuda.so");
  {
    const environment hidden("CUDA_VISIBLE_DEVICES", nullptr);
    const auto opened = cuda_driver::open("");
    EXPECT_THAT(opened.reason, HasSubstr("no device"));
    EXPECT_THAT(opened.reason, testing::Not(HasSubstr("CUDA_VISIBLE_DEVICES")));
    EXPECT_FALSE(opened.user_fault);
  }
  {
    const environment hidden("CUDA_VISIBLE_DEVICES", "");
    EXPECT_THAT(cuda_driver::open("").reason,
                HasSubstr("CUDA_VISIBLE_DEVICES is empty and hides all devices"));
  }
  {
    const environment hidden("CUDA_VISIBLE_DEVICES", "7");
    EXPECT_THAT(cuda_driver::open("").reason, HasSubstr("CUDA_VISIBLE_DEVICES='7' decides"));
  }
}

TEST(cuda_driver, that_is_some_other_library_is_told_by_what_it_lacks) {
  const environment set(variable, FAKES "/libfake_empty_hip.so");
  EXPECT_THAT(cuda_driver::open("").reason, HasSubstr("has no cuInit"));
}

TEST(cuda_driver, offers_textures_for_what_they_can_do_unless_told_not_to) {
  const environment set(variable, TEST_CUDA_DRIVER);
  const environment devices("PIANOLA_TEST_DRIVER_DEVICES", "2");  // as whoever else loads it wants
  model::texture_description fits;
  fits.row_pitch = 32;
  fits.width = 8;
  fits.height = 2;
  const auto* const texels = reinterpret_cast<const void*>(std::uintptr_t{1} << 32);
  const auto offered = [&](const model::texture_description& d, const void* at) {
    const auto opened = cuda_driver::open("0");
    return opened.driver != nullptr && opened.driver->has_texture(0, at, d);
  };
  EXPECT_TRUE(offered(fits, texels));
  EXPECT_FALSE(offered(fits, static_cast<const char*>(texels) + 32));
  const auto changed = [&](auto change) {
    model::texture_description d = fits;
    change(d);
    return offered(d, texels);
  };
  using d = model::texture_description;
  EXPECT_FALSE(changed([](d& t) { t.row_pitch = 40; }));
  EXPECT_FALSE(changed([](d& t) { t.row_pitch = 4 << 20; }));
  EXPECT_TRUE(changed([](d& t) { t.row_pitch = t.width = t.height = 1; }));
  EXPECT_FALSE(changed([](d& t) { t.width = 0; }));
  EXPECT_FALSE(changed([](d& t) { t.height = 65001; }));
  EXPECT_FALSE(changed([](d& t) { t.width = 9; }));
  EXPECT_FALSE(changed([](d& t) { t.addressing = model::texture_addressing::border; }));
  EXPECT_TRUE(changed([](d& t) {
    t.addressing = model::texture_addressing::border;
    t.normalized = true;
  }));
  EXPECT_FALSE(changed([](d& t) {
    t.linear = true;
    t.type = model::texel_type::sint8;
  }));
  {
    const environment off("PIANOLA_CUDA_TEXTURES", "off");
    EXPECT_FALSE(offered(fits, texels));
  }
  {
    const environment on("PIANOLA_CUDA_TEXTURES", "on");
    EXPECT_TRUE(offered(fits, texels));
  }
  const environment wrong("PIANOLA_CUDA_TEXTURES", "no");
  const auto opened = cuda_driver::open("0");
  EXPECT_TRUE(opened.user_fault);
  EXPECT_THAT(opened.reason, HasSubstr("PIANOLA_CUDA_TEXTURES='no': it takes on or off"));
}

TEST(cuda_driver, has_conditional_nodes_by_its_version_and_the_users_wish) {
  const environment set(variable, TEST_CUDA_DRIVER);
  const auto can = [](const char* version, const char* choice) {
    const environment told("PIANOLA_TEST_DRIVER_CUDA_VERSION", version);
    const environment wanted("PIANOLA_CUDA_CONDITIONAL_NODES", choice);
    const auto opened = cuda_driver::open("0");
    if (opened.driver == nullptr) throw std::runtime_error(opened.reason);
    const auto& all = opened.driver->can();
    return std::make_pair(all.loops, all.choices);
  };
  EXPECT_EQ(can("12030", "on"), std::make_pair(false, false));
  EXPECT_EQ(can("12040", "on"), std::make_pair(true, false));
  EXPECT_EQ(can("12080", ""), std::make_pair(true, true));
  EXPECT_EQ(can("13000", "on"), std::make_pair(true, true));
  EXPECT_EQ(can("13000", "off"), std::make_pair(false, false));
  const environment wrong("PIANOLA_CUDA_CONDITIONAL_NODES", "no");
  const auto opened = cuda_driver::open("0");
  EXPECT_TRUE(opened.user_fault);
  EXPECT_THAT(opened.reason, HasSubstr("PIANOLA_CUDA_CONDITIONAL_NODES='no': it takes on or off"));
}

TEST(cuda_driver, captures_into_graphs_by_its_version) {
  const environment set(variable, TEST_CUDA_DRIVER);
  for (const char* version : {"12020", "12030", "13000"}) {
    const environment told("PIANOLA_TEST_DRIVER_CUDA_VERSION", version);
    const auto opened = cuda_driver::open("0");
    ASSERT_NE(opened.driver, nullptr) << opened.reason;
    EXPECT_TRUE(opened.driver->can().captures);
    EXPECT_EQ(opened.driver->can().captures_into_graphs, std::string(version) != "12020");
  }
}

TEST(cuda_driver, makes_a_context_while_the_program_captures_a_stream) {
  const environment set(variable, TEST_CUDA_DRIVER);
  const environment two("PIANOLA_TEST_DRIVER_DEVICES", "2");
  const auto opened = cuda_driver::open("");
  ASSERT_NE(opened.driver, nullptr) << opened.reason;
  cuda_driver& driver = *opened.driver;
  void* const library = dlopen(TEST_CUDA_DRIVER, RTLD_NOW | RTLD_NOLOAD);
  const auto call = [&](const char* name, auto... arguments) {
    return reinterpret_cast<int (*)(decltype(arguments)...)>(dlsym(library, name))(arguments...);
  };
  gpu::stream captured, other;
  ASSERT_EQ(driver.make_stream(0, captured), success);
  ASSERT_EQ(call("cuCtxSetCurrent", driver.native_context(0)), 0);
  constexpr int of_all_threads = 0;
  ASSERT_EQ(call("cuStreamBeginCapture_v2", captured.native, of_all_threads), 0);
  EXPECT_EQ(driver.make_stream(1, other), success);
  void* graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", captured.native, &graph), 0);
  EXPECT_EQ(call("cuGraphDestroy", graph), 0);
  driver.destroy(0, captured);
  driver.destroy(1, other);
}

TEST(cuda_driver, sets_conditions_by_a_kernel_that_nvidias_assembler_takes) {
#ifdef PTXAS
  const std::string file = testing::TempDir() + "pianola_conditions_" + std::to_string(getpid());
  std::ofstream(file + ".ptx") << setting_image;
  const std::string command = PTXAS " -c -arch=sm_90 '" + file + ".ptx' -o '" + file + ".cubin'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(std::ifstream(file + ".cubin").good());
  for (const char* suffix : {".ptx", ".cubin"}) std::remove((file + suffix).c_str());
#else
  GTEST_SKIP() << "no CUDA toolkit with ptxas";
#endif
}

TEST(cuda_driver, that_is_only_for_linking_is_recognised) {
#ifdef CUDA_STUB
  const environment set(variable, CUDA_STUB);
  const auto opened = cuda_driver::open("");
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_THAT(opened.reason, AllOf(HasSubstr("stub"), HasSubstr("for linking only")));
#else
  GTEST_SKIP() << "no CUDA toolkit with a stub library";
#endif
}

// With the driver that has two devices.
class cuda_devices : public testing::Test {
 protected:
  void SetUp() override { select(""); }
  void select(const char* options) {
    opened_ = cuda_driver::open(options);
    ASSERT_NE(opened_.driver, nullptr) << opened_.reason;
  }
  cuda_driver& driver() { return *opened_.driver; }
  template <class T>
  T& fake(const char* name) {
    void* const library = dlopen(FAKES "/libfake_one_cuda.so", RTLD_NOW | RTLD_NOLOAD);
    return *reinterpret_cast<T*>(dlsym(library, name));
  }

 private:
  environment set_{variable, FAKES "/libfake_one_cuda.so"};
  cuda_driver::opened opened_;
};

TEST_F(cuda_devices, are_described_by_the_driver) {
  const auto& devices = driver().devices();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].architecture, "sm_86");
  EXPECT_EQ(devices[1].architecture, "sm_90");
  EXPECT_EQ(devices[0].properties.architecture, "sm_86");
  const model::device_properties& p = devices[0].properties;
  EXPECT_EQ(p.name, "Fake 10");
  EXPECT_EQ(p.vendor, "NVIDIA Corporation");
  EXPECT_EQ(p.vendor_id, 0x10deu);
  EXPECT_EQ(p.driver_version, "CUDA 12.2");
  EXPECT_EQ(p.backend, "cuda");
  EXPECT_EQ(p.type, model::device_type::gpu);
  EXPECT_EQ(p.compute_units, 1000u + multiprocessor_count);
  EXPECT_EQ(p.max_work_group_size, 1000u + max_threads_per_block);
  EXPECT_THAT(p.max_work_item_sizes,
              ElementsAre(1000 + max_block_dim_z, 1000 + max_block_dim_y, 1000 + max_block_dim_x));
  EXPECT_THAT(p.sub_group_sizes, ElementsAre(1000 + warp_size));
  EXPECT_EQ(p.global_memory_bytes, std::uint64_t{1} << 33);
  EXPECT_EQ(p.local_memory_bytes, 101376u - 1024u);
  EXPECT_EQ(devices[0].max_dynamic_local_bytes, 101376u);
  EXPECT_EQ(devices[0].max_parameter_bytes, 32764u);
  EXPECT_EQ(p.max_parameter_bytes, 32712u) << "Pianola's own parameter comes behind";
  EXPECT_EQ(p.timer_nanoseconds, 500u);
  EXPECT_EQ(p.memory_clock_megahertz, (1000u + memory_clock_rate) / 1000);
  EXPECT_EQ(p.memory_bus_bits, 1000u + memory_bus_width);
  EXPECT_FALSE(p.free_memory_known) << "this driver has no function for it";
  EXPECT_FALSE(p.error_correction);
  EXPECT_TRUE(devices[1].properties.error_correction);
  EXPECT_EQ(devices[0].max_grid[2], 1000u + max_grid_dim_x);
  EXPECT_EQ(devices[0].max_grid[0], 1000u + max_grid_dim_z);
  EXPECT_FALSE(p.usm_shared_allocations) << "the host must not touch it while the device works";
  EXPECT_TRUE(devices[1].properties.usm_shared_allocations);
  EXPECT_FALSE(driver().can().managed_memory);
  EXPECT_THAT(devices[0].peers, ElementsAre(false, true));
  EXPECT_THAT(devices[1].peers, ElementsAre(false, false));
}

TEST_F(cuda_devices, have_nodes_for_events_where_the_driver_has_all_functions_for_them) {
  EXPECT_FALSE(driver().can().event_nodes);
  gpu::node n;
  EXPECT_EQ(driver().add_record({}, {}, 0, {}, n), not_supported);
  EXPECT_EQ(driver().add_wait({}, {}, 0, {}, n), not_supported);
  EXPECT_EQ(driver().set_recorded({}, {}, 0, {}), not_supported);
  EXPECT_EQ(driver().set_awaited({}, {}, 0, {}), not_supported);
}

TEST_F(cuda_devices, are_chosen_by_their_numbers) {
  select("1");
  ASSERT_EQ(driver().devices().size(), 1u);
  EXPECT_EQ(driver().devices()[0].architecture, "sm_90");
  EXPECT_EQ(driver().native_device(0), 11);
  const auto missing = cuda_driver::open("2");
  EXPECT_TRUE(missing.user_fault);
  EXPECT_THAT(missing.reason, HasSubstr("there are 2, from 0 to 1"));
}

TEST_F(cuda_devices, get_a_context_when_they_are_first_used_and_only_then) {
  fake<int>("fake_contexts_made") = 0;
  void* memory = nullptr;
  EXPECT_EQ(driver().allocate_device(1, 1, memory), success);
  EXPECT_EQ(driver().allocate_device(1, 1, memory), success);
  EXPECT_EQ(fake<int>("fake_contexts_made"), 1);
  gpu::code why = success;
  (void)driver().query({}, why);
  EXPECT_EQ(fake<int>("fake_contexts_made"), 1)
      << "a question needs no context of the first device";
  EXPECT_EQ(driver().native_context(1), reinterpret_cast<void*>(0x100b));
}

TEST_F(cuda_devices, leave_the_thread_with_the_context_that_it_had) {
  auto* make_current = &fake<void(void*)>("fake_make_current");
  auto* current = &fake<void*()>("fake_current");
  void* const of_the_program = reinterpret_cast<void*>(0x77);
  make_current(of_the_program);
  gpu::kernel_launch k;
  k.device = 1;
  EXPECT_EQ(driver().launch(gpu::stream{}, k), success);
  EXPECT_EQ(fake<void*>("fake_launch_context"), reinterpret_cast<void*>(0x100b));
  EXPECT_EQ(current(), of_the_program);
  // Without one CUDA's runtime takes device 0: it must not find another device's.
  make_current(nullptr);
  EXPECT_EQ(driver().launch(gpu::stream{}, k), success);
  EXPECT_EQ(current(), nullptr);
  void* memory = nullptr;
  EXPECT_EQ(driver().allocate_device(1, 1, memory), success);
  EXPECT_EQ(current(), nullptr);
  make_current(nullptr);
}

TEST_F(cuda_devices, get_sizes_of_launches_with_the_fastest_dimension_first) {
  gpu::kernel_launch k;
  k.groups[0] = 2, k.groups[1] = 3, k.groups[2] = 4;
  k.group_size[0] = 5, k.group_size[1] = 6, k.group_size[2] = 7;
  k.dynamic_local_bytes = 8;
  ASSERT_EQ(driver().launch(gpu::stream{}, k), success);
  EXPECT_THAT(fake<unsigned[7]>("fake_launch"), ElementsAre(4, 3, 2, 7, 6, 5, 8));
}

TEST_F(cuda_devices, get_copies_in_rows_and_slices) {
  gpu::copy_operation c;
  c.from = gpu::on_host;
  c.to = 0;
  char source[1], destination[1];
  c.box.source = source;
  c.box.destination = destination;
  c.box.width = 10, c.box.height = 3, c.box.depth = 2;
  c.box.source_row_pitch = 16, c.box.source_slice_pitch = 64;
  c.box.destination_row_pitch = 12, c.box.destination_slice_pitch = 60;
  gpu::node node;
  ASSERT_EQ(driver().add_copy({}, {}, c, node), success);
  const memcpy_3d& d = fake<memcpy_3d>("fake_node_copy");
  EXPECT_EQ(d.srcMemoryType, memory_host);
  EXPECT_EQ(d.srcHost, source);
  EXPECT_EQ(d.dstMemoryType, memory_device);
  EXPECT_EQ(d.dstDevice, reinterpret_cast<std::uintptr_t>(destination));
  EXPECT_EQ(d.srcPitch, 16u);
  EXPECT_EQ(d.srcHeight, 4u);
  EXPECT_EQ(d.dstPitch, 12u);
  EXPECT_EQ(d.dstHeight, 5u);
  EXPECT_EQ(d.WidthInBytes, 10u);
  EXPECT_EQ(d.Height, 3u);
  EXPECT_EQ(d.Depth, 2u);
  c.box.source_slice_pitch = 65;  // the driver cannot say that
  EXPECT_EQ(driver().add_copy({}, {}, c, node), not_supported);
  EXPECT_TRUE(driver().refused_update(driver().update_copy({}, node, c)));
}

TEST_F(cuda_devices, let_graphs_heed_the_priorities_of_nodes) {
  gpu::executable executable;
  ASSERT_EQ(driver().instantiate({}, 0, executable), success);
  EXPECT_EQ(fake<unsigned long long>("fake_instantiate_flags"), instantiate_use_node_priority);
}

TEST_F(cuda_devices, allow_kernels_more_local_memory_and_never_less) {
  fake<int>("fake_local_allowed") = 48000;
  EXPECT_EQ(driver().allow_local_memory(0, {}, 100), success);
  EXPECT_EQ(fake<int>("fake_local_allowed"), 48000);
  EXPECT_EQ(driver().allow_local_memory(0, {}, 60000), success);
  EXPECT_EQ(fake<int>("fake_local_allowed"), 60000);
}

TEST_F(cuda_devices, tell_what_the_compiler_of_ptx_says) {
  gpu::module module;
  std::string log;
  EXPECT_EQ(driver().load(0, "", 1, module, log), invalid_ptx);
  EXPECT_EQ(log, "ptxas: line 7: no such thing");
}

TEST_F(cuda_devices, explain_errors_in_the_words_of_the_driver) {
  const auto status = driver().explain(out_of_memory, "cuMemAlloc of 12 bytes");
  EXPECT_EQ(status.code, model::error_code::memory_allocation);
  EXPECT_THAT(status.reason,
              HasSubstr("CUDA: cuMemAlloc of 12 bytes: what the driver says (CUDA_ERROR_NAME, 2)"));
  EXPECT_EQ(driver().explain(no_binary_for_gpu, "x").code, model::error_code::kernel_not_supported);
  EXPECT_EQ(driver().explain(launch_out_of_resources, "x").code, model::error_code::nd_range);
  EXPECT_THAT(driver().explain(999999, "x").reason, HasSubstr("no text for (999999)"));
  EXPECT_TRUE(driver().explain(success, "x").ok());
}

TEST_F(cuda_devices, are_lost_after_errors_that_end_their_context) {
  for (const int code : {214, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719})
    EXPECT_TRUE(driver().is_fatal(code)) << code;
  for (const int code : {0, 1, 2, 209, 600, 701, 704, 801, 910})
    EXPECT_FALSE(driver().is_fatal(code)) << code;
  EXPECT_THAT(driver().explain(illegal_address, "waiting").reason,
              AllOf(HasSubstr("compute-sanitizer"), HasSubstr("start a new one")));
}

TEST_F(cuda_devices, tell_events_that_broke_from_those_not_reached_yet) {
  gpu::code why = 5;
  EXPECT_EQ(driver().query({}, why), gpu::event_state::not_reached);
  EXPECT_EQ(why, success);
  EXPECT_EQ(driver().query({&why}, why), gpu::event_state::broken);
  EXPECT_EQ(why, illegal_address);
}

TEST(cuda_descriptions, give_pitches_for_several_rows_only) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  gpu::copy_operation c;
  c.to = 0;
  c.box.width = 3 * gibibyte;
  c.box.height = c.box.depth = 1;
  c.box.source_row_pitch = c.box.destination_row_pitch = c.box.width;
  c.box.source_slice_pitch = c.box.destination_slice_pitch = c.box.width;
  const memcpy_3d row = description_of(c);
  EXPECT_EQ(row.WidthInBytes, 3 * gibibyte);
  EXPECT_EQ(row.srcPitch, 0U) << "no driver takes one of 2 GiB or more";
  EXPECT_EQ(row.dstPitch, 0U);

  c.box.width = 3;
  c.box.height = 4;
  c.box.source_row_pitch = 8;
  c.box.destination_row_pitch = 16;
  const memcpy_3d rows = description_of(c);
  EXPECT_EQ(rows.srcPitch, 8U);
  EXPECT_EQ(rows.dstPitch, 16U);
  EXPECT_EQ(rows.srcHeight, 4U);
}

}  // namespace
}  // namespace pianola::cuda
