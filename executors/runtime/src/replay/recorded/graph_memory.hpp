// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executors/page_store.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/planner/share_storage.hpp>
#include <pianola/runtime/usm.hpp>

#include "replay/recorded/graph_pages.hpp"

namespace pianola::runtime {

// What one graph owns, shared by everything that was made of it. Its addresses are those that the commands were recorded
// with, so replays of several executable graphs follow each other.
class graph_memory {
 public:
  explicit graph_memory(model::device_id device) : device_(device) {}
  ~graph_memory();
  graph_memory(const graph_memory&) = delete;
  graph_memory& operator=(const graph_memory&) = delete;

  struct place {
    void* pointer;
    std::uint64_t number;  // as allocate_command::place
  };
  // Whether the allocation is one of whole pages, which share what they can when a graph is made.
  [[nodiscard]] bool by_pages(usm_kind kind, std::uint64_t bytes);
  // Both throw user_error (memory_allocation). By pages: `name` is that of the allocation.
  void* add_by_pages(usm_kind kind, std::uint64_t bytes, std::uint64_t name);
  // `gone`: see growing_storage, by the requests of this kind that are not by pages.
  place add(usm_kind kind, std::uint64_t bytes, const std::vector<char>& gone);
  // Before anything is made of these commands, whose order is that of command_edges: gives pages to the allocations among
  // them, and tells the commands where. Throws user_error (memory_allocation).
  void settle(std::vector<model::command>& commands,
              model::array_view<const model::buffer_info> buffers);
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  model::step_id last_replay;  // under the runtime's lock

 private:
  struct region {
    planner::growing_storage storage;
    std::vector<void*> blocks;
    std::vector<std::uint64_t> numbers;  // of their first bytes
    // Of the only block, where it grows in place, and what there is of it. Null: it does not grow.
    std::unique_ptr<executors::page_store> pages;
    std::uint64_t usable = 0;
  };
  // Where the device has small pages: addresses for all that may come.
  void reserve(region& r, usm_kind kind);
  // `asked`: by the program, for messages. Both throw user_error (memory_allocation).
  void grow(region& r, std::uint64_t bytes, std::uint64_t asked);
  void add_block(region& r, usm_kind kind, std::uint64_t bytes, std::uint64_t asked);
  model::device_id device_;
  mutable std::mutex mutex_;
  // By usm_kind. Pages: where the device has them.
  region regions_[3];
  std::unique_ptr<graph_pages> pages_[3];
  bool asked_[3] = {};  // whether there are pages
};

}  // namespace pianola::runtime
