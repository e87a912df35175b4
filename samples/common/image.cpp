// SPDX-License-Identifier: Apache-2.0
#include "common/image.hpp"

#include "common/file.hpp"
#include "common/input_error.hpp"

namespace samples {
namespace {

constexpr std::size_t largest_side = 16384;
constexpr std::size_t largest_area = std::size_t{64} << 20;

}  // namespace

gray_image read_image(const std::string& path) {
  const std::string bytes = read_file(path);
  if (bytes.size() >= 2 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5'))
    return detail::decode_pgm(bytes, path);
  if (bytes.compare(0, 4, "\x89PNG") == 0) return detail::decode_png(bytes, path);
  throw input_error("'" + printable(path) + "' is neither a PGM (P2, P5) nor a PNG image");
}

void check_size(std::size_t width, std::size_t height, const std::string& path) {
  if (width == 0 || height == 0) throw input_error("'" + printable(path) + "': the image is empty");
  if (width > largest_side || height > largest_side || width * height > largest_area)
    throw input_error("'" + printable(path) + "': the image is " + std::to_string(width) + " x " +
                      std::to_string(height) + ", more than 16384 per side or 64 million pixels");
}

}  // namespace samples
