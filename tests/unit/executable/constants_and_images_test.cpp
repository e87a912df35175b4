// SPDX-License-Identifier: Apache-2.0
// Constants of the library's own have their contents in the file, and images what a texture is made of.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/model/error.hpp>

#include "image_sample.hpp"
#include "layout.hpp"
#include "use_file.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;

std::shared_ptr<executable::file> read_again(const std::string& bytes) {
  return executable::file::from_bytes(formats::file_bytes::copy_of(bytes), "file");
}

TEST(saved_constants, come_back_with_their_contents) {
  const image_sample sample;
  const auto file = read_again(executable::to_bytes(sample.what));
  ASSERT_EQ(file->buffers().size(), 2U);
  EXPECT_EQ(file->buffers()[0].constants, "");
  EXPECT_TRUE(file->buffers()[1].own);
  EXPECT_EQ(file->buffers()[1].constants, sample.what.buffers[1].constants);
}

TEST(saved_images, come_back_with_what_textures_are_made_of) {
  const image_sample sample;
  const auto file = read_again(executable::to_bytes(sample.what));
  const model::kernel_descriptor* const kernels[] = {&sample.kernel};
  const std::vector<model::command> commands = file->take_commands(kernels, {});
  const auto& k = std::get<model::kernel_command>(commands[0].payload);
  ASSERT_EQ(k.slots.size(), 3U);
  EXPECT_EQ(k.slots[2].what, model::argument_slot::kind::texture);
  EXPECT_EQ(k.slots[2].offset, image_sample::image_at);
  model::texture_argument asked;
  std::memcpy(&asked, static_cast<const unsigned char*>(k.arguments.bytes) + image_sample::image_at,
              sizeof asked);
  EXPECT_EQ(asked.texels, nullptr);
  EXPECT_EQ(asked.description.row_pitch, 64U);
  EXPECT_EQ(asked.description.type, model::texel_type::float32);
}

// What a change of the description, of the slots or of the buffers makes of the file.
class changed_image : public ::testing::Test {
 protected:
  void expect_refused(const std::function<void(image_sample&, model::texture_argument&)>& change,
                      const std::string& reason) {
    image_sample sample;
    model::texture_argument asked;
    unsigned char* const at = sample.arguments + image_sample::image_at;
    std::memcpy(&asked, at, sizeof asked);
    change(sample, asked);
    std::memcpy(at, &asked, sizeof asked);
    try {
      (void)read_again(executable::to_bytes(sample.what));
      ADD_FAILURE() << "was taken: " << reason;
    } catch (const model::user_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(reason));
    }
  }
};

TEST_F(changed_image, is_refused_where_a_texture_would_leave_its_buffer) {
  using sample = image_sample;
  using texture = model::texture_argument;
  const std::string leaves = "slots/2: is an image that leaves its buffer";
  expect_refused([](sample&, texture& t) { t.description.height = 4; }, leaves);
  expect_refused([](sample&, texture& t) { t.description.width = 5; }, leaves);
  expect_refused([](sample&, texture& t) { t.description.width = 0; }, leaves);
  expect_refused([](sample&, texture& t) { t.description.row_pitch = ~std::uint64_t{0}; }, leaves);
  expect_refused([](sample&, texture& t) { t.handle = 1; }, "is an image of no kind");
  expect_refused(
      [](sample&, texture& t) {
        const unsigned char type = 17;
        std::memcpy(&t.description.type, &type, sizeof type);
      },
      "is an image of no kind");
  expect_refused([](sample& s, texture&) { s.slots[1].offset = 0; }, "is an image without an");
  expect_refused([](sample& s, texture&) { s.slots[1].requirement = 1; }, "is an image without an");
  expect_refused([](sample& s, texture&) { s.slots[2].offset = 16; }, "has no room for an image");
  expect_refused([](sample& s, texture&) { s.slots[2].requirement = 2; }, "unknown requirement");
}

TEST_F(changed_image, is_refused_where_constants_are_no_buffer_of_the_library) {
  expect_refused([](image_sample& s, auto&) { s.what.buffers[1].own = false; },
                 "buffers/1: is one of the library's own with constants, or is not");
  expect_refused([](image_sample& s, auto&) { s.what.buffers[1].info.element_size = 8; },
                 "buffers/1: has constants that are not there");
}

}  // namespace
