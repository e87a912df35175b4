// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "gpu_rig.hpp"
#include "operations/memory_operations.hpp"

namespace pianola::test {
namespace {

using executors::resolved_copy;
using executors::resolved_fill;
using gpu::copy_operation;
using gpu::fill_operation;
using gpu::memory_operation;

// What the operations do, in their order.
void perform(const std::vector<memory_operation>& operations) {
  for (const auto& o : operations) {
    if (const auto* f = std::get_if<fill_operation>(&o)) {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(f->destination) % f->element_bytes, 0U);
      if (f->rows > 1) {
        ASSERT_EQ(f->pitch % f->element_bytes, 0U);
        ASSERT_GE(f->pitch, f->width * f->element_bytes);
      }
      for (std::uint64_t y = 0; y < f->rows; ++y)
        for (std::uint64_t x = 0; x < f->width; ++x)
          std::memcpy(
              static_cast<unsigned char*>(f->destination) + y * f->pitch + x * f->element_bytes,
              &f->value, f->element_bytes);
      continue;
    }
    const auto& b = std::get_if<copy_operation>(&o)->box;
    if (b.depth > 1) {
      ASSERT_EQ(b.source_slice_pitch % b.source_row_pitch, 0U);
      ASSERT_EQ(b.destination_slice_pitch % b.destination_row_pitch, 0U);
    }
    for (std::uint64_t z = 0; z < b.depth; ++z)
      for (std::uint64_t y = 0; y < b.height; ++y)
        std::memcpy(static_cast<unsigned char*>(b.destination) + z * b.destination_slice_pitch +
                        y * b.destination_row_pitch,
                    static_cast<const unsigned char*>(b.source) + z * b.source_slice_pitch +
                        y * b.source_row_pitch,
                    b.width);
  }
}

struct shape {
  std::uint64_t width;  // in patterns
  std::uint64_t height;
  std::uint64_t depth;
  std::uint64_t more_row;       // patterns between rows
  std::uint64_t more_slice;     // rows between slices
  std::uint64_t odd_slice = 0;  // patterns more between slices
};

const shape shapes[] = {{1, 1, 1, 0, 0}, {7, 1, 1, 0, 0}, {5, 4, 1, 0, 0},   {5, 4, 1, 3, 0},
                        {1, 6, 1, 2, 0}, {3, 5, 4, 0, 0}, {3, 5, 4, 2, 0},   {3, 5, 4, 2, 3},
                        {3, 1, 4, 2, 3}, {3, 5, 4, 0, 2}, {0, 5, 4, 0, 0},   {4, 0, 1, 0, 0},
                        {2, 3, 7, 1, 1}, {6, 9, 1, 1, 0}, {2, 3, 5, 1, 1, 1}};

TEST(GpuFills, WriteEveryPatternIntoEveryBoxAndNothingElse) {
  std::mt19937 random(1);
  for (std::uint32_t pattern_bytes = 1; pattern_bytes <= 40; ++pattern_bytes)
    for (const shape& s : shapes)
      for (const std::size_t offset : {0U, 1U, 2U, 4U})
        for (const int kind : {0, 1, 2}) {  // random bytes, equal bytes, equal pairs
          const std::uint64_t odd_row =
              kind == 0 && (offset == 0 || offset == 2) ? 1 : 0;  // rows need not be aligned
          std::vector<unsigned char> pattern(pattern_bytes);
          for (std::size_t i = 0; i < pattern.size(); ++i)
            pattern[i] = kind == 0   ? static_cast<unsigned char>(random())
                         : kind == 1 ? 0x5a
                                     : static_cast<unsigned char>(i % 2 + 1);
          resolved_fill f;
          f.width = s.width * pattern_bytes;
          f.height = s.height;
          f.depth = s.depth;
          f.row_pitch = (s.width + s.more_row) * pattern_bytes + odd_row;
          f.slice_pitch = (s.height + s.more_slice) * f.row_pitch + s.odd_slice * pattern_bytes;
          f.pattern_bytes = pattern_bytes;
          if (pattern_bytes > resolved_fill::inline_pattern_bytes)
            f.large_pattern = pattern.data();
          else
            std::memcpy(f.pattern, pattern.data(), pattern_bytes);
          const std::size_t bytes = f.slice_pitch * s.depth + offset + 64;
          std::vector<std::max_align_t> storage(bytes / sizeof(std::max_align_t) + 2);
          std::vector<unsigned char> expected(bytes, 0xee);
          auto* got = reinterpret_cast<unsigned char*>(storage.data());
          std::memset(got, 0xee, bytes);
          f.destination = got + offset;
          for (std::uint64_t z = 0; z < s.depth; ++z)
            for (std::uint64_t y = 0; y < s.height; ++y)
              for (std::uint64_t x = 0; x < f.width; ++x)
                expected[offset + z * f.slice_pitch + y * f.row_pitch + x] =
                    pattern[x % pattern_bytes];
          std::vector<memory_operation> operations;
          gpu::append_fill(f, 0, 0, operations);
          perform(operations);
          ASSERT_EQ(std::memcmp(got, expected.data(), bytes), 0)
              << "pattern of " << pattern_bytes << " bytes, box " << s.width << "x" << s.height
              << "x" << s.depth << ", offset " << offset << ", kind " << kind;
        }
}

TEST(GpuFills, TakeFewOperations) {
  const auto count = [](std::uint32_t pattern_bytes, bool equal, std::uint64_t rows,
                        bool contiguous) {
    resolved_fill f;
    f.destination = reinterpret_cast<void*>(4096);
    f.width = 64 * pattern_bytes;
    f.height = rows;
    f.row_pitch = contiguous ? f.width : 2 * f.width;
    f.slice_pitch = f.row_pitch * rows;
    f.pattern_bytes = pattern_bytes;
    for (std::uint32_t i = 0; i < pattern_bytes; ++i)
      f.pattern[i] = equal ? 0 : static_cast<unsigned char>(i);
    std::vector<memory_operation> operations;
    gpu::append_fill(f, 0, 0, operations);
    return operations.size();
  };
  EXPECT_EQ(count(1, false, 100, false), 1U);
  EXPECT_EQ(count(4, false, 100, false), 1U);
  EXPECT_EQ(count(8, true, 100, false), 1U) << "all bytes are equal";
  EXPECT_EQ(count(8, false, 4, true), 2U) << "one per word";
  EXPECT_EQ(count(8, false, 100, true), 7U) << "and five to repeat what they set";
  EXPECT_EQ(count(16, false, 1, true), 4U);
  EXPECT_EQ(count(8, false, 1024, false), 12U) << "two for the first row, ten to repeat it";
}

// Drivers work row by row at those of one element: what is long is filled by copies of what is there.
TEST(GpuFills, OfLongPatternsMakeFewRows) {
  for (const std::uint32_t bytes : {8U, 12U, 16U, 64U})
    for (const std::uint64_t count : {1U, 255U, 256U, 257U, 1000U, 100'003U}) {
      std::vector<unsigned char> got(count * bytes, 0xee), expected(count * bytes);
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<unsigned char>(i % bytes * 3);
      resolved_fill f;
      f.destination = got.data();
      f.width = f.row_pitch = f.slice_pitch = got.size();
      f.pattern_bytes = bytes;
      f.large_pattern = expected.data();
      std::vector<memory_operation> operations;
      gpu::append_fill(f, 0, 0, operations);
      for (const memory_operation& o : operations)
        if (const auto* fill = std::get_if<fill_operation>(&o)) {
          EXPECT_LE(fill->rows, 256U);
        }
      EXPECT_LE(operations.size(), bytes / 4 + 9);
      perform(operations);
      EXPECT_EQ(got, expected) << count << " of " << bytes;
    }
}

TEST(GpuCopies, AreSaidWithAsFewDimensionsAsPossible) {
  for (const shape& from : shapes)
    for (const std::uint64_t more_row : {0U, 2U})
      for (const std::uint64_t more_slice : {0U, 1U}) {
        resolved_copy c;
        c.width = from.width * 3;
        c.height = from.height;
        c.depth = from.depth;
        c.source_row_pitch = (from.width + from.more_row) * 3;
        c.source_slice_pitch =
            (from.height + from.more_slice) * c.source_row_pitch + from.odd_slice;
        c.destination_row_pitch = (from.width + more_row) * 3;
        c.destination_slice_pitch = (from.height + more_slice) * c.destination_row_pitch;
        std::vector<unsigned char> source(c.source_slice_pitch * c.depth + 1);
        for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i);
        std::vector<unsigned char> got(c.destination_slice_pitch * c.depth + 1, 0xee);
        std::vector<unsigned char> expected = got;
        c.source = source.data();
        for (std::uint64_t z = 0; z < c.depth; ++z)
          for (std::uint64_t y = 0; y < c.height; ++y)
            for (std::uint64_t x = 0; x < c.width; ++x)
              expected[z * c.destination_slice_pitch + y * c.destination_row_pitch + x] =
                  source[z * c.source_slice_pitch + y * c.source_row_pitch + x];
        c.destination = got.data();
        copy_operation o;
        o.box = c;
        std::vector<memory_operation> operations;
        gpu::append_copy(o, operations);
        perform(operations);
        EXPECT_EQ(got, expected);
        const bool something = gpu::simplify_copy(o.box);
        EXPECT_EQ(something, !operations.empty());
        if (!something) continue;
        const bool rows_touch = c.source_row_pitch == c.width && c.destination_row_pitch == c.width;
        const bool slices_touch = c.source_slice_pitch == c.height * c.source_row_pitch &&
                                  c.destination_slice_pitch == c.height * c.destination_row_pitch;
        if (rows_touch && slices_touch) {
          EXPECT_EQ(gpu::dimensions_of(o.box), 1U);
        }
        if (rows_touch || slices_touch) {
          EXPECT_LE(gpu::dimensions_of(o.box), 2U);
        }
      }
}

TEST(GpuCopies, OfABoxOntoItselfAreLeftOut) {
  resolved_copy c;
  c.source = c.destination = reinterpret_cast<void*>(4096);
  c.width = 16;
  c.height = 4;
  c.source_row_pitch = c.destination_row_pitch = 32;
  EXPECT_FALSE(gpu::simplify_copy(c));
}

TEST(GpuCopies, GoBetweenTheHostAndDevices) {
  fake_setup setup;
  setup.devices = 2;
  gpu_rig rig(setup);
  auto& a = rig.lane(0);
  auto& b = rig.lane(1);
  std::vector<int> data(100, 7);
  std::vector<int> back(100, 0);
  resolved_copy up;
  up.source = data.data();
  up.destination = rig.allocate(400, 0);
  up.from = model::host_memory;
  up.to = rig.memory_of(0);
  up.width = 400;
  resolved_copy across = up;
  across.source = up.destination;
  across.destination = rig.allocate(400, 1);
  across.from = up.to;
  across.to = rig.memory_of(1);
  resolved_copy down = across;
  down.source = across.destination;
  down.destination = back.data();
  down.from = across.to;
  down.to = model::host_memory;
  const auto first = rig.submit(a, up);
  rig.submit(b, across, 0, {rig.at(a, first)});
  rig.submit(b, down);
  rig.wait(b);
  EXPECT_EQ(back, data);
}

TEST(GpuMemory, IsAlignedAsAsked) {
  gpu_rig rig;
  for (const auto kind : {executors::memory_kind::device, executors::memory_kind::host,
                          executors::memory_kind::shared})
    for (const std::size_t alignment : {0U, 64U, 4096U, 1U << 20U}) {
      void* p = nullptr;
      ASSERT_TRUE(rig.backend->allocate(0, kind, 100, alignment, p).ok());
      if (alignment != 0) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U);
      }
      rig.backend->deallocate(0, kind, p);
    }
  EXPECT_EQ(rig.driver->calls("allocate_host"), 4U) << "page-locked";
  EXPECT_EQ(rig.driver->calls("allocate_managed"), 4U);
  EXPECT_EQ(rig.tally->live["memory"], 0);
}

}  // namespace
}  // namespace pianola::test
