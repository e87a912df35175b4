// SPDX-License-Identifier: Apache-2.0
#include "replay/recorded/kernel_footprints.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <pianola/model/error.hpp>
#include <pianola/planner/cost/operation_worth.hpp>
#include <pianola/planner/footprints.hpp>
#include <pianola/planner/operations.hpp>

namespace pianola::runtime {

namespace {

bool touches_plain_pointers(const model::kernel_command& kernel) {
  const model::kernel_facts& facts = *kernel.kernel->facts;
  return std::any_of(facts.uses.begin(), facts.uses.end(), [&](const model::argument_use& use) {
    return (use.unknown || use.read || use.written) &&
           std::none_of(kernel.slots.begin(), kernel.slots.end(),
                        [&](const model::argument_slot& s) { return s.offset == use.offset; });
  });
}

double elements_in(const std::vector<model::box>& boxes) {
  double sum = 0;
  for (const model::box& b : boxes) sum += static_cast<double>(b.count());
  return sum;
}

}  // namespace

narrowing narrowing_of_environment() {
  static const narrowing wanted = [] {
    const char* value = std::getenv("PIANOLA_NARROW");
    const std::string_view text = value == nullptr ? "" : value;
    if (text.empty() || text == "on") return narrowing::of_graphs;
    if (text == "everywhere") return narrowing::everywhere;
    if (text == "off") return narrowing::never;
    throw model::user_error(
        model::error_code::platform,
        fmt::format("PIANOLA_NARROW='{}': it takes on, off or everywhere", text));
  }();
  return wanted;
}

bool is_narrowing(const graph_snapshot& recorded) {
  if (recorded.narrowing) return *recorded.narrowing;
  return narrowing_of_environment() != narrowing::never;
}

bool describe_footprints(model::command& command,
                         model::array_view<const model::buffer_info> buffers, bool narrow,
                         model::arena& storage) {
  auto* kernel = std::get_if<model::kernel_command>(&command.payload);
  if (kernel == nullptr || kernel->kernel == nullptr || kernel->kernel->facts == nullptr)
    return false;
  if (const auto count = planner::count_operations(*kernel))
    kernel->work.operations =
        planner::worth_in_additions(count->simple, count->divisions, count->functions);
  kernel->footprints = planner::resolve_footprints(*kernel, command.requirements.size(), storage);
  if (kernel->footprints.empty() || touches_plain_pointers(*kernel)) return false;
  // Who cuts a kernel, and who checks its accesses, takes a requirement for all that its accessor stands for.
  const bool whole = command.candidates.size() >= 2 || kernel->kernel->checks_accesses;
  std::vector<model::requirement> narrowed(command.requirements.begin(),
                                           command.requirements.end());
  std::vector<model::requirement> further;
  bool changed = false;
  double bytes = 0;
  for (const model::footprint& f : kernel->footprints) {
    model::requirement& r = narrowed[f.requirement];
    const model::buffer_info& buffer = buffers[r.buffer.value()];
    const planner::touched_elements touched =
        planner::elements_touched(f, model::box::of(kernel->geometry.global), buffer);
    bytes += buffer.element_size * (elements_in(touched.read) + elements_in(touched.written));
    if (narrow && (whole ? planner::narrow_requirement(touched, r)
                         : planner::narrow_requirement(touched, buffer.grid, r, further)))
      changed = true;
  }
  if (kernel->footprints.size() == command.requirements.size()) kernel->work.bytes = bytes;
  narrowed.insert(narrowed.end(), further.begin(), further.end());
  command.requirements = storage.copy(model::array_view<const model::requirement>(narrowed));
  return changed;
}

void describe_footprints(graph_snapshot& recorded) {
  const bool narrow = is_narrowing(recorded);
  auto storage = std::make_shared<model::arena>();
  bool changed = false;
  for (model::command& command : recorded.commands)
    if (describe_footprints(command, recorded.buffers, narrow, *storage)) changed = true;
  if (changed) recorded.hash = recorder::structural_hash(recorded.commands, recorded.buffers);
  recorded.footprints = std::move(storage);
}

}  // namespace pianola::runtime
