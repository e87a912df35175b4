// SPDX-License-Identifier: Apache-2.0
#include "address_space.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace pianola::test::drivers {
namespace {

constexpr std::size_t granule = 256;
constexpr std::size_t reserved_bytes = std::size_t{64} << 30;
constexpr std::size_t noise_bytes = std::size_t{1} << 20;
constexpr std::byte noise{0xa5};
constexpr std::byte border{0xcb};

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

// Not through the C library: sanitizers would make shadow memory for all of it. The call takes whole words.
void* map(long protection, long file, std::size_t bytes) {
  auto* p = reinterpret_cast<void*>(syscall(
      SYS_mmap, 0L, bytes, protection, static_cast<long>(MAP_SHARED | MAP_NORESERVE), file, 0L));
  if (p == MAP_FAILED) throw std::runtime_error("no address space for the memory of the devices");
  return p;
}

}  // namespace

address_space::address_space(std::size_t bytes_per_device)
    : bytes_per_device_(bytes_per_device), size_(reserved_bytes) {
  file_ = memfd_create("pianola-test-gpu", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(size_)) != 0)
    throw std::runtime_error("no file for the memory of the devices");
  base_ = reinterpret_cast<std::uintptr_t>(map(PROT_NONE, file_, size_));
  alias_ = static_cast<std::byte*>(map(PROT_READ | PROT_WRITE, file_, size_));
  cursor_ = base_ + page;
}

// Addresses are used again as late as possible, so that a pointer to freed memory points nowhere for long.
std::uintptr_t address_space::place(std::size_t pages) const {
  const auto fits_from = [&](std::uintptr_t from) -> std::uintptr_t {
    auto next = live_.lower_bound(from);
    if (next != live_.begin()) {
      const auto before = std::prev(next);
      from = std::max(from, before->second.end_page + page);
    }
    for (;; ++next) {
      const std::uintptr_t end = next == live_.end() ? base_ + size_ : next->second.first_page;
      if (end > from + page && end - from - page >= pages * page) return from;
      if (next == live_.end()) return 0;
      from = next->second.end_page + page;
    }
  };
  const std::uintptr_t found = fits_from(cursor_);
  return found != 0 ? found : fits_from(base_ + page);
}

allocation* address_space::allocate(context* owner, unsigned device, memory_type type,
                                    std::size_t bytes) {
  if (bytes == 0 || bytes > bytes_per_device_) return nullptr;
  const std::size_t rounded = round_up(bytes, granule);
  if (type != memory_type::host && used_[device] + rounded > bytes_per_device_) return nullptr;
  const std::size_t pages = round_up(rounded, page) / page;
  allocation a;
  a.first_page = place(pages);
  if (a.first_page == 0) return nullptr;
  a.end_page = a.first_page + pages * page;
  a.start = a.end_page - rounded;
  a.bytes = bytes;
  a.device = device;
  a.type = type;
  a.owner = owner;
  a.number = ++made_;
  cursor_ = a.end_page + page;
  if (type != memory_type::host) used_[device] += rounded;
  if (type != memory_type::device)
    mprotect(reinterpret_cast<void*>(a.first_page), a.end_page - a.first_page,
             PROT_READ | PROT_WRITE);
  std::byte* at = alias_ + (a.start - base_);
  std::fill_n(at, std::min(bytes, noise_bytes), noise);
  std::fill_n(at + bytes, rounded - bytes, border);
  return &live_.emplace(a.first_page, a).first->second;
}

bool address_space::release(const allocation& memory) {
  const allocation a = memory;
  const std::size_t rounded = round_up(a.bytes, granule);
  const std::byte* end = alias_ + (a.start - base_) + a.bytes;
  const bool whole =
      std::all_of(end, end + (rounded - a.bytes), [](std::byte b) { return b == border; });
  if (a.type != memory_type::host) used_[a.device] -= rounded;
  if (a.type != memory_type::device)
    mprotect(reinterpret_cast<void*>(a.first_page), a.end_page - a.first_page, PROT_NONE);
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(a.first_page - base_),
            static_cast<off_t>(a.end_page - a.first_page));
  live_.erase(a.first_page);
  return whole;
}

// Addresses that nothing may access, with no memory of their own.
allocation* address_space::occupy(std::size_t pages) {
  allocation a;
  a.first_page = place(pages + unit / page);
  if (a.first_page == 0) return nullptr;
  a.end_page = a.first_page + (pages + unit / page) * page;
  a.start = round_up(a.first_page, unit);
  a.number = ++made_;
  a.apart = true;
  cursor_ = a.end_page + page;
  return &live_.emplace(a.first_page, a).first->second;
}

std::uint64_t address_space::make_physical(unsigned device, std::size_t bytes) {
  if (bytes > bytes_per_device_ || used_[device] + bytes > bytes_per_device_) return 0;
  const allocation* where = occupy(bytes / page);
  if (where == nullptr) return 0;
  used_[device] += bytes;
  physical_[where->number] = {device, where->first_page, bytes};
  std::fill_n(alias_ + (where->first_page - base_), std::min(bytes, noise_bytes), noise);
  return where->number;
}

const physical_memory* address_space::physical(std::uint64_t number) const {
  const auto found = physical_.find(number);
  return found == physical_.end() ? nullptr : &found->second;
}

void address_space::release_physical(std::uint64_t number) {
  physical_.at(number).released = true;
  end_if_unused(number);
}

void address_space::end_if_unused(std::uint64_t number) {
  const physical_memory& m = physical_.at(number);
  if (!m.released || m.uses != 0) return;
  used_[m.device] -= m.bytes;
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(m.at - base_),
            static_cast<off_t>(m.bytes));
  live_.erase(m.at);
  physical_.erase(number);
}

allocation* address_space::reserve(std::size_t bytes) {
  allocation* a = occupy(bytes / page);
  if (a != nullptr) a->behind.resize(bytes / unit);
  return a;
}

allocation* address_space::reservation(std::uintptr_t address) {
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) return nullptr;
  allocation& a = std::prev(it)->second;
  return address >= a.start && address - a.start < a.behind.size() * unit ? &a : nullptr;
}

void address_space::put_behind(allocation& to, std::uintptr_t at, std::size_t bytes,
                               std::uint64_t number) {
  const std::uintptr_t from = number == 0 ? at : physical_.at(number).at;
  syscall(SYS_mmap, alias_ + (at - base_), bytes, static_cast<long>(PROT_READ | PROT_WRITE),
          static_cast<long>(MAP_SHARED | MAP_NORESERVE | MAP_FIXED), static_cast<long>(file_),
          static_cast<long>(from - base_));
  std::set<std::uint64_t> former;
  for (std::size_t u = (at - to.start) / unit; u < (at - to.start + bytes) / unit; ++u) {
    if (to.behind[u] != 0) {
      --physical_.at(to.behind[u]).uses;
      former.insert(to.behind[u]);
    }
    to.behind[u] = number;
    if (number != 0) ++physical_.at(number).uses;
  }
  for (const std::uint64_t n : former) end_if_unused(n);
}

allocation* address_space::adopt(context* owner, unsigned device, void* start, std::size_t bytes) {
  allocation a;
  a.start = reinterpret_cast<std::uintptr_t>(start);
  a.bytes = bytes;
  a.first_page = a.start / page * page;
  a.end_page = round_up(a.start + bytes, page);
  a.device = device;
  a.type = memory_type::host;
  a.owner = owner;
  a.number = ++made_;
  // Whole pages are locked.
  for (const auto& [at, other] : adopted_)
    if (other.first_page < a.end_page && a.first_page < other.end_page) return nullptr;
  return &adopted_.emplace(a.start, a).first->second;
}

bool address_space::disown(const void* start) {
  return adopted_.erase(reinterpret_cast<std::uintptr_t>(start)) != 0;
}

bool address_space::partly_adopted(const void* start, std::size_t bytes) const {
  const auto first = reinterpret_cast<std::uintptr_t>(start) / page * page;
  const std::uintptr_t end = round_up(reinterpret_cast<std::uintptr_t>(start) + bytes, page);
  std::uintptr_t locked = 0;
  for (const auto& [at, a] : adopted_) {
    const std::uintptr_t from = std::max(a.first_page, first), to = std::min(a.end_page, end);
    if (from < to) locked += to - from;
  }
  return locked != 0 && locked != end - first;
}

void address_space::disown_all_of(const context* owner) {
  for (auto it = adopted_.begin(); it != adopted_.end();)
    it = it->second.owner == owner ? adopted_.erase(it) : std::next(it);
}

allocation* address_space::find(const void* address) {
  const auto p = reinterpret_cast<std::uintptr_t>(address);
  if (!holds(address)) {
    const auto own = adopted_.upper_bound(p);
    if (own == adopted_.begin()) return nullptr;
    allocation& a = std::prev(own)->second;
    return p - a.start < a.bytes ? &a : nullptr;
  }
  auto it = live_.upper_bound(p);
  if (it == live_.begin()) return nullptr;
  allocation& a = std::prev(it)->second;
  return p >= a.start && p - a.start < a.bytes ? &a : nullptr;
}

allocation* address_space::with_number(std::uintptr_t start, std::uint64_t number) {
  allocation* a = find(reinterpret_cast<const void*>(start));
  return a != nullptr && a->number == number ? a : nullptr;
}

std::byte* address_space::access(const allocation& memory, const void* address) const {
  const auto p = reinterpret_cast<std::uintptr_t>(address);
  // What the program can reach is reached as the program reaches it, so that a race detector sees the same.
  if (memory.type != memory_type::device) return reinterpret_cast<std::byte*>(p);
  return alias_ + (p - base_);
}

std::size_t address_space::used(unsigned device) const {
  const auto it = used_.find(device);
  return it == used_.end() ? 0 : it->second;
}

}  // namespace pianola::test::drivers
