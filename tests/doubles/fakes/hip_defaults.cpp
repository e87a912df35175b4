// SPDX-License-Identifier: Apache-2.0
// Every function of a runtime, each one succeeding without doing anything unless hip.cpp has another one.
#include "hip_api.hpp"

#define DEFINE(name, parameters, ...)                \
  extern "C" int default_##name(...) __asm__(#name); \
  __attribute__((weak)) int default_##name(...) { return 0; }
PIANOLA_HIP_FUNCTIONS(DEFINE)
