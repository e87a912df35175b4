// SPDX-License-Identifier: Apache-2.0
#include "pianola/gpu/gpu_backend.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>
#include <pianola/host/team.hpp>

#include "engine/engine.hpp"
#include "graph/gpu_graph.hpp"
#include "issue/lane_list.hpp"

namespace pianola::gpu {

using executors::memory_kind;
using executors::status;
using model::error_code;
using model::native_kind;

namespace {

// Backends that std::exit has to shut down. Never destroyed: exit handlers use it.
struct living_backends {
  std::mutex mutex;
  std::vector<gpu_backend*> all;
  bool registered = false;

  static living_backends& get() {
    static auto* const them = new living_backends();
    return *them;
  }
};

void shut_all_down() {
  living_backends& them = living_backends::get();
  std::lock_guard<std::mutex> lock(them.mutex);
  for (gpu_backend* b : them.all) b->shut_down();
}

}  // namespace

gpu_backend::gpu_backend(std::unique_ptr<driver> d, const executors::runtime_services& services,
                         std::vector<std::uint32_t> ordinals)
    : engine_(std::make_unique<engine>(std::move(d), services, std::move(ordinals))),
      lanes_(std::make_unique<lane_list>(*engine_)) {
  for (const std::uint32_t o : engine_->ordinals)
    devices_.push_back(engine_->drv.devices()[o].properties);
  living_backends& them = living_backends::get();
  std::lock_guard<std::mutex> lock(them.mutex);
  them.all.push_back(this);
  // After the driver was started, so that this comes before the driver's own end.
  if (!them.registered) them.registered = std::atexit(&shut_all_down) == 0;
}

gpu_backend::~gpu_backend() {
  living_backends& them = living_backends::get();
  std::lock_guard<std::mutex> lock(them.mutex);
  them.all.erase(std::remove(them.all.begin(), them.all.end(), this), them.all.end());
}

std::string_view gpu_backend::name() const noexcept { return engine_->drv.backend_name(); }

void gpu_backend::describe_links(model::array_view<const model::memory_id> memories,
                                 std::vector<model::link_description>& links) const {
  const std::size_t n = std::min(memories.size(), engine_->ordinals.size());
  for (std::size_t i = 0; i < n; ++i) {
    links.push_back({model::host_memory, memories[i], 0, 0});
    links.push_back({memories[i], model::host_memory, 0, 0});
    const auto& peers = engine_->drv.devices()[engine_->ordinals[i]].peers;
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint32_t other = engine_->ordinals[j];
      if (i != j && other < peers.size() && peers[other])
        links.push_back({memories[i], memories[j], 0, 0});
    }
  }
}

void gpu_backend::set_memories(model::array_view<const model::memory_id> memories) {
  engine_->set_memories(memories);
  for (std::size_t i = 0; i < devices_.size() && i < memories.size(); ++i)
    devices_[i].memory = memories[i];
}

status gpu_backend::allocate(std::uint32_t device, memory_kind kind, std::size_t bytes,
                             std::size_t alignment, void*& out) noexcept {
  try {
    return engine_->allocate(engine_->ordinals[device], kind, bytes, alignment, out);
  } catch (...) {
    return host::current_exception_status();
  }
}

void gpu_backend::deallocate(std::uint32_t device, memory_kind kind, void* pointer) noexcept {
  engine_->deallocate(engine_->ordinals[device], kind, pointer);
}

std::unique_ptr<executors::page_store> gpu_backend::open_pages(std::uint32_t device,
                                                               memory_kind kind) noexcept {
  try {
    return engine_->open_pages(engine_->ordinals[device], kind);
  } catch (...) {
    return nullptr;
  }
}

status gpu_backend::free_memory(std::uint32_t device, std::uint64_t& bytes) noexcept {
  if (!devices_[device].free_memory_known) return backend::free_memory(device, bytes);
  if (!engine_->state.usable()) return engine_->state.why();
  try {
    std::size_t found = 0;
    const code c = engine_->drv.free_memory(engine_->ordinals[device], found);
    bytes = found;
    return c == success ? status{}
                        : engine_->failure(c, fmt::format("asking '{}' how much memory it has free",
                                                          devices_[device].name));
  } catch (...) {
    return host::current_exception_status();
  }
}

namespace {

std::uintptr_t page_of_host() noexcept {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

// Where the first whole page begins.
void* whole_page(void* start) noexcept {
  const std::uintptr_t page = page_of_host();
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(start) + page - 1) / page *
                                 page);
}

}  // namespace

// Only pages that have nothing else: drivers lock whole ones, and then refuse to copy what is in them in part.
bool gpu_backend::lock_pages(std::uint32_t device, void* start, std::size_t bytes) noexcept {
  void* const first = whole_page(start);
  const auto from = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t end =
      (reinterpret_cast<std::uintptr_t>(start) + bytes) / page_of_host() * page_of_host();
  if (end <= from || !engine_->state.usable() ||
      !engine_->drv.lock_pages(engine_->ordinals[device], first, end - from))
    return false;
  try {
    engine_->pages.add(first, end - from);
  } catch (...) {
    engine_->drv.unlock_pages(engine_->ordinals[device], first);
    return false;
  }
  return true;
}

void gpu_backend::unlock_pages(std::uint32_t device, void* start) noexcept {
  start = whole_page(start);
  engine_->pages.remove(start);
  // What the process leaves behind at its end is given back with it.
  if (!engine_->state.gone() && !engine_->state.closing())
    engine_->drv.unlock_pages(engine_->ordinals[device], start);
}

// What loses one device of a driver loses them all.
bool gpu_backend::usable(std::uint32_t) const noexcept { return engine_->state.usable(); }

status gpu_backend::make_lane(std::uint32_t device, executors::lane*& out) noexcept {
  try {
    lane* made = nullptr;
    status s = lanes_->make(engine_->ordinals[device], made);
    out = made;
    return s;
  } catch (...) {
    return host::current_exception_status();
  }
}

status gpu_backend::submit(executors::lane& where,
                           const executors::step_submission& step) noexcept {
  try {
    return static_cast<lane&>(where).submit(step, nullptr);
  } catch (...) {
    return host::current_exception_status();
  }
}

bool gpu_backend::holds_control(std::uint32_t device, model::control_kind what,
                                std::size_t bodies) noexcept {
  const bool several = what == model::control_kind::choice || bodies > 1;
  if (several && !engine_->drv.can().choices) return false;
  return engine_->conditional_nodes(engine_->ordinals[device]);
}

executors::graph_links gpu_backend::links() noexcept {
  const bool both = engine_->event_nodes();
  return {both, both};
}

status gpu_backend::instantiate(executors::graph_steps& steps,
                                std::unique_ptr<executors::native_graph>& out) noexcept {
  try {
    if (!engine_->state.usable()) return engine_->state.why();
    auto made = std::make_unique<gpu_graph>(*engine_);
    for (auto some = steps.next(); !some.empty(); some = steps.next()) {
      for (const auto& s : some)
        if (s.owner != nullptr && s.owner != this)
          return {error_code::runtime, fmt::format("internal error of Pianola, please report it: a "
                                                   "graph for '{}' has a step of '{}'",
                                                   name(), s.owner->name())};
      if (status s = made->add(some, steps.count()); !s.ok()) return s;
    }
    status s = made->build();
    if (s.ok()) out = std::move(made);
    return s;
  } catch (...) {
    return host::current_exception_status();
  }
}

status gpu_backend::launch(executors::lane& where, executors::native_graph& graph,
                           const executors::step_submission& step) noexcept {
  try {
    return static_cast<lane&>(where).submit(step, &static_cast<gpu_graph&>(graph));
  } catch (...) {
    return host::current_exception_status();
  }
}

status gpu_backend::update(executors::native_graph& graph,
                           model::array_view<const std::uint32_t> indices,
                           model::array_view<const executors::graph_step> steps) noexcept {
  try {
    if (!engine_->state.usable()) return engine_->state.why();
    return static_cast<gpu_graph&>(graph).update(indices, steps);
  } catch (...) {
    return host::current_exception_status();
  }
}

int gpu_backend::choose_image(std::uint32_t device,
                              model::array_view<const pianola_image> images) const noexcept {
  return engine_->images.choose(engine_->ordinals[device], images);
}

status gpu_backend::no_image(std::uint32_t device, const model::kernel_descriptor& kernel,
                             model::array_view<const pianola_image> images) const noexcept {
  try {
    return engine_->images.no_image(engine_->ordinals[device], kernel, images);
  } catch (...) {
    return host::current_exception_status();
  }
}

status gpu_backend::ask_kernel(std::uint32_t device, const model::kernel_descriptor& kernel,
                               std::uint64_t group_size, std::uint64_t local_bytes,
                               executors::kernel_on_device& out) noexcept {
  if (engine_->state.gone()) return {error_code::runtime, "the driver has shut down"};
  try {
    const std::uint32_t ordinal = engine_->ordinals[device];
    std::shared_ptr<loaded_kernel> loaded;
    if (status s = engine_->images.find(ordinal, kernel, false, loaded); !s.ok()) return s;
    const device_description& d = engine_->drv.devices()[ordinal];
    out = {loaded->limits.max_group_size, loaded->limits.private_bytes,
           loaded->limits.static_local_bytes, 0};
    if (group_size != 0 && group_size <= out.max_group_size &&
        local_bytes + out.local_bytes <= d.max_dynamic_local_bytes)
      out.resident_groups = std::uint64_t{d.properties.compute_units} *
                            engine_->drv.resident_groups(ordinal, loaded->native,
                                                         static_cast<std::uint32_t>(group_size),
                                                         static_cast<std::uint32_t>(local_bytes));
    return {};
  } catch (...) {
    return host::current_exception_status();
  }
}

void gpu_backend::forget_images(const pianola_image_set& images) noexcept {
  if (engine_->state.gone()) return;
  try {
    lanes_->for_each([](lane& l) { l.drain(); });
    engine_->images.forget(images);
    lanes_->for_each([](lane& l) { l.forget_kernels(); });
  } catch (...) {
    // Host memory has run out: what is left of them is found by no kernel that still exists.
  }
}

status gpu_backend::find_variable(std::uint32_t device, const executors::device_variable& variable,
                                  void*& out) noexcept {
  try {
    return engine_->variables.find(engine_->ordinals[device], variable, out);
  } catch (...) {
    return host::current_exception_status();
  }
}

void gpu_backend::forget_variable(const void* address) noexcept {
  if (engine_->state.gone()) return;
  try {
    lanes_->for_each([](lane& l) { l.drain(); });
    engine_->variables.forget(address);
  } catch (...) {
    // Host memory has run out: the device keeps it.
  }
}

status gpu_backend::native_handle(const executors::native_request& request, void*& out) noexcept {
  try {
    const auto pointer_of = [](int n) {
      return reinterpret_cast<void*>(static_cast<std::intptr_t>(n));
    };
    auto* const l = static_cast<lane*>(request.where);
    auto* const g = static_cast<gpu_graph*>(request.graph);
    driver& d = engine_->drv;
    switch (request.what) {
      case native_kind::device:
        out = pointer_of(d.native_device(engine_->ordinals[request.device]));
        return {};
      case native_kind::context:
        out = d.native_context(engine_->ordinals[request.device]);
        return {};
      case native_kind::queue:
        if (l != nullptr) out = l->native().native;
        break;
      case native_kind::event:
        if (l != nullptr) {
          event lent;
          status s = l->lend_event(request.position, lent);
          out = lent.native;
          return s;
        }
        break;
      case native_kind::graph:
        if (g != nullptr) out = g->native().native;
        break;
      case native_kind::executable:
        if (g != nullptr) out = g->native_executable().native;
        break;
    }
    if ((request.what == native_kind::queue && l == nullptr) ||
        (request.what == native_kind::event && l == nullptr) ||
        ((request.what == native_kind::graph || request.what == native_kind::executable) &&
         g == nullptr))
      return {error_code::invalid, "there is nothing to have a native handle of"};
    return {};
  } catch (...) {
    return host::current_exception_status();
  }
}

status gpu_backend::device_of_stream(void* native, std::uint32_t& device) noexcept {
  try {
    if (!engine_->state.usable()) return engine_->state.why();
    std::uint32_t theirs = driver::untold;
    if (const code c = engine_->drv.device_of(stream{native}, theirs); c != success)
      return engine_->failure(c, "asking for the device of a stream");
    const auto& used = engine_->ordinals;
    const auto at = std::find(used.begin(), used.end(), theirs);
    if (theirs == driver::untold)
      return {error_code::feature_not_supported,
              fmt::format("the driver of backend '{}' does not tell which device a stream is of",
                          name())};
    if (at == used.end())
      return {error_code::invalid,
              "the stream is of none of the devices that this program uses, or of another context "
              "of one than the primary one"};
    device = static_cast<std::uint32_t>(at - used.begin());
    return {};
  } catch (...) {
    return host::current_exception_status();
  }
}

status gpu_backend::adopt_lane(std::uint32_t device, void* native, executors::lane*& out) noexcept {
  try {
    lane* made = nullptr;
    status s = lanes_->adopt(engine_->ordinals[device], stream{native}, made);
    out = made;
    return s;
  } catch (...) {
    return host::current_exception_status();
  }
}

status gpu_backend::wait_for_native(executors::lane& where, void* native) noexcept {
  try {
    return static_cast<lane&>(where).wait_for(event{native});
  } catch (...) {
    return host::current_exception_status();
  }
}

gpu_counters gpu_backend::counters() const noexcept {
  const live_counters& c = engine_->counters;
  gpu_counters r;
  r.issued = c.issued;
  r.deferred = c.deferred;
  r.launches = c.launches;
  r.stepwise = c.stepwise;
  r.markers = c.markers;
  r.events_made = c.events_made;
  r.modules_loaded = c.modules_loaded;
  r.instantiations = c.instantiations;
  r.node_updates = c.node_updates;
  r.graph_updates = c.graph_updates;
  r.reinstantiations = c.reinstantiations;
  r.event_nodes = c.event_nodes;
  r.overlapping = c.overlapping;
  r.not_overlapping = c.not_overlapping;
  r.conditional_nodes = c.conditional_nodes;
  return r;
}

void gpu_backend::shut_down() noexcept { lanes_->shut_down(); }

std::unique_ptr<gpu_backend> make_gpu_backend(std::unique_ptr<driver> d,
                                              const executors::runtime_services& services,
                                              const std::vector<std::uint32_t>& ordinals) {
  std::vector<std::uint32_t> chosen = ordinals;
  if (chosen.empty())
    for (std::uint32_t i = 0; i < d->devices().size(); ++i) chosen.push_back(i);
  return std::make_unique<gpu_backend>(std::move(d), services, std::move(chosen));
}

}  // namespace pianola::gpu
