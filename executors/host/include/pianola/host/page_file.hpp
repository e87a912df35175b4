// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/executors/page_store.hpp>

namespace pianola::host {

// Pages of the host's memory: those of a file that has no name.
class page_file final : public executors::page_store {
 public:
  // Null where the system does not offer it.
  static std::unique_ptr<page_file> open() noexcept;
  ~page_file() override;
  page_file(const page_file&) = delete;
  page_file& operator=(const page_file&) = delete;

  [[nodiscard]] std::uint64_t page_bytes() const noexcept override { return page_bytes_; }
  [[nodiscard]] std::uint64_t most_bytes() const noexcept override { return most_bytes_; }
  executors::status reserve(std::uint64_t bytes, void*& address) noexcept override;
  executors::status grow(std::uint64_t bytes) noexcept override;
  executors::status map(void* address, std::uint64_t bytes, std::uint64_t offset) noexcept override;
  // What these pages, which are there, hold in each byte.
  executors::status fill(std::uint64_t offset, std::uint64_t bytes, int value) const noexcept;

 private:
  explicit page_file(int file) noexcept;
  // Or the size of a file of the program would be changed, where it has closed the descriptor and opened it again.
  [[nodiscard]] bool is_ours() const noexcept;

  const int file_;
  const std::pair<std::uint64_t, std::uint64_t> identity_;
  const std::uint64_t page_bytes_, most_bytes_;
  std::uint64_t bytes_ = 0;
  std::vector<std::pair<void*, std::uint64_t>> reservations_;
};

}  // namespace pianola::host
