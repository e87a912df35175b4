// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <pianola/model/device_properties.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

using model::device_properties;
using model::device_type;

// Devices of this process in the order of PIANOLA_DEVICES. First use starts the runtime and throws
// model::user_error (platform) if PIANOLA_DEVICES is malformed or names what is not there.
std::size_t device_count();
const device_properties& device(model::device_id);
// The one that the default selector prefers: the first that can run kernels of this program. Devices that need
// kernels compiled for them ahead of time can if the object files that are loaded now have such.
model::device_id default_device();

// Whether kernels on the first device can work with memory of the second.
[[nodiscard]] bool reaches_memory_of(model::device_id, model::device_id owner);

// A backend that was looked for and is not usable here, with the reason; for `pianola devices`.
struct absent_backend {
  std::string name;
  std::string reason;
};
const std::vector<absent_backend>& absent_backends();

}  // namespace pianola::runtime
