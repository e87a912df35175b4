// SPDX-License-Identifier: Apache-2.0
// Copies and fills against loops over single bytes.
#include <cstring>
#include <random>
#include <vector>

#include "conformance.hpp"

namespace pianola::test {
namespace {

using bytes = std::vector<unsigned char>;

class memory_steps : public conformance {
 protected:
  bytes noise(std::size_t n) {
    bytes b(n);
    for (auto& x : b) x = static_cast<unsigned char>(random());
    return b;
  }
  std::size_t between(std::size_t a, std::size_t b) {
    return std::uniform_int_distribution<std::size_t>(a, b)(random);
  }
  std::mt19937 random{12345};
};
PIANOLA_FOR_EVERY_BACKEND(memory_steps);

struct shape {
  std::size_t width, height, depth, row, slice;
  [[nodiscard]] std::size_t end() const { return slice * depth; }
};

TEST_P(memory_steps, copy_boxes_of_any_pitch_in_both_directions) {
  const auto random_shape = [&](std::size_t w, std::size_t h, std::size_t d) {
    const std::size_t row = w + between(0, 9);
    return shape{w, h, d, row, row * h + between(0, 20)};
  };
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const std::size_t w = between(1, 90), h = between(1, 6), d = between(1, 4);
    const shape on_host = random_shape(w, h, d), on_device = random_shape(w, h, d),
                back = random_shape(w, h, d);
    const std::size_t offset = between(0, 7);
    const bytes source = noise(on_host.end() + offset);
    bytes device_image = noise(on_device.end()), result = noise(back.end());
    bytes expected = result;
    for (std::size_t z = 0; z < d; ++z)
      for (std::size_t y = 0; y < h; ++y)
        for (std::size_t x = 0; x < w; ++x) {
          const auto b = source[offset + z * on_host.slice + y * on_host.row + x];
          device_image[z * on_device.slice + y * on_device.row + x] = b;
          expected[z * back.slice + y * back.row + x] = b;
        }
    auto* memory = static_cast<unsigned char*>(r.allocate(on_device.end()));
    const bytes before = noise(on_device.end());
    r.upload(memory, before.data(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t in_slice = i % on_device.slice, in_row = in_slice % on_device.row;
      if (in_slice / on_device.row >= h || in_row >= w) device_image[i] = before[i];
    }

    executors::resolved_copy c;
    c.width = w;
    c.height = h;
    c.depth = d;
    c.source = source.data() + offset;
    c.source_row_pitch = on_host.row;
    c.source_slice_pitch = on_host.slice;
    c.destination = memory;
    c.destination_row_pitch = on_device.row;
    c.destination_slice_pitch = on_device.slice;
    c.from = model::host_memory;
    c.to = r.memory_of(0);
    auto& lane = r.lane();
    r.submit(lane, c);
    c.source = memory;
    c.source_row_pitch = on_device.row;
    c.source_slice_pitch = on_device.slice;
    c.destination = result.data();
    c.destination_row_pitch = back.row;
    c.destination_slice_pitch = back.slice;
    c.from = r.memory_of(0);
    c.to = model::host_memory;
    r.submit(lane, c);
    r.wait(lane);
    EXPECT_EQ(result, expected);
    EXPECT_EQ(r.log.of(0).failed, 0) << r.log.of(0).error;
    bytes seen(on_device.end());
    r.download(seen.data(), memory, seen.size());
    EXPECT_EQ(seen, device_image);
  }
}

TEST_P(memory_steps, copy_between_devices) {
  const auto n = static_cast<std::uint32_t>(r.backend().devices().size());
  const bytes source = noise(5000);
  void* at = r.allocate(source.size(), 0);
  r.upload(at, source.data(), source.size(), 0);
  for (std::uint32_t d = 1; d <= n; ++d) {
    const std::uint32_t from = d - 1, to = d % n;
    void* next = r.allocate(source.size(), to);
    executors::resolved_copy c;
    c.width = source.size();
    c.source = at;
    c.destination = next;
    c.from = r.memory_of(from);
    c.to = r.memory_of(to);
    auto& lane = r.lane(to);
    r.submit(lane, c);
    r.wait(lane);
    at = next;
  }
  bytes result(source.size());
  r.download(result.data(), at, result.size(), 0);
  EXPECT_EQ(result, source);
}

TEST_P(memory_steps, fill_with_patterns_of_any_size) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t n = 1; n <= 33; ++n) sizes.push_back(n);
  sizes.insert(sizes.end(), {48, 64, 100, 256, 1000, 70000});
  for (const std::uint32_t n : sizes) {
    SCOPED_TRACE(n);
    const std::size_t h = between(1, 3), d = between(1, 3), w = n * between(1, 9);
    const std::size_t row = w + between(0, 5), slice = row * h + between(0, 9);
    bytes expected = noise(slice * d);
    auto* memory = static_cast<unsigned char*>(r.allocate(expected.size()));
    r.upload(memory, expected.data(), expected.size());
    bytes pattern = noise(n);
    executors::resolved_fill f;
    f.destination = memory;
    f.memory = r.memory_of(0);
    f.width = w;
    f.height = h;
    f.depth = d;
    f.row_pitch = row;
    f.slice_pitch = slice;
    f.pattern_bytes = n;
    if (n <= executors::resolved_fill::inline_pattern_bytes)
      std::memcpy(f.pattern, pattern.data(), n);
    else
      f.large_pattern = pattern.data();
    for (std::size_t z = 0; z < d; ++z)
      for (std::size_t y = 0; y < h; ++y)
        for (std::size_t x = 0; x < w; ++x) expected[z * slice + y * row + x] = pattern[x % n];
    auto& lane = r.lane();
    r.submit(lane, f);
    // Large patterns were copied when the step was submitted.
    std::fill(pattern.begin(), pattern.end(), static_cast<unsigned char>(0));
    r.wait(lane);
    bytes result(expected.size());
    r.download(result.data(), memory, result.size());
    EXPECT_EQ(result, expected);
  }
}

TEST_P(memory_steps, of_no_bytes_do_nothing) {
  auto& lane = r.lane();
  executors::resolved_copy c;
  c.from = c.to = model::host_memory;
  r.submit(lane, c);
  executors::resolved_fill f;
  f.memory = r.memory_of(0);
  r.submit(lane, f, 0);
  r.wait(lane);
  EXPECT_EQ(lane.completion().finished(), 2U);
}

}  // namespace
}  // namespace pianola::test
