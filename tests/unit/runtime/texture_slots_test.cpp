// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include <pianola/model/texture.hpp>
#include <pianola/runtime/cookie.hpp>

#include "commands/argument_slots.hpp"

namespace {

using namespace pianola;

// The function object of a kernel that samples one image, as its accessor lays it out.
struct sampling_kernel {
  std::uint64_t pointer;
  std::uint64_t more = 0;
  model::texture_argument texture;
};

struct slots {
  std::size_t buffers, textures;
};

slots found(std::uint64_t accessor, std::uint64_t asked_for, std::uint64_t byte_offset) {
  sampling_kernel kernel{accessor, 0, {}};
  kernel.texture.marker = runtime::texture_cookie;
  kernel.texture.texels = reinterpret_cast<void*>(asked_for);
  runtime::submission s;
  s.arguments.store(&kernel, sizeof kernel, alignof(sampling_kernel), nullptr);
  runtime::accessor_request r;
  r.cookie = accessor;
  r.byte_offset = byte_offset;
  s.accessors.push_back(r);
  const runtime::found_slots all = runtime::find_slots(s);
  // The copy of the pointer is patched as the pointer is.
  return {all.buffers.size(), all.textures.size()};
}

TEST(texture_slots, an_image_whose_accessor_is_in_the_command_gets_one) {
  const std::uint64_t cookie = runtime::next_accessor_cookie();
  const slots s = found(cookie, cookie, 0);
  EXPECT_EQ(s.buffers, 2U);
  EXPECT_EQ(s.textures, 1U);
}

// They are known, and end, by the address of their allocation.
TEST(texture_slots, texels_that_do_not_begin_where_their_allocation_does_get_none) {
  const std::uint64_t cookie = runtime::next_accessor_cookie();
  const slots s = found(cookie, cookie, 512);
  EXPECT_EQ(s.buffers, 2U);
  EXPECT_EQ(s.textures, 0U);
}

TEST(texture_slots, stray_bytes_get_none) {
  const slots s = found(runtime::next_accessor_cookie(), runtime::next_accessor_cookie(), 0);
  EXPECT_EQ(s.buffers, 1U);
  EXPECT_EQ(s.textures, 0U);
}

}  // namespace
