// SPDX-License-Identifier: Apache-2.0
// Programs that run their kernels: what the runtime would do, and a comparison.
#pragma once

#include <algorithm>
#include <new>

#include "kernel.hpp"

/// What the last frame was asked for, and how much there is.
inline std::uint64_t frame_bytes = 0;
inline std::uint64_t most_frame_bytes = std::uint64_t{1} << 30;
/// Behind it is a fence that nobody may touch.
inline std::vector<char> frame_memory;
constexpr std::uint64_t fence_bytes = 1 << 16;
inline char* frame_end = nullptr;

/// Groups whose work-items went apart, and what they keep.
inline std::uint32_t groups_apart = 0;
inline std::vector<char> memory_apart;

extern "C" {
void* pianola_work_group_frame_v1(std::uint64_t bytes) {
  if (bytes > most_frame_bytes) throw std::bad_alloc();
  frame_bytes = bytes;
  frame_memory.assign(bytes + 64 + fence_bytes, 0x5a);
  const auto address = reinterpret_cast<std::uintptr_t>(frame_memory.data());
  char* frame = reinterpret_cast<char*>((address + 63) / 64 * 64);
  frame_end = frame + bytes;
  return frame;
}
void* pianola_memory_apart_v1(const char*, std::uint64_t items, std::uint64_t bytes) {
  ++groups_apart;
  memory_apart.assign(items * (bytes + 8) + 64 * 8 + 64, 0);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_apart.data());
  return reinterpret_cast<void*>((address + 63) / 64 * 64);
}
using resume_item = std::uint32_t(const void*, const void*, const void*, void*, std::uint32_t,
                                  std::uint64_t);
void pianola_run_apart_v1(resume_item* resume, std::uint64_t items, std::uint64_t bytes,
                          std::uint32_t, void* memory, const void* kernel, const void* launch,
                          const void* group) {
  for (bool any = true; any;) {
    any = false;
    for (std::uint64_t i = 0; i < items; ++i) {
      char* own = static_cast<char*>(memory) + i * bytes;
      std::uint32_t& place = *reinterpret_cast<std::uint32_t*>(own);
      if (place == 0) continue;
      place = resume(kernel, launch, group, own, place, i) & 0x7fffffffU;
      any = true;
    }
  }
}
std::uint32_t pianola_sub_groups_differ_v1(const void* opinions, std::uint64_t items,
                                           std::uint32_t bytes, std::uint32_t sub_group_size) {
  const auto* all = static_cast<const unsigned char*>(opinions);
  for (std::uint64_t i = 0; i < items * bytes; ++i) {
    const std::uint64_t first = i / bytes / sub_group_size * sub_group_size;
    if (all[i] != all[first * bytes + i % bytes]) return 1;
  }
  return 0;
}
std::uint64_t pianola_items_here_v1(const std::uint64_t* marks, std::uint64_t items,
                                    std::uint64_t item) {
  const auto is_set = [](std::uint64_t mark) { return mark != 0; };
  const auto all = static_cast<std::uint64_t>(std::count_if(marks, marks + items, is_set));
  return all << 32 | static_cast<std::uint64_t>(std::count_if(marks, marks + item, is_set));
}
std::uint32_t pianola_source_here_v1(const std::uint64_t* marks, std::uint64_t items,
                                     std::uint64_t item) {
  if (item < items && marks[item] != 0) return static_cast<std::uint32_t>(item);
  return static_cast<std::uint32_t>(
      std::find_if(marks, marks + items, [](std::uint64_t mark) { return mark != 0; }) - marks);
}
void pianola_intrinsic_outside_kernel_v1(const char* name) {
  std::printf("%s outside of a kernel\n", name);
  std::exit(3);
}
struct pianola_image_set;
void pianola_register_images_v1(const pianola_image_set*) {}
void pianola_unregister_images_v1(const pianola_image_set*) {}
}

inline int failures = 0;

struct size3 {
  unsigned z, y, x;
};

/// All groups, one after the other.
template <int Dimensions, class Kernel>
void run(size3 groups, size3 local, const Kernel& kernel) {
  alignas(64) static char memory[1 << 16];
  const pianola_launch shape{{std::uint64_t{groups.z} * local.z, std::uint64_t{groups.y} * local.y,
                              std::uint64_t{groups.x} * local.x},
                             {0, 0, 0}};
  pianola_work_group at{};
  at.group_count[0] = groups.z;
  at.group_count[1] = groups.y;
  at.group_count[2] = groups.x;
  at.local_size[0] = local.z;
  at.local_size[1] = local.y;
  at.local_size[2] = local.x;
  at.local_memory = memory;
  for (at.group_id[0] = 0; at.group_id[0] < groups.z; ++at.group_id[0])
    for (at.group_id[1] = 0; at.group_id[1] < groups.y; ++at.group_id[1])
      for (at.group_id[2] = 0; at.group_id[2] < groups.x; ++at.group_id[2])
        launch<Dimensions>(kernel, shape, at);
  if (frame_end != nullptr &&
      std::any_of(frame_end, frame_end + fence_bytes, [](char byte) { return byte != 0x5a; })) {
    std::printf("a group wrote behind its frame of %llu bytes\n",
                static_cast<unsigned long long>(frame_bytes));
    ++failures;
  }
  frame_end = nullptr;
}

template <class T>
void expect_equal(T got, T wanted, const char* what, unsigned where) {
  if (got == wanted) return;
  if (++failures < 20)
    std::printf("%s, element %u: %g instead of %g\n", what, where, static_cast<double>(got),
                static_cast<double>(wanted));
}
