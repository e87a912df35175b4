// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pianola::test {

struct affine_object {
  std::uint64_t* data;
  std::uint64_t addend;
};

struct store_object {
  std::uint32_t* where;
  std::uint32_t value;
};

struct sample_object {
  std::uint64_t texture;
  const float* at;  // x and y of each work-item
  float* texels;    // four of each
  std::uint32_t kind;
};

struct large_object {
  std::uint32_t* where;
  std::uint32_t values[10000];
};

}  // namespace pianola::test
