// SPDX-License-Identifier: Apache-2.0
#include "sound.hpp"

#include <limits>
#include <variant>

#include <pianola/formats/json_geometry.hpp>

#include "malformed.hpp"

namespace pianola::journal {

namespace {

using formats::maximum_extent;

void within_limits(const model::point3& p) {
  for (const std::uint64_t c : p.c)
    if (c > maximum_extent) malformed("a coordinate is larger than 2^62");
}

class soundness {
 public:
  soundness(const model::command& command, const model::topology& machine) noexcept
      : command_(command), machine_(machine) {}

  void operator()(const model::kernel_command& c) const {
    const model::launch_geometry& g = c.geometry;
    within_limits(g.global);
    within_limits(g.offset);
    if (!formats::volume_fits(g.global, 1)) malformed("a kernel has more than 2^62 work-items");
    if (!g.grouped) return;
    for (int d = 0; d < 3; ++d)
      if (g.local.c[d] == 0 || g.global.c[d] % g.local.c[d] != 0)
        malformed("a work-group size does not divide the global size");
  }
  void operator()(const model::copy_command& c) const {
    bytes_fit(c);
    operand(c.source);
    operand(c.destination);
  }
  void operator()(const model::fill_command& c) const {
    bytes_fit(c);
    operand(c.destination);
    if (c.pattern_bytes == 0) malformed("a pattern has no byte");
  }
  void operator()(const model::subgraph_command& c) const {
    if (static_cast<unsigned>(c.control) > static_cast<unsigned>(model::control_kind::choice))
      malformed("there is no such way to run graphs");
    if (c.condition != model::memory_operand::no_requirement) requirement(c.condition);
  }
  void operator()(const model::allocate_command& c) const {
    if (c.bytes > maximum_extent || c.place > maximum_extent)
      malformed("an allocation is larger than 2^62 bytes");
  }
  void operator()(const model::free_command& c) const {
    if (c.bytes > maximum_extent) malformed("an allocation is larger than 2^62 bytes");
  }
  void operator()(const model::prefetch_command&) const {}
  void operator()(const model::advise_command&) const {}
  void operator()(const model::empty_command&) const {}
  void operator()(const model::host_task_command&) const {}
  void operator()(const model::barrier_command&) const {}
  void operator()(const model::host_access_command&) const {}
  void operator()(const model::acquire_command&) const {}

 private:
  template <class Command>
  static void bytes_fit(const Command& c) {
    const model::extent3 shape{{c.width, c.height, c.depth}};
    within_limits(shape);
    if (!formats::volume_fits(shape, 1)) malformed("a command touches more than 2^62 bytes");
  }
  void requirement(std::uint32_t index) const {
    if (index >= command_.requirements.size()) malformed("a requirement is not there");
  }
  void operand(const model::memory_operand& o) const {
    if (o.requirement != model::memory_operand::no_requirement)
      requirement(o.requirement);
    else if (o.memory.value() >= machine_.memories.size())
      malformed("a memory is not there");
  }

  const model::command& command_;
  const model::topology& machine_;
};

}  // namespace

void require_sound_buffer(const model::extent3& range, const model::extent3& page,
                          std::uint64_t element_size, std::uint64_t dimensions) {
  if (dimensions < 1 || dimensions > 3 || element_size == 0 ||
      element_size > std::numeric_limits<std::uint32_t>::max())
    malformed("a buffer has no size");
  within_limits(range);
  if (!formats::volume_fits(range, element_size)) malformed("a buffer is larger than 2^62 bytes");
  for (int d = 0; d < 3; ++d)
    if (page.c[d] > range.c[d] || (page.c[d] == 0 && range.c[d] != 0))
      malformed("a page does not fit its buffer");
}

void require_sound(const model::command& command, const model::topology& machine) {
  if (command.device.valid() && command.device.value() >= machine.devices.size())
    malformed("a device is not there");
  for (const model::requirement& r : command.requirements)
    if (r.memory.valid() && r.memory.value() >= machine.memories.size())
      malformed("a memory is not there");
  std::visit(soundness(command, machine), command.payload);
}

void require_sound(const model::requirement& r, const model::extent3& of_buffer) {
  if (!contains(model::box::of(of_buffer), r.elements))
    malformed("a requirement leaves its buffer");
}

void require_growth(const model::topology& before, const model::topology& after) {
  if (after.memories.size() < before.memories.size() ||
      after.devices.size() < before.devices.size())
    malformed("the machine has lost a device");
}

}  // namespace pianola::journal
