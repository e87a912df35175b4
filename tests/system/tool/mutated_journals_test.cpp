// SPDX-License-Identifier: Apache-2.0
// Journals that are damaged inside of blocks whose checksums are right: what no accident does. The seed is printed;
// PIANOLA_SEED repeats a run.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include <pianola/journal/file.hpp>
#include <pianola/journal/run.hpp>
#include <pianola/model/error.hpp>

#include "run_tool.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;

class mutated_journals : public ::testing::Test {
 protected:
  // Of a program that could not write all of it, as else it becomes other files.
  void SetUp() override {
    const std::string command = "cd '" + folder_ +
                                "' && ulimit -f 200 && PIANOLA_DEVICES=simulated:2:separate "
                                "PIANOLA_RECORD=. '" PIANOLA_RECORDED_RUN_PROGRAM
                                "' loop 30000 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    journal::file_reader reader(folder_ + "/eager.journal");
    for (std::string block; reader.next(block);) blocks_.push_back(block);
    ASSERT_FALSE(blocks_.empty());
  }

  const temporary_folder temporary_;
  const std::string folder_ = temporary_.path();
  std::vector<std::string> blocks_;
};

TEST_F(mutated_journals, are_read_or_rejected_but_never_crash) {
  const char* given = std::getenv("PIANOLA_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::cout << "PIANOLA_SEED=" << seed << std::endl;  // a crash loses what is not flushed
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int accepted = 0, rejected = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::string> blocks = blocks_;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      std::string& block = blocks[below(blocks.size())];
      if (block.empty()) continue;  // cut to nothing by an earlier change
      // What things are is told in the beginning.
      const std::size_t at =
          below(below(2) == 0 ? std::min<std::size_t>(block.size(), 600) : block.size());
      const std::size_t how = below(5);
      if (how == 0) block.erase(at, 1 + below(4));
      if (how == 1) block.insert(at, 1 + below(12), '\xff');
      if (how == 2) block.resize(at + 1);
      if (how > 2) block[at] = static_cast<char>(random());
    }
    const std::string path = folder_ + "/mutated.journal";
    {
      journal::file_writer writer;
      ASSERT_EQ(writer.open(path, false), "");
      for (const std::string& block : blocks) ASSERT_EQ(writer.append(block), "");
    }
    try {
      (void)journal::read_run(path);
      ++accepted;
    } catch (const model::user_error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      ++rejected;
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(rejected, 0);
}

}  // namespace
