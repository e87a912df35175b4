// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace samples {

/// A gray image, row by row; 0 is black, 65535 white.
struct gray_image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint16_t> pixels;
};

/// Reads a PGM (P2, P5; 8 and 16 bits) or PNG (gray, palette, RGB, with or without alpha; 1 to 16 bits) file; which
/// one is told by its first bytes. At most 16384 x 16384 and 64 million pixels. Throws input_error, one line, for
/// anything else.
gray_image read_image(const std::string& path);

/// Writes 16 bits per pixel. Throws input_error if the file cannot be written.
void write_pgm(const std::string& path, const gray_image& image);
void write_png(const std::string& path, const gray_image& image);

/// Throws input_error unless an image of this size is acceptable.
void check_size(std::size_t width, std::size_t height, const std::string& path);

namespace detail {

/// `bytes` is the whole file, `path` its name for messages.
gray_image decode_pgm(const std::string& bytes, const std::string& path);
gray_image decode_png(const std::string& bytes, const std::string& path);

}  // namespace detail
}  // namespace samples
