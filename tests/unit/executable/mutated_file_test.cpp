// SPDX-License-Identifier: Apache-2.0
// Files that were changed at random, with a checksum that is right: each is refused, or safe to use. PIANOLA_SEED repeats
// a run.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include <pianola/model/error.hpp>
#include <pianola/planner/verify.hpp>

#include "layout.hpp"
#include "sample_contents.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;

void sum_up(std::string& bytes) {
  if (bytes.size() < sizeof(executable::file_header)) return;
  constexpr std::size_t behind = offsetof(executable::file_header, checksum) + 8;
  auto* const data = reinterpret_cast<unsigned char*>(bytes.data());
  const std::uint64_t size = bytes.size();
  const std::uint64_t sum = executable::checksum(data + behind, bytes.size() - behind);
  std::memcpy(data + offsetof(executable::file_header, file_bytes), &size, 8);
  std::memcpy(data + offsetof(executable::file_header, checksum), &sum, 8);
}

// Everything that a program does with a file that it has loaded, up to running it. Returns false if it was refused.
bool use(const std::string& bytes, const model::kernel_descriptor& kernel) {
  std::shared_ptr<executable::file> file;
  try {
    file = load_bytes(bytes);
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::invalid);
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return false;
  }
  const std::vector<const model::kernel_descriptor*> kernels(file->kernels().size(), &kernel);
  std::vector<std::vector<unsigned char>> memories;
  std::vector<void*> pointers;
  for (const executable::named_allocation& a : file->allocations()) {
    memories.emplace_back(std::min<std::uint64_t>(a.what.bytes, 1 << 16));
    pointers.push_back(memories.back().data());
  }
  const std::vector<model::command> commands = file->take_commands(kernels, pointers);
  const planner::plan plan = file->plan();
  std::size_t read = 0;
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    read += file->allocations_of(i).size() + std::strlen(commands[i].label);
    if (const auto* k = std::get_if<model::kernel_command>(&commands[i].payload)) {
      const auto* at = static_cast<const unsigned char*>(k->arguments.bytes);
      for (std::uint32_t b = 0; b < k->arguments.size; ++b) read += at[b];
      for (const model::argument_slot& s : k->slots) {
        EXPECT_LE(s.offset + 8, k->arguments.size);
        if (s.what == model::argument_slot::kind::buffer) {
          EXPECT_LT(s.requirement, commands[i].requirements.size());
        }
      }
    }
  }
  std::vector<model::buffer_info> buffers;
  std::uint64_t pages = 0;
  for (const executable::named_buffer& b : file->buffers()) {
    buffers.push_back(b.info);
    pages = std::max(pages, volume(b.info.grid.range()));
  }
  // It goes through pages one by one.
  if (pages < 4096) (void)planner::verify(commands, buffers, file->machine(), plan);
  EXPECT_GE(read, 0U);
  return true;
}

TEST(mutated_executables, are_refused_or_safe_to_use) {
  const char* given = std::getenv("PIANOLA_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device()();
  SCOPED_TRACE("PIANOLA_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  sample good;
  const std::string bytes = executable::to_bytes(good.what);
  ASSERT_TRUE(use(bytes, good.kernel));
  constexpr std::uint64_t edges[] = {0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, ~0ULL};
  int used = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string changed = bytes;
    const std::size_t changes = 1 + below(3);
    for (std::size_t c = 0; c < changes; ++c) {
      const std::size_t at = below(changed.size());
      switch (below(6)) {
        case 0:
          changed[at] = static_cast<char>(changed[at] ^ (1 << below(8)));
          break;
        case 1:
          changed[at] = static_cast<char>(below(256));
          break;
        case 2: {  // a number that is at some edge
          const std::uint64_t value = edges[below(std::size(edges))];
          const std::size_t width = std::size_t{1} << below(4);
          const std::size_t from = at / width * width;
          if (from + width <= changed.size()) std::memcpy(changed.data() + from, &value, width);
          break;
        }
        case 3:
          changed.resize(1 + below(changed.size()));
          break;
        case 4:
          changed.append(1 + below(200), static_cast<char>(below(256)));
          break;
        default: {  // a piece of it somewhere else
          const std::size_t size = std::min({below(64) + 1, changed.size() - at});
          const std::size_t from = below(changed.size() - size + 1);
          std::memmove(changed.data() + at, changed.data() + from, size);
          break;
        }
      }
      if (changed.empty()) break;
    }
    sum_up(changed);
    if (use(changed, good.kernel)) ++used;
  }
  // Both happen, or the changes are too small or too large to show anything.
  EXPECT_GT(used, 300);
  EXPECT_LT(used, 29000);
}

}  // namespace
