// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::runtime {

// How buffers of at least 64 KiB that are used on a device with memory of its own keep their data on the host.
enum class host_storage_mode : unsigned char {
  pageable,   // as it is: the driver copies through memory of its own
  registered  // the driver is told to lock its pages, where it can, until the buffer ends
};

// For buffers that are first used on such a device from now on. At first what PIANOLA_HOST_STORAGE says, `pageable` if
// it is not set.
void set_host_storage_mode(host_storage_mode) noexcept;
[[nodiscard]] host_storage_mode get_host_storage_mode();

}  // namespace pianola::runtime
