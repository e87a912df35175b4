// SPDX-License-Identifier: Apache-2.0
// Memory of the devices and memory that the devices can reach. All of it is one file in memory, mapped
// - at the addresses that the program is given: without any access where the memory is a device's own, so that
//   a program that follows such a pointer ends at once;
// - somewhere else for the engine, which makes the copies;
// - at the same addresses in the process that runs a device's kernels, as far as that device may go.
//
// An allocation ends within 255 bytes of the end of a page and the page behind it is never accessible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace pianola::test::drivers {

struct context;

enum class memory_type : std::uint8_t { device, host, managed };

struct allocation {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
  /// Pages.
  std::uintptr_t first_page = 0;
  std::uintptr_t end_page = 0;
  unsigned device = 0;
  memory_type type = memory_type::device;
  context* owner = nullptr;
  /// Work that has been submitted, has not finished and touches this memory for all that is known.
  unsigned users = 0;
  std::uint64_t number = 0;
  /// Addresses that get physical memory later. `bytes` is what may be accessed so far, from the start.
  bool apart = false;
  std::vector<std::uint64_t> behind;  // of each unit, the number of what is there; 0: nothing
  std::set<unsigned> accessors;       // devices
};

/// Memory that has no address until it gets some.
struct physical_memory {
  unsigned device = 0;
  std::uintptr_t at = 0;  // of the file's pages; nobody uses these addresses
  std::size_t bytes = 0;
  std::size_t uses = 0;  // units of addresses that it is behind
  bool released = false;
};

class address_space {
 public:
  static constexpr std::size_t page = 4096;
  /// Physical memory is made, and put behind addresses, in these. Real devices have 2 MiB.
  static constexpr std::size_t unit = 4 << 10;

  /// Throws std::runtime_error if there is no address space left.
  explicit address_space(std::size_t bytes_per_device);
  address_space(const address_space&) = delete;
  address_space& operator=(const address_space&) = delete;

  /// Null if the device's memory is used up. Memory starts with bytes other than 0.
  allocation* allocate(context* owner, unsigned device, memory_type type, std::size_t bytes);
  /// False if something was written behind the end of the allocation.
  bool release(const allocation& memory);

  /// Physical memory and addresses for it, each of whole units. 0, null: used up.
  std::uint64_t make_physical(unsigned device, std::size_t bytes);
  /// It ends when no address has it any more.
  void release_physical(std::uint64_t number);
  [[nodiscard]] const physical_memory* physical(std::uint64_t number) const;
  allocation* reserve(std::size_t bytes);
  /// The first bytes of the memory, for the engine. `to` is a reservation, the range part of it; 0: nothing any more.
  void put_behind(allocation& to, std::uintptr_t at, std::size_t bytes, std::uint64_t number);
  void release_reserved(const allocation& a) { live_.erase(a.first_page); }
  /// The reservation that has this address, or null.
  [[nodiscard]] allocation* reservation(std::uintptr_t address);
  [[nodiscard]] std::size_t all_physical() const { return physical_.size(); }

  /// Memory of the program's own that it has the driver lock. Null: some of it is locked already.
  allocation* adopt(context* owner, unsigned device, void* start, std::size_t bytes);
  /// False: nothing that starts there is locked.
  bool disown(const void* start);
  void disown_all_of(const context* owner);
  [[nodiscard]] std::size_t adopted() const { return adopted_.size(); }
  /// Some of the pages of these bytes of the program's are locked, and some are not.
  [[nodiscard]] bool partly_adopted(const void* start, std::size_t bytes) const;

  /// The allocation with this byte in it, or null.
  [[nodiscard]] allocation* find(const void* address);
  [[nodiscard]] allocation* with_number(std::uintptr_t start, std::uint64_t number);
  /// Whether the address can only be one of this driver's, whatever is there now.
  [[nodiscard]] bool holds(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - base_ < size_;
  }
  /// Where the engine gets at the memory.
  [[nodiscard]] std::byte* access(const allocation& memory, const void* address) const;

  [[nodiscard]] std::uintptr_t base() const { return base_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::size_t used(unsigned device) const;
  [[nodiscard]] std::size_t bytes_per_device() const { return bytes_per_device_; }
  [[nodiscard]] const std::map<std::uintptr_t, allocation>& all() const { return live_; }

 private:
  [[nodiscard]] std::uintptr_t place(std::size_t pages) const;
  allocation* occupy(std::size_t pages);
  void end_if_unused(std::uint64_t number);

  std::size_t bytes_per_device_;
  std::size_t size_;
  int file_ = -1;
  std::uintptr_t base_ = 0;
  std::byte* alias_ = nullptr;
  std::uintptr_t cursor_ = 0;
  std::uint64_t made_ = 0;
  std::map<std::uintptr_t, allocation> live_;     // by first page
  std::map<std::uintptr_t, allocation> adopted_;  // by start
  std::map<unsigned, std::size_t> used_;
  std::map<std::uint64_t, physical_memory> physical_;
};

}  // namespace pianola::test::drivers
