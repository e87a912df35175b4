// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/json_geometry.hpp>
#include <pianola/formats/json_reader.hpp>
#include <pianola/formats/text.hpp>

#include "pianola/planner/machine_difference.hpp"
#include "pianola/planner/plan_json.hpp"

namespace pianola::planner {

namespace {

using formats::member;

template <class Id>
Id to_id(std::uint64_t value) {
  return Id(static_cast<typename Id::rep>(value));
}

class plan_reader {
 public:
  // Without graph and topology, ids are only checked against what their types can name.
  plan_reader(std::string_view text, std::string_view source, const graph_view* graph,
              const model::topology* topology)
      : json_(text, source), graph_(graph), topology_(topology) {}

  plan read();
  [[nodiscard]] const cut_graph& cut() const noexcept { return cut_; }

 private:
  void read_hash();
  void read_cut();
  void read_machine();
  void read_lane(std::uint64_t index);
  void read_step(std::uint64_t index);
  void read_waits(step&, std::uint64_t index);
  execute_step read_execute();
  transfer_step read_transfer();
  validity_entry read_validity();
  access_entry read_access();
  void read_finished();
  void read_slot();
  void read_memory_use();

  void read_position(std::uint64_t expected);
  std::uint64_t read_known(const char* what, std::uint64_t count);
  model::buffer_id read_buffer();
  model::memory_id read_memory();
  model::device_id read_device();
  model::box read_elements(model::buffer_id);

  formats::json_reader json_;
  const graph_view* graph_;
  const model::topology* topology_;
  plan plan_;
  cut_graph cut_;
};

std::uint64_t plan_reader::read_known(const char* what, std::uint64_t count) {
  const std::uint64_t id = json_.whole_number();
  if (id >= count) json_.fail(fmt::format("unknown {} {}", what, id));
  return id;
}

void plan_reader::read_position(std::uint64_t expected) {
  if (const std::uint64_t id = json_.whole_number(); id != expected)
    json_.fail(fmt::format("ids number the entries in order: expected {}, found {}", expected, id));
}

model::buffer_id plan_reader::read_buffer() {
  return to_id<model::buffer_id>(read_known(
      "buffer", graph_ != nullptr ? graph_->buffers().size() : model::buffer_id::invalid_value));
}

model::memory_id plan_reader::read_memory() {
  return to_id<model::memory_id>(read_known(
      "memory", topology_ != nullptr ? topology_->memories.size() : model::max_memories));
}

model::device_id plan_reader::read_device() {
  if (json_.null()) return {};
  return to_id<model::device_id>(read_known("device", topology_ != nullptr
                                                          ? topology_->devices.size()
                                                          : model::device_id::invalid_value));
}

model::box plan_reader::read_elements(model::buffer_id buffer) {
  if (graph_ == nullptr) return formats::read_box(json_);
  return formats::read_box(json_, model::box::of(graph_->buffers()[buffer.value()].grid.range()),
                           "the range of buffer", buffer.value());
}

void plan_reader::read_hash() {
  plan_.graph_hash = json_.hexadecimal();
  if (graph_ != nullptr && plan_.graph_hash != graph_->structural_hash())
    json_.fail(fmt::format("the plan was made for the graph {}, this one is {}; plan it again",
                           formats::hex(plan_.graph_hash),
                           formats::hex(graph_->structural_hash())));
}

void plan_reader::read_cut() {
  static constexpr member members[] = {{"graph_hash"}, {"speeds"}};
  json_.object(members, [&](std::size_t m) {
    if (m == 0) {
      cut_.whole_hash = json_.hexadecimal();
      return;
    }
    json_.array([&](std::uint64_t i) {
      if (i == model::device_id::invalid_value) json_.fail("there are too many devices");
      const double speed = json_.finite_number();
      if (!(speed >= 1e-6 && speed <= 1))
        json_.fail("a speed beside that of the fastest device is from 1e-6 to 1");
      cut_.speeds.push_back(speed);
    });
    if (cut_.speeds.empty()) json_.fail("there is a speed for each device");
  });
}

void plan_reader::read_machine() {
  static constexpr member members[] = {{"memories"}, {"devices"}, {"links"}};
  static constexpr member of_device[] = {{"name"}, {"backend"}, {"memory"}};
  model::topology machine;
  const auto read_its_memory = [&] {
    return to_id<model::memory_id>(read_known("memory", machine.memories.size()));
  };
  const auto read_device_of_it = [&](std::uint64_t i) {
    if (i == model::device_id::invalid_value) json_.fail("there are too many devices");
    model::device_description& d = machine.devices.emplace_back();
    json_.object(of_device, [&](std::size_t m) {
      if (m == 0) d.name = json_.string();
      if (m == 1) d.backend = json_.string();
      if (m == 2) d.memory = read_its_memory();
    });
  };
  const auto read_link = [&](std::uint64_t) {
    model::link_description& l = machine.links.emplace_back();
    std::uint64_t ends = 0;
    json_.array([&](std::uint64_t end) {
      if (end == 0) l.from = read_its_memory();
      if (end == 1) l.to = read_its_memory();
      if (++ends > 2) json_.fail("a link joins two memories");
    });
    if (ends != 2) json_.fail("a link joins two memories");
  };
  json_.object(members, [&](std::size_t m) {
    if (m == 0)
      json_.array([&](std::uint64_t i) {
        if (i == model::max_memories)
          json_.fail(fmt::format("there can be at most {} memories", model::max_memories));
        machine.memories.push_back({json_.string(), 0});
      });
    if (m == 1) json_.array(read_device_of_it);
    if (m == 2) json_.array(read_link);
  });
  if (topology_ == nullptr) return;
  if (const auto difference = machine_difference(machine, *topology_))
    json_.fail("the plan was made for another machine: " + *difference);
}

void plan_reader::read_lane(std::uint64_t index) {
  static constexpr member members[] = {{"id"}, {"device"}};
  lane_info lane;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) read_position(index);
    if (m == 1) lane.device = read_device();
  });
  plan_.lanes.push_back(lane);
}

void plan_reader::read_waits(step& s, std::uint64_t index) {
  s.first_wait = static_cast<std::uint32_t>(plan_.waits.size());
  json_.array([&](std::uint64_t) {
    const std::uint64_t id = json_.whole_number();
    if (id >= index)
      json_.fail(
          fmt::format("step {} cannot wait for step {}: waits lead back to earlier steps, this one "
                      "would allow a cycle",
                      index, id));
    if (plan_.waits.size() == std::numeric_limits<std::uint32_t>::max())
      json_.fail("there are too many waits");
    plan_.waits.push_back(model::step_id(id));
    ++s.wait_count;
  });
}

execute_step plan_reader::read_execute() {
  static constexpr member members[] = {{"command"}, {"device"}};
  execute_step s;
  json_.object(members, [&](std::size_t m) {
    if (m == 0)
      s.command = to_id<model::command_id>(
          read_known("command", graph_ != nullptr ? graph_->commands().size()
                                                  : model::command_id::invalid_value));
    if (m == 1) s.device = read_device();
  });
  return s;
}

transfer_step plan_reader::read_transfer() {
  static constexpr member members[] = {{"buffer"},   {"from"},         {"to"},
                                       {"elements"}, {"bytes", false}, {"pages", false}};
  transfer_step s;
  const auto check = [this](std::uint64_t computed) {
    if (const std::uint64_t stated = json_.whole_number(); graph_ != nullptr && stated != computed)
      json_.fail(fmt::format("expected {} for this box, found {}", computed, stated));
  };
  json_.object(members, [&](std::size_t m) {
    const model::buffer_info* buffer =
        graph_ != nullptr && s.buffer.valid() ? &graph_->buffers()[s.buffer.value()] : nullptr;
    if (m == 0) s.buffer = read_buffer();
    if (m == 1) s.from = read_memory();
    if (m == 2) s.to = read_memory();
    if (m == 3) s.elements = read_elements(s.buffer);
    if (m == 4) check(buffer != nullptr ? s.elements.count() * buffer->element_size : 0);
    if (m == 5) check(buffer != nullptr ? buffer->grid.page_count(s.elements) : 0);
  });
  if (s.from == s.to) json_.fail("a transfer must join two different memories");
  return s;
}

void plan_reader::read_step(std::uint64_t index) {
  enum : std::size_t { id, lane, waits, execute, transfer };
  static constexpr member members[] = {
      {"id"}, {"lane"}, {"waits"}, {"execute", false}, {"transfer", false}};
  step s;
  int actions = 0;
  json_.object(members, [&](std::size_t m) {
    switch (m) {
      case id:
        read_position(index);
        break;
      case lane:
        s.lane = to_id<model::lane_id>(read_known("lane", plan_.lanes.size()));
        break;
      case waits:
        read_waits(s, index);
        break;
      case execute:
        s.action = read_execute();
        ++actions;
        break;
      case transfer:
        s.action = read_transfer();
        ++actions;
        break;
      default:
        break;
    }
  });
  if (actions != 1) json_.fail("expected either \"execute\" or \"transfer\"");
  plan_.steps.push_back(s);
}

validity_entry plan_reader::read_validity() {
  static constexpr member members[] = {{"buffer"}, {"elements"}, {"memories"}};
  validity_entry e;
  model::memory_id last;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) e.buffer = read_buffer();
    if (m == 1) e.elements = read_elements(e.buffer);
    if (m == 2)
      json_.array([&](std::uint64_t) {
        const model::memory_id next = read_memory();
        if (last.valid() && next <= last)
          json_.fail("memories must be listed once, in ascending order");
        e.memories.add(last = next);
      });
  });
  return e;
}

access_entry plan_reader::read_access() {
  static constexpr member members[] = {{"buffer"}, {"elements"}, {"written"}};
  access_entry a;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) a.buffer = read_buffer();
    if (m == 1) a.elements = read_elements(a.buffer);
    if (m == 2) a.written = json_.boolean();
  });
  return a;
}

void plan_reader::read_finished() {
  static constexpr member members[] = {{"step"}, {"below"}};
  finished_entry e;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) {
      e.step = to_id<model::step_id>(read_known("step", plan_.steps.size()));
      if (!plan_.finished.empty() && !(plan_.finished.back().step < e.step))
        json_.fail("steps must be listed once, in ascending order");
    }
    if (m == 1) {
      e.below = to_id<model::step_id>(json_.whole_number());
      if (e.step < e.below)
        json_.fail(
            fmt::format("only steps before step {} can have finished when that was handed out",
                        e.step.value()));
      if (!plan_.finished.empty() && e.below < plan_.finished.back().below)
        json_.fail(fmt::format("what has finished stays finished: expected at least {}",
                               plan_.finished.back().below.value()));
    }
  });
  plan_.finished.push_back(e);
}

void plan_reader::read_slot() {
  static constexpr member members[] = {{"buffer"}, {"memory"}, {"offset"}, {"first"}, {"last"}};
  storage_slot s;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) s.buffer = read_buffer();
    if (m == 1) s.memory = read_memory();
    if (m == 2) s.offset = json_.whole_number(std::uint64_t{1} << 62);
    if (m == 3) s.first = static_cast<std::uint32_t>(read_known("step", plan_.steps.size()));
    if (m == 4 &&
        (s.last = static_cast<std::uint32_t>(read_known("step", plan_.steps.size()))) < s.first)
      json_.fail(fmt::format("a slot cannot end before step {}, its first", s.first));
  });
  if (!plan_.slots.empty()) {
    const storage_slot& before = plan_.slots.back();
    const auto of = [](const storage_slot& x) { return std::make_tuple(x.buffer, x.memory); };
    if (of(s) < of(before) || (of(s) == of(before) && s.first <= before.last))
      json_.fail(
          "slots must be listed by buffer, memory and step, and those of one buffer in one "
          "memory must not overlap");
  }
  plan_.slots.push_back(s);
}

void plan_reader::read_memory_use() {
  static constexpr member members[] = {{"memory"},
                                       {"peak"},
                                       {"block", false},
                                       {"apart", false},
                                       {"budget", false},
                                       {"allocated", false},
                                       {"allocated_apart", false}};
  memory_use u;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) {
      u.memory = read_memory();
      if (!plan_.memories.empty() && !(plan_.memories.back().memory < u.memory))
        json_.fail("memories must be listed once, in ascending order");
    }
    if (m == 1) u.peak = json_.whole_number();
    if (m == 2) u.block = json_.whole_number();
    if (m == 3) u.apart = json_.whole_number();
    if (m == 4) u.budget = json_.whole_number();
    if (m == 5) u.allocated = json_.whole_number();
    if (m == 6) u.allocated_apart = json_.whole_number();
  });
  plan_.memories.push_back(u);
}

plan plan_reader::read() {
  enum : std::size_t {
    format,
    hash,
    cut,
    machine,
    lanes,
    steps,
    finished,
    contract,
    exit,
    accesses,
    slots,
    memories
  };
  static constexpr member members[] = {{"format"},          {"graph_hash"},   {"cut", false},
                                       {"machine", false},  {"lanes"},        {"steps"},
                                       {"finished", false}, {"contract"},     {"exit"},
                                       {"accesses"},        {"slots", false}, {"memories", false}};
  json_.object(members, [&](std::size_t m) {
    switch (m) {
      case format:
        json_.format("pianola.plan/1");
        break;
      case hash:
        read_hash();
        break;
      case cut:
        read_cut();
        break;
      case machine:
        read_machine();
        break;
      case lanes:
        json_.array([&](std::uint64_t i) { read_lane(i); });
        break;
      case steps:
        json_.array([&](std::uint64_t i) { read_step(i); });
        break;
      case finished:
        json_.array([&](std::uint64_t) { read_finished(); });
        break;
      case contract:
        json_.array([&](std::uint64_t) { plan_.contract.push_back(read_validity()); });
        break;
      case exit:
        json_.array([&](std::uint64_t) { plan_.exit.push_back(read_validity()); });
        break;
      case accesses:
        json_.array([&](std::uint64_t) { plan_.accesses.push_back(read_access()); });
        break;
     case slots:
        json_.array([&](std::uint64_t) { read_slot(); });
        break;
      case memories:
        json_.array([&](std::uint64_t) { read_memory_use(); });
        break;
      default:
        break;
    }
  });
  json_.end();
  return std::move(plan_);
}

}  // namespace

plan read_plan(std::string_view text, std::string_view source) {
  return plan_reader(text, source, nullptr, nullptr).read();
}

cut_graph read_cut(std::string_view text, std::string_view source) {
  plan_reader reader(text, source, nullptr, nullptr);
  static_cast<void>(reader.read());
  return reader.cut();
}

plan read_plan(std::string_view text, const graph_view& graph, const model::topology& topology,
               std::string_view source) {
  return plan_reader(text, source, &graph, &topology).read();
}

plan load_plan(const std::string& path, const graph_view& graph, const model::topology& topology) {
  return read_plan(formats::read_file(path), graph, topology, path);
}

}  // namespace pianola::planner
