// SPDX-License-Identifier: Apache-2.0
// Every function of a driver, each one succeeding without doing anything unless cuda.cpp has another one.
#include "cuda_api.hpp"

#ifndef FAKE_old
#define DEFINE(name, symbol, parameters)              \
  extern "C" int default_##name(...) __asm__(symbol); \
  __attribute__((weak)) int default_##name(...) { return 0; }
PIANOLA_CUDA_FUNCTIONS(DEFINE)
#endif
