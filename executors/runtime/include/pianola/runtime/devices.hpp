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

// Devices of this process in the order of PIANOLA_DEVICES; parts of them are not counted. First use starts the
// runtime and throws model::user_error (platform) if PIANOLA_DEVICES is malformed or names what is not there.
std::size_t device_count();
const device_properties& device(model::device_id);
// False once the device is lost: nothing runs on it any more in this process.
[[nodiscard]] bool is_usable(model::device_id);
// How much of its memory nobody uses now. Throws model::user_error (feature_not_supported) if that is not known.
[[nodiscard]] std::uint64_t free_memory(model::device_id);
// The one that the default selector prefers: the first that can run kernels of this program. Devices that need
// kernels compiled for them ahead of time can if the object files that are loaded now have such.
model::device_id default_device();

// Splits a device; the parts work in its memory. The same parts of the same device again are the same ones. Throws
// model::user_error: feature_not_supported if the device cannot be split so, invalid for counts that it does not
// have.
std::vector<model::device_id> create_sub_devices(model::device_id, const model::partition& how);

// Whether kernels on the first device can work with memory of the second.
[[nodiscard]] bool reaches_memory_of(model::device_id, model::device_id owner);

// A backend that was looked for and is not usable here, with the reason.
struct absent_backend {
  std::string name;
  std::string reason;
};
const std::vector<absent_backend>& absent_backends();
// For whom so many devices are not enough: what decides which there are, and why some are not.
std::string about_devices(std::size_t count);

}  // namespace pianola::runtime
