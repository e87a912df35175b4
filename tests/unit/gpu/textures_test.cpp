// SPDX-License-Identifier: Apache-2.0
// Textures in function objects: made when a kernel first needs them, kept, destroyed with their memory.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <pianola/model/texture.hpp>

#include "gpu_rig.hpp"
#include "graph_plan.hpp"

namespace pianola::test {
namespace {

using model::argument_slot;
using model::no_texture;
using model::texture_argument;

struct sampling {
  std::uint64_t before = 11;
  texture_argument texture;
  std::uint64_t* out = nullptr;
};

class GpuTextures : public ::testing::Test {
 protected:
  GpuTextures() {
    fake_kernel k;
    k.functor_bytes = sizeof(sampling);
    k.body = [](const void* functor, const pianola_launch&, const fake_item&) {
      const auto& f = *static_cast<const sampling*>(functor);
      *f.out = f.before == 11 ? f.texture.handle : 0xbad;
    };
    rig.add_kernel("sampling", std::move(k));
    rig.driver->textures = true;
  }
  executors::resolved_kernel kernel(void* texels, std::uint32_t width = 4) {
    sampling f;
    f.texture.marker = 1;
    f.texture.texels = texels;
    f.texture.description.width = width;
    f.out = &handle;
    auto k = rig.kernel("sampling", f, {});
    k.texture_slots = {&slot, 1};
    return k;
  }
  std::uint64_t run(void* texels, std::uint32_t width = 4) {
    handle = 0xdead;
    rig.submit(lane(), kernel(texels, width));
    rig.wait(lane());
    return handle;
  }
  executors::lane& lane() {
    if (lane_ == nullptr) lane_ = &rig.lane();
    return *lane_;
  }
  std::uint64_t made() { return rig.driver->calls("make_texture"); }
  std::uint64_t destroyed() { return rig.driver->calls("destroy_texture"); }

  gpu_rig rig;
  std::uint64_t handle = 0;
  argument_slot slot{offsetof(sampling, texture), argument_slot::kind::texture, 0, 0};

 private:
  executors::lane* lane_ = nullptr;
};

TEST_F(GpuTextures, AreMadeOnceForEachAllocationAndDescription) {
  void* const a = rig.allocate(64);
  void* const b = rig.allocate(64);
  EXPECT_EQ(run(a), 0U) << "also a texture";
  EXPECT_EQ(run(a), 0U);
  EXPECT_EQ(run(a, 8), 1U);
  EXPECT_EQ(run(b), 2U);
  EXPECT_EQ(run(a), 0U);
  EXPECT_EQ(made(), 3U);
  EXPECT_EQ(destroyed(), 0U);
}

TEST_F(GpuTextures, AreDestroyedWithTheirMemory) {
  void* a = nullptr;
  ASSERT_TRUE(rig.backend->allocate(0, executors::memory_kind::device, 64, 0, a).ok());
  run(a);
  run(a, 8);
  rig.backend->deallocate(0, executors::memory_kind::device, a);
  EXPECT_EQ(destroyed(), 2U);
  // One that begins where the driver's does not.
  constexpr std::size_t alignment = 4096;
  ASSERT_TRUE(rig.backend->allocate(0, executors::memory_kind::device, 64, alignment, a).ok());
  run(a);
  rig.backend->deallocate(0, executors::memory_kind::device, a);
  EXPECT_EQ(destroyed(), 3U);
}

TEST_F(GpuTextures, ArePutIntoACopyOfWhatWasSubmitted) {
  void* const a = rig.allocate(64);
  const auto k = kernel(a);
  rig.submit(lane(), k);
  rig.wait(lane());
  EXPECT_EQ(handle, 0U);
  sampling submitted;
  std::memcpy(&submitted, k.arguments.bytes, sizeof submitted);
  EXPECT_EQ(submitted.texture.handle, no_texture);
}

TEST_F(GpuTextures, ArePutIntoStepsThatWaitForTheHostToo) {
  void* const a = rig.allocate(64);
  executors::progress host;
  handle = 0xdead;
  const auto k = kernel(a);
  rig.submit(lane(), k, 0, {{&host, 1}});
  std::memset(k.arguments.bytes, 0, sizeof(sampling));  // was only lent, and so was this
  slot.offset = 0;
  host.finish(1);
  rig.wait(lane());
  EXPECT_EQ(handle, 0U);
}

TEST_F(GpuTextures, ArePutIntoGraphsAndTheirUpdates) {
  void* const a = rig.allocate(64);
  void* const b = rig.allocate(64);
  plan p(rig);
  const auto first = p.add(kernel(a));
  const auto g = p.make();
  const auto replay = [&] {
    handle = 0xdead;
    rig.launch(lane(), *g);
    rig.wait(lane());
    return handle;
  };
  EXPECT_EQ(replay(), 0U);
  EXPECT_EQ(replay(), 0U);
  EXPECT_EQ(made(), 1U);
  plan q(rig);
  q.add(kernel(b));
  const std::uint32_t one[] = {first};
  ASSERT_TRUE(rig.backend->update(*g, one, q.steps).ok());
  EXPECT_EQ(replay(), 1U);
}

TEST_F(GpuTextures, AreDoneWithoutWhereTheDriverHasNoneOrCannotMakeOne) {
  void* const a = rig.allocate(64);
  rig.driver->textures = false;
  EXPECT_EQ(run(a), no_texture);
  EXPECT_EQ(made(), 0U);
  rig.driver->textures = true;
  rig.driver->fail("make_texture", 1, fake_driver::out_of_memory);
  EXPECT_EQ(run(a), no_texture);
  EXPECT_EQ(run(a), 0U);
  EXPECT_EQ(run(nullptr), no_texture);
}

TEST_F(GpuTextures, WhoseMakingShowsThatTheDeviceIsLostAreAnError) {
  rig.expect_clean = false;
  void* const a = rig.allocate(64);
  rig.driver->fail("make_texture", 1, fake_driver::illegal_address);
  const auto s = rig.try_submit(lane(), kernel(a));
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.reason.find("making a texture"), std::string::npos) << s.reason;
}

}  // namespace
}  // namespace pianola::test
