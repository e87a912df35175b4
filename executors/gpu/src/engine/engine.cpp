// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "engine/device_pages.hpp"
#include "probes/conditional_node_probe.hpp"
#include "probes/event_node_probe.hpp"

namespace pianola::gpu {

using executors::memory_kind;
using executors::status;
using model::error_code;

std::exception_ptr exception_of(const status& s) {
  return std::make_exception_ptr(model::user_error(s.code, s.reason));
}

engine::engine(std::unique_ptr<driver> d, const executors::runtime_services& s,
               std::vector<std::uint32_t> ordinals_of_devices)
    : owned_driver(std::move(d)),
      drv(*owned_driver),
      services(s),
      observer(*s.observer),
      ordinals(std::move(ordinals_of_devices)),
      variables(drv, state, services),
      images(drv, state, services, variables, counters.modules_loaded),
      textures(drv, state) {
  for (std::uint32_t i = 0; i < drv.devices().size(); ++i)
    resources_.push_back(std::make_unique<device_resources>(drv, i, counters.events_made));
}

engine::~engine() {
  images.clear();
  textures.clear();
  variables.clear();
  if (!state.gone())
    for (const auto& d : resources_) d->close();
}

void engine::set_memories(model::array_view<const model::memory_id> memories) {
  device_of_memory_.clear();
  for (std::size_t i = 0; i < memories.size() && i < ordinals.size(); ++i) {
    const std::size_t m = memories[i].value();
    if (m >= device_of_memory_.size()) device_of_memory_.resize(m + 1, on_host);
    device_of_memory_[m] = static_cast<std::int32_t>(ordinals[i]);
  }
}

status engine::failure(code c, std::string_view doing) {
  status s = drv.explain(c, doing);
  if (s.ok()) s = {error_code::runtime, std::string(doing) + " failed"};
  if (state.closing())
    state.leave();
  else if (drv.is_fatal(c))
    state.lose(s);
  return s;
}

bool engine::blocks(const executors::resolved_action& action) const noexcept {
  const auto* c = std::get_if<executors::resolved_copy>(&action);
  if (c == nullptr || c->width == 0 || c->height == 0 || c->depth == 0) return false;
  const auto pageable = [&](model::memory_id memory, const void* start, std::uint64_t row,
                            std::uint64_t slice) {
    if (device_with(memory) != on_host) return false;
    return !pages.has(start, (c->depth - 1) * slice + (c->height - 1) * row + c->width);
  };
  return pageable(c->from, c->source, c->source_row_pitch, c->source_slice_pitch) ||
         pageable(c->to, c->destination, c->destination_row_pitch, c->destination_slice_pitch);
}

void engine::add_copy(const executors::resolved_copy& c, std::uint32_t device,
                      step_operations& out) {
  const std::int32_t from = device_with(c.from), to = device_with(c.to);
  if (c.width == 0 || c.height == 0 || c.depth == 0) return;
  // So many of the first row's bytes are alike; 0: all of all rows are.
  const auto alike = [&](std::int32_t memory, const void* start, std::uint64_t row,
                         std::uint64_t slice) -> std::uint64_t {
    const std::uint64_t all = (c.depth - 1) * slice + (c.height - 1) * row + c.width;
    const std::uint64_t some = memory == on_host ? pages.alike(start, all) : all;
    return some == all ? 0 : some;
  };
  const std::uint64_t in_source = alike(from, c.source, c.source_row_pitch, c.source_slice_pitch);
  const std::uint64_t in_destination =
      alike(to, c.destination, c.destination_row_pitch, c.destination_slice_pitch);
  if (in_source == 0 && in_destination == 0) return out.add_copy(c, from, to, device);
  executors::resolved_copy first = c, second = c;
  const auto move = [&second](std::uint64_t source_bytes, std::uint64_t destination_bytes) {
    second.source = static_cast<const std::byte*>(second.source) + source_bytes;
    second.destination = static_cast<std::byte*>(second.destination) + destination_bytes;
  };
  if (c.depth > 1) {
    first.depth = c.depth / 2;
    second.depth = c.depth - first.depth;
    move(first.depth * c.source_slice_pitch, first.depth * c.destination_slice_pitch);
  } else if (c.height > 1) {
    first.height = c.height / 2;
    second.height = c.height - first.height;
    move(first.height * c.source_row_pitch, first.height * c.destination_row_pitch);
  } else {
    first.width = in_source == 0        ? in_destination
                  : in_destination == 0 ? in_source
                                        : std::min(in_source, in_destination);
    second.width = c.width - first.width;
    move(first.width, first.width);
  }
  add_copy(first, device, out);
  add_copy(second, device, out);
}

status engine::prepare(std::uint32_t device, const executors::resolved_action& action,
                       loaded_kernel* loaded, step_operations& out) {
  if (const auto* k = std::get_if<executors::resolved_kernel>(&action))
    return prepare(device, *k, *loaded, out);
  if (const auto* c = std::get_if<executors::resolved_copy>(&action)) {
    out.clear();
    add_copy(*c, device, out);
  } else if (const auto* f = std::get_if<executors::resolved_fill>(&action))
    out.set_fill(*f, device_with(f->memory), device);
  else
    out.clear();
  return {};
}

status engine::prepare(std::uint32_t device, const executors::resolved_kernel& kernel,
                       loaded_kernel& loaded, step_operations& out) {
  status s = out.set_kernel(drv, device, kernel, loaded);
  if (!s.ok() || kernel.texture_slots.empty() || out.what() != step_operations::kind::kernel)
    return s;
  const code c = textures.bind(device, out.own_functor(kernel), kernel.texture_slots);
  return c == success ? s : failure(c, "making a texture");
}

code engine::issue(stream where, step_operations& operations) noexcept {
  if (operations.what() == step_operations::kind::kernel) {
    if (operations.offers_overlap()) [[unlikely]]
      count_overlap(operations.kernel().overlapping);
    return drv.launch(where, operations.kernel());
  }
  for (const memory_operation& o : operations.memory()) {
    const auto* c = std::get_if<copy_operation>(&o);
    const code result =
        c != nullptr ? drv.copy(where, *c) : drv.fill(where, *std::get_if<fill_operation>(&o));
    if (result != success) return result;
  }
  return success;
}

std::exception_ptr engine::call(std::uint32_t device,
                                executors::resolved_host_task& task) noexcept {
  struct {
    executors::resolved_host_task& task;
    std::exception_ptr thrown;
  } call{task, {}};
  const code c = drv.run_on(
      device,
      [](void* argument) {
        auto& it = *static_cast<decltype(call)*>(argument);
        try {
          it.task();
        } catch (...) {
          it.thrown = std::current_exception();
        }
      },
      &call);
  try {
    if (c != success) return exception_of(failure(c, "calling a function that adds commands"));
  } catch (...) {
    return std::current_exception();
  }
  return call.thrown;
}

status engine::allocate(std::uint32_t device, memory_kind kind, std::size_t bytes,
                        std::size_t alignment, void*& out) {
  if (!state.usable()) return state.why();
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  const std::size_t more = alignment > executors::usual_alignment ? alignment : 0;
  void* p = nullptr;
  code c = success;
  if (wanted > SIZE_MAX - more)
    return {error_code::memory_allocation, fmt::format("no device has {} bytes", bytes)};
  if (kind == memory_kind::device)
    c = drv.allocate_device(device, wanted + more, p);
  else if (kind == memory_kind::shared && drv.can().managed_memory)
    c = drv.allocate_managed(device, wanted + more, p);
  else  // the device reaches page-locked memory of the host, too
    c = drv.allocate_host(device, wanted + more, p);
  if (c != success)
    return failure(c, fmt::format("allocating {} bytes on '{}'", bytes,
                                  drv.devices()[device].properties.name));
  if (kind != memory_kind::device) {
    try {
      pages.add(p, wanted + more);
    } catch (...) {
      deallocate_native(device, kind, p);
      throw;
    }
  }
  if (more != 0) {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    void* const aligned = reinterpret_cast<void*>((at + alignment - 1) / alignment * alignment);
    if (aligned != p) {
      std::lock_guard<std::mutex> lock(memory_mutex_);
      try {
        moved_.emplace(aligned, p);
      } catch (...) {
        deallocate_native(device, kind, p);
        throw;
      }
      p = aligned;
    }
  }
  out = p;
  return {};
}

void engine::deallocate_native(std::uint32_t device, memory_kind kind, void* p) noexcept {
  if (kind != memory_kind::device) pages.remove(p);
  // What the process leaves behind at its end is given back with it; so is what is on a device that is lost, where
  // nothing tells what still uses it.
  if (state.gone() || state.closing() || !state.usable()) return;
  if (kind == memory_kind::device)
    drv.free_device(device, p);
  else if (kind == memory_kind::shared && drv.can().managed_memory)
    drv.free_managed(device, p);
  else
    drv.free_host(device, p);
}

void engine::deallocate(std::uint32_t device, memory_kind kind, void* pointer) noexcept {
  if (pointer == nullptr) return;
  if (kind == memory_kind::device) textures.forget(pointer);
  {
    std::lock_guard<std::mutex> lock(memory_mutex_);
    if (const auto it = moved_.find(pointer); it != moved_.end()) {
      pointer = it->second;
      moved_.erase(it);
    }
  }
  deallocate_native(device, kind, pointer);
}

std::unique_ptr<executors::page_store> engine::open_pages(std::uint32_t device, memory_kind kind) {
  if (kind != memory_kind::device || !state.usable()) return nullptr;
  const std::size_t bytes = drv.page_bytes(device);
  return bytes == 0 ? nullptr : std::make_unique<device_pages>(*this, device, bytes);
}

bool engine::event_nodes() noexcept {
  if (!drv.can().event_nodes || !state.usable()) return false;
  std::lock_guard<std::mutex> lock(probe_mutex_);
  if (event_nodes_ == answer::unknown) {
    code why = success;
    event_nodes_ =
        event_nodes_keep_to_launches(drv, ordinals.front(), why) ? answer::yes : answer::no;
    try {
      if (why != success && drv.is_fatal(why)) failure(why, "asking what graphs can do");
    } catch (...) {  // no memory to say it: the next call finds it, too
    }
  }
  return event_nodes_ == answer::yes;
}

bool engine::conditional_nodes(std::uint32_t device) noexcept {
  if (!drv.can().loops || !state.usable()) return false;
  std::lock_guard<std::mutex> lock(probe_mutex_);
  try {
    conditional_nodes_.resize(drv.devices().size(), answer::unknown);
    answer& known = conditional_nodes_[device];
    if (known == answer::unknown) {
      code why = success;
      known = conditional_nodes_decide(drv, device, why) ? answer::yes : answer::no;
      if (why != success && drv.is_fatal(why)) failure(why, "asking what graphs can do");
    }
    return known == answer::yes;
  } catch (...) {  // no memory: the next call finds it, too
    return false;
  }
}

}  // namespace pianola::gpu
