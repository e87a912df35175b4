// SPDX-License-Identifier: Apache-2.0
#include "operations/step_operations.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "operations/launch_shape.hpp"

namespace pianola::gpu {

using executors::resolved_action;
using executors::resolved_copy;
using executors::resolved_fill;
using executors::resolved_kernel;
using executors::status;
using model::error_code;

namespace {

std::string numbers(const std::uint64_t (&n)[3]) {
  return fmt::format("{{{}, {}, {}}}", n[0], n[1], n[2]);
}

std::string kernel_on(const resolved_kernel& k, const device_description& d) {
  return fmt::format("kernel '{}' on '{}': ", k.kernel->name, d.properties.name);
}

status does_not_fit(shape_verdict verdict, const resolved_kernel& k, const loaded_kernel& loaded,
                    const device_description& d) {
  const model::launch_geometry& g = k.geometry;
  if (verdict == shape_verdict::group_too_large)
    return {error_code::nd_range,
            fmt::format("{}a work-group of {} work-items is too large; the device allows {}, and "
                        "this kernel, by the registers it needs, {} in all",
                        kernel_on(k, d), numbers(g.local.c),
                        numbers(d.properties.max_work_item_sizes), loaded.limits.max_group_size)};
  const std::uint64_t most[3] = {d.max_grid[0], d.max_grid[1], d.max_grid[2]};
  return {error_code::nd_range, fmt::format("{}the range {} makes more work-groups than the device "
                                            "allows, {}; use a range of another shape",
                                            kernel_on(k, d), numbers(g.global.c), numbers(most))};
}

status check_local_memory(driver& drv, std::uint32_t device, const resolved_kernel& k,
                          const loaded_kernel& loaded) {
  const device_description& d = drv.devices()[device];
  const std::uint64_t all = std::uint64_t{k.local_memory_bytes} + loaded.limits.static_local_bytes;
  if (all > d.max_dynamic_local_bytes)
    return {error_code::kernel_not_supported,
            fmt::format("{}its work-groups need {} bytes of local memory, of which the compiler "
                        "uses {}; the device has {}",
                        kernel_on(k, d), all, loaded.limits.static_local_bytes,
                        d.max_dynamic_local_bytes)};
  if (k.local_memory_bytes <= loaded.dynamic_local_bytes) return {};
  return drv.explain(loaded.local_memory_refused,
                     fmt::format("letting kernel '{}' use {} bytes of local memory", k.kernel->name,
                                 k.local_memory_bytes));
}

constexpr std::uint64_t with_padding(std::uint64_t functor, std::uint64_t launch) noexcept {
  return (functor + alignof(pianola_launch) - 1) / alignof(pianola_launch) *
             alignof(pianola_launch) +
         launch;
}

// The groups that a part needs are those of a launch over its items.
model::launch_geometry geometry_of(const model::launch_geometry& whole,
                                   const model::box& part) noexcept {
  model::launch_geometry g = whole;
  for (int d = 0; d < 3; ++d)
    g.global.c[d] = (part.hi.c[d] - part.lo.c[d]) * (whole.grouped ? whole.local.c[d] : 1);
  return g;
}

}  // namespace

status step_operations::set_kernel(driver& drv, std::uint32_t device, const resolved_kernel& k,
                                   const loaded_kernel& loaded) {
  clear();
  const device_description& d = drv.devices()[device];
  const model::box* const part = k.geometry.part;
  const std::uint64_t launch_bytes =
      part == nullptr ? sizeof(pianola_launch) : sizeof(pianola_part_launch);
  shape_limits limits;
  for (unsigned i = 0; i < 3; ++i) {
    limits.max_grid[i] = d.max_grid[i];
    limits.max_group_sizes[i] = d.properties.max_work_item_sizes[i];
  }
  limits.max_group_size = loaded.limits.max_group_size;
  limits.preferred_group_size = loaded.preferred_group_size;
  launch_shape shape;
  const auto verdict = part == nullptr
                           ? shape_launch(k.geometry, limits, shape)
                           : shape_launch(geometry_of(k.geometry, *part), limits, shape);
  if (verdict != shape_verdict::fits) [[unlikely]]
    return does_not_fit(verdict, k, loaded, d);
  if (shape.empty) return {};
  if (with_padding(k.arguments.size, launch_bytes) > d.max_parameter_bytes) [[unlikely]]
    return {error_code::kernel_not_supported,
            fmt::format("{}what it captures is {} bytes, with what Pianola adds {}; the device "
                        "takes {}. Capture a pointer or an accessor to the data instead",
                        kernel_on(k, d), k.arguments.size,
                        with_padding(k.arguments.size, launch_bytes), d.max_parameter_bytes)};
  if (k.local_memory_bytes != 0 || loaded.limits.static_local_bytes > d.max_dynamic_local_bytes)
    if (status s = check_local_memory(drv, device, k, loaded); !s.ok()) return s;

  parameters_[0] = k.arguments.bytes;
  if (!k.local_slots.empty()) {
    std::byte* const functor = own_functor(k);
    for (const model::argument_slot& slot : k.local_slots)
      std::memcpy(functor + slot.offset, &slot.byte_offset, sizeof slot.byte_offset);
  }
  static_assert(sizeof shape_.whole.global == sizeof k.geometry.global.c);
  std::memcpy(shape_.whole.global, k.geometry.global.c, sizeof shape_.whole.global);
  std::memcpy(shape_.whole.offset, k.geometry.offset.c, sizeof shape_.whole.offset);
  if (part != nullptr) [[unlikely]] {
    std::memcpy(shape_.first, part->lo.c, sizeof shape_.first);
    std::memcpy(shape_.end, part->hi.c, sizeof shape_.end);
  }
  parameters_[1] = &shape_;
  launch_.function = loaded.native;
  launch_.device = device;
  std::copy(shape.groups, shape.groups + 3, launch_.groups);
  std::copy(shape.group_size, shape.group_size + 3, launch_.group_size);
  launch_.dynamic_local_bytes = k.local_memory_bytes;
  launch_.parameters = parameters_;
  launch_.priority = 0;
  offers_overlap_ = k.kernel->requirements.dependent_launch;
  launch_.overlapping = offers_overlap_ && loaded.dependent_launch;
  reads_its_range_ = k.kernel->read_range != nullptr ? &k : nullptr;
  what_ = kind::kernel;
  return {};
}

void step_operations::set_range_word(std::uint64_t* word) {
  std::memcpy(own_functor(*reads_its_range_), &word, sizeof word);
}

std::byte* step_operations::own_functor(const resolved_kernel& k) {
  if (parameters_[0] != functor_.data()) {
    functor_.resize(k.arguments.size);
    std::memcpy(functor_.data(), k.arguments.bytes, k.arguments.size);
    parameters_[0] = functor_.data();
  }
  return functor_.data();
}

void step_operations::add_copy(const resolved_copy& box, std::int32_t from, std::int32_t to,
                               std::uint32_t device) {
  copy_operation c;
  c.box = box;
  c.from = from;
  c.to = to;
  c.device = device;
  append_copy(c, memory_);
  if (!memory_.empty()) what_ = kind::memory;
}

void step_operations::set_fill(const resolved_fill& fill, std::int32_t where,
                               std::uint32_t device) {
  clear();
  append_fill(fill, where, device, memory_);
  if (!memory_.empty()) what_ = kind::memory;
}

std::string describe(const resolved_action& action) {
  if (const auto* k = std::get_if<resolved_kernel>(&action))
    return fmt::format("running kernel '{}'", k->kernel->name);
  if (const auto* c = std::get_if<resolved_copy>(&action))
    return fmt::format("copying {} bytes", c->width * c->height * c->depth);
  if (const auto* f = std::get_if<resolved_fill>(&action))
    return fmt::format("filling {} bytes", f->width * f->height * f->depth);
  if (std::holds_alternative<executors::resolved_control>(action))
    return "running a loop or a branch";
  return "ordering steps";
}

}  // namespace pianola::gpu
