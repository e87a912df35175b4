// SPDX-License-Identifier: Apache-2.0
// A kernel is described, never hidden in a closure: what a native graph node needs (handle,
// argument bytes, ranges, local memory) and, for host execution, an entry point.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "array_view.hpp"
#include "geometry.hpp"
#include "ids.hpp"
#include "kernel_facts.hpp"
#include "kernel_requirements.hpp"

namespace pianola::model {

// Index space of a launch, padded on the left to 3-D. `grouped` tells an nd_range from a range: then
// `local` divides `global`. For a range it is the size of groups that the program would like where a
// device has to choose one; a single work-item stands for no wish.
struct launch_geometry {
  extent3 global{{1, 1, 1}};
  extent3 local{{1, 1, 1}};
  point3 offset{};
  std::uint8_t dimensions = 1;
  bool grouped = false;
  // The units that this launch is to run, where several launches share an index space; null: all of them. Belongs to
  // whoever holds the command.
  const box* part = nullptr;

  [[nodiscard]] constexpr extent3 groups() const noexcept {
    return extent3{{global.c[0] / local.c[0], global.c[1] / local.c[1], global.c[2] / local.c[2]}};
  }
  // What is handed out in parts: items of a range, groups of an nd_range.
  [[nodiscard]] constexpr extent3 units() const noexcept { return grouped ? groups() : global; }
  // Those of this launch.
  [[nodiscard]] constexpr box launched() const noexcept {
    return part != nullptr ? *part : box::of(units());
  }
  // Ids, without the offset, of the work-items of these units.
  [[nodiscard]] constexpr box ids_of(const box& units) const noexcept {
    if (!grouped) return units;
    box ids;
    for (int d = 0; d < 3; ++d) {
      ids.lo.c[d] = units.lo.c[d] * local.c[d];
      ids.hi.c[d] = units.hi.c[d] * local.c[d];
    }
    return ids;
  }
};

// Where in the argument bytes an address goes when a command is instantiated; or where a texture_argument lies, which
// may get a handle then.
struct argument_slot {
  enum class kind : std::uint8_t { buffer, local_memory, texture };
  std::uint32_t offset = 0;  // bytes from the start of the arguments
  kind what = kind::buffer;
  std::uint32_t requirement = 0;  // buffer, texture: index into the command's requirements
  std::uint64_t byte_offset = 0;  // added to the base address (of the buffer, of local memory)
};

// Of a work-group that runs on the CPU, in all: what its devices say that they have.
inline constexpr std::uint64_t host_local_memory_bytes = std::uint64_t{1} << 20;

// What one thread needs to run work-groups: an arena for local memory.
struct group_resources {
  void* local_memory = nullptr;
  std::size_t local_memory_bytes = 0;
};

// Runs one part of the index space: a box of items (range) or of groups (nd_range). `arguments` are
// the functor's bytes with every buffer slot already patched; `local_slots` are patched by the entry
// point into its own copy. Exceptions of the kernel pass through.
using host_entry = void (*)(const void* arguments, const launch_geometry& geometry, const box& part,
                            array_view<const argument_slot> local_slots,
                            const group_resources& resources);

// How to copy and destroy arguments that are not trivially copyable.
struct object_operations {
  void (*copy)(void* destination, const void* source);
  void (*destroy)(void* object) noexcept;
};

// What executors learn about a kernel while it runs; shared by all launches of it.
struct kernel_statistics {
  // Measured cost of one unit (item or group) in nanoseconds on one thread; zero means unknown.
  std::atomic<float> nanoseconds_per_unit{0.0F};
};

// How many work-items in each dimension a launch runs, of the arguments as they are when it starts, padded on the left with 1.
// A number that makes no sense is `no_such_range`.
using range_reader = extent3 (*)(const void* arguments);
inline constexpr std::uint64_t no_such_range = ~std::uint64_t{0};

struct kernel_descriptor {
  kernel_id id;
  const char* name = "";
  host_entry entry = nullptr;
  std::uint32_t argument_bytes = 0;
  std::uint32_t argument_alignment = 1;
  const object_operations* operations = nullptr;  // null: trivially copyable
  kernel_statistics* statistics = nullptr;
  kernel_requirements requirements{};
  // Null where no compiler told anything.
  const kernel_facts* facts = nullptr;
  // Null: launches run all of their geometry. Else that is a bound, and the work-items run whose ids, without an offset, are
  // less than what is read; none, if that is beyond the bound. On the host the executor reads it. On devices with images of their own
  // the kernel does, in each work-item; the first one tells what is beyond the bound by writing it to where the first word
  // of the arguments points, which the executor gives it.
  range_reader read_range = nullptr;
  // Its code asks pianola_check_access_v1 before it touches memory, on the host.
  bool checks_accesses = false;
};

}  // namespace pianola::model
