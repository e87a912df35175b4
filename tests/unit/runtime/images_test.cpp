// SPDX-License-Identifier: Apache-2.0
// Devices that run images, seen from a program: the backend and the images are the test's own.
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

// Where pianolacc compiles everything there is no such program: CMakeLists.txt says why.
#if defined(PIANOLA_IMAGES_PROGRAM)
namespace {

// What it prints; fails the test if it does not end well.
std::string run_program(const std::string& which, const std::string& devices) {
  const std::string command =
      "PIANOLA_PLUGIN_PATH='" PIANOLA_IMAGE_PLUGINS "' PIANOLA_DEVICES=" + devices +
      " '" PIANOLA_IMAGES_PROGRAM "' " + which + " 2>&1";
  std::FILE* f = popen(command.c_str(), "r");
  if (f == nullptr) return "popen failed";
  std::string text;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, f) != nullptr) text += buffer;
  const int status = pclose(f);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  return text;
}

TEST(images, a_kernel_without_an_image_for_the_device_is_refused_by_name) {
  const auto refused = [](const std::string& when) {
    std::string text = when + "\n";
    for (const char* how : {"submitted", "recorded", "added"})
      text += std::string(how) +
              ": kernel_not_supported: kernel 'doubling' was not compiled for 'Device of images'\n";
    return text;
  };
  EXPECT_EQ(run_program("launches", "cuda"),
            refused("no image") + refused("an image of another kernel") +
                refused("an image for another device") +
                "an image\nsubmitted: done\nrecorded: done\nadded: done\n" +
                refused("the object file has gone") + "8\n");
}

TEST(images, processors_run_kernels_without_images) {
  const std::string done = "submitted: done\nrecorded: done\nadded: done\n";
  EXPECT_EQ(run_program("launches", "openmp"),
            "no image\n" + done + "an image of another kernel\n" + done +
                "an image for another device\n" + done + "an image\n" + done +
                "the object file has gone\n" + done + "32768\n");
}

TEST(images, the_default_device_is_one_that_can_run_kernels_of_the_program) {
  EXPECT_EQ(run_program("defaults", "cuda,openmp"),
            "no image: another device\n"
            "an image for another device: another device\n"
            "an image: the device of images\n"
            "the object files have gone: another device\n");
}

TEST(images, choices_of_a_queue_or_of_planning_are_among_devices_that_have_the_code) {
  const auto among = [](const std::string& when, const std::string& found) {
    std::string text = when + "\n";
    for (const char* how : {"submitted", "recorded", "placed"})
      text += found + " on the device of images, " + how + ": done\n";
    return text;
  };
  EXPECT_EQ(run_program("choices", "cuda,openmp"),
            among("no image", "none") + among("an image for another device", "none") +
                among("an image", "some") + among("the object files have gone", "none") + "8\n8\n");
}

}  // namespace
#endif
