// SPDX-License-Identifier: Apache-2.0
// Allocations, copies and fills.
#include <cstring>
#include <sstream>

#include "engine.hpp"

namespace pianola::test::drivers {

std::string text_of(const void* p) {
  std::ostringstream s;
  s << p;
  return s.str();
}

namespace {

std::size_t span(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                 std::size_t slice) {
  return (depth - 1) * slice + (height - 1) * pitch + width;
}

void store(std::byte* to, std::uint32_t value, std::uint32_t bytes) {
  std::memcpy(to, &value, bytes);
}

}  // namespace

bool engine::reaches(const context& c, const allocation& a) {
  if (a.apart) return a.accessors.count(c.device) != 0;
  return a.type != memory_type::device || a.device == c.device || c.peers.count(a.device) != 0;
}

void engine::protect(const allocation& a, bool accessible) {
  for (const auto& c : all_contexts_)
    if (c->gpu && c->error == 0 && reaches(*c, a))
      c->gpu->protect(a.first_page, a.end_page - a.first_page, accessible);
}

void* engine::allocate(const std::shared_ptr<context>& c, memory_type type, std::size_t bytes) {
  check(*c);
  const allocation* a = memory_->allocate(c.get(), c->device, type, bytes);
  if (a == nullptr) refuse(codes::out_of_memory, "out of memory");
  ++allocations_;
  protect(*a, true);
  return reinterpret_cast<void*>(a->start);
}

void engine::free(lock& held, void* start, bool host) {
  allocation* a = memory_->find(start);
  if (a == nullptr || !memory_->holds(start) || a->apart ||
      a->start != reinterpret_cast<std::uintptr_t>(start))
    violate(codes::invalid_value, text_of(start) + " is not the start of an allocation");
  if ((a->type == memory_type::host) != host)
    violate(codes::invalid_value, text_of(start) + " was allocated by a function of another kind");
  const auto number = a->number;
  if (a->users != 0) {
    note_violation("memory at " + text_of(start) +
                   " is freed while work that uses it is under way");
    scheduler_.wait(held, [&] {
      a = memory_->with_number(reinterpret_cast<std::uintptr_t>(start), number);
      return a == nullptr || a->users == 0;
    });
    if (a == nullptr) violate(codes::invalid_value, text_of(start) + " is freed by two threads");
  }
  release(*a);
}

void engine::release(allocation& a) {
  protect(a, false);
  const std::size_t bytes = a.bytes;
  void* const start = reinterpret_cast<void*>(a.start);
  const bool whole = memory_->release(a);
  --allocations_;
  if (!whole)
    note_violation("something was written behind the " + std::to_string(bytes) + " bytes at " +
                   text_of(start));
}

void engine::lock_pages(const std::shared_ptr<context>& c, void* start, std::size_t bytes) {
  check(*c);
  if (start == nullptr || bytes == 0) violate(codes::invalid_value, "nothing to lock");
  if (memory_->holds(start))
    violate(codes::invalid_value, text_of(start) + " is memory of the driver's own");
  if (memory_->adopt(c.get(), c->device, start, bytes) == nullptr)
    refuse(codes::already_registered, "some of these pages are locked already");
}

void engine::unlock_pages(lock& held, void* start) {
  const allocation* a = memory_->find(start);
  if (a == nullptr || memory_->holds(start) || a->start != reinterpret_cast<std::uintptr_t>(start))
    violate(codes::not_registered, text_of(start) + " is not where locked memory starts");
  const auto number = a->number;
  if (a->users != 0) {
    note_violation("memory at " + text_of(start) +
                   " is unlocked while work that uses it is under way");
    scheduler_.wait(held, [&] {
      const allocation* now = memory_->with_number(reinterpret_cast<std::uintptr_t>(start), number);
      return now == nullptr || now->users == 0;
    });
  }
  memory_->disown(start);
}

allocation* engine::find(const void* address) {
  allocation* a = memory_->find(address);
  if (a == nullptr && memory_->holds(address))
    violate(codes::invalid_value,
            text_of(address) + " points to memory that has been freed, or outside of any");
  return a;
}

engine::side engine::resolve(const void* address, place expected, std::size_t bytes,
                             const char* what, bool host_allowed) {
  if (address == nullptr) violate(codes::invalid_value, std::string(what) + " is null");
  allocation* a = find(address);
  if (a == nullptr) {
    if (expected == place::device || !host_allowed)
      violate(codes::invalid_value,
              std::string(what) + " " + text_of(address) + " is not known to the driver");
    if (memory_->partly_adopted(address, bytes))
      violate(codes::invalid_value, std::string(what) + " " + text_of(address) + ": some of " +
                                        std::to_string(bytes) + " bytes are locked, not all");
    return {nullptr, static_cast<std::byte*>(const_cast<void*>(address))};
  }
  if (expected == place::host && a->type == memory_type::device)
    violate(codes::invalid_value,
            std::string(what) + " " + text_of(address) + " is memory of a device");
  const std::size_t there = a->start + a->bytes - reinterpret_cast<std::uintptr_t>(address);
  if (bytes > there)
    violate(codes::invalid_value,
            std::string(what) + " " + text_of(address) + ": " + std::to_string(bytes) +
                " bytes, but the allocation has only " + std::to_string(there) + " from there");
  return {a, memory_->access(*a, address)};
}

void engine::uses(task& t, allocation& a) {
  ++a.users;
  t.uses.emplace_back(a.start, a.number);
}

void engine::release_memory_of(task& t) {
  engine& e = instance();
  for (const auto& [start, number] : t.uses)
    if (allocation* a = e.memory_->with_number(start, number)) --a->users;
  t.uses.clear();
}

engine::prepared engine::prepare(const std::shared_ptr<context>& where, const copy_box& box) {
  prepared p;
  p.what = std::make_shared<task>();
  p.what->owner = where;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return p;
  if (!box.one_dimensional() && (box.source_pitch < box.width || box.destination_pitch < box.width))
    violate(codes::invalid_value,
            "rows of " + std::to_string(box.width) + " bytes overlap: pitches " +
                std::to_string(box.source_pitch) + " and " + std::to_string(box.destination_pitch));
  if (box.depth > 1 &&
      (box.source_slice < (box.height - 1) * box.source_pitch + box.width ||
       box.destination_slice < (box.height - 1) * box.destination_pitch + box.width))
    violate(codes::invalid_value, "slices overlap");
  const std::size_t from_bytes =
      span(box.width, box.height, box.depth, box.source_pitch, box.source_slice);
  const std::size_t to_bytes =
      span(box.width, box.height, box.depth, box.destination_pitch, box.destination_slice);
  const side from = resolve(box.source, box.from, from_bytes, "source", true);
  const side to = resolve(box.destination, box.to, to_bytes, "destination", true);
  if (from.at < to.at + to_bytes && to.at < from.at + from_bytes && box.one_dimensional())
    violate(codes::invalid_value, "source and destination overlap");
  p.pageable = from.memory == nullptr || to.memory == nullptr;
  if (from.memory != nullptr) uses(*p.what, *from.memory);
  if (to.memory != nullptr) uses(*p.what, *to.memory);
  const auto on_device = [](const side& s) {
    return s.memory != nullptr && s.memory->type == memory_type::device;
  };
  copied direction = copied::host_to_host;
  if (on_device(from) && on_device(to))
    direction =
        from.memory->device == to.memory->device ? copied::within_device : copied::between_devices;
  else if (on_device(from))
    direction = copied::device_to_host;
  else if (on_device(to))
    direction = copied::host_to_device;
  p.what->work = [this, box, from = from.at, to = to.at, direction]() -> task::result {
    if (const int code = begin_work("copy"); code != 0) return {code, "a copy failed as told"};
    for (std::size_t z = 0; z < box.depth; ++z)
      for (std::size_t y = 0; y < box.height; ++y)
        std::memcpy(to + z * box.destination_slice + y * box.destination_pitch,
                    from + z * box.source_slice + y * box.source_pitch, box.width);
    const lock held(mutex_);
    auto& c = copies_[static_cast<std::size_t>(direction)];
    ++c.count;
    c.bytes += box.width * box.height * box.depth;
    return {};
  };
  return p;
}

engine::prepared engine::prepare(const std::shared_ptr<context>& where, const fill_box& box) {
  prepared p;
  p.what = std::make_shared<task>();
  p.what->owner = where;
  const std::uint32_t n = box.element_bytes;
  if (n != 1 && n != 2 && n != 4)
    violate(codes::invalid_value, "elements of " + std::to_string(n) + " bytes");
  if (n < 4 && box.value >> (8 * n) != 0 && traits_.local_memory_is_opt_in)
    violate(codes::invalid_value, "the value does not fit the element");
  if (box.width == 0 || box.height == 0) return p;
  const std::size_t row = box.width * n;
  if (box.height > 1 && (box.pitch < row || box.pitch % n != 0))
    violate(codes::invalid_value, "a pitch of " + std::to_string(box.pitch) +
                                      " bytes for rows of " + std::to_string(row));
  if (reinterpret_cast<std::uintptr_t>(box.destination) % n != 0)
    violate(codes::invalid_value, "the destination is not aligned to the element");
  const side to = resolve(box.destination, place::unified, (box.height - 1) * box.pitch + row,
                          "destination", false);
  uses(*p.what, *to.memory);
  p.what->work = [this, box, row, to = to.at]() -> task::result {
    if (const int code = begin_work("fill"); code != 0) return {code, "a fill failed as told"};
    for (std::size_t y = 0; y < box.height; ++y)
      for (std::size_t x = 0; x < row; x += box.element_bytes)
        store(to + y * box.pitch + x, box.value, box.element_bytes);
    return {};
  };
  return p;
}

void engine::finish_call(lock& held, const std::shared_ptr<stream>& s, const prepared& p,
                         bool asynchronous) {
  enqueue(s, p.what);
  // Where the driver does not know memory it may wait until it has been read or written, or may not.
  const bool waits = !asynchronous || (p.pageable && (patient_copies_ || scheduler_.may_wait()));
  if (!waits) return;
  scheduler_.wait(held, [&] { return p.what->done; });
  if (asynchronous) return;
  print(*s->owner);
  check(*s->owner);
}

void engine::copy(lock& held, const std::shared_ptr<stream>& s, const copy_box& box,
                  bool asynchronous) {
  check(*s->owner);
  if (!asynchronous) refuse_captured(*s);
  if (captured(s, box)) return;
  finish_call(held, s, prepare(s->owner, box), asynchronous);
}

void engine::fill(lock& held, const std::shared_ptr<stream>& s, const fill_box& box,
                  bool asynchronous) {
  check(*s->owner);
  if (!asynchronous) refuse_captured(*s);
  if (captured(s, box)) return;
  finish_call(held, s, prepare(s->owner, box), asynchronous);
}

}  // namespace pianola::test::drivers
