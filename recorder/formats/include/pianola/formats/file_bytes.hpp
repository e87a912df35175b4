// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>

namespace pianola::formats {

// The bytes of a file in memory of our own, which begins at a page and may be written to: a binary format is used where it
// lies. A copy and not a mapping of the file: whoever cuts a mapped file short kills its readers, and whoever writes to it
// changes what they have checked. Empty by default.
class file_bytes {
 public:
  // Throws model::user_error (invalid) with path and reason if it cannot be read, is no regular file, or holds more than
  // `maximum` bytes.
  // `seen` is called with one piece after the other, each as soon as it was read and still is in the processor's caches; all but
  // the last are of piece_bytes.
  static constexpr std::size_t piece_bytes = std::size_t{256} << 10;
  using observer = std::function<void(const unsigned char* piece, std::size_t size)>;
  [[nodiscard]] static file_bytes read(const std::string& path, std::uint64_t maximum,
                                       const observer& seen = {});
  [[nodiscard]] static file_bytes copy_of(std::string_view bytes);
  // So many zeroes.
  [[nodiscard]] static file_bytes room_for(std::size_t size) { return file_bytes(size); }

  file_bytes() noexcept = default;
  file_bytes(file_bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  file_bytes& operator=(file_bytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  file_bytes(const file_bytes&) = delete;
  file_bytes& operator=(const file_bytes&) = delete;
  ~file_bytes();

  // Nobody reads these bytes any more: large pages that lie within them go back to the system, and are zero from now on.
  void give_back(std::size_t begin, std::size_t end) noexcept;

  [[nodiscard]] unsigned char* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  explicit file_bytes(std::size_t size);

  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

// Memory that is about to be filled for the first time: large pages, where there are some, save most of what that costs.
void want_large_pages(void* begin, std::size_t size) noexcept;

// Room in such memory for so many more, where there are many.
template <class T>
void reserve_for_filling(std::vector<T>& list, std::size_t count) {
  list.reserve(list.size() + count);
  want_large_pages(static_cast<void*>(list.data() + list.size()), count * sizeof(T));
}

// The first bytes of a file, at most so many; empty if it cannot be read or is no regular file: what a pipe holds can be
// read once only, and is left there. To tell formats apart.
[[nodiscard]] std::string file_head(const std::string& path, std::size_t most);

}  // namespace pianola::formats
