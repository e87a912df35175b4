// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ids.hpp"

namespace pianola::model {

// Memory of the program that commands name by pointers (USM), as files tell of it: without its address.
struct usm_allocation {
  enum class kind : std::uint8_t { host, device, shared };
  kind what = kind::device;
  memory_id memory = host_memory;
  std::uint64_t bytes = 0;
};

inline constexpr std::uint32_t no_allocation = 0xffffffffU;

}  // namespace pianola::model
