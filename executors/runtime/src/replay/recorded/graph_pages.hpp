// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pianola/executors/page_store.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/planner/share_storage.hpp>

namespace pianola::runtime {

// Memory that a graph owns, by whole pages. An allocation has addresses of its own from the moment on when it is
// recorded, and pages when a graph is made: which ones is decided when all lives are known, so that those that are never
// there at the same time share them. What has pages keeps them. Not thread-safe.
class graph_pages {
 public:
  using edges = model::array_view<const std::pair<std::uint32_t, std::uint32_t>>;
  // From the command that allocates to the one that frees; see storage_request.
  struct life {
    std::uint32_t born, died;
  };
  using lives = std::unordered_map<std::uint64_t, life>;  // by allocate_command::allocation

  explicit graph_pages(std::unique_ptr<executors::page_store> store);
  graph_pages(const graph_pages&) = delete;
  graph_pages& operator=(const graph_pages&) = delete;

  // Whether it is so large that little is lost with its last page.
  [[nodiscard]] bool suits(std::uint64_t bytes) const noexcept {
    return bytes > 16 * store_->page_bytes();
  }

  // Addresses for an allocation of that name, with nothing behind them. Throws user_error (memory_allocation).
  void* add(std::uint64_t name, std::uint64_t bytes);
  // Pages for those that are among the lives and have none. Throws user_error (memory_allocation).
  void settle(const lives& of, edges order);
  // As allocate_command::place, of one that has pages.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t name) const {
    return first_number_ + offsets_[by_name_.at(name)];
  }
  [[nodiscard]] bool has(std::uint64_t name) const { return by_name_.count(name) != 0; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  template <class F>
  void for_each_address(F&& f) const {
    for (const allocation& a : allocations_) f(a.pointer);
  }

 private:
  struct allocation {
    std::uint64_t name;
    void* pointer;
    std::uint64_t bytes;  // whole pages
  };
  void grow(std::uint64_t bytes);

  std::unique_ptr<executors::page_store> store_;
  std::uint64_t bytes_ = 0;
  std::uint64_t first_number_;
  std::vector<allocation> allocations_;
  std::vector<std::uint64_t>
      offsets_;  // in the store, or storage_request::anywhere; index: allocation
  std::unordered_map<std::uint64_t, std::size_t> by_name_;
};

}  // namespace pianola::runtime
