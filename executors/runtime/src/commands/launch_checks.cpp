// SPDX-License-Identifier: Apache-2.0
#include "commands/launch_checks.hpp"

#include <string>
#include <variant>

#include <fmt/format.h>

#include <pianola/model/aspects.hpp>
#include <pianola/model/error.hpp>

#include "machine/image_checks.hpp"
#include "machine/machine.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

std::string text(const model::point3& p, unsigned dimensions) {
  std::string s = "(";
  for (unsigned d = 3 - dimensions; d < 3; ++d)
    s += fmt::format("{}{}", d == 3 - dimensions ? "" : ", ", p.c[d]);
  return s + ")";
}

}  // namespace

void check_request(const accessor_request& r, const model::buffer_info& buffer) {
  const model::extent3 range = buffer.grid.range();
  if (!contains(model::box::of(range), r.elements)) {
    const unsigned n = buffer.dimensions;
    throw user_error(error_code::invalid,
                     fmt::format("an accessor asks for elements {} to {} of a buffer of range {}; "
                                 "offset plus range must stay within the buffer",
                                 text(r.elements.lo, n), text(r.elements.hi, n), text(range, n)));
  }
}

void check_aspects(const model::kernel_descriptor& kernel, const model::device_properties& device) {
  if (kernel.requirements.aspects == 0) return;
  const std::uint64_t missing = kernel.requirements.aspects & ~model::aspects_of(device);
  if (missing == 0) return;
  std::string names;
  for (unsigned i = 0; i < model::aspect_count; ++i)
    if ((missing >> i & 1) != 0)
      names +=
          (names.empty() ? "" : ", ") + std::string(model::name_of(static_cast<model::aspect>(i)));
  throw user_error(
      error_code::kernel_not_supported,
      fmt::format(
          "kernel '{}' requires a device with the aspects {} (device_has), which '{}' lacks",
          kernel.name, names, device.name));
}

// Whether the product of the volumes is at most 2^63 - 1: no kernel comes to the end of more, and a program that asks for
// it has got a number wrong (-1, say).
static bool volume_fits(const model::extent3& e, std::uint64_t times = 1) noexcept {
  bool fits = true;
  for (const std::uint64_t n : e.c) {
    if (n == 0) return true;
    fits = !__builtin_mul_overflow(times, n, &times) && fits;
  }
  return fits && times <= ~std::uint64_t{0} / 2;
}

bool can_run_group(const model::extent3& size, const model::device_properties& device) noexcept {
  for (int d = 0; d < 3; ++d)
    if (size.c[d] > device.max_work_item_sizes[d]) return false;
  return volume_fits(size) && volume(size) <= device.max_work_group_size;
}

static std::string largest_group(const model::device_properties& device, int dimensions) {
  const auto& most = device.max_work_item_sizes;
  return fmt::format("work-groups of {} work-items, in each dimension up to {}",
                     device.max_work_group_size, text({{most[0], most[1], most[2]}}, dimensions));
}

static bool is_hierarchical(const model::kernel_command& k) noexcept {
  return k.logical_group.c[2] != 0;
}

// Only groups have a size: other launches meet every such requirement.
static void check_work_group(const model::kernel_command& k,
                             const model::device_properties& device) {
  const model::kernel_requirements& wanted = k.kernel->requirements;
  if (!can_run_group(wanted.work_group_size, device))
    throw user_error(
        error_code::kernel_not_supported,
        fmt::format("kernel '{}' requires work-groups of {}, '{}' can run {}", k.kernel->name,
                    text(wanted.work_group_size, k.geometry.dimensions), device.name,
                    largest_group(device, k.geometry.dimensions)));
  const model::extent3& group = is_hierarchical(k) ? k.logical_group : k.geometry.local;
  if (wanted.work_group_size.c[2] != 0 && !(wanted.work_group_size == group))
    throw user_error(
        error_code::nd_range,
        fmt::format("kernel '{}' requires work-groups of {}, not of {}", k.kernel->name,
                    text(wanted.work_group_size, k.geometry.dimensions),
                    text(group, k.geometry.dimensions)));
}

// Of any launch: whether a kernel can be compiled for the size does not depend on how it is launched.
static void check_sub_group(const model::kernel_command& k,
                            const model::device_properties& device) {
  const model::kernel_requirements& wanted = k.kernel->requirements;
  if (wanted.sub_group_size == 0) return;
  std::string sizes;
  for (const std::uint64_t size : device.sub_group_sizes) {
    if (size == wanted.sub_group_size) return;
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size);
  }
  throw user_error(
      error_code::kernel_not_supported,
      fmt::format("kernel '{}' requires sub-groups of {} work-items; '{}' has sub-groups of {}",
                  k.kernel->name, wanted.sub_group_size, device.name, sizes));
}

void check_launch(const model::kernel_command& k, const model::device_properties& device) {
  const auto& g = k.geometry;
  check_aspects(*k.kernel, device);
  if (g.grouped) check_work_group(k, device);
  check_sub_group(k, device);
  const auto overflows = [&](int d) { return g.global.c[d] > ~std::uint64_t{0} - g.offset.c[d]; };
  if (!volume_fits(g.global) || overflows(0) || overflows(1) || overflows(2))
    throw user_error(error_code::nd_range,
                     fmt::format("a kernel over the range {} from {} has more than 2^63 - 1 "
                                 "work-items, or ids of more than 64 bits",
                                 text(g.global, g.dimensions), text(g.offset, g.dimensions)));
  if (is_hierarchical(k) && volume(g.global) != 0 &&
      !(volume_fits(k.logical_group) && volume_fits(g.global, volume(k.logical_group))))
    throw user_error(
        error_code::nd_range,
        fmt::format("{} work-groups of {} work-items are more than 2^63 - 1 work-items",
                    text(g.global, g.dimensions), text(k.logical_group, g.dimensions)));
  if (g.grouped) {
    for (int d = 0; d < 3; ++d) {
      if (g.local.c[d] == 0)
        throw user_error(
            error_code::nd_range,
            fmt::format(
                "a work-group has no work-items in dimension {}; local ranges must be at least 1",
                d - (3 - g.dimensions)));
      if (g.global.c[d] % g.local.c[d] != 0)
        throw user_error(
            error_code::nd_range,
            fmt::format(
                "global range {} is not a multiple of the local range {} in every dimension",
                text(g.global, g.dimensions), text(g.local, g.dimensions)));
    }
    if (!can_run_group(g.local, device))
      throw user_error(error_code::nd_range,
                       fmt::format("a work-group of {} work-items is too large; '{}' can run {}; "
                                   "use a smaller local range",
                                   text(g.local, g.dimensions), device.name,
                                   largest_group(device, g.dimensions)));
  }
  if (k.local_memory_bytes > device.local_memory_bytes)
    throw user_error(error_code::memory_allocation,
                     fmt::format("a work-group needs {} bytes of local memory, '{}' has {}",
                                 k.local_memory_bytes, device.name, device.local_memory_bytes));
}

void check_command(const machine& m, submission& s, model::device_id device) {
  auto* kernel = std::get_if<model::kernel_command>(&s.payload);
  if (kernel == nullptr) return;
  kernel->local_memory_bytes = s.local_memory_bytes;
  check_launch(*kernel, m.properties(device));
  check_image(m, *kernel, device);
}

}  // namespace pianola::runtime
