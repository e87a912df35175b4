// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <pianola/abi/simulated.h>
#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

class cuda_textures : public cuda_double {
 protected:
  cuda_textures() {
    where.resType = CU_RESOURCE_TYPE_PITCH2D_v;
    where.res.pitch2D.format = CU_AD_FORMAT_FLOAT_v;
    where.res.pitch2D.numChannels = 4;
    where.res.pitch2D.width = 2;
    where.res.pitch2D.height = 2;
    where.res.pitch2D.pitchInBytes = 32;
    for (int& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP_v;
  }
  void SetUp() override {
    cuda_double::SetUp();
    where.res.pitch2D.devPtr = memory(64);
    // (0, 1, 2, 3) plus 10 to the right, plus 100 below.
    std::vector<float> texels;
    for (const float first : {0.0F, 10.0F, 100.0F, 110.0F})
      for (int c = 0; c < 4; ++c) texels.push_back(first + static_cast<float>(c));
    write(where.res.pitch2D.devPtr, texels);
  }
  void TearDown() override {
    cuda_double::TearDown();
    EXPECT_EQ(c().control->live("texture"), 0U);
  }

  int make(unsigned long long* out) { return c().cuTexObjectCreate(out, &where, &how, nullptr); }
  void expect_refused(const std::string& text) {
    unsigned long long t = 0;
    expect_violation(make(&t), 1, text);
  }
  // The first channel at a place.
  float sample(unsigned long long texture, float x, float y,
               std::uint32_t kind = PIANOLA_SIM_TEXELS_FLOAT) {
    const CUdeviceptr_t at = memory(8), to = memory(16);
    write(at, std::vector<float>{x, y});
    EXPECT_EQ(launch(function("sample"), nullptr,
                     sample_object{texture, reinterpret_cast<const float*>(at),
                                   reinterpret_cast<float*>(to), kind},
                     1, 1),
              0);
    EXPECT_EQ(c().cuCtxSynchronize(), 0);
    return read<float>(to, 1)[0];
  }

  CUDA_RESOURCE_DESC_t where{};
  CUDA_TEXTURE_DESC_t how{};
};

TEST_F(cuda_textures, are_sampled_at_the_nearest_texel) {
  unsigned long long t = 0;
  ASSERT_EQ(make(&t), 0);
  EXPECT_EQ(sample(t, 1.5F, 0.5F), 10.0F);
  EXPECT_EQ(sample(t, 0.5F, 1.5F), 100.0F);
  EXPECT_EQ(sample(t, 9.0F, -3.0F), 10.0F);
  // Coordinates have 8 bits behind the point before a texel is looked for.
  EXPECT_EQ(sample(t, 1.0F - 1.0F / 1024, 0.5F), 10.0F);
  EXPECT_EQ(sample(t, 1.0F - 1.0F / 256, 0.5F), 0.0F);
  EXPECT_EQ(c().cuTexObjectDestroy(t), 0);
}

TEST_F(cuda_textures, filter_with_weights_of_8_bits) {
  how.filterMode = CU_TR_FILTER_MODE_LINEAR_v;
  unsigned long long t = 0;
  ASSERT_EQ(make(&t), 0);
  EXPECT_EQ(sample(t, 1.0F, 0.5F), 5.0F);
  EXPECT_EQ(sample(t, 1.0F, 1.0F), 55.0F);
  EXPECT_EQ(sample(t, 1.0F + 1.0F / 1024, 0.5F), 5.0F);
  EXPECT_EQ(sample(t, 0.25F, 0.5F), 0.0F);
  EXPECT_EQ(c().cuTexObjectDestroy(t), 0);
}

TEST_F(cuda_textures, address_in_each_mode_by_normalised_coordinates) {
  how.flags = CU_TRSF_NORMALIZED_COORDINATES_v;
  const struct {
    int mode;
    float expected;
  } cases[] = {{CU_TR_ADDRESS_MODE_WRAP_v, 0.0F},
               {CU_TR_ADDRESS_MODE_CLAMP_v, 10.0F},
               {CU_TR_ADDRESS_MODE_MIRROR_v, 10.0F},
               {CU_TR_ADDRESS_MODE_BORDER_v, 0.0F}};
  for (const auto& x : cases) {
    how.addressMode[0] = x.mode;
    unsigned long long t = 0;
    ASSERT_EQ(make(&t), 0);
    EXPECT_EQ(sample(t, 0.75F, 0.25F), 10.0F) << x.mode;
    EXPECT_EQ(sample(t, 1.25F, 0.25F), x.expected) << x.mode;
    EXPECT_EQ(c().cuTexObjectDestroy(t), 0);
  }
}

TEST_F(cuda_textures, of_integers_are_fractions_unless_they_are_read_as_integers) {
  where.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8_v;
  const CUdeviceptr_t bytes = memory(64);
  where.res.pitch2D.devPtr = bytes;
  write(bytes, std::vector<std::uint8_t>(64, 51));
  unsigned long long t = 0;
  ASSERT_EQ(make(&t), 0);
  EXPECT_EQ(sample(t, 0.5F, 0.5F), 0.2F);
  EXPECT_EQ(c().cuTexObjectDestroy(t), 0);
  how.flags = CU_TRSF_READ_AS_INTEGER_v;
  ASSERT_EQ(make(&t), 0);
  const float bits = sample(t, 0.5F, 0.5F, PIANOLA_SIM_TEXELS_UNSIGNED);
  std::uint32_t number = 0;
  std::memcpy(&number, &bits, 4);
  EXPECT_EQ(number, 51U);
  EXPECT_EQ(c().cuTexObjectDestroy(t), 0);
  how.filterMode = CU_TR_FILTER_MODE_LINEAR_v;
  expect_refused("integers cannot be filtered");
}

TEST_F(cuda_textures, need_memory_that_suits_them) {
  const auto fits = where;
  where.res.pitch2D.devPtr += 16;
  expect_refused("not aligned");
  where = fits;
  where.res.pitch2D.pitchInBytes = 48;
  expect_refused("pitch of 48");
  where.res.pitch2D.pitchInBytes = 0;
  expect_refused("pitch of 0");
  where = fits;
  where.res.pitch2D.height = 3;
  expect_refused("has only 64");
  where.res.pitch2D.height = 65001;
  expect_refused("65001");
  where.res.pitch2D.height = 0;
  expect_refused("2 x 0");
  where = fits;
  where.res.pitch2D.numChannels = 3;
  expect_refused("3 channels");
  where = fits;
  where.res.pitch2D.format = 4;
  expect_refused("format 4");
  where = fits;
  where.res.pitch2D.devPtr = 0;
  expect_refused("null");
  void* host = nullptr;
  ASSERT_EQ(c().cuMemHostAlloc(&host, 64, 0), 0);
  where.res.pitch2D.devPtr = reinterpret_cast<CUdeviceptr_t>(host);
  expect_refused("not the context's own");
  where = fits;
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  expect_refused("not the context's own");
}

TEST_F(cuda_textures, are_described_as_documented) {
  how.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER_v;
  expect_refused("not normalised");
  how.addressMode[1] = 4;
  expect_refused("address mode 4");
  how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP_v;
  how.flags = 128;
  expect_refused("flags");
  how.flags = 0;
  how.filterMode = 2;
  expect_refused("filter mode");
  how.filterMode = CU_TR_FILTER_MODE_POINT_v;
  unsigned long long t = 0;
  expect_violation(c().cuTexObjectCreate(&t, &where, &how, &where), 1, "view");
  expect_violation(c().cuTexObjectCreate(&t, nullptr, &how, nullptr), 1, "null");
  expect_violation(c().cuTexObjectCreate(nullptr, &where, &how, nullptr), 1, "null");
  where.resType = 2;
  expect_refusal(make(&t), 801);
}

TEST_F(cuda_textures, are_destroyed_once) {
  unsigned long long t = 0;
  ASSERT_EQ(make(&t), 0);
  EXPECT_EQ(c().control->live("texture"), 1U);
  ASSERT_EQ(c().cuTexObjectDestroy(t), 0);
  expect_violation(c().cuTexObjectDestroy(t), 400, "a texture that has been destroyed");
}

TEST_F(cuda_textures, that_have_been_destroyed_lose_the_context_of_kernels_that_sample_them) {
  unsigned long long t = 0;
  ASSERT_EQ(make(&t), 0);
  const CUdeviceptr_t at = memory(8), to = memory(16);
  c().control->hold(true);
  ASSERT_EQ(launch(function("sample"), nullptr,
                   sample_object{t, reinterpret_cast<const float*>(at),
                                 reinterpret_cast<float*>(to), PIANOLA_SIM_TEXELS_FLOAT},
                   1, 1),
            0);
  ASSERT_EQ(c().cuTexObjectDestroy(t), 0);
  c().control->hold(false);
  EXPECT_EQ(c().cuCtxSynchronize(), 719);
}

}  // namespace
}  // namespace pianola::test
