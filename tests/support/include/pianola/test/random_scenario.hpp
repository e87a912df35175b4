// SPDX-License-Identifier: Apache-2.0
// Random scenarios for RapidCheck. What is drawn is a sketch of small numbers, every one of which means
// something valid, so that shrinking a sketch shrinks the scenario.
#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "scenario.hpp"

namespace pianola::test {

struct requirement_sketch {
  std::uint8_t buffer = 0;
  std::uint8_t mode = 0;  // 0 read, 1 write, 2 read_write
  bool no_init = false;   // of no meaning for read
  bool whole = false;
  std::uint8_t from[3] = {0, 0, 0};
  std::uint8_t size[3] = {0, 0, 0};
  std::uint8_t memory = 0;  // 0 (mostly): where the command runs; else memory - 1
};

struct command_sketch {
  std::uint8_t device = 0;  // 9 and more: an access by the host
  std::vector<requirement_sketch> requirements;
  std::vector<std::uint8_t> after;  // how many commands back
};

struct buffer_sketch {
  std::uint8_t dimensions = 1;
  std::uint8_t range[3] = {1, 1, 1};
  std::uint8_t page[3] = {0, 0, 0};
  bool initialised = false;
};

struct sketch {
  std::uint8_t devices = 1;
  std::uint16_t missing_links = 0;  // bits: pairs of devices that are not linked
  std::uint8_t shape = 0;           // which devices share the host's memory, lanes, speed of links
  std::vector<buffer_sketch> buffers;
  std::vector<command_sketch> commands;
};

inline model::topology build_machine(const sketch& s) {
  model::topology t;
  t.memories.push_back({"host", 0});
  const std::size_t devices = 1 + s.devices % 5;
  for (std::size_t d = 0; d < devices; ++d) {
    model::device_description device;
    device.name = "device " + std::to_string(d);
    device.backend = "test";
    device.maximum_lanes = 1 + (s.shape >> 2) % 5;
    // The first device may live in the host's memory, the last one may share that of the one before.
    if (d == 0 && (s.shape & 1) != 0) {
      device.memory = model::host_memory;
    } else if (d + 1 == devices && d > 0 && (s.shape & 2) != 0) {
      device.memory = t.devices.back().memory;
    } else {
      device.memory = model::memory_id(static_cast<std::uint16_t>(t.memories.size()));
      t.memories.push_back({"memory of " + device.name, 0});
    }
    t.devices.push_back(device);
  }
  std::uint32_t pair = 0;
  for (std::uint16_t a = 0; a < t.memories.size(); ++a)
    for (std::uint16_t b = 0; b < t.memories.size(); ++b) {
      if (a == b) continue;
      if (a != 0 && b != 0 && (s.missing_links >> (pair++ % 16) & 1) != 0) continue;
      model::link_description link;
      link.from = model::memory_id(a);
      link.to = model::memory_id(b);
      link.bandwidth = 1e9 * (1 + (a * 7 + b * 3 + s.shape) % 4);
      link.latency = 1e-8 * (1 + (a + b) % 3);
      t.links.push_back(link);
    }
  return t;
}

inline model::buffer_info build_buffer(const buffer_sketch& b) {
  model::extent3 range{{1, 1, 1}}, page{{1, 1, 1}};
  model::buffer_info info;
  info.dimensions = static_cast<std::uint8_t>(1 + b.dimensions % 3);
  const int largest[3] = {24, 8, 5};
  for (int d = 3 - info.dimensions; d < 3; ++d) {
    range.c[d] = 1 + b.range[d] % largest[info.dimensions - 1];
    page.c[d] = b.page[d] % (range.c[d] + 1);
  }
  info.grid = model::page_grid(range, page);
  info.element_size = 8;
  return info;
}

inline scenario build(const sketch& s) {
  scenario result;
  result.machine = build_machine(s);
  for (const buffer_sketch& b : s.buffers) {
    result.buffers.push_back(build_buffer(b));
    result.initialised.push_back(b.initialised);
  }
  for (const command_sketch& c : s.commands) {
    std::vector<model::requirement> requirements;
    if (!result.buffers.empty())
      for (const requirement_sketch& r : c.requirements) {
        model::requirement need;
        const std::size_t buffer = r.buffer % result.buffers.size();
        need.buffer = model::buffer_id(static_cast<std::uint32_t>(buffer));
        need.mode = static_cast<model::access_mode>(r.mode % 3);
        need.no_init = r.no_init && need.mode != model::access_mode::read;
        const model::extent3& range = result.buffers[buffer].grid.range();
        for (int d = 0; d < 3; ++d) {
          need.elements.lo.c[d] = r.whole ? 0 : r.from[d] % range.c[d];
          const std::uint64_t room = range.c[d] - need.elements.lo.c[d];
          need.elements.hi.c[d] =
              r.whole ? range.c[d] : need.elements.lo.c[d] + 1 + r.size[d] % room;
        }
        // Two memories may not both be written under one command on the same elements: only
        // readers ask for a memory of their own.
        if (r.memory % 8 == 7 && need.mode == model::access_mode::read)
          need.memory = model::memory_id(
              static_cast<std::uint16_t>(r.memory / 8 % result.machine.memories.size()));
        requirements.push_back(need);
      }
    std::vector<std::uint64_t> after;
    for (const std::uint8_t back : c.after)
      if (back < result.commands.size()) after.push_back(result.commands.size() - 1 - back);
    result.commands.add(
        model::device_id(static_cast<std::uint16_t>(c.device % result.machine.devices.size())),
        std::move(requirements), std::move(after),
        c.device < 9 ? model::command_payload(model::kernel_command{})
                     : model::command_payload(model::host_access_command{}));
  }
  return result;
}

// Numbers of the whole range, whatever the size that RapidCheck asks for.
template <class T>
rc::Gen<T> number(T from, T to) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}
inline rc::Gen<std::uint8_t> small_number() { return number<std::uint8_t>(0, 255); }

}  // namespace pianola::test

namespace rc {

template <>
struct Arbitrary<pianola::test::requirement_sketch> {
  static Gen<pianola::test::requirement_sketch> arbitrary() {
    using r = pianola::test::requirement_sketch;
    struct three {
      std::uint8_t v[3];
    };
    auto triple = gen::map(gen::tuple(pianola::test::small_number(), pianola::test::small_number(),
                                      pianola::test::small_number()),
                           [](const std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>& t) {
                             return three{{std::get<0>(t), std::get<1>(t), std::get<2>(t)}};
                           });
    return gen::map(gen::tuple(pianola::test::number<std::uint8_t>(0, 4),
                               pianola::test::number<std::uint8_t>(0, 3),
                               gen::map(pianola::test::number<std::uint8_t>(0, 3),
                                        [](std::uint8_t v) { return v == 1; }),
                               pianola::test::number<std::uint8_t>(0, 4), triple, triple,
                               pianola::test::small_number()),
                    [](const std::tuple<std::uint8_t, std::uint8_t, bool, std::uint8_t, three,
                                        three, std::uint8_t>& t) {
                      r result;
                      result.buffer = std::get<0>(t);
                      result.mode = std::get<1>(t);
                      result.no_init = std::get<2>(t);
                      result.whole = std::get<3>(t) == 1;
                      for (int d = 0; d < 3; ++d) {
                        result.from[d] = std::get<4>(t).v[d];
                        result.size[d] = std::get<5>(t).v[d];
                      }
                      result.memory = std::get<6>(t);
                      return result;
                    });
  }
};

template <>
struct Arbitrary<pianola::test::command_sketch> {
  static Gen<pianola::test::command_sketch> arbitrary() {
    using c = pianola::test::command_sketch;
    return gen::build<c>(
        gen::set(&c::device, pianola::test::number<std::uint8_t>(0, 11)),
        gen::set(&c::requirements,
                 gen::resize(3, gen::arbitrary<std::vector<pianola::test::requirement_sketch>>())),
        gen::set(&c::after, gen::resize(1, gen::container<std::vector<std::uint8_t>>(
                                               pianola::test::number<std::uint8_t>(0, 12)))));
  }
};

template <>
struct Arbitrary<pianola::test::buffer_sketch> {
  static Gen<pianola::test::buffer_sketch> arbitrary() {
    using b = pianola::test::buffer_sketch;
    return gen::map(
        gen::tuple(pianola::test::number<std::uint8_t>(0, 3),
                   gen::container<std::vector<std::uint8_t>>(6, pianola::test::small_number()),
                   pianola::test::number<std::uint8_t>(0, 4)),
        [](const std::tuple<std::uint8_t, std::vector<std::uint8_t>, std::uint8_t>& t) {
          b result;
          result.dimensions = std::get<0>(t);
          for (std::size_t d = 0; d < 3; ++d) {
            result.range[d] = std::get<1>(t)[d];
            result.page[d] = std::get<1>(t)[3 + d];
          }
          result.initialised = std::get<2>(t) != 0;
          return result;
        });
  }
};

template <>
struct Arbitrary<pianola::test::sketch> {
  static Gen<pianola::test::sketch> arbitrary() {
    using s = pianola::test::sketch;
    return gen::build<s>(
        gen::set(&s::devices, pianola::test::number<std::uint8_t>(0, 5)),
        gen::set(&s::missing_links, pianola::test::number<std::uint16_t>(0, 0xffff)),
        gen::set(&s::shape, pianola::test::small_number()),
        gen::set(&s::buffers, gen::nonEmpty(gen::resize(
                                  4, gen::arbitrary<std::vector<pianola::test::buffer_sketch>>()))),
        gen::set(&s::commands,
                 gen::resize(30, gen::arbitrary<std::vector<pianola::test::command_sketch>>())));
  }
};

}  // namespace rc

namespace pianola::test {

inline std::ostream& operator<<(std::ostream& out, const model::box& b) {
  for (int d = 0; d < 3; ++d) out << (d == 0 ? "[" : ", ") << b.lo.c[d] << ".." << b.hi.c[d];
  return out << ")";
}

// As the scenario that it stands for.
inline std::ostream& operator<<(std::ostream& out, const sketch& s) {
  const scenario built = build(s);
  out << built.machine.devices.size() << " devices in memories";
  for (const auto& d : built.machine.devices) out << " " << d.memory.value();
  out << ", " << built.machine.devices[0].maximum_lanes << " lanes; links";
  for (const auto& l : built.machine.links) out << " " << l.from.value() << ">" << l.to.value();
  for (std::size_t b = 0; b < built.buffers.size(); ++b) {
    const auto& g = built.buffers[b].grid;
    out << "\nbuffer " << b << ": range";
    for (int d = 0; d < 3; ++d) out << " " << g.range().c[d];
    out << ", page";
    for (int d = 0; d < 3; ++d) out << " " << g.page().c[d];
    out << (built.initialised[b] ? "" : ", uninitialised");
  }
  for (std::size_t c = 0; c < built.commands.size(); ++c) {
    const model::command& command = built.commands[c];
    out << "\ncommand " << c << " on " << command.device.value();
    if (std::holds_alternative<model::host_access_command>(command.payload)) out << " by the host";
    out << ":";
    for (const auto& r : command.requirements) {
      const char* const modes[] = {"read", "write", "read_write"};
      out << " " << modes[static_cast<int>(r.mode)] << (r.no_init ? " no_init" : "") << " "
          << r.buffer.value();
      out << r.elements;
      if (r.memory.valid()) out << " in " << r.memory.value();
      out << ";";
    }
    for (const std::uint64_t a : command.after) out << " after " << a;
  }
  return out << "\n";
}

}  // namespace pianola::test
