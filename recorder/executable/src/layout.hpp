// SPDX-License-Identifier: Apache-2.0
// How a file of format pianola.executable/4 lies in memory. Everything is little-endian, and every record has the size
// and alignment that stand here; what is not used is zero.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pianola/formats/checksum.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/geometry.hpp>

namespace pianola::executable {

inline constexpr unsigned char magic[8] = {0x89, 'P', 'N', 'L', 'E', 'X', '\r', '\n'};
inline constexpr std::uint32_t format_version = 4;
inline constexpr std::uint32_t byte_order_mark = 0x01020304U;
inline constexpr std::uint32_t none = 0xffffffffU;

// A table of all sections: name and record, in the order of the file.
// clang-format off
#define PIANOLA_EXECUTABLE_SECTIONS(SECTION) \
  SECTION(memories, memory_record) \
  SECTION(devices, device_record) \
  SECTION(links, link_record) \
  SECTION(kernels, kernel_record) \
  SECTION(buffers, buffer_record) \
  SECTION(allocations, allocation_record) \
  SECTION(boxes, box_record) \
  SECTION(geometries, geometry_record) \
  SECTION(commands, command_record) \
  SECTION(requirements, requirement_record) \
  SECTION(after, std::uint32_t) \
  SECTION(launches, launch_record) \
  SECTION(slots, slot_record) \
  SECTION(pointers, pointer_record) \
  SECTION(parameters, parameter_record) \
  SECTION(places, place_record) \
  SECTION(copies, copy_record) \
  SECTION(fills, fill_record) \
  SECTION(hints, hint_record) \
  SECTION(staged, staged_record) \
  SECTION(controls, control_record) \
  SECTION(bodies, body_record) \
  SECTION(outer, std::uint32_t) \
  SECTION(lanes, lane_record) \
  SECTION(steps, step_record) \
  SECTION(waits, std::uint32_t) \
  SECTION(transfers, transfer_record) \
  SECTION(contract, validity_record) \
  SECTION(exit, validity_record) \
  SECTION(accesses, access_record) \
  SECTION(storage, storage_record) \
  SECTION(uses, use_record) \
  SECTION(bytes, unsigned char) \
  SECTION(nested, unsigned char) \
  SECTION(text, char)
// clang-format on

#define PIANOLA_ONE(name, record) +1
inline constexpr std::size_t section_count = 0 PIANOLA_EXECUTABLE_SECTIONS(PIANOLA_ONE);
#undef PIANOLA_ONE

struct section_place {
  std::uint64_t offset;  // from the start of the file, a multiple of 64
  std::uint64_t count;   // records
};
inline constexpr std::uint64_t section_alignment = 64;

struct file_header {
  unsigned char magic[8];
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t file_bytes;
  std::uint64_t checksum;  // of everything behind it
  std::uint64_t graph_hash;
  std::uint32_t device;
  std::uint32_t sections;
  section_place places[section_count];
};

// What the checksum is not of: all before it, and itself.
inline constexpr std::size_t before_sum =
    offsetof(file_header, checksum) + sizeof(file_header::checksum);

// Text is named by its place in the section `text`, where it ends with a zero.
struct memory_record {
  std::uint32_t name;
};
struct device_record {
  std::uint32_t name;
  std::uint32_t backend;
  std::uint16_t memory;
  std::uint16_t unlisted;  // 1: programs do not see it
};
struct link_record {
  std::uint16_t from;
  std::uint16_t to;
};
struct kernel_record {
  std::uint64_t id;
  std::uint32_t name;
  std::uint32_t argument_bytes;
  std::uint32_t argument_alignment;
  std::uint32_t unused;
};
struct buffer_record {
  std::uint64_t range[3];
  std::uint64_t page[3];        // that the plan was made with
  std::uint64_t bound_page[3];  // of the program's buffer; another one where kernels run in parts
  std::uint64_t constants;      // place in the section `bytes`, where it has some
  std::uint32_t element_size;
  std::uint32_t name;
  std::uint8_t dimensions;
  std::uint8_t own;
  std::uint8_t temporary;
  std::uint8_t evictable;
  std::uint8_t has_constants;
  std::uint8_t unused[3];
};
struct allocation_record {
  std::uint64_t bytes;
  std::uint32_t name;
  std::uint16_t memory;
  std::uint16_t kind;
};
// Equal boxes, and equal index spaces, are there once.
struct box_record {
  std::uint64_t lo[3];
  std::uint64_t hi[3];
};
struct geometry_record {
  std::uint64_t global[3];
  std::uint64_t local[3];
  std::uint64_t offset[3];
  std::uint64_t logical_group[3];
  std::uint32_t dimensions;
  std::uint32_t grouped;
  std::uint32_t part;  // a box of units; none: all of them
  std::uint32_t unused;
};
struct command_record {
  std::uint32_t label;
  std::uint32_t
      payload;  // number in the section of its kind; of an acquire: whether it goes to the device
  std::uint32_t first_requirement;
  std::uint32_t first_after;
  std::uint32_t requirement_count;
  std::uint32_t after_count;
  std::uint16_t device;
  std::uint8_t kind;  // model::command_kind
  std::uint8_t unused;
};
struct requirement_record {
  std::uint32_t buffer;
  std::uint32_t box;
  std::uint16_t memory;  // 0xffff: that of the command's device
  std::uint8_t mode;     // model::access_mode
  std::uint8_t no_init;
};
struct launch_record {
  std::uint64_t arguments;  // place in the section `bytes`
  double work_bytes;
  double work_operations;
  std::uint32_t kernel;
  std::uint32_t geometry;
  std::uint32_t local_memory_bytes;
  std::uint32_t first_slot;
  std::uint32_t first_pointer;
  std::uint16_t slot_count;
  std::uint16_t pointer_count;
};
struct slot_record {
  std::uint64_t byte_offset;
  std::uint32_t offset;
  std::uint16_t requirement;
  std::uint8_t kind;  // model::argument_slot::kind
  std::uint8_t unused;
};
// A word of the arguments that points into an allocation.
struct pointer_record {
  std::uint64_t byte_offset;
  std::uint32_t offset;
  std::uint32_t allocation;
};
// A value that a loaded graph can be given; and one of the arguments that hold it.
struct parameter_record {
  std::uint32_t name;
  std::uint32_t bytes;
  std::uint32_t first_place;
  std::uint32_t place_count;
};
struct place_record {
  std::uint32_t command;
  std::uint32_t offset;
};
struct operand_record {
  std::uint64_t byte_offset;
  std::uint64_t row_pitch;
  std::uint64_t slice_pitch;
  std::uint32_t requirement;  // none: an allocation, or memory between two commands
  std::uint32_t allocation;
  std::uint32_t memory;
  std::uint32_t unused;
};
struct copy_record {
  operand_record source;
  operand_record destination;
  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t depth;
};
struct fill_record {
  operand_record destination;
  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t depth;
  std::uint64_t pattern;  // place in the section `bytes`
  std::uint32_t pattern_bytes;
  std::uint32_t unused;
};
// Prefetch and advice.
struct hint_record {
  std::uint64_t byte_offset;
  std::uint64_t bytes;
  std::uint32_t allocation;
  std::int32_t advice;
};
struct staged_record {
  std::uint64_t bytes;
  std::uint32_t in;
  std::uint32_t out;
};
// Loops and branches.
struct control_record {
  std::uint64_t count;
  std::uint64_t nodes;
  std::uint64_t byte_offset;  // of the condition in what it is in
  std::uint32_t condition;    // requirement; none: an allocation, or there is no condition
  std::uint32_t allocation;
  std::uint32_t first_body;
  std::uint32_t body_count;
  std::uint8_t kind;  // model::control_kind
  std::uint8_t condition_bytes;
  std::uint8_t is_signed;
  std::uint8_t on_device;
  std::uint32_t unused;
};
// A file in the section `nested`, from a multiple of 64, and which buffers and allocations of the file around it are its own:
// places in the section `outer`.
struct body_record {
  std::uint64_t place;
  std::uint64_t bytes;
  std::uint32_t first_buffer;
  std::uint32_t buffer_count;
  std::uint32_t first_allocation;
  std::uint32_t allocation_count;
};
struct lane_record {
  std::uint32_t device;
};
struct step_record {
  static constexpr std::uint32_t transfer_bit = 0x80000000U;
  std::uint32_t action;  // a command; with the bit, a transfer
  std::uint32_t lane;
  std::uint32_t first_wait;
  std::uint32_t wait_count;
};
struct transfer_record {
  std::uint32_t buffer;
  std::uint32_t box;
  std::uint16_t from;
  std::uint16_t to;
};
// An entry is as many records as it takes to have a bit for each memory, 64 in each.
struct validity_record {
  std::uint64_t memories;
  std::uint32_t buffer;
  std::uint32_t box;
};
[[nodiscard]] constexpr std::size_t words_of_validity(std::size_t memories) noexcept {
  return (memories + 63) / 64;
}
struct access_record {
  std::uint32_t buffer;
  std::uint32_t box;
  std::uint32_t written;
};
// planner::storage_slot and planner::memory_use.
struct storage_record {
  std::uint64_t offset;
  std::uint32_t buffer;
  std::uint32_t memory;
  std::uint32_t first;
  std::uint32_t last;
};
struct use_record {
  std::uint64_t peak;
  std::uint64_t block;
  std::uint64_t apart;
  std::uint64_t budget;
  std::uint32_t memory;
  std::uint32_t unused;
};

// Nothing is left to a compiler's padding: sizes are those of format 4.
static_assert(
    sizeof(file_header) == 48 + 16 * section_count && sizeof(device_record) == 12 &&
    sizeof(kernel_record) == 24 && sizeof(buffer_record) == 96 && sizeof(allocation_record) == 16 &&
    sizeof(box_record) == 48 && sizeof(geometry_record) == 112 && sizeof(command_record) == 28 &&
    sizeof(requirement_record) == 12 && sizeof(launch_record) == 48 && sizeof(slot_record) == 16 &&
    sizeof(pointer_record) == 16 && sizeof(parameter_record) == 16 && sizeof(place_record) == 8 &&
    sizeof(operand_record) == 40 && sizeof(copy_record) == 104 && sizeof(fill_record) == 80 &&
    sizeof(hint_record) == 24 && sizeof(staged_record) == 16 && sizeof(control_record) == 48 &&
    sizeof(body_record) == 32 && sizeof(step_record) == 16 && sizeof(transfer_record) == 12 &&
    sizeof(validity_record) == 16 && sizeof(access_record) == 12 && sizeof(storage_record) == 24 &&
    sizeof(use_record) == 40);

[[nodiscard]] inline model::box to_box(const box_record& r) noexcept {
  model::box b;
  for (int d = 0; d < 3; ++d) {
    b.lo.c[d] = r.lo[d];
    b.hi.c[d] = r.hi[d];
  }
  return b;
}

// The sections of a file in memory.
struct file_layout {
  const file_header* header = nullptr;
#define PIANOLA_VIEW(name, record)                     \
  static_assert(std::is_trivially_copyable_v<record>); \
  model::array_view<const record> name;
  PIANOLA_EXECUTABLE_SECTIONS(PIANOLA_VIEW)
#undef PIANOLA_VIEW
};

using formats::checksum;

}  // namespace pianola::executable
