// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pianola::gpu {

// Which of the driver's devices to use.
struct device_selection {
  std::vector<int> ordinals;  // empty: all there are
  std::string fault;          // if not empty, the text makes no sense: a sentence that says why
};

// Options of a backend: "" or ordinals joined by '+', such as "0" or "0+2". Each at most once.
[[nodiscard]] device_selection parse_device_options(std::string_view backend,
                                                    std::string_view options);
// The selection among `count` devices; the fault says which there are.
[[nodiscard]] device_selection select_devices(std::string_view backend,
                                              const device_selection& wanted, int count);

}  // namespace pianola::gpu
