// SPDX-License-Identifier: Apache-2.0
#include <pianola/formats/checksum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/file_bytes.hpp>
#include <pianola/test/temporary_folder.hpp>

namespace {

using namespace pianola::formats;

std::vector<unsigned char> some_bytes(std::size_t size) {
  std::vector<unsigned char> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return all;
}

TEST(Checksum, of_pieces_is_that_of_the_whole) {
  const auto bytes = some_bytes(5 * running_checksum::block_bytes + 3);
  for (std::size_t size = 0; size <= bytes.size(); ++size)
    for (std::size_t piece = running_checksum::block_bytes; piece <= bytes.size();
         piece += running_checksum::block_bytes) {
      running_checksum sum;
      for (std::size_t at = 0; at < size; at += piece)
        sum.add(bytes.data() + at, std::min(piece, size - at));
      ASSERT_EQ(sum.end(), checksum(bytes.data(), size)) << size << " in pieces of " << piece;
    }
}

TEST(Checksum, is_that_of_files_that_were_written_before) {
  const auto bytes = some_bytes(100);
  EXPECT_EQ(checksum(bytes.data(), 100), 0x5b54127142ce2895U);
  EXPECT_EQ(checksum(bytes.data(), 96), 0x7793cb20c7acb848U);
}

TEST(Checksum, tells_of_each_bit) {
  auto bytes = some_bytes(100);
  const std::uint64_t whole = checksum(bytes.data(), bytes.size());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    ASSERT_NE(checksum(bytes.data(), bytes.size()), whole) << bit;
    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
  }
}

TEST(FileBytes, are_seen_piece_by_piece_as_they_are_read) {
  const pianola::testing::temporary_folder folder;
  const auto bytes = some_bytes(2 * file_bytes::piece_bytes + 1000);
  write_file(folder.file("file"), std::string(bytes.begin(), bytes.end()));
  std::vector<std::size_t> sizes;
  std::vector<unsigned char> seen;
  const file_bytes all = file_bytes::read(folder.file("file"), bytes.size(),
                                          [&](const unsigned char* at, std::size_t n) {
                                            sizes.push_back(n);
                                            seen.insert(seen.end(), at, at + n);
                                          });
  EXPECT_EQ(sizes,
            (std::vector<std::size_t>{file_bytes::piece_bytes, file_bytes::piece_bytes, 1000}));
  EXPECT_EQ(seen, bytes);
  EXPECT_EQ(std::vector<unsigned char>(all.data(), all.data() + all.size()), bytes);
}

}  // namespace
