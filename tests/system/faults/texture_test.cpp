// SPDX-License-Identifier: Apache-2.0
// A program that samples an image while the driver cannot make the texture.
#include <cstdlib>
#include <string>

#include <sycl/sycl.hpp>

#include "in_a_process.hpp"
#include "test_driver.hpp"

namespace pianola::test {
namespace {

// What comes between two texels, by a kernel on the graphics processor; 256 times the weight of the second one.
std::string sample() {
  const float texels[8] = {0, 0, 0, 0, 256, 256, 256, 256};
  float read = -1;
  std::string errors;
  try {
    sycl::queue q(sycl::gpu_selector_v, [&](const sycl::exception_list& list) {
      for (const auto& e : list) try {
          std::rethrow_exception(e);
        } catch (const std::exception& x) {
          errors += x.what();
        }
    });
    sycl::sampled_image<1> image(
        texels, sycl::image_format::r32g32b32a32_sfloat,
        {sycl::addressing_mode::clamp_to_edge, sycl::coordinate_normalization_mode::unnormalized,
         sycl::filtering_mode::linear},
        sycl::range<1>(2));
    {
      sycl::buffer<float> out(&read, sycl::range<1>(1));
      q.submit([&](sycl::handler& h) {
        auto in = image.get_access<sycl::float4>(h);
        sycl::accessor to(out, h, sycl::write_only);
        h.single_task([=] { to[0] = in.read(0.5F + 1.0F / 1024).x(); });
      });
      q.wait_and_throw();
    }
  } catch (const std::exception& x) {
    errors += x.what();
  }
  return errors.empty() ? std::to_string(read) : errors;
}

TEST(a_texture, that_cannot_be_made_is_done_without) {
  if (!on_cuda()) GTEST_SKIP() << "textures are CUDA's";
  constexpr const char* by_texture = "0.000000";  // 8 bits are too few to tell
  constexpr const char* by_arithmetic = "0.250000";
  const auto run = [](const settings& s) {
    const process_end end = in_a_process(s, sample);
    return end.text + end.how;
  };
  EXPECT_EQ(run({}), by_texture);
  EXPECT_EQ(run({{"PIANOLA_CUDA_TEXTURES", "off"}}), by_arithmetic);
  for (const char* code : {"1", "2", "801", "999"})
    EXPECT_EQ(run({{"PIANOLA_TEST_DRIVER_FAIL", std::string("cuTexObjectCreate:every=") + code}}),
              by_arithmetic);
}

TEST(a_texture, is_chosen_by_a_variable_whose_mistakes_are_told) {
  if (!on_cuda()) GTEST_SKIP() << "textures are CUDA's";
  const process_end end = in_a_process({{"PIANOLA_CUDA_TEXTURES", "no"}}, sample);
  EXPECT_EQ(end.text + end.how, "PIANOLA_CUDA_TEXTURES='no': it takes on or off");
}

TEST(a_texture, whose_making_shows_that_the_device_is_lost_is_an_error_that_says_so) {
  if (!on_cuda()) GTEST_SKIP() << "textures are CUDA's";
  const process_end end =
      in_a_process({{"PIANOLA_TEST_DRIVER_FAIL", "cuTexObjectCreate:1=719"}}, sample);
  EXPECT_EQ(end.how, "");
  EXPECT_NE(end.text.find("CUDA: making a texture: "), std::string::npos) << end.text;
  EXPECT_NE(end.text.find("719"), std::string::npos) << end.text;
}

}  // namespace
}  // namespace pianola::test
