// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include <pianola/executors/page_store.hpp>

namespace pianola::gpu {

class engine;

// Pages of one device's memory, which the driver makes one by one: it puts nothing but a whole one behind an address.
class device_pages final : public executors::page_store {
 public:
  device_pages(engine& e, std::uint32_t device, std::size_t page_bytes) noexcept
      : engine_(e), device_(device), page_bytes_(page_bytes) {}
  ~device_pages() override;
  device_pages(const device_pages&) = delete;
  device_pages& operator=(const device_pages&) = delete;

  [[nodiscard]] std::uint64_t page_bytes() const noexcept override { return page_bytes_; }
  [[nodiscard]] std::uint64_t most_bytes() const noexcept override;
  executors::status reserve(std::uint64_t bytes, void*& address) noexcept override;
  executors::status grow(std::uint64_t bytes) noexcept override;
  executors::status map(void* address, std::uint64_t bytes, std::uint64_t offset) noexcept override;

 private:
  executors::status failed(std::int32_t code, const char* doing, std::uint64_t bytes) noexcept;
  executors::status too_many() const;
  executors::status lost() const noexcept;

  engine& engine_;
  const std::uint32_t device_;  // of the driver
  const std::uint64_t page_bytes_;
  std::vector<std::uint64_t> pages_;
  std::map<void*, std::uint64_t> reservations_, mappings_;  // with their bytes
};

}  // namespace pianola::gpu
