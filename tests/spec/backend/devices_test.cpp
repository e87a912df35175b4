// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include <pianola/model/backend_kind.hpp>

#include "conformance.hpp"

namespace pianola::test {
namespace {

using executors::memory_kind;

class devices : public conformance {};
PIANOLA_FOR_EVERY_BACKEND(devices);

TEST_P(devices, say_what_they_are) {
  EXPECT_EQ(r.backend().name(), GetParam());
  EXPECT_FALSE(r.backend().domain().empty());
  ASSERT_FALSE(r.backend().devices().empty());
  for (const auto& d : r.backend().devices()) {
    EXPECT_FALSE(d.name.empty());
    EXPECT_FALSE(d.vendor.empty());
    EXPECT_FALSE(d.driver_version.empty());
    EXPECT_EQ(d.backend, GetParam());
    EXPECT_EQ(d.runs_host_code, !r.backend().needs_images());
    EXPECT_EQ(d.runs_host_code, model::runs_host_code(d.backend));
    EXPECT_GE(d.compute_units, 1U);
    EXPECT_GE(d.max_work_group_size, 1U);
    for (const auto n : d.max_work_item_sizes) EXPECT_GE(n, 1U);
    ASSERT_FALSE(d.sub_group_sizes.empty());
    for (const auto n : d.sub_group_sizes) EXPECT_GE(n, 1U);
    EXPECT_GT(d.global_memory_bytes, 0U);
    EXPECT_GT(d.max_allocation_bytes, 0U);
    EXPECT_LE(d.max_allocation_bytes, d.global_memory_bytes);
    EXPECT_GT(d.local_memory_bytes, 0U);
    EXPECT_GT(d.cache_line_bytes, 0U);
    EXPECT_TRUE(d.memory.valid());
  }
}

TEST_P(devices, are_linked_with_host_memory_in_both_directions) {
  std::vector<model::memory_id> memories;
  for (const auto& d : r.backend().devices()) memories.push_back(d.memory);
  model::topology t;
  r.backend().describe_links(memories, t.links);
  for (const auto m : memories) {
    if (m == model::host_memory) continue;
    const auto linked = [&](model::memory_id from, model::memory_id to) {
      return std::any_of(t.links.begin(), t.links.end(),
                         [&](const auto& l) { return l.from == from && l.to == to; });
    };
    EXPECT_TRUE(linked(model::host_memory, m));
    EXPECT_TRUE(linked(m, model::host_memory));
  }
  for (const auto& l : t.links) {
    EXPECT_NE(l.from, l.to);
    EXPECT_GE(l.bandwidth, 0.0);
    EXPECT_GE(l.latency, 0.0);
  }
}

TEST_P(devices, allocate_what_is_aligned_as_asked_for) {
  for (std::uint32_t d = 0; d < r.backend().devices().size(); ++d)
    for (const auto kind : {memory_kind::device, memory_kind::host, memory_kind::shared})
      for (std::size_t alignment = 0; alignment <= 4096;
           alignment = alignment == 0 ? 1 : 2 * alignment) {
        void* p = nullptr;
        const auto s = r.backend().allocate(d, kind, 100, alignment, p);
        ASSERT_TRUE(s.ok()) << s.reason;
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % std::max<std::size_t>(alignment, 256), 0U);
        if (kind != memory_kind::device) std::memset(p, 1, 100);
        r.backend().deallocate(d, kind, p);
      }
}

TEST_P(devices, tell_how_much_memory_is_free_or_that_they_do_not_know) {
  for (std::uint32_t d = 0; d < r.backend().devices().size(); ++d) {
    const model::device_properties& p = r.backend().devices()[d];
    std::uint64_t before = 0, after = 0;
    const auto s = r.backend().free_memory(d, before);
    if (!p.free_memory_known) {
      EXPECT_EQ(s.code, model::error_code::feature_not_supported);
      EXPECT_NE(s.reason.find(p.name), std::string::npos) << s.reason;
      continue;
    }
    ASSERT_TRUE(s.ok()) << s.reason;
    EXPECT_GT(before, 0U);
    EXPECT_LE(before, p.global_memory_bytes);
    // Of what processors have the other processes take, too.
    if (p.type == model::device_type::cpu) continue;
    void* taken = nullptr;
    constexpr std::size_t bytes = 1 << 20;
    ASSERT_TRUE(r.backend().allocate(d, memory_kind::device, bytes, 256, taken).ok());
    ASSERT_TRUE(r.backend().free_memory(d, after).ok());
    EXPECT_LE(after + bytes, before);
    r.backend().deallocate(d, memory_kind::device, taken);
  }
}

TEST_P(devices, give_every_allocation_its_own_address_even_for_no_bytes) {
  std::set<void*> seen;
  for (int i = 0; i < 20; ++i) seen.insert(r.allocate(i % 2 == 0 ? 0 : 8));
  EXPECT_EQ(seen.size(), 20U);
}

TEST_P(devices, report_an_allocation_that_cannot_be_made_as_a_status) {
  for (const std::size_t bytes :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() - 63,
        std::numeric_limits<std::size_t>::max() / 2}) {
    void* p = nullptr;
    const auto s = r.backend().allocate(0, memory_kind::device, bytes, 0, p);
    EXPECT_EQ(s.code, model::error_code::memory_allocation) << bytes;
    EXPECT_NE(s.reason.find(std::to_string(bytes)), std::string::npos) << s.reason;
  }
}

}  // namespace
}  // namespace pianola::test
