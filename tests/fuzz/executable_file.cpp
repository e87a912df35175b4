// SPDX-License-Identifier: Apache-2.0
// Files of format pianola.executable/2 that libFuzzer makes up. It starts with a good one, if the corpus is empty.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "sample_contents.hpp"
#include "use_file.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  pianola::testing::sum_up(bytes);
  pianola::testing::use_file(bytes);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  static const std::string good = [] {
    const pianola::testing::sample sample;
    return pianola::executable::to_bytes(sample.what);
  }();
  if (size < sizeof(pianola::executable::file_header) || seed % 64 == 0) {
    size = good.size() < most ? good.size() : most;
    std::memcpy(data, good.data(), size);
  }
  return LLVMFuzzerMutate(data, size, most);
}
