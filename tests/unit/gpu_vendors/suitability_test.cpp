// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <pianola/gpu/image_suitability.hpp>

namespace pianola::gpu {
namespace {

// What of these the device would take, best first.
std::vector<std::string> order(const char* device, std::vector<std::string> images) {
  std::vector<std::string> fitting;
  for (;;) {
    std::string best;
    int rank = 0;
    for (const auto& image : images)
      if (image_suitability(device, image) > rank) {
        rank = image_suitability(device, image);
        best = image;
      }
    if (rank == 0) return fitting;
    fitting.push_back(best);
    std::erase(images, best);
  }
}
using list = std::vector<std::string>;

TEST(image_suitability, takes_machine_code_of_the_same_generation_and_not_newer) {
  EXPECT_EQ(order("sm_86", {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}),
            (list{"sm_86", "sm_80"}));
  EXPECT_EQ(order("sm_120", {"sm_12", "sm_100", "sm_120"}), (list{"sm_120"}));
}

TEST(image_suitability, takes_ptx_that_is_not_newer_but_rather_machine_code) {
  EXPECT_EQ(order("sm_90", {"ptx:sm_75", "ptx:sm_90", "sm_90", "ptx:sm_100", "sm_80", "ptx:sm_80"}),
            (list{"sm_90", "ptx:sm_90", "ptx:sm_80", "ptx:sm_75"}));
}

TEST(image_suitability, takes_what_was_made_for_one_device_on_that_only) {
  EXPECT_EQ(order("sm_90", {"sm_90", "sm_90a", "ptx:sm_90a"}),
            (list{"sm_90a", "sm_90", "ptx:sm_90a"}));
  EXPECT_EQ(order("sm_103", {"sm_100a", "ptx:sm_100a", "sm_100f", "sm_100"}),
            (list{"sm_100f", "sm_100"}));
}

TEST(image_suitability, compares_processor_and_features_of_amd_devices) {
  EXPECT_EQ(order("gfx90a:sramecc+:xnack-", {"gfx908", "gfx90a", "gfx90a:xnack-", "gfx90a:xnack+",
                                             "gfx90a:sramecc+:xnack-", "gfx90"}),
            (list{"gfx90a:sramecc+:xnack-", "gfx90a:xnack-", "gfx90a"}));
  EXPECT_EQ(order("gfx1100", {"gfx1100:xnack-", "gfx1100"}), (list{"gfx1100"}));
}

TEST(image_suitability, takes_simulated_images_where_the_driver_says_so) {
  EXPECT_EQ(order("pianola-sim", {"sm_90", "pianola-sim", "gfx90a"}), (list{"pianola-sim"}));
  EXPECT_EQ(order("sm_90", {"pianola-sim"}), list{});
}

TEST(image_suitability, takes_nothing_that_it_does_not_understand) {
  for (const char* name :
       {"", "sm_", "sm_9", "sm_x", "sm_90q", "sm_90aa", "ptx:", "ptx:90", "ptx:gfx90a"})
    EXPECT_EQ(image_suitability("sm_90", name), 0) << name;
  EXPECT_EQ(image_suitability("", ""), 0);
}

}  // namespace
}  // namespace pianola::gpu
