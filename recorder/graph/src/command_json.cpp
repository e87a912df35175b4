// SPDX-License-Identifier: Apache-2.0
#include "command_json.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include <pianola/formats/json_geometry.hpp>
#include <pianola/formats/json_vocabulary.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "usm_json.hpp"

namespace pianola::recorder {

namespace {

using formats::member;
using model::command_kind;

constexpr std::uint64_t maximum_32 = std::numeric_limits<std::uint32_t>::max();

template <class Id>
Id to_id(std::uint64_t value) {
  return Id(static_cast<typename Id::rep>(value));
}

model::command_payload payload_of(command_kind kind) {
  switch (kind) {
#define PIANOLA_CASE(kind) \
  case command_kind::kind: \
    return model::kind##_command();
    PIANOLA_COMMAND_KINDS(PIANOLA_CASE)
#undef PIANOLA_CASE
  }
  throw model::internal_error("there is no such kind of command");
}

// Whether commands of this kind have a member of its name, which tells what only they have.
constexpr bool has_member(command_kind kind) noexcept {
  switch (kind) {
    case command_kind::kernel:
    case command_kind::copy:
    case command_kind::fill:
    case command_kind::prefetch:
    case command_kind::advise:
    case command_kind::subgraph:
    case command_kind::allocate:
    case command_kind::free:
      return true;
    case command_kind::empty:
    case command_kind::host_task:
    case command_kind::barrier:
    case command_kind::host_access:
    case command_kind::acquire:
      break;
  }
  return false;
}

enum : std::size_t {
  id,
  kind,
  label,
  device,
  candidates,
  lane,
  requirements,
  after,
  allocations,
  usm,
  buffer_reads,
  measured,
  started,
  first_payload
};

constexpr std::size_t count_members() noexcept {
  std::size_t n = first_payload;
  for (std::size_t k = 0; k < model::word_count<command_kind>; ++k)
    if (has_member(static_cast<command_kind>(k))) ++n;
  return n;
}

// The members of every command, then those of some kinds.
struct member_list {
  std::array<member, count_members()> members{{{"id"},
                                               {"kind"},
                                               {"label", false},
                                               {"device"},
                                               {"candidates", false},
                                               {"lane", false},
                                               {"requirements"},
                                               {"after"},
                                               {"allocations", false},
                                               {"usm", false},
                                               {"reads", false},
                                               {"measured", false},
                                               {"started", false}}};
  std::array<command_kind, count_members()> kinds{};  // from first_payload: whose member it is

  constexpr member_list() noexcept {
    std::size_t n = first_payload;
    for (std::size_t k = 0; k < model::word_count<command_kind>; ++k)
      if (const auto kind = static_cast<command_kind>(k); has_member(kind)) {
        kinds[n] = kind;
        members[n++] = {model::name_of(kind), false};
      }
  }
};
constexpr member_list known;

}  // namespace

void command_json::read(std::uint64_t index) {
  forget();
  json_.object(known.members, [&](std::size_t m) { read_member(m, index); });
  check();
  append();
}

void command_json::forget() {
  command_ = {};
  label_.clear();
  has_payload_ = false;
  seconds_ = 0;
  begun_ = measured_times::unknown;
  requirements_.clear();
  after_.clear();
  allocations_.clear();
  usm_.clear();
  reads_.clear();
  candidates_.clear();
  bodies_.clear();
}

void command_json::read_member(std::size_t m, std::uint64_t index) {
  switch (m) {
    case id:
      return read_id(index);
    case kind:
      return read_kind();
    case label:
      label_ = json_.string();
      return;
    case device:
      return read_device();
    case candidates:
      return read_candidates();
    case lane:
      command_.lane = to_id<model::lane_id>(json_.whole_number(maximum_32 - 1));
      return;
    case requirements:
      return read_requirements();
    case after:
      return read_after(index);
    case allocations:
      return read_allocations();
    case usm:
      return read_usm(json_, graph_, usm_);
    case buffer_reads:
      return read_buffer_reads(json_, graph_, reads_);
    case measured:
      return read_measured();
    case started:
      return read_started();
    default:
      read_payload_of(known.kinds[m]);
  }
}

void command_json::read_id(std::uint64_t index) {
  if (const std::uint64_t value = json_.whole_number(); value != index)
    json_.fail(fmt::format("ids number the entries in order: expected {}, found {}", index, value));
}

void command_json::read_device() {
  if (json_.null()) return;
  const std::uint64_t value = json_.whole_number();
  if (value >= topology_.devices.size()) json_.fail(fmt::format("unknown device {}", value));
  command_.device = to_id<model::device_id>(value);
}

void command_json::read_measured() {
  if (!((seconds_ = json_.finite_number()) > 0))
    json_.fail("a time must be greater than 0; leave it out if it is not known");
}

void command_json::read_started() {
  if (!((begun_ = json_.finite_number()) >= 0))
    json_.fail("a command began no sooner than its recording; leave it out if it is not known");
}

void command_json::read_payload_of(command_kind named) {
  has_payload_ = true;
  if (named != model::kind_of(command_.payload))
    json_.fail(fmt::format("only a command of kind \"{}\" has this member", model::name_of(named)));
  std::visit([this](auto& payload) { read_payload(payload); }, command_.payload);
}

void command_json::check() {
  const command_kind found = model::kind_of(command_.payload);
  if (has_member(found) && !has_payload_)
    json_.fail(fmt::format("member \"{}\" is missing", model::name_of(found)));
  if (!candidates_.empty() &&
      std::find(candidates_.begin(), candidates_.end(), command_.device) == candidates_.end())
    json_.fail("the device of the command is not among its candidates");
}

void command_json::append() {
  command_.label = label_.empty() ? "" : label_.c_str();
  command_.requirements = requirements_;
  command_.after = after_;
  command_.candidates = candidates_;
  const model::command_id appended = graph_.append(command_);
  graph_.set_allocations(appended, {allocations_.data(), allocations_.size()});
  for (model::usm_access& a : usm_) {
    a.command = appended;
    graph_.add_usm_access(a);
  }
  for (model::buffer_read& r : reads_) {
    r.command = appended;
    graph_.add_buffer_read(r);
  }
  for (command_graph::body& b : bodies_) {
    b.command = appended;
    try {
      graph_.add_body(std::move(b));
    } catch (const model::user_error& e) {
      json_.fail(e.what());
    }
  }
  if (seconds_ > 0) measured_.set(appended, seconds_, begun_);
}

void command_json::read_candidates() {
  json_.array([&](std::uint64_t) {
    const std::uint64_t value = json_.whole_number();
    if (value >= topology_.devices.size()) json_.fail(fmt::format("unknown device {}", value));
    const auto d = to_id<model::device_id>(value);
    if (!candidates_.empty() && !(candidates_.back() < d))
      json_.fail("candidates are ascending, each once");
    candidates_.push_back(d);
  });
}

void command_json::read_allocations() {
  json_.array([&](std::uint64_t) {
    if (json_.null()) {
      allocations_.push_back(model::no_allocation);
      return;
    }
    const std::uint64_t a = json_.whole_number();
    if (a >= graph_.allocations().size()) json_.fail(fmt::format("unknown allocation {}", a));
    allocations_.push_back(static_cast<std::uint32_t>(a));
  });
}

void command_json::read_kind() {
  const std::string text = json_.string();
  const std::size_t number = formats::find_word(text, model::vocabulary<command_kind>::words);
  if (number == model::word_count<command_kind>)
    json_.fail(fmt::format("unknown kind \"{}\"", formats::one_line(text, 40)));
  command_.payload = payload_of(static_cast<command_kind>(number));
}

model::memory_id command_json::read_memory() {
  const std::uint64_t id = json_.whole_number();
  if (id >= topology_.memories.size()) json_.fail(fmt::format("unknown memory {}", id));
  return to_id<model::memory_id>(id);
}

void command_json::read_requirements() {
  json_.array([&](std::uint64_t i) {
    if (i == maximum_32 - 1) json_.fail("there are too many requirements");
    read_requirement();
  });
}

void command_json::read_requirement() {
  static constexpr member members[] = {{"buffer"},        {"mode"},     {"no_init"},
                                       {"memory", false}, {"elements"}, {"pages", false}};
  model::requirement r;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) {
      const std::uint64_t id = json_.whole_number();
      if (id >= graph_.buffer_count()) json_.fail(fmt::format("unknown buffer {}", id));
      r.buffer = to_id<model::buffer_id>(id);
    }
    if (m == 1) r.mode = formats::read_word<model::access_mode>(json_);
    if (m == 2) r.no_init = json_.boolean();
    if (m == 3) r.memory = read_memory();
    if (m == 4)
      r.elements = formats::read_needed(json_, model::box::of(graph_.buffer(r.buffer).grid.range()),
                                        "the range of buffer", r.buffer.value());
    if (m == 5) {
      const model::box pages = graph_.buffer(r.buffer).grid.pages_of(r.elements);
      if (const model::box stated = formats::read_needed(json_); stated != pages)
        json_.fail(fmt::format("the elements touch the pages {}, not {}",
                               formats::box_text(pages, 3), formats::box_text(stated, 3)));
    }
  });
  requirements_.push_back(r);
}

void command_json::read_after(std::uint64_t index) {
  json_.array([&](std::uint64_t) {
    const std::uint64_t id = json_.whole_number();
    if (id >= index)
      json_.fail(
          fmt::format("command {} cannot come after command {}: edges lead from earlier to later "
                      "commands, this one would allow a cycle",
                      index, id));
    after_.push_back(id);
  });
}

void command_json::read_payload(model::kernel_command& c) {
  static constexpr member members[] = {{"id"},
                                       {"dimensions"},
                                       {"global"},
                                       {"local", false},
                                       {"offset"},
                                       {"part", false},
                                       {"local_memory_bytes"},
                                       {"work", false},
                                       {"footprints", false},
                                       {"range_from", false}};
  model::launch_geometry& g = c.geometry;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) c.id = model::kernel_id(json_.hexadecimal());
    if (m == 1 && (g.dimensions = static_cast<std::uint8_t>(json_.whole_number(3))) == 0)
      json_.fail("a kernel has 1, 2 or 3 dimensions");
    if (m == 2) {
      g.global = formats::read_point(json_);
      if (!formats::volume_fits(g.global, 1))
        json_.fail("there would be more than 2^62 work-items");
    }
    if (m == 3) {
      g.local = formats::read_point(json_);
      g.grouped = true;
      for (int d = 0; d < 3; ++d)
        if (g.local.c[d] == 0 || g.global.c[d] % g.local.c[d] != 0)
          json_.fail("the work-group size must divide the global size in each coordinate");
    }
    if (m == 4) g.offset = formats::read_point(json_);
    if (m == 5) {
      part_ = formats::read_box(json_);
      g.part = &part_;
      if (!contains(model::box::of(g.units()), part_))
        json_.fail(
            "the part leaves the index space: its work-groups, or work-items where there are no "
            "groups");
    }
    if (m == 6) c.local_memory_bytes = static_cast<std::uint32_t>(json_.whole_number(maximum_32));
    if (m == 7) c.work = read_work(json_);
    if (m == 8) c.footprints = footprints_.read(json_, g, requirements_.size());
    if (m == 9) read_range_from(c.indirect);
  });
}

void command_json::read_range_from(model::indirect_range& r) {
  r.used = true;
  if (json_.null()) return;
  const std::uint64_t index = json_.whole_number();
  if (index >= requirements_.size()) json_.fail(fmt::format("unknown requirement {}", index));
  r.requirement = static_cast<std::uint32_t>(index);
}

model::memory_operand command_json::read_operand() {
  static constexpr member members[] = {
      {"requirement", false}, {"memory", false}, {"byte_offset"}, {"row_pitch"}, {"slice_pitch"}};
  model::memory_operand o;
  int places = 0;
  json_.object(members, [&](std::size_t m) {
    if (m == 0) {
      const std::uint64_t index = json_.whole_number();
      if (index >= requirements_.size()) json_.fail(fmt::format("unknown requirement {}", index));
      o.requirement = static_cast<std::uint32_t>(index);
      ++places;
    }
    if (m == 1) {
      o.memory = read_memory();
      ++places;
    }
    if (m == 2) o.byte_offset = json_.whole_number();
    if (m == 3) o.row_pitch = json_.whole_number();
    if (m == 4) o.slice_pitch = json_.whole_number();
  });
  if (places != 1) json_.fail("expected either \"requirement\" or \"memory\"");
  return o;
}

void command_json::read_payload(model::copy_command& c) {
  static constexpr member members[] = {
      {"width"}, {"height"}, {"depth"}, {"source"}, {"destination"}};
  json_.object(members, [&](std::size_t m) {
    if (m == 0) c.width = json_.whole_number(formats::maximum_extent);
    if (m == 1) c.height = json_.whole_number(formats::maximum_extent);
    if (m == 2) c.depth = json_.whole_number(formats::maximum_extent);
    if (m == 3) c.source = read_operand();
    if (m == 4) c.destination = read_operand();
  });
  if (!formats::volume_fits({{c.width, c.height, c.depth}}, 1))
    json_.fail("more than 2^62 bytes would be copied");
}

void command_json::read_payload(model::fill_command& c) {
  static constexpr member members[] = {{"width"},         {"height"},         {"depth"},
                                       {"pattern_bytes"}, {"pattern", false}, {"destination"}};
  json_.object(members, [&](std::size_t m) {
    if (m == 0) c.width = json_.whole_number(formats::maximum_extent);
    if (m == 1) c.height = json_.whole_number(formats::maximum_extent);
    if (m == 2) c.depth = json_.whole_number(formats::maximum_extent);
    if (m == 3 &&
        (c.pattern_bytes = static_cast<std::uint32_t>(json_.whole_number(maximum_32))) == 0)
      json_.fail("a pattern has at least 1 byte");
    if (m == 4) {
      std::uint64_t count = 0;
      json_.array([&](std::uint64_t i) {
        const std::uint64_t byte = json_.whole_number(255);
        if (i >= model::fill_command::inline_pattern_bytes)
          json_.fail("a pattern of more than 16 bytes is not listed");
        c.pattern[i] = static_cast<unsigned char>(byte);
        ++count;
      });
      if (count != c.pattern_bytes)
        json_.fail(fmt::format("expected {} bytes, found {}", c.pattern_bytes, count));
    }
    if (m == 5) c.destination = read_operand();
  });
  if (!formats::volume_fits({{c.width, c.height, c.depth}}, 1))
    json_.fail("more than 2^62 bytes would be filled");
}

void command_json::read_payload(model::prefetch_command& c) {
  static constexpr member members[] = {{"bytes"}};
  json_.object(members, [&](std::size_t) { c.bytes = json_.whole_number(); });
}

void command_json::read_payload(model::advise_command& c) {
  static constexpr member members[] = {{"bytes"}, {"advice"}};
  json_.object(members, [&](std::size_t m) {
    if (m == 0) c.bytes = json_.whole_number();
    if (m == 1)
      c.advice = static_cast<int>(static_cast<std::uint32_t>(json_.whole_number(maximum_32)));
  });
}

void command_json::read_payload(model::subgraph_command& c) {
  static constexpr member members[] = {{"nodes"},        {"control", false},   {"bodies", false},
                                       {"count", false}, {"condition", false}, {"graphs", false}};
  json_.object(members, [&](std::size_t m) {
    if (m == 0) c.nodes = json_.whole_number();
    if (m == 1) c.control = formats::read_word<model::control_kind>(json_);
    if (m == 2) c.bodies = static_cast<std::uint32_t>(json_.whole_number(maximum_32));
    if (m == 3) c.count = json_.whole_number();
    if (m == 4) {
      const std::uint64_t index = json_.whole_number();
      if (index >= requirements_.size()) json_.fail(fmt::format("unknown requirement {}", index));
      c.condition = static_cast<std::uint32_t>(index);
    }
    if (m == 5) read_bodies(c);
  });
  if (!bodies_.empty() && bodies_.size() != c.bodies)
    json_.fail(
        fmt::format("the command runs {} graphs, and {} are listed", c.bodies, bodies_.size()));
}

void command_json::read_bodies(const model::subgraph_command& c) {
  if (c.control == model::control_kind::once)
    json_.fail("only what runs in another way than once lists its graphs");
  static constexpr member members[] = {{"names"}, {"graph"}, {"plan"}};
  json_.array([&](std::uint64_t) {
    command_graph::body b;
    json_.object(members, [&](std::size_t m) {
      if (m == 0)
        json_.array([&](std::uint64_t) {
          const std::uint64_t id = json_.whole_number();
          if (id >= graph_.buffer_count()) json_.fail(fmt::format("unknown buffer {}", id));
          b.buffers.push_back(to_id<model::buffer_id>(id));
        });
      if (m == 1) b.graph = std::make_shared<const command_graph>(read_body(json_, topology_));
      if (m == 2) b.plan = json_.raw_object();
    });
    bodies_.push_back(std::move(b));
  });
}

void command_json::read_payload(model::allocate_command& c) {
  static constexpr member members[] = {{"allocation"}, {"bytes"}, {"place"}, {"zero"}};
  json_.object(members, [&](std::size_t m) {
    if (m == 0) c.allocation = json_.whole_number();
    if (m == 1) c.bytes = json_.whole_number(formats::maximum_extent);
    if (m == 2) c.place = json_.whole_number(formats::maximum_extent);
    if (m == 3) c.zero = json_.boolean();
  });
  if (!living_.begin(c.allocation, c.place, c.bytes))
    json_.fail(fmt::format("allocation {} lies where another one does that nothing has freed",
                           c.allocation));
}

void command_json::read_payload(model::free_command& c) {
  static constexpr member members[] = {{"allocation"}, {"bytes"}};
  json_.object(members, [&](std::size_t m) {
    if (m == 0) c.allocation = json_.whole_number();
    if (m == 1) c.bytes = json_.whole_number(formats::maximum_extent);
  });
  if (!living_.end(c.allocation))
    json_.fail(fmt::format("allocation {} is freed, and no command before has allocated it",
                           c.allocation));
}

}  // namespace pianola::recorder
