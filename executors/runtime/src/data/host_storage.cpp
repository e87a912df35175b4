// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/host_storage.hpp"

#include <atomic>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

namespace pianola::runtime {

namespace {

host_storage_mode mode_from_environment() {
  const char* value = std::getenv("PIANOLA_HOST_STORAGE");
  const std::string text = value == nullptr ? "" : value;
  if (text.empty() || text == "pageable") return host_storage_mode::pageable;
  if (text == "registered") return host_storage_mode::registered;
  throw model::user_error(
      model::error_code::platform,
      fmt::format("PIANOLA_HOST_STORAGE='{}': it takes pageable or registered", text));
}

constexpr int mode_not_read = -1;
std::atomic<int> chosen_mode{mode_not_read};

}  // namespace

void set_host_storage_mode(host_storage_mode s) noexcept {
  chosen_mode.store(static_cast<int>(s), std::memory_order_relaxed);
}

host_storage_mode get_host_storage_mode() {
  int now = chosen_mode.load(std::memory_order_relaxed);
  if (now == mode_not_read) {
    now = static_cast<int>(mode_from_environment());
    chosen_mode.store(now, std::memory_order_relaxed);
  }
  return static_cast<host_storage_mode>(now);
}

}  // namespace pianola::runtime
