// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/gpu/device_selection.hpp>

namespace pianola::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(selection, of_nothing_means_all_devices) {
  const device_selection wanted = parse_device_options("cuda", "");
  EXPECT_THAT(wanted.fault, IsEmpty());
  EXPECT_THAT(select_devices("cuda", wanted, 3).ordinals, ElementsAre(0, 1, 2));
}

TEST(selection, keeps_the_order_of_the_numbers) {
  const device_selection wanted = parse_device_options("cuda", "2+0");
  EXPECT_THAT(wanted.fault, IsEmpty());
  EXPECT_THAT(select_devices("cuda", wanted, 3).ordinals, ElementsAre(2, 0));
}

TEST(selection, refuses_what_makes_no_sense_and_says_what_does) {
  for (const char* nonsense :
       {"a", "-1", "0+", "+0", "0++1", "0,1", "1x", "0+0", " 0", "99999999999999999999", "+"}) {
    const device_selection wanted = parse_device_options("hip", nonsense);
    EXPECT_THAT(wanted.fault, HasSubstr("hip:" + std::string(nonsense) + ": ")) << nonsense;
    EXPECT_THAT(wanted.fault, HasSubstr("such as hip:0 or hip:0+2")) << nonsense;
    EXPECT_THAT(wanted.ordinals, IsEmpty()) << nonsense;
  }
  EXPECT_THAT(parse_device_options("hip", "1+1").fault, HasSubstr("device 1 is named twice"));
  EXPECT_THAT(parse_device_options("hip", "1+x").fault, HasSubstr("'x' is no number of a device"));
}

TEST(selection, of_a_device_that_is_not_there_says_which_are) {
  const device_selection wanted = parse_device_options("cuda", "0+4");
  EXPECT_THAT(select_devices("cuda", wanted, 4).fault,
              HasSubstr("cuda:4: there is no such device; there are 4, from 0 to 3"));
  EXPECT_THAT(select_devices("cuda", wanted, 1).fault, HasSubstr("the only one is 0"));
  EXPECT_THAT(select_devices("cuda", wanted, 1).ordinals, IsEmpty());
}

}  // namespace
}  // namespace pianola::gpu
