// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/parameter_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/arena.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/footprints.hpp>

#include "commands/names.hpp"

namespace pianola::runtime {

using executable::named_parameter;
using model::error_code;
using model::user_error;

namespace {

bool same_elements(const planner::touched_elements& a, const planner::touched_elements& b) {
  return a.read == b.read && a.written == b.written && a.overwritten == b.overwritten &&
         a.exact == b.exact;
}

const named_parameter& parameter_of(const std::vector<named_parameter>& all, const binding& value) {
  const auto refuse = [](const std::string& why) {
    throw user_error(error_code::invalid, "update: " + why);
  };
  const std::string called = value.name.empty()
                                 ? fmt::format("number {}", value.number)
                                 : fmt::format("'{}'", formats::one_line(value.name));
  if (value.parameter == 0)
    refuse(
        fmt::format("the binding {} is no dynamic_parameter; load the graph again to use other "
                    "buffers or memory",
                    called));
  auto found = all.begin();
  if (value.name.empty())
    found += static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(value.number, all.size()));
  else
    found = std::find_if(all.begin(), all.end(),
                         [&](const named_parameter& p) { return p.name == value.name; });
  if (found == all.end())
    refuse(
        fmt::format("the graph has no parameter {}; it has those of the file that it was loaded "
                    "from, to which save was given names",
                    called));
  if (found->bytes != value.value.size())
    refuse(fmt::format("the parameter {} has {} bytes, the value {}", called, found->bytes,
                       value.value.size()));
  return *found;
}

// With another value at each place of the parameter.
void write_parameter(const graph_snapshot& recorded, const named_parameter& parameter,
                     const binding& value, std::vector<node_change>& changes) {
  for (const named_parameter::place& at : parameter.places) {
    auto change = std::find_if(changes.begin(), changes.end(),
                               [&](const node_change& c) { return c.index == at.command; });
    if (change == changes.end()) {
      // All that the command refers to is copied, so that what it has referred to may go.
      const auto own = std::make_shared<model::arena>(512);
      change = changes.insert(change, {at.command, recorded.commands[at.command], own});
      model::command& c = change->command;
      auto& kernel = std::get<model::kernel_command>(c.payload);
      void* const bytes = own->allocate(kernel.arguments.size, kernel.arguments.alignment);
      std::memcpy(bytes, kernel.arguments.bytes, kernel.arguments.size);
      kernel.arguments.bytes = bytes;
      kernel.slots = own->copy(kernel.slots);
      kernel.footprints = {};
      if (kernel.geometry.part != nullptr)
        kernel.geometry.part =
            own->copy(model::array_view<const model::box>(kernel.geometry.part, 1)).data();
      c.requirements = own->copy(c.requirements);
      c.label = own->copy_string(c.label);
    }
    auto& kernel = std::get<model::kernel_command>(change->command.payload);
    std::memcpy(static_cast<unsigned char*>(kernel.arguments.bytes) + at.offset, value.value.data(),
                value.value.size());
  }
}

// Throws user_error (feature_not_supported) unless both touch the same.
void check_footprints(const graph_snapshot& recorded, const node_change& change) {
  const model::command& now = recorded.commands[change.index];
  const auto& before = std::get<model::kernel_command>(now.payload);
  const auto& after = std::get<model::kernel_command>(change.command.payload);
  if (before.kernel == nullptr || before.kernel->facts == nullptr) return;
  model::arena storage(4096);
  const auto was = planner::resolve_footprints(before, now.requirements.size(), storage);
  const auto is = planner::resolve_footprints(after, now.requirements.size(), storage);
  const model::box ids = before.geometry.ids_of(before.geometry.launched());
  const auto same = [&](const model::footprint& a, const model::footprint& b) {
    if (a.requirement != b.requirement || a.writes_all != b.writes_all) return false;
    const model::buffer_info& buffer =
        recorded.buffers[now.requirements[a.requirement].buffer.value()];
    return same_elements(planner::elements_touched(a, ids, buffer),
                         planner::elements_touched(b, ids, buffer));
  };
  if (std::equal(was.begin(), was.end(), is.begin(), is.end(), same)) return;
  throw user_error(
      error_code::feature_not_supported,
      fmt::format("update: with that value the kernel '{}' touches other elements than those that "
                  "the graph was planned for; record and finalize the graph with it",
                  formats::one_line(display_name(now))));
}

}  // namespace

std::vector<node_change> changes_of_parameters(const graph_snapshot& recorded,
                                               const std::vector<named_parameter>& parameters,
                                               const std::vector<binding>& values) {
  std::vector<node_change> changes;
  for (const binding& value : values)
    write_parameter(recorded, parameter_of(parameters, value), value, changes);
  for (const node_change& change : changes) check_footprints(recorded, change);
  return changes;
}

}  // namespace pianola::runtime
