// SPDX-License-Identifier: Apache-2.0
// Both drivers' classes on test drivers with two devices, which check every call and keep devices' memory apart.
#pragma once
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/src/cuda_driver.hpp"
#include "environment.hpp"
#include "hip/src/hip_driver.hpp"
#include "pianola/test/driver_control.hpp"

namespace pianola::gpu {

using bytes = std::vector<unsigned char>;
// Of both drivers: a parameter makes no sense.
inline constexpr code invalid = 1;

class operations : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string which = GetParam();
    const bool hip = which == "hip" || which == "hip_7";
    const char* const path = hip ? TEST_HIP_RUNTIME : TEST_CUDA_DRIVER;
    const auto set = [this](const char* name, const char* value) {
      set_.push_back(std::make_unique<test::environment>(name, value));
    };
    set("PIANOLA_CUDA_DRIVER", path);
    set("PIANOLA_HIP_RUNTIME", hip ? path : HIP_ON_CUDA);
    // Where structures have another layout.
    if (which == "hip_7") set("PIANOLA_TEST_DRIVER_HIP_VERSION", "70000000");
    set("PIANOLA_TEST_DRIVER_DEVICES", "2");
    set("PIANOLA_TEST_DRIVER_STRICT", "1");
    if (which == "cuda") {
      auto opened = cuda::cuda_driver::open("");
      ASSERT_NE(opened.driver, nullptr) << opened.reason;
      driver_ = std::move(opened.driver);
    } else {
      auto opened = hip::hip_driver::open("");
      ASSERT_NE(opened.driver, nullptr) << opened.reason;
      driver_ = std::move(opened.driver);
    }
    library_ = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library_, nullptr);
    control_ = test::driver_control_of(library_);
    ASSERT_NE(control_, nullptr);
    for (std::uint32_t device = 0; device < 2; ++device)
      check(d().make_stream(device, streams_[device]), "make_stream");
  }
  void TearDown() override {
    for (const auto& [device, memory] : memories_) check(d().free_device(device, memory), "free");
    for (std::uint32_t device = 0; device < 2; ++device) d().destroy(device, streams_[device]);
    EXPECT_EQ(control_->live("allocation"), 0u);
    EXPECT_EQ(control_->live("stream"), 0u);
    EXPECT_EQ(control_->live("event"), 0u);
    EXPECT_EQ(control_->live("graph"), 0u);
    EXPECT_EQ(control_->live("executable graph"), 0u);
    EXPECT_EQ(control_->violations(), 0u);
  }

  driver& d() { return *driver_; }
  // Of the same kind, with contexts and capabilities of its own.
  static std::unique_ptr<driver> open_another(std::string* reason = nullptr) {
    if (std::string(GetParam()) == "cuda") {
      auto opened = cuda::cuda_driver::open("");
      if (reason != nullptr) *reason = opened.reason;
      return std::move(opened.driver);
    }
    auto opened = hip::hip_driver::open("");
    if (reason != nullptr) *reason = opened.reason;
    return std::move(opened.driver);
  }
  void check(code c, const char* what) { ASSERT_EQ(c, success) << d().explain(c, what).reason; }
  stream s(std::uint32_t device = 0) { return streams_[device]; }

  unsigned char* allocate(std::size_t n, std::uint32_t device = 0) {
    void* memory = nullptr;
    check(d().allocate_device(device, n, memory), "allocate");
    memories_.emplace_back(device, memory);
    return static_cast<unsigned char*>(memory);
  }
  void wait(std::uint32_t device = 0) {
    event e;
    check(d().make_event(device, false, e), "make_event");
    check(d().record(device, s(device), e), "record");
    check(d().synchronize(e), "synchronize");
    code why = 77;
    EXPECT_EQ(d().query(e, why), event_state::reached);
    EXPECT_EQ(why, success);
    d().destroy(device, e);
  }
  static copy_operation flat(void* to, std::int32_t where_to, const void* from,
                             std::int32_t where_from, std::size_t n) {
    copy_operation c;
    c.box.destination = to;
    c.box.source = from;
    c.box.width = n;
    c.box.source_row_pitch = c.box.destination_row_pitch = n;
    c.box.source_slice_pitch = c.box.destination_slice_pitch = n;
    c.to = where_to;
    c.from = where_from;
    c.device = static_cast<std::uint32_t>(where_to >= 0 ? where_to : std::max(where_from, 0));
    return c;
  }
  void put(unsigned char* to, const bytes& from, std::uint32_t device = 0) {
    check(d().copy(s(device),
                   flat(to, static_cast<std::int32_t>(device), from.data(), on_host, from.size())),
          "put");
    wait(device);
  }
  bytes get(const unsigned char* from, std::size_t n, std::uint32_t device = 0) {
    bytes out(n);
    check(
        d().copy(s(device), flat(out.data(), on_host, from, static_cast<std::int32_t>(device), n)),
        "get");
    wait(device);
    return out;
  }
  static bytes numbers(std::size_t n) {
    bytes b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<unsigned char>(i * 7 + i / 251);
    return b;
  }
  // What a copy should make of `destination`.
  static void expected_copy(const copy_operation& c, const unsigned char* source,
                            unsigned char* destination) {
    for (std::uint64_t z = 0; z < c.box.depth; ++z)
      for (std::uint64_t y = 0; y < c.box.height; ++y)
        std::memcpy(
            destination + z * c.box.destination_slice_pitch + y * c.box.destination_row_pitch,
            source + z * c.box.source_slice_pitch + y * c.box.source_row_pitch, c.box.width);
  }
  static void expected_fill(const fill_operation& f, unsigned char* destination) {
    for (std::uint64_t y = 0; y < f.rows; ++y)
      for (std::uint64_t x = 0; x < f.width; ++x)
        std::memcpy(destination + y * f.pitch + x * f.element_bytes, &f.value, f.element_bytes);
  }
  // As one graph of `add`'s nodes, launched once.
  void run_graph(const std::function<void(graph)>& add) {
    graph g;
    executable e;
    check(d().make_graph(g), "make_graph");
    add(g);
    check(d().instantiate(g, 0, e), "instantiate");
    if (d().can().graph_upload) check(d().upload(e, 0, s()), "upload");
    check(d().launch(e, 0, s()), "launch");
    wait();
    d().destroy(e);
    d().destroy(g);
  }

  const test::driver_control* control_ = nullptr;

 private:
  std::vector<std::unique_ptr<test::environment>> set_;
  std::unique_ptr<driver> driver_;
  void* library_ = nullptr;
  stream streams_[2];
  std::vector<std::pair<std::uint32_t, void*>> memories_;
};

inline auto every_driver() { return testing::Values("cuda", "hip", "hip_7", "hip_on_cuda"); }
inline std::string name_of_driver(const testing::TestParamInfo<const char*>& test) {
  return test.param;
}

}  // namespace pianola::gpu
