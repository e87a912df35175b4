// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "common/file.hpp"
#include "common/image.hpp"
#include "common/input_error.hpp"

namespace samples {
namespace {

/// What libpng's callbacks see. libpng is C and reports errors with longjmp, so every function below that calls it
/// holds no object with a destructor between its setjmp and its end.
struct png_state {
  const std::string* input = nullptr;
  std::size_t at = 0;
  std::string* output = nullptr;
  char message[96] = "";
};

void remember_error(png_structp png, png_const_charp message) {
  auto* state = static_cast<png_state*>(png_get_error_ptr(png));
  std::strncpy(state->message, message, sizeof state->message - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, size_t count) {
  auto* state = static_cast<png_state*>(png_get_io_ptr(png));
  if (count > state->input->size() - state->at) png_error(png, "the file is truncated");
  std::memcpy(to, state->input->data() + state->at, count);
  state->at += count;
}

/// libpng must not see a C++ exception.
void write_bytes(png_structp png, png_bytep from, size_t count) {
  auto* state = static_cast<png_state*>(png_get_io_ptr(png));
  bool enough = true;
  try {
    state->output->append(reinterpret_cast<const char*>(from), count);
  } catch (const std::exception&) {
    enough = false;
  }
  if (!enough) png_error(png, "out of memory");
}

void ignore_flush(png_structp) {}

/// Reads the header and asks for one 16-bit gray value per pixel. False on error.
bool read_header(png_structp png, png_infop info, std::size_t& width, std::size_t& height) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_chunk_malloc_max(png, 1 << 20);
  png_set_chunk_cache_max(png, 64);
  png_read_info(png, info);
  width = png_get_image_width(png, info);
  height = png_get_image_height(png, info);
  return true;
}

bool read_rows(png_structp png, png_infop info, png_bytepp rows, std::size_t row_bytes) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_expand_16(png);
  png_set_strip_alpha(png);
  if (png_get_color_type(png, info) & (PNG_COLOR_MASK_COLOR | PNG_COLOR_MASK_PALETTE))
    png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, PNG_RGB_TO_GRAY_DEFAULT,
                        PNG_RGB_TO_GRAY_DEFAULT);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != row_bytes) png_error(png, "unexpected pixel format");
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

bool write_rows(png_structp png, png_infop info, png_bytepp rows, std::size_t width,
                std::size_t height) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 16,
               PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, info);
  return true;
}

struct reader {
  png_structp png;
  png_infop info;
  explicit reader(png_state& state)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, remember_error, ignore_warning)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info != nullptr) png_set_read_fn(png, &state, read_bytes);
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct writer {
  png_structp png;
  png_infop info;
  explicit writer(png_state& state)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, remember_error, ignore_warning)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info != nullptr) png_set_write_fn(png, &state, write_bytes, ignore_flush);
  }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  ~writer() { png_destroy_write_struct(&png, &info); }
};

/// Rows of big-endian 16-bit values, as libpng wants them.
struct row_buffer {
  std::vector<png_byte> bytes;
  std::vector<png_bytep> rows;
  row_buffer(std::size_t width, std::size_t height) : bytes(2 * width * height), rows(height) {
    for (std::size_t y = 0; y < height; ++y) rows[y] = bytes.data() + 2 * width * y;
  }
};

}  // namespace

namespace detail {

gray_image decode_png(const std::string& bytes, const std::string& path) {
  png_state state;
  state.input = &bytes;
  const reader in(state);
  if (in.info == nullptr) throw std::runtime_error("libpng could not be started");
  const auto fail = [&] {
    return input_error("'" + printable(path) +
                       "' is not a good PNG file: " + printable(state.message));
  };
  gray_image image;
  if (!read_header(in.png, in.info, image.width, image.height)) throw fail();
  check_size(image.width, image.height, path);
  row_buffer buffer(image.width, image.height);
  if (!read_rows(in.png, in.info, buffer.rows.data(), 2 * image.width)) throw fail();
  image.pixels.resize(image.width * image.height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] =
        static_cast<std::uint16_t>(buffer.bytes[2 * i] << 8 | buffer.bytes[2 * i + 1]);
  return image;
}

}  // namespace detail

void write_png(const std::string& path, const gray_image& image) {
  row_buffer buffer(image.width, image.height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    buffer.bytes[2 * i] = static_cast<png_byte>(image.pixels[i] >> 8);
    buffer.bytes[2 * i + 1] = static_cast<png_byte>(image.pixels[i] & 0xff);
  }
  png_state state;
  std::string bytes;
  state.output = &bytes;
  const writer out(state);
  if (out.info == nullptr) throw std::runtime_error("libpng could not be started");
  if (!write_rows(out.png, out.info, buffer.rows.data(), image.width, image.height))
    throw std::runtime_error("libpng could not encode '" + printable(path) + "': " + state.message);
  write_file(path, bytes);
}

}  // namespace samples
