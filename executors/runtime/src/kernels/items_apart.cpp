// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <pianola/host/thread_storage.hpp>
#include <pianola/model/error.hpp>
#include <pianola/runtime/compiled_kernels.hpp>

namespace pianola::runtime {
namespace {

constexpr std::size_t item_alignment = 64;

struct free_bytes {
  void operator()(std::byte* p) const noexcept { std::free(p); }
};

// Kept only while a group is run.
struct memory_apart {
  std::unique_ptr<std::byte, free_bytes> bytes;
};

bool checks_barriers() {
  static const bool on = [] {
    const char* value = std::getenv("PIANOLA_CHECK_BARRIERS");
    const std::string_view text = value == nullptr ? "" : value;
    if (text.empty() || text == "off") return false;
    if (text == "on") return true;
    throw model::user_error(model::error_code::platform,
                            fmt::format("PIANOLA_CHECK_BARRIERS='{}': it takes on or off", text));
  }();
  return on;
}

std::uint32_t& place_of(void* own) { return *static_cast<std::uint32_t*>(own); }

constexpr std::uint32_t waits_for_group = 0x80000000U;

}  // namespace
}  // namespace pianola::runtime

void* pianola_memory_apart_v1(const char* where, std::uint64_t items, std::uint64_t bytes) {
  using namespace pianola;
  if (where != nullptr && runtime::checks_barriers())
    throw model::user_error(
        model::error_code::kernel,
        fmt::format("work-items of one group part at {}: every work-item of the group must reach "
                    "the same barriers and group functions",
                    where));
  // Slots of 8 bytes, also for those that the last sub-group lacks.
  constexpr std::uint64_t most_sub_group = 64;
  const std::uint64_t size = items * bytes + (items + most_sub_group) * 8;
  const std::uint64_t rounded =
      (size + runtime::item_alignment - 1) / runtime::item_alignment * runtime::item_alignment;
  auto& memory = host::thread_storage<runtime::memory_apart>::get();
  memory.bytes.reset(static_cast<std::byte*>(std::aligned_alloc(runtime::item_alignment, rounded)));
  if (memory.bytes == nullptr)
    throw model::user_error(model::error_code::memory_allocation,
                            fmt::format("a work-group whose work-items part at {} needs {} bytes, "
                                        "and there is no more memory: use smaller work-groups",
                                        where == nullptr ? "the start" : where, rounded));
  std::memset(memory.bytes.get(), 0, rounded);
  return memory.bytes.get();
}

void pianola_run_apart_v1(pianola_resume_item* resume, std::uint64_t items, std::uint64_t bytes,
                          std::uint32_t sub_group_size, void* memory, const void* kernel,
                          const void* launch, const void* group) {
  using namespace pianola;
  auto* first = static_cast<std::byte*>(memory);
  const auto own = [&](std::uint64_t i) { return static_cast<void*>(first + i * bytes); };
  for (bool some_left = true; some_left;) {
    for (std::uint64_t begin = 0; begin < items; begin += sub_group_size) {
      const std::uint64_t end = begin + sub_group_size < items ? begin + sub_group_size : items;
      // A wait of the sub-group is over when all of it are at one, wait for the group, or have left.
      for (bool any = true; any;) {
        any = false;
        for (std::uint64_t i = begin; i < end; ++i) {
          std::uint32_t& place = runtime::place_of(own(i));
          if (place == 0 || (place & runtime::waits_for_group) != 0) continue;
          place = resume(kernel, launch, group, own(i), place, i);
          any = true;
        }
      }
    }
    some_left = false;
    for (std::uint64_t i = 0; i < items; ++i) {
      std::uint32_t& place = runtime::place_of(own(i));
      some_left |= place != 0;
      place &= ~runtime::waits_for_group;
    }
  }
  host::thread_storage<runtime::memory_apart>::get().bytes.reset();
}

std::uint32_t pianola_sub_groups_differ_v1(const void* opinions, std::uint64_t items,
                                           std::uint32_t bytes, std::uint32_t sub_group_size) {
  const auto* first = static_cast<const std::byte*>(opinions);
  for (std::uint64_t begin = 0; begin < items; begin += sub_group_size) {
    const std::uint64_t rest = items - begin;
    const std::uint64_t others = (rest < sub_group_size ? rest : sub_group_size) - 1;
    const std::byte* own = first + begin * bytes;
    // They all agree if each agrees with its neighbour.
    if (std::memcmp(own, own + bytes, others * bytes) != 0) return 1;
  }
  return 0;
}

std::uint64_t pianola_items_here_v1(const std::uint64_t* marks, std::uint64_t items,
                                    std::uint64_t item) {
  std::uint64_t all = 0, before = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    if (i == item) before = all;
    all += marks[i] != 0 ? 1 : 0;
  }
  return all << 32 | before;
}

std::uint32_t pianola_source_here_v1(const std::uint64_t* marks, std::uint64_t items,
                                     std::uint64_t item) {
  if (item < items && marks[item] != 0) return static_cast<std::uint32_t>(item);
  std::uint64_t first = 0;
  while (first + 1 < items && marks[first] == 0) ++first;
  return static_cast<std::uint32_t>(first);
}
