// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <utility>

#include <pianola/model/command.hpp>

namespace pianola::runtime {

// A step's own copy of its arguments. Objects with a life of their own have memory of their own; bytes are in memory that
// somebody else keeps.
class own_arguments {
 public:
  own_arguments() = default;
  explicit own_arguments(void* bytes) noexcept : bytes_(bytes) {}
  // A copy of an object with operations. Throws what its constructor throws.
  explicit own_arguments(const model::argument_block& source)
      : bytes_(::operator new(source.size, std::align_val_t(source.alignment))),
        alignment_(source.alignment) {
    try {
      source.operations->copy(bytes_, source.bytes);
    } catch (...) {
      ::operator delete(bytes_, std::align_val_t(alignment_));
      throw;
    }
    operations_ = source.operations;
  }
  own_arguments(own_arguments&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)),
        alignment_(other.alignment_),
        operations_(std::exchange(other.operations_, nullptr)) {}
  own_arguments& operator=(own_arguments&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(alignment_, other.alignment_);
    std::swap(operations_, other.operations_);
    return *this;
  }
  own_arguments(const own_arguments&) = delete;
  own_arguments& operator=(const own_arguments&) = delete;
  ~own_arguments() {
    if (operations_ == nullptr) return;
    operations_->destroy(bytes_);
    ::operator delete(bytes_, std::align_val_t(alignment_));
  }

  [[nodiscard]] void* bytes() const noexcept { return bytes_; }

 private:
  void* bytes_ = nullptr;
  std::uint32_t alignment_ = 1;
  const model::object_operations* operations_ = nullptr;  // null: bytes
};

}  // namespace pianola::runtime
