// SPDX-License-Identifier: Apache-2.0
// Quotas of control groups, read from folders that look as the system's do.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

#include <pianola/test/temporary_folder.hpp>

#include "pianola/host/processors.hpp"

namespace {

class processor_quota : public ::testing::Test {
 protected:
  // The groups that the process is in, as its file `cgroup` names them.
  void is_in(const std::string& lines) { write("self/cgroup", lines); }
  // A file of a group.
  void group(const std::string& file, const std::string& text) { write("groups/" + file, text); }
  [[nodiscard]] unsigned quota() const {
    return pianola::host::processors_by_quota(folder_ + "/self", folder_ + "/groups");
  }

 private:
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = folder_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const pianola::testing::temporary_folder temporary_;
  const std::string folder_ = temporary_.path();
};

TEST_F(processor_quota, is_unknown_where_there_are_no_files) { EXPECT_EQ(quota(), 0U); }

TEST_F(processor_quota, is_unknown_where_the_group_has_no_files) {
  is_in("0::/service\n");
  EXPECT_EQ(quota(), 0U);
}

TEST_F(processor_quota, of_version_2_is_time_per_period) {
  is_in("0::/service\n");
  group("service/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3U);
}

TEST_F(processor_quota, is_rounded_up) {
  is_in("0::/service\n");
  group("service/cpu.max", "10000 100000\n");
  EXPECT_EQ(quota(), 1U);
  group("service/cpu.max", "200001 100000\n");
  EXPECT_EQ(quota(), 3U);
}

TEST_F(processor_quota, counts_periods_of_any_length) {
  is_in("0::/service\n");
  group("service/cpu.max", "100000 25000\n");
  EXPECT_EQ(quota(), 4U);
}

TEST_F(processor_quota, is_none_where_the_group_may_use_the_maximum) {
  is_in("0::/service\n");
  group("service/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 0U);
}

TEST_F(processor_quota, is_that_of_the_group_around_if_that_is_tighter) {
  is_in("0::/slice/service/scope\n");
  group("slice/cpu.max", "400000 100000\n");
  group("slice/service/cpu.max", "200000 100000\n");
  group("slice/service/scope/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota(), 2U);
}

TEST_F(processor_quota, is_that_of_the_group_around_if_its_own_has_none) {
  is_in("0::/slice/service\n");
  group("slice/cpu.max", "500000 100000\n");
  group("slice/service/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 5U);
}

TEST_F(processor_quota, is_its_own_if_the_group_around_has_more) {
  is_in("0::/slice/service\n");
  group("slice/cpu.max", "500000 100000\n");
  group("slice/service/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2U);
}

// As in a container, whose own group is mounted as the root.
TEST_F(processor_quota, of_the_root_counts_for_every_group) {
  group("cpu.max", "200000 100000\n");
  is_in("0::/\n");
  EXPECT_EQ(quota(), 2U);
  is_in("0::/somewhere/that/is/not/mounted\n");
  EXPECT_EQ(quota(), 2U);
}

TEST_F(processor_quota, of_groups_beside_and_below_does_not_count) {
  is_in("0::/slice/service\n");
  group("slice/other/cpu.max", "100000 100000\n");
  group("slice/service/scope/cpu.max", "100000 100000\n");
  group("slice/service/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3U);
}

TEST_F(processor_quota, of_version_1_is_in_two_files_of_the_controller) {
  is_in("5:memory:/m\n4:cpu,cpuacct:/service\n");
  group("cpu/service/cpu.cfs_quota_us", "250000\n");
  group("cpu/service/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3U);
}

TEST_F(processor_quota, of_version_1_is_none_where_it_is_negative) {
  is_in("4:cpu,cpuacct:/service\n");
  group("cpu/service/cpu.cfs_quota_us", "-1\n");
  group("cpu/service/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0U);
}

TEST_F(processor_quota, of_version_1_is_that_of_the_group_around_if_that_is_tighter) {
  is_in("4:cpuacct,cpu:/docker/id\n");
  group("cpu/docker/cpu.cfs_quota_us", "100000\n");
  group("cpu/docker/cpu.cfs_period_us", "50000\n");
  group("cpu/docker/id/cpu.cfs_quota_us", "600000\n");
  group("cpu/docker/id/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2U);
}

TEST_F(processor_quota, of_version_1_is_none_where_a_file_is_missing) {
  is_in("4:cpu:/service\n");
  group("cpu/service/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(quota(), 0U);
}

TEST_F(processor_quota, is_not_looked_for_with_other_controllers) {
  is_in("6:cpuset:/service\n5:memory:/service\n4:cpuacct:/service\n1:name=systemd:/service\n");
  for (const char* root : {"", "cpu/", "cpuset/", "cpuacct/", "memory/"}) {
    const std::string folder = std::string(root) + "service/";
    group(folder + "cpu.max", "100000 100000\n");
    group(folder + "cpu.cfs_quota_us", "100000\n");
    group(folder + "cpu.cfs_period_us", "100000\n");
  }
  EXPECT_EQ(quota(), 0U);
}

TEST_F(processor_quota, is_the_tightest_where_a_system_has_both_versions) {
  is_in("4:cpu,cpuacct:/old\n0::/new\n");
  group("cpu/old/cpu.cfs_quota_us", "300000\n");
  group("cpu/old/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3U);
  group("new/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2U);
}

TEST_F(processor_quota, that_makes_no_sense_is_none) {
  is_in("0::/service\n");
  for (const char* text :
       {"", "\n", "many 100000", "100000", "0 100000", "100000 0", "-100000 100000",
        "100000 -100000", "100000 often", "inf 100000", "nan 100000", "1e300 1", "100000\t100000x",
        "99999999999999999999999 1"}) {
    group("service/cpu.max", text);
    EXPECT_EQ(quota(), 0U) << text;
  }
}

TEST_F(processor_quota, that_is_huge_is_no_small_one) {
  is_in("0::/service\n");
  group("service/cpu.max", "18446744073709551615 1\n");
  EXPECT_EQ(quota(), std::numeric_limits<unsigned>::max());
  group("service/cpu.max", "18446744073709551615 18446744073709551614\n");
  EXPECT_EQ(quota(), 2U);
}

TEST_F(processor_quota, of_groups_that_make_no_sense_is_none) {
  group("service/cpu.max", "100000 100000\n");
  for (const char* lines : {"", "\n", "::", "0:", "0::service", "service", "x:cpu", ":::::\n\n"}) {
    is_in(lines);
    EXPECT_EQ(quota(), 0U) << lines;
  }
}

TEST_F(processor_quota, is_found_behind_lines_that_make_no_sense) {
  is_in("nonsense\n\n3:cpu\n0::/service\n");
  group("service/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2U);
}

}  // namespace
