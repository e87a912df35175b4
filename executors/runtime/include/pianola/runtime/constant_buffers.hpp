// SPDX-License-Identifier: Apache-2.0
// Bytes that kernels read and that nothing writes, in a buffer that no program names: files of executable graphs hold them.
#pragma once
#include <cstddef>
#include <string>

#include "ids.hpp"

namespace pianola::runtime {

// Whoever needs the bytes keeps it alive.
class constant_buffer {
 public:
  // The bytes are copied. `portable`: they mean the same in another process. Throws model::user_error (memory_allocation;
  // invalid: there are none).
  constant_buffer(const void* bytes, std::size_t size, const char* label, bool portable);
  constant_buffer(const constant_buffer&) = delete;
  constant_buffer& operator=(const constant_buffer&) = delete;
  ~constant_buffer();
  [[nodiscard]] buffer_key key() const noexcept { return key_; }

 private:
  buffer_key key_;
};

struct constants {
  std::string bytes;  // empty: the buffer is none of these
  bool portable = true;
};
[[nodiscard]] constants constants_in(buffer_key);

}  // namespace pianola::runtime
