// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>

#include "simulated_backend.hpp"

namespace pianola::simulated {

namespace {

std::atomic<control*> the_control{nullptr};

struct choices {
  unsigned long devices = 1;
  bool separate = false;
  std::uint64_t memory = std::uint64_t{1} << 34;  // bytes of each
};

// A number above zero, perhaps with KiB, MiB or GiB after it.
bool read_bytes(std::string_view text, std::uint64_t& bytes) {
  std::uint64_t unit = 1;
  constexpr std::pair<std::string_view, unsigned> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  for (const auto& [name, shift] : units)
    if (text.size() > name.size() && text.substr(text.size() - name.size()) == name) {
      unit = std::uint64_t{1} << shift;
      text.remove_suffix(name.size());
      break;
    }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size() || bytes == 0 ||
      bytes > (std::uint64_t{1} << 62) / unit)
    return false;
  bytes *= unit;
  return true;
}

// "N", and after it in any order ":separate" and ":memory=BYTES".
bool read_options(std::string_view options, choices& chosen) {
  auto colon = options.find(':');
  const std::string count(options.substr(0, colon));
  char* end = nullptr;
  chosen.devices = count.empty() ? 1 : std::strtoul(count.c_str(), &end, 10);
  if ((end != nullptr && *end != '\0') || chosen.devices < 1 || chosen.devices > max_devices)
    return false;
  constexpr std::string_view memory = "memory=";
  while (colon != std::string_view::npos) {
    options.remove_prefix(colon + 1);
    colon = options.find(':');
    const std::string_view word = options.substr(0, colon);
    if (word == "separate") {
      chosen.separate = true;
    } else if (word.substr(0, memory.size()) != memory ||
               !read_bytes(word.substr(memory.size()), chosen.memory)) {
      return false;
    }
  }
  return true;
}

executors::backend* create(const char* options, const executors::runtime_services* services,
                           char* reason, std::size_t reason_bytes, int* user_fault) noexcept {
  try {
    choices chosen;
    if (!read_options(options, chosen)) {
      std::snprintf(reason, reason_bytes,
                    "simulated:N takes a number of devices from 1 to %u%s, got '%s'", max_devices,
                    std::string_view(options).find(':') == std::string_view::npos
                        ? ""
                        : " and then :separate or :memory=64MiB",
                    options);
      *user_fault = 1;
      return nullptr;
    }
    std::vector<model::device_properties> devices(chosen.devices);
    for (unsigned long i = 0; i < chosen.devices; ++i) {
      auto& d = devices[i];
      d.name = fmt::format("Simulated device {}", i);
      d.vendor = "Pianola";
      d.driver_version = "1";
      d.backend = "simulated";
      d.type = model::device_type::accelerator;
      d.runs_host_code = d.emulated = true;
      d.sub_group_sizes = {8, 16, 32, 64};
      d.global_memory_bytes = chosen.memory;
      d.max_allocation_bytes = d.global_memory_bytes;
      d.local_memory_bytes = model::host_local_memory_bytes;
    }
    auto memory = std::make_unique<device_memory>(chosen.memory);
    executors::backend* made =
        chosen.separate
            ? make_separate_backend(std::move(devices), *memory, *services->observer)
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
