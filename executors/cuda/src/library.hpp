// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cuda_api.hpp"

namespace pianola::cuda {

// The driver's library, loaded for good: its functions may be called until the process ends.
struct library {
  functions call;
  std::string path;
  std::string fault;  // if not empty, it is not usable: a sentence that says why and what to do
  // Of drivers that are no NVIDIA driver (test doubles): the name of the architecture of all devices.
  const char* (*architecture)() = nullptr;
};

// Takes the file that PIANOLA_CUDA_DRIVER names, else libcuda.so.1.
[[nodiscard]] library load_library();

// "CUDA_VISIBLE_DEVICES is empty and hides all devices; ...", or nothing if it hides none.
[[nodiscard]] std::string about_visible_devices();

// Whether images may be sampled through textures: PIANOLA_CUDA_TEXTURES. Returns what is wrong with it, if anything.
[[nodiscard]] std::string read_texture_choice(bool& textures);

// Whether graphs may have conditional nodes: PIANOLA_CUDA_CONDITIONAL_NODES. Returns what is wrong with it, if anything.
[[nodiscard]] std::string read_conditional_choice(bool& conditional);

// "text of the driver (CUDA_ERROR_..., 1)".
[[nodiscard]] std::string error_text(const functions& call, result code);

}  // namespace pianola::cuda
