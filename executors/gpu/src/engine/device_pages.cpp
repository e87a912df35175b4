// SPDX-License-Identifier: Apache-2.0
#include "engine/device_pages.hpp"

#include <fmt/format.h>

#include <pianola/gpu/driver.hpp>
#include <pianola/host/host_backend.hpp>

#include "engine/engine.hpp"

namespace pianola::gpu {

using executors::status;

device_pages::~device_pages() {
  for (const auto& [address, bytes] : mappings_) engine_.textures.forget(address);
  // As with allocations.
  if (engine_.state.gone() || engine_.state.closing() || !engine_.state.usable()) return;
  for (const auto& [address, bytes] : mappings_) engine_.drv.unmap_pages(device_, address, bytes);
  for (const auto& [address, bytes] : reservations_)
    engine_.drv.release_addresses(device_, address, bytes);
  for (const std::uint64_t page : pages_) engine_.drv.destroy_page(device_, page);
}

std::uint64_t device_pages::most_bytes() const noexcept {
  return engine_.drv.devices()[device_].properties.global_memory_bytes / page_bytes_ * page_bytes_;
}

status device_pages::failed(code c, const char* doing, std::uint64_t bytes) noexcept {
  try {
    return engine_.failure(c, fmt::format("{} {} bytes of '{}'", doing, bytes,
                                          engine_.drv.devices()[device_].properties.name));
  } catch (...) {
    return host::current_exception_status();
  }
}

status device_pages::too_many() const {
  return {model::error_code::memory_allocation,
          fmt::format("'{}' has {} bytes", engine_.drv.devices()[device_].properties.name,
                      most_bytes())};
}

status device_pages::lost() const noexcept {
  try {
    return engine_.state.usable() ? status{} : engine_.state.why();
  } catch (...) {
    return host::current_exception_status();
  }
}

status device_pages::reserve(std::uint64_t bytes, void*& address) noexcept {
  if (status s = lost(); !s.ok()) return s;
  try {
    if (bytes > most_bytes()) return too_many();
    void* made = nullptr;
    if (const code c = engine_.drv.reserve_addresses(device_, bytes, made); c != success)
      return failed(c, "reserving addresses for", bytes);
    try {
      reservations_.emplace(made, bytes);
    } catch (...) {
      engine_.drv.release_addresses(device_, made, bytes);
      throw;
    }
    address = made;
    return {};
  } catch (...) {
    return host::current_exception_status();
  }
}

status device_pages::grow(std::uint64_t bytes) noexcept {
  if (status s = lost(); !s.ok()) return s;
  try {
    if (bytes > most_bytes()) return too_many();
    const std::size_t before = pages_.size();
    pages_.reserve(bytes / page_bytes_);
    while (pages_.size() * page_bytes_ < bytes) {
      std::uint64_t page = 0;
      if (const code c = engine_.drv.make_page(device_, page); c != success) {
        status s = failed(c, "allocating", bytes - before * page_bytes_);
        for (; pages_.size() > before; pages_.pop_back())
          engine_.drv.destroy_page(device_, pages_.back());
        return s;
      }
      pages_.push_back(page);
    }
    return {};
  } catch (...) {
    return host::current_exception_status();
  }
}

status device_pages::map(void* address, std::uint64_t bytes, std::uint64_t offset) noexcept {
  if (status s = lost(); !s.ok()) return s;
  try {
    std::uint64_t& mapped = mappings_[address];
    const auto at = [&](std::uint64_t byte) { return static_cast<std::byte*>(address) + byte; };
    code c = success;
    for (; c == success && mapped < bytes; mapped += c == success ? page_bytes_ : 0)
      c = engine_.drv.map_page(device_, at(mapped), pages_[(offset + mapped) / page_bytes_]);
    if (c == success) c = engine_.drv.allow_access(device_, address, bytes);
    if (c == success) return {};
    status s = failed(c, "mapping", bytes);
    if (mapped != 0) engine_.drv.unmap_pages(device_, address, mapped);
    mappings_.erase(address);
    return s;
  } catch (...) {
    return host::current_exception_status();
  }
}

}  // namespace pianola::gpu
