// SPDX-License-Identifier: Apache-2.0
// Partitions of processors that are not here.
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "partitions.hpp"

namespace {

// Two NUMA nodes with two L3 caches each, under each two L2 caches with a core of two hardware threads. OpenMP reads
// its environment before main, so the program starts itself again.
__attribute__((constructor)) void choose_topology(int, char** arguments, char**) {
  if (std::getenv("HWLOC_SYNTHETIC") != nullptr) return;
  setenv("HWLOC_SYNTHETIC", "numa:2 l3:2 l2:2 l1d:1 core:1 pu:2", 1);
  setenv("OMP_NUM_THREADS", "16", 1);
  setenv("PIANOLA_DEVICES", "openmp", 1);
  execv("/proc/self/exe", arguments);
  std::abort();
}

TEST(synthetic_topology, is_partitioned_by_numa_nodes_and_caches) {
  const sycl::device d;
  ASSERT_EQ(units(d), 16U);
  EXPECT_EQ(d.get_info<info::partition_max_sub_devices>(), 16U);
  EXPECT_EQ(d.get_info<info::partition_properties>(),
            (std::vector<property>{property::partition_equally, property::partition_by_counts,
                                   property::partition_by_affinity_domain}));
  EXPECT_EQ(d.get_info<info::partition_affinity_domains>(),
            (std::vector<domain>{domain::numa, domain::L3_cache, domain::L2_cache, domain::L1_cache,
                                 domain::next_partitionable}));
  struct {
    domain asked;
    std::size_t devices;
  } const expected[] = {
      {domain::numa, 2}, {domain::L3_cache, 4}, {domain::L2_cache, 8}, {domain::L1_cache, 8}};
  for (const auto& e : expected) {
    const auto parts = along(d, e.asked);
    ASSERT_EQ(parts.size(), e.devices) << static_cast<int>(e.asked);
    for (const sycl::device& part : parts) {
      EXPECT_EQ(units(part), 16 / e.devices);
      EXPECT_EQ(part.get_info<info::partition_type_property>(),
                property::partition_by_affinity_domain);
      EXPECT_EQ(part.get_info<info::partition_type_affinity_domain>(), e.asked);
    }
  }
  EXPECT_EQ(code_of([&] { along(d, domain::L4_cache); }), sycl::errc::feature_not_supported);
  EXPECT_EQ(code_of([&] { along(d, domain::not_applicable); }), sycl::errc::feature_not_supported);
}

TEST(synthetic_topology, next_partitionable_goes_down_level_by_level) {
  sycl::device d;
  for (const auto& [found, size] :
       {std::pair(domain::numa, 8U), {domain::L3_cache, 4U}, {domain::L2_cache, 2U}}) {
    const auto parts = along(d, domain::next_partitionable);
    ASSERT_EQ(parts.size(), 2U);
    for (const sycl::device& part : parts) {
      EXPECT_EQ(part.get_info<info::partition_type_affinity_domain>(), found);
      EXPECT_EQ(units(part), size);
      EXPECT_EQ(part.get_info<info::parent_device>(), d);
    }
    // What the program asked for and what was found are one partition.
    EXPECT_EQ(along(d, found), parts);
    d = parts.back();
  }
  // A core's threads share all caches.
  EXPECT_TRUE(d.get_info<info::partition_affinity_domains>().empty());
  EXPECT_EQ(d.get_info<info::partition_properties>(),
            (std::vector<property>{property::partition_equally, property::partition_by_counts}));
  EXPECT_EQ(code_of([&] { along(d, domain::next_partitionable); }),
            sycl::errc::feature_not_supported);
}

TEST(synthetic_topology, parts_across_a_domain_are_divided_where_it_ends) {
  const auto parts = by_counts(sycl::device(), {5, 6});
  ASSERT_EQ(parts.size(), 2U);
  // Units 5 to 10: five to seven on one node, eight to ten on the other.
  const auto nodes = along(parts[1], domain::numa);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(units(nodes[0]), 3U);
  EXPECT_EQ(units(nodes[1]), 3U);
  EXPECT_EQ(code_of([&] { along(parts[0], domain::numa); }), sycl::errc::feature_not_supported);
}

}  // namespace
