// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <pianola/model/allocation.hpp>

namespace pianola::planner::checking {

struct conflict {
  std::uint32_t first, second;  // commands
  std::uint32_t allocation;
  std::int64_t begin, end;
  bool first_writes, second_writes;
};

// Goes through accesses in the order of submission, and tells of each byte which two commands have to be in order: the last
// writer and who reads, who has read since and the next writer. If these are, all that touch the byte are.
class conflict_finder {
 public:
  // Whether the second comes directly after the first: then who comes after it comes after both.
  using follows = std::function<bool(std::uint32_t first, std::uint32_t second)>;

  explicit conflict_finder(follows directly) : follows_(std::move(directly)) {}
  void see(const model::usm_access& a);
  // Each pair once for an allocation, with the first bytes.
  [[nodiscard]] std::vector<conflict> take();

 private:
  static constexpr std::uint32_t nobody = 0xffffffffU;
  // Parts that were one share their readers.
  struct reader {
    std::uint32_t command;
    std::shared_ptr<const reader> next;
    reader(std::uint32_t c, std::shared_ptr<const reader> n) : command(c), next(std::move(n)) {}
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader();  // of long lists without recursion
  };
  struct part {
    std::int64_t end = 0;
    std::uint32_t writer = nobody;
    std::shared_ptr<const reader> readers;
  };
  using parts = std::map<std::int64_t, part>;  // by begin; disjoint

  static void cut(parts& all, std::int64_t at);
  void add(const part& p, std::int64_t begin, const model::usm_access& a);
  void add(std::uint32_t first, bool writes, std::int64_t begin, std::int64_t end,
           const model::usm_access& a);

  follows follows_;
  std::vector<parts> parts_;  // index: allocation
  std::vector<conflict> found_;
};

}  // namespace pianola::planner::checking
