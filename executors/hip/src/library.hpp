// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hip_api.hpp"

namespace pianola::hip {

// The runtime's library, loaded for good: its functions may be called until the process ends.
struct library {
  functions call;
  std::string path;
  int version = 0;  // as hipRuntimeGetVersion counts
  std::size_t properties_bytes = 0;
  std::size_t architecture_name_offset = 0;
  std::string fault;  // if not empty, it is not usable: a sentence that says why and what to do
  // Of runtimes that are no HIP runtime (test doubles): the name of the architecture of all devices.
  const char* (*architecture)() = nullptr;
};

// Takes the file that PIANOLA_HIP_RUNTIME names, else libamdhip64.
[[nodiscard]] library load_library();

// Which variables hide devices and what they say; nothing if none is set.
[[nodiscard]] std::string about_visible_devices();

// "text of the runtime (hipError..., 1)".
[[nodiscard]] std::string error_text(const functions& call, result code);

}  // namespace pianola::hip
