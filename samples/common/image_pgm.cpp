// SPDX-License-Identifier: Apache-2.0
#include "common/file.hpp"
#include "common/image.hpp"
#include "common/input_error.hpp"

namespace samples {
namespace detail {
namespace {

/// Reads the text part of a PGM file: numbers between white space and comments.
class pgm_reader {
 public:
  pgm_reader(const std::string& bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  std::size_t number(const char* what, std::size_t most) {
    skip_space();
    if (at_ == bytes_.size()) fail("the file ends before " + std::string(what));
    std::size_t value = 0;
    const std::size_t first = at_;
    for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9'; ++at_) {
      value = value * 10 + static_cast<std::size_t>(bytes_[at_] - '0');
      if (value > most) fail(std::string(what) + " is more than " + std::to_string(most));
    }
    if (at_ == first) fail(std::string(what) + " is not a number, at byte " + std::to_string(at_));
    return value;
  }

  /// Exactly one white-space character ends the header of a binary file.
  void end_of_header() {
    if (at_ == bytes_.size() || !is_space(bytes_[at_]))
      fail("no white space after the largest value");
    ++at_;
  }

  std::size_t bytes_left() const { return bytes_.size() - at_; }
  std::size_t byte() { return static_cast<unsigned char>(bytes_[at_++]); }

  [[noreturn]] void fail(const std::string& what) const {
    throw input_error("'" + printable(path_) + "' is not a good PGM file: " + what);
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  void skip_space() {
    while (at_ < bytes_.size())
      if (is_space(bytes_[at_]))
        ++at_;
      else if (bytes_[at_] == '#')
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      else
        break;
  }

  const std::string& bytes_;
  const std::string& path_;
  std::size_t at_ = 2;
};

}  // namespace

gray_image decode_pgm(const std::string& bytes, const std::string& path) {
  constexpr std::size_t sane = 1000000000;
  const bool binary = bytes[1] == '5';
  pgm_reader in(bytes, path);
  gray_image image;
  image.width = in.number("the width", sane);
  image.height = in.number("the height", sane);
  const std::size_t largest = in.number("the largest value", 65535);
  if (largest == 0) in.fail("the largest value is 0");
  check_size(image.width, image.height, path);
  if (binary) in.end_of_header();

  // A text pixel takes two bytes, the last one may take one: nothing is allocated for pixels that are not there.
  const std::size_t count = image.width * image.height;
  const std::size_t bytes_per_pixel = binary && largest < 256 ? 1 : 2;
  if (in.bytes_left() < count * bytes_per_pixel - (binary ? 0 : 1))
    in.fail("the file is too short for " + std::to_string(image.width) + " x " +
            std::to_string(image.height) + " pixels");

  image.pixels.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t value = 0;
    if (binary) {
      value = in.byte();
      if (bytes_per_pixel == 2) value = value << 8 | in.byte();
      if (value > largest)
        in.fail("pixel " + std::to_string(i) + " is more than the largest value");
    } else {
      value = in.number("a pixel", largest);
    }
    image.pixels[i] = static_cast<std::uint16_t>((value * 65535 + largest / 2) / largest);
  }
  return image;
}

}  // namespace detail

void write_pgm(const std::string& path, const gray_image& image) {
  std::string bytes =
      "P5\n" + std::to_string(image.width) + " " + std::to_string(image.height) + "\n65535\n";
  bytes.reserve(bytes.size() + 2 * image.pixels.size());
  for (const std::uint16_t value : image.pixels) {
    bytes.push_back(static_cast<char>(value >> 8));
    bytes.push_back(static_cast<char>(value & 0xff));
  }
  write_file(path, bytes);
}

}  // namespace samples
