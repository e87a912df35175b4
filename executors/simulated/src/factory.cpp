// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <pianola/host/host_backend.hpp>

#include "simulated_backend.hpp"

namespace pianola::simulated {

namespace {

std::atomic<control*> the_control{nullptr};

// "N" or "N:separate".
bool read_options(const std::string& options, unsigned long& devices, bool& separate) {
  const auto colon = options.find(':');
  const std::string count = options.substr(0, colon);
  separate = colon != std::string::npos;
  if (separate && std::string_view(options).substr(colon + 1) != "separate") return false;
  char* end = nullptr;
  devices = count.empty() ? 1 : std::strtoul(count.c_str(), &end, 10);
  return (end == nullptr || *end == '\0') && devices >= 1 && devices <= max_devices;
}

executors::backend* create(const char* options, const executors::runtime_services* services,
                           char* reason, std::size_t reason_bytes, int* user_fault) noexcept {
  try {
    unsigned long n = 0;
    bool separate = false;
    if (!read_options(options, n, separate)) {
      std::snprintf(reason, reason_bytes,
                    "simulated:N takes a number of devices from 1 to %u, got '%s'", max_devices,
                    options);
      *user_fault = 1;
      return nullptr;
    }
    std::vector<model::device_properties> devices(n);
    for (unsigned long i = 0; i < n; ++i) {
      auto& d = devices[i];
      d.name = "Simulated device " + std::to_string(i);
      d.vendor = "Pianola";
      d.driver_version = "1";
      d.backend = "simulated";
      d.type = model::device_type::accelerator;
      d.sub_group_sizes = {8, 16, 32, 64};
      d.global_memory_bytes = std::uint64_t{1} << 34;
      d.max_allocation_bytes = d.global_memory_bytes;
      d.local_memory_bytes = model::host_local_memory_bytes;
    }
    auto memory = std::make_unique<device_memory>();
    executors::backend* made =
        separate ? make_separate_backend(std::move(devices), *memory, *services->observer)
                 : make_backend_on_the_team(std::move(devices), *memory, *services->observer);
    the_control.store(memory.release());
    return made;
  } catch (...) {
    std::snprintf(reason, reason_bytes, "%s", host::current_exception_status().reason.c_str());
    *user_fault = 0;
    return nullptr;
  }
}

}  // namespace

}  // namespace pianola::simulated

extern "C" {
extern const pianola::executors::backend_factory pianola_backend_v1;
const pianola::executors::backend_factory pianola_backend_v1{
    pianola::executors::backend_interface_version, &pianola::simulated::create};

pianola::simulated::control* pianola_simulated_control() {
  return pianola::simulated::the_control.load();
}
}
