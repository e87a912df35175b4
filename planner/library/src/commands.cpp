// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/json_geometry.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/payload_members.hpp>

#include "convert.hpp"
#include "graph_data.hpp"
#include "guard.hpp"
#include "vocabularies.hpp"

namespace pianola::planning::detail {

namespace {

bool works_for_host(command_kind k) noexcept {
  return k == command_kind::host_task || k == command_kind::host_access;
}

// One command on its way into a graph.
class command_maker {
 public:
  command_maker(graph_data& to, const command& c) : to_(to), c_(c) {}

  command_id append() {
    made_.label = c_.name.c_str();
    choose_device();
    for (const requirement& r : c_.requirements) requirements_.push_back(needed(r));
    for (const command_id id : c_.after) after_.push_back(number_of(id));
    for (const usm_range& u : c_.usm) look_at(u);
    make_payload();
    made_.requirements = requirements_;
    made_.after = after_;
    made_.candidates = candidates_;
    if (!(c_.measured >= 0) || !std::isfinite(c_.measured))
      fail("measured is a time of at least 0 seconds");
    recorder::command_graph& graph = to_.loaded.graph;
    const model::command_id id = graph.append(made_);
    graph.set_allocations(id, allocations_);
    if (lists_usm_)
      for (const usm_range& u : c_.usm)
        graph.add_usm_access({id, static_cast<std::uint32_t>(u.allocation), u.begin, u.end,
                              u.mode != access::write, u.mode != access::read, u.exact});
    if (c_.measured > 0) to_.loaded.measured.set(id, c_.measured);
    return command_id(id.value());
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    refuse(fmt::format("command {}{}: {}", to_.loaded.graph.size(),
                       c_.name.empty() ? "" : fmt::format(" ({})", c_.name), what));
  }

  void expect_device(device_id d) const {
    const std::size_t count = to_.loaded.topology.devices.size();
    if (number_of(d) >= count)
      fail(fmt::format("there is no device {}; the machine has {}", number_of(d), count));
  }

  void choose_device() {
    std::optional<device_id> device = c_.device;
    if (!device && !c_.candidates.empty()) device = c_.candidates.front();
    if (!device && c_.kind != command_kind::kernel) device = host_device();
    if (!device) fail("names no device; give it one");
    expect_device(*device);
    made_.device = id_as<model::device_id>(*device);
    if (c_.candidates.empty()) return;
    if (c_.kind != command_kind::kernel) fail("only kernels have candidates");
    for (const device_id d : c_.candidates) {
      expect_device(d);
      candidates_.push_back(id_as<model::device_id>(d));
    }
    candidates_.push_back(made_.device);
    std::sort(candidates_.begin(), candidates_.end());
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  }

  [[nodiscard]] std::optional<device_id> host_device() const {
    const auto& devices = to_.machine.devices;
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (devices[i].memory == host_memory) return device_id(i);
    if (devices.empty()) return std::nullopt;
    return device_id{0};
  }

  [[nodiscard]] model::requirement needed(const requirement& r) const {
    const std::string buffer = fmt::format("buffer {}", number_of(r.buffer));
    if (number_of(r.buffer) >= to_.loaded.graph.buffer_count())
      fail(
          fmt::format("there is no {}; the graph has {}", buffer, to_.loaded.graph.buffer_count()));
    const model::buffer_info& info = to_.loaded.graph.buffer(id_as<model::buffer_id>(r.buffer));
    model::requirement made;
    made.buffer = id_as<model::buffer_id>(r.buffer);
    made.mode = static_cast<model::access_mode>(r.mode);
    made.no_init = r.no_init;
    if (r.no_init && r.mode == access::read)
      fail(buffer + " is read, which needs what is there; no_init is for writes");
    made.elements = model::box::of(info.grid.range());
    if (r.elements) {
      if (r.elements->begin.size() != info.dimensions || r.elements->end.size() != info.dimensions)
        fail(fmt::format("{} has {} dimensions; give its elements as many numbers", buffer,
                         info.dimensions));
      made.elements = to_model(*r.elements);
      if (made.elements.empty() ||
          !model::contains(model::box::of(info.grid.range()), made.elements))
        fail(fmt::format("the elements {} are none, or not all within the range of {}, which is {}",
                         formats::box_text(made.elements, info.dimensions), buffer,
                         formats::extent_text(info.grid.range(), info.dimensions)));
    }
    if (r.memory) {
      if (number_of(*r.memory) >= to_.loaded.topology.memories.size())
        fail(fmt::format("there is no memory {}; the machine has {}", number_of(*r.memory),
                         to_.loaded.topology.memories.size()));
      made.memory = id_as<model::memory_id>(*r.memory);
    } else if (works_for_host(c_.kind)) {
      made.memory = model::host_memory;
    }
    return made;
  }

  void look_at(const usm_range& u) const {
    const auto all = to_.loaded.graph.allocations();
    if (number_of(u.allocation) >= all.size())
      fail(fmt::format("there is no allocation {}; the graph has {}", number_of(u.allocation),
                       all.size()));
    const model::usm_allocation& of = all[number_of(u.allocation)];
    if (u.begin < 0 || u.begin >= u.end || u.end > of.end())
      fail(
          fmt::format("the bytes from {} to {} are none, or not all in allocation {}, which has {}",
                      u.begin, u.end, number_of(u.allocation), of.bytes));
  }

  void make_payload() {
    switch (c_.kind) {
      case command_kind::kernel:
        return make_kernel();
      case command_kind::copy:
        return make_copy();
      case command_kind::fill:
        return make_fill();
      case command_kind::empty:
        made_.payload = model::empty_command();
        return note_usm();
      case command_kind::host_task:
        made_.payload = model::host_task_command();
        return note_usm();
      case command_kind::barrier:
        made_.payload = model::barrier_command();
        return note_usm();
      case command_kind::host_access:
        made_.payload = model::host_access_command();
        return note_usm();
      case command_kind::prefetch:
      case command_kind::advise:
      case command_kind::acquire:
      case command_kind::subgraph:
      case command_kind::allocate:
      case command_kind::free:
        break;
    }
    fail("commands of this kind cannot be added by hand, only read from files");
  }

  // All that is listed is accesses besides operands.
  void note_usm() {
    lists_usm_ = true;
    if (c_.kind != command_kind::kernel) return;
    for (const usm_range& u : c_.usm) {
      const auto a = static_cast<std::uint32_t>(u.allocation);
      if (std::find(allocations_.begin(), allocations_.end(), a) == allocations_.end())
        allocations_.push_back(a);
    }
  }

  void make_kernel() {
    model::kernel_command k;
    k.id = model::kernel_id(c_.kernel.value_or(kernel_of(c_.name)));
    if (c_.range.empty()) fail("a kernel has a range of one to three dimensions");
    k.geometry.global = to_model(c_.range, 1);
    k.geometry.dimensions = static_cast<std::uint8_t>(c_.range.size());
    if (!formats::volume_fits(k.geometry.global, 1))
      fail("the range has more than 2^62 work-items");
    if (!c_.group.empty()) {
      if (c_.group.size() != c_.range.size())
        fail("the group needs as many dimensions as the range");
      for (std::size_t i = 0; i < c_.range.size(); ++i)
        if (c_.group[i] == 0 || c_.range[i] % c_.group[i] != 0)
          fail("the size of a group has to divide the range in each dimension");
      k.geometry.local = to_model(c_.group, 1);
      k.geometry.grouped = true;
    }
    for (const double amount : {c_.bytes, c_.operations})
      if (!(amount >= 0) || !std::isfinite(amount))
        fail("bytes and operations are finite numbers of at least 0");
    k.work = {c_.bytes, c_.operations};
    made_.payload = k;
    note_usm();
  }

  struct side {
    model::memory_operand operand;
    model::extent3 rows{};  // bytes, rows, slices; all zero: so many bytes as there are
    std::uint64_t bytes = 0;
    std::uint32_t allocation = model::no_allocation;
  };

  [[nodiscard]] side buffer_side(std::uint32_t number) const {
    const model::requirement& r = requirements_[number];
    const model::buffer_info& info = to_.loaded.graph.buffer(r.buffer);
    const model::extent3 range = info.grid.range(), e = r.elements.extent();
    side s;
    s.operand.requirement = number;
    s.operand.row_pitch = range[2] * info.element_size;
    s.operand.slice_pitch = range[1] * s.operand.row_pitch;
    s.operand.byte_offset = r.elements.lo[0] * s.operand.slice_pitch +
                            r.elements.lo[1] * s.operand.row_pitch +
                            r.elements.lo[2] * info.element_size;
    s.rows = {{e[2] * info.element_size, e[1], e[0]}};
    s.bytes = model::volume(s.rows);
    return s;
  }
  [[nodiscard]] side usm_side(const usm_range& u) const {
    side s;
    s.operand.memory = to_.loaded.graph.allocations()[number_of(u.allocation)].memory;
    s.operand.byte_offset = static_cast<std::uint64_t>(u.begin);
    s.bytes = static_cast<std::uint64_t>(u.end - u.begin);
    s.allocation = static_cast<std::uint32_t>(u.allocation);
    return s;
  }
  // The one requirement or range that is read, or that is written.
  [[nodiscard]] side the_one(bool written) const {
    std::vector<side> found;
    const auto fits = [written](access a) { return a == (written ? access::write : access::read); };
    for (std::uint32_t i = 0; i < c_.requirements.size(); ++i)
      if (fits(c_.requirements[i].mode)) found.push_back(buffer_side(i));
    for (const usm_range& u : c_.usm)
      if (fits(u.mode)) found.push_back(usm_side(u));
    if (found.size() != 1)
      fail(std::string("it needs exactly one requirement or range of an allocation that it ") +
           (written ? "writes" : "reads"));
    return found.front();
  }
  void expect_operands(std::size_t count) const {
    if (c_.requirements.size() + c_.usm.size() != count)
      fail(count == 2 ? "a copy has what it reads and what it writes, and nothing else"
                      : "a fill has what it writes, and nothing else");
  }

  void make_copy() {
    expect_operands(2);
    side from = the_one(false), to = the_one(true);
    if (from.bytes != to.bytes ||
        (from.rows != to.rows && model::volume(from.rows) != 0 && model::volume(to.rows) != 0))
      fail("what is read and what is written have to be of one shape");
    const model::extent3 rows = model::volume(from.rows) != 0 ? from.rows
                                : model::volume(to.rows) != 0 ? to.rows
                                                              : model::extent3{{from.bytes, 1, 1}};
    for (side* s : {&from, &to}) {
      if (s->operand.row_pitch == 0) s->operand.row_pitch = rows[0];
      if (s->operand.slice_pitch == 0) s->operand.slice_pitch = rows[0] * rows[1];
    }
    made_.payload = model::copy_command{from.operand, to.operand, rows[0], rows[1], rows[2]};
    if (!c_.usm.empty()) allocations_ = {from.allocation, to.allocation};
  }

  void make_fill() {
    expect_operands(1);
    const side to = the_one(true);
    const model::extent3 rows =
        model::volume(to.rows) != 0 ? to.rows : model::extent3{{to.bytes, 1, 1}};
    model::fill_command f;
    f.destination = to.operand;
    f.width = rows[0];
    f.height = rows[1];
    f.depth = rows[2];
    made_.payload = f;
    if (!c_.usm.empty()) allocations_ = {to.allocation};
  }

  graph_data& to_;
  const command& c_;
  model::command made_;
  std::vector<model::requirement> requirements_;
  std::vector<std::uint64_t> after_;
  std::vector<model::device_id> candidates_;
  std::vector<std::uint32_t> allocations_;
  bool lists_usm_ = false;
};

void describe_kernel(const model::kernel_command& k, command& to) {
  const unsigned dimensions = k.geometry.dimensions;
  to.range = from_model(k.geometry.global, dimensions);
  if (k.geometry.grouped) to.group = from_model(k.geometry.local, dimensions);
  to.bytes = k.work.bytes;
  to.operations = k.work.operations;
  to.kernel = k.id.value();
}

// What an operand names; of other memory operations, and of kernels, the list of accesses tells.
void describe_operand(const graph_data& g, std::uint32_t allocation, std::uint64_t begin,
                      std::uint64_t bytes, access mode, command& to) {
  if (allocation == model::no_allocation) return;
  const auto size = static_cast<std::uint64_t>(g.loaded.graph.allocations()[allocation].end());
  if (begin < size)
    to.usm.push_back({allocation_id(allocation), static_cast<std::int64_t>(begin),
                      static_cast<std::int64_t>(begin + std::min(bytes, size - begin)), mode,
                      true});
}

}  // namespace

command_id add_command(graph_data& to, const command& c) { return command_maker(to, c).append(); }

command describe(const graph_data& g, model::command_id id) {
  const recorder::command_graph& graph = g.loaded.graph;
  const model::command& c = graph.command(id);
  command d;
  d.kind = static_cast<command_kind>(model::kind_of(c.payload));
  d.name = formats::full_name(c);
  if (c.device.valid()) d.device = device_id(c.device.value());
  for (const model::device_id i : c.candidates) d.candidates.push_back(device_id(i.value()));
  for (const model::requirement& r : c.requirements) {
    requirement need{buffer_id(r.buffer.value()), static_cast<access>(r.mode), r.no_init,
                     from_model(r.elements, graph.buffer(r.buffer).dimensions), std::nullopt};
    if (r.memory.valid()) need.memory = memory_id(r.memory.value());
    d.requirements.push_back(need);
  }
  for (const std::uint64_t before : c.after) d.after.push_back(command_id(before));
  const auto used = graph.allocations_of(id);
  d.range = extent();
  if (const auto* k = std::get_if<model::kernel_command>(&c.payload)) describe_kernel(*k, d);
  std::size_t operands = 0;
  model::for_each_operand(c.payload, [&](const auto&, const auto&) { ++operands; });
  if (used.size() == operands)
    model::for_each_operand(c.payload,
                            [&, at = used.data()](const model::memory_operand& o,
                                                  const model::operand_use& use) mutable {
                              describe_operand(g, *at++, o.byte_offset, use.bytes(),
                                               use.written ? access::write : access::read, d);
                            });
  const auto listed = graph.usm_accesses();
  auto at = std::lower_bound(
      listed.begin(), listed.end(), id,
      [](const model::usm_access& a, model::command_id i) { return a.command < i; });
  for (; at != listed.end() && at->command == id; ++at)
    d.usm.push_back({allocation_id(at->allocation), at->begin, at->end,
                     !at->written ? access::read
                     : at->read   ? access::read_write
                                  : access::write,
                     at->exact});
  d.measured = g.loaded.measured.of(id);
  return d;
}

}  // namespace pianola::planning::detail
