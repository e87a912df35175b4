// SPDX-License-Identifier: Apache-2.0
// Physical memory apart from addresses.
#include <algorithm>

#include "engine.hpp"

namespace pianola::test::drivers {
namespace {

constexpr std::size_t unit = address_space::unit;

void check_whole(std::size_t bytes) {
  if (bytes == 0 || bytes % unit != 0)
    violate(codes::invalid_value,
            std::to_string(bytes) + " bytes are no whole pages of " + std::to_string(unit));
}

}  // namespace

std::uint64_t engine::make_physical(unsigned device, std::size_t bytes) {
  check_whole(bytes);
  const std::uint64_t made = memory_->make_physical(device, bytes);
  if (made == 0) refuse(codes::out_of_memory, "out of memory");
  return made;
}

void engine::release_physical(std::uint64_t number) {
  const physical_memory* m = memory_->physical(number);
  if (m == nullptr || m->released)
    violate(codes::invalid_value, "no physical memory, or it has been released");
  memory_->release_physical(number);
}

void* engine::reserve_addresses(std::size_t bytes) {
  check_whole(bytes);
  const allocation* a = memory_->reserve(bytes);
  if (a == nullptr) refuse(codes::out_of_memory, "no addresses are left");
  ++allocations_;
  return reinterpret_cast<void*>(a->start);
}

allocation& engine::reservation_at(void* start, std::size_t bytes) {
  check_whole(bytes);
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  allocation* a = memory_->holds(start) ? memory_->reservation(at) : nullptr;
  if (a == nullptr || at % unit != 0 || at + bytes > a->start + a->behind.size() * unit)
    violate(codes::invalid_value,
            text_of(start) + ": " + std::to_string(bytes) + " bytes are not part of a reservation");
  return *a;
}

void engine::release_addresses(void* start, std::size_t bytes) {
  const allocation& a = reservation_at(start, bytes);
  if (reinterpret_cast<std::uintptr_t>(start) != a.start || bytes != a.behind.size() * unit)
    violate(codes::invalid_value, text_of(start) + " is only part of a reservation");
  if (std::any_of(a.behind.begin(), a.behind.end(), [](auto n) { return n != 0; }))
    violate(codes::invalid_value, text_of(start) + " has memory behind it");
  memory_->release_reserved(a);
  --allocations_;
}

void engine::map(void* start, std::size_t bytes, std::size_t offset, std::uint64_t number) {
  allocation& a = reservation_at(start, bytes);
  const physical_memory* m = memory_->physical(number);
  if (m == nullptr || m->released)
    violate(codes::invalid_value, "no physical memory, or it has been released");
  if (offset != 0) violate(codes::invalid_value, "an offset");
  if (bytes > m->bytes) violate(codes::invalid_value, "there is less memory than that");
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  const auto first = a.behind.begin() + static_cast<std::ptrdiff_t>((at - a.start) / unit);
  if (std::any_of(first, first + static_cast<std::ptrdiff_t>(bytes / unit),
                  [](auto n) { return n != 0; }))
    violate(codes::invalid_value, text_of(start) + " has memory behind it already");
  if (a.bytes != 0 && a.device != m->device)
    violate(codes::invalid_value, "the double has one device's memory behind a reservation");
  a.device = m->device;
  memory_->put_behind(a, at, bytes, number);
}

void engine::allow(void* start, std::size_t bytes, const std::set<unsigned>& devices) {
  allocation& a = reservation_at(start, bytes);
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  for (std::uintptr_t p = at; p < at + bytes; p += unit)
    if (a.behind[(p - a.start) / unit] == 0)
      violate(codes::invalid_value, text_of(start) + " has nothing behind it everywhere");
  for (const unsigned device : devices)
    if (device != a.device && !are_peers(device, a.device))
      violate(codes::invalid_value,
              "device " + std::to_string(device) + " does not reach that memory");
  if (at > a.start + a.bytes || (a.bytes != 0 && devices != a.accessors))
    violate(codes::invalid_value, "the double wants memory to be used from its beginning, by all");
  a.accessors = devices;
  a.bytes = std::max(a.bytes, at + bytes - a.start);
  for (const auto& c : all_contexts_)
    if (c->gpu && c->error == 0) show(*c, a);
}

void engine::show(const context& c, const allocation& a) const {
  if (!reaches(c, a)) return;
  for (std::size_t done = 0; done < a.bytes; done += unit) {
    const physical_memory* m = memory_->physical(a.behind[done / unit]);
    c.gpu->map(a.start + done, unit, m->at - memory_->base());
  }
  if (a.bytes != 0) c.gpu->protect(a.start, a.bytes, true);
}

void engine::unmap(lock& held, void* start, std::size_t bytes) {
  allocation* a = &reservation_at(start, bytes);
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  if (a->users != 0) {
    const auto first = a->start;
    const auto number = a->number;
    note_violation("memory at " + text_of(start) +
                   " is unmapped while work that uses it is under way");
    scheduler_.wait(held, [&] {
      a = memory_->with_number(first, number);
      return a == nullptr || a->users == 0;
    });
    if (a == nullptr) violate(codes::invalid_value, text_of(start) + " is unmapped by two threads");
  }
  for (std::uintptr_t p = at; p < at + bytes; p += unit)
    if (a->behind[(p - a->start) / unit] == 0)
      violate(codes::invalid_value, text_of(start) + " has nothing behind it everywhere");
  for (const auto& c : all_contexts_)
    if (c->gpu && c->error == 0 && reaches(*c, *a)) c->gpu->map(at, bytes, at - memory_->base());
  memory_->put_behind(*a, at, bytes, 0);
  a->bytes = std::min(a->bytes, at - a->start);
}

}  // namespace pianola::test::drivers
