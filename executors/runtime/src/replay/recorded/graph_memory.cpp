// SPDX-License-Identifier: Apache-2.0
#include "replay/recorded/graph_memory.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <variant>

#include <fmt/format.h>

#include <pianola/executors/backend.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/saturating.hpp>
#include <pianola/planner/command_edges.hpp>

#include "data/pointer_registry.hpp"
#include "execute/memory_pools.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Of a range that grows page by page.
constexpr std::uint64_t most_page_bytes = 64 << 10;
// No device has pages so small that less would suit.
constexpr std::uint64_t least_bytes_by_pages = 64 << 10;

[[noreturn]] void no_memory(std::uint64_t bytes, const std::string& why) {
  throw user_error(
      error_code::memory_allocation,
      fmt::format("async_malloc of {} bytes while a graph is recorded: {}", bytes, why));
}

}  // namespace

graph_memory::~graph_memory() {
  for (const auto& pages : pages_)
    if (pages != nullptr)
      pages->for_each_address([](void* p) { pointer_registry::instance().remove(p); });
  process* rt = process::started();
  if (rt == nullptr) return;
  const device_entry& d = rt->machine.device(device_);
  for (std::size_t k = 0; k < std::size(regions_); ++k) {
    const region& r = regions_[k];
    for (void* block : r.blocks) {
      pointer_registry::instance().remove(block);
      if (r.pages == nullptr)
        d.owner->deallocate(d.index, memory_kind_of(static_cast<usm_kind>(k)), block);
    }
  }
}

void graph_memory::reserve(region& r, usm_kind kind) {
  const device_entry& d = process::instance().machine.device(device_);
  std::unique_ptr<executors::page_store> pages = d.owner->open_pages(d.index, memory_kind_of(kind));
  // Large ones would be lost on a graph that allocates little.
  if (pages == nullptr || pages->page_bytes() > most_page_bytes) return;
  const std::uint64_t most = pages->most_bytes() / pages->page_bytes() * pages->page_bytes();
  void* base = nullptr;
  if (!pages->reserve(most, base).ok()) return;  // a limit of the process's addresses: blocks do
  r.storage = planner::growing_storage(planner::growing_storage::growth::in_place);
  r.pages = std::move(pages);
  r.blocks.push_back(base);
  r.numbers.push_back(memory_pools::instance().number_bytes(most));
}

void graph_memory::grow(region& r, std::uint64_t bytes, std::uint64_t asked) {
  if (bytes <= r.usable) return;
  const std::uint64_t usable = model::saturating_round_up(bytes, r.pages->page_bytes());
  executors::status s = r.pages->grow(usable);
  if (s.ok())
    s = r.pages->map(static_cast<unsigned char*>(r.blocks[0]) + r.usable, usable - r.usable,
                     r.usable);
  if (!s.ok())
    no_memory(asked, fmt::format("with it the graph needs {} bytes: {}", bytes, s.reason));
  r.usable = usable;
}

void graph_memory::add_block(region& r, usm_kind kind, std::uint64_t bytes, std::uint64_t asked) {
  const device_entry& d = process::instance().machine.device(device_);
  void* base = nullptr;
  const executors::status status = d.owner->allocate(d.index, memory_kind_of(kind), bytes, 0, base);
  if (!status.ok()) no_memory(asked, status.reason);
  r.blocks.push_back(base);
  r.numbers.push_back(memory_pools::instance().number_bytes(bytes));
}

graph_memory::place graph_memory::add(usm_kind kind, std::uint64_t bytes,
                                      const std::vector<char>& gone) {
  std::lock_guard lock(mutex_);
  region& r = regions_[static_cast<std::size_t>(kind)];
  if (r.blocks.empty()) reserve(r, kind);
  const planner::growing_storage::place at = r.storage.find(bytes, gone);
  if (r.pages != nullptr)
    grow(r, at.block_bytes, bytes);
  else if (at.new_block)
    add_block(r, kind, at.block_bytes, bytes);
  // A block that has grown takes the place of what it was.
  if (at.new_block || r.pages != nullptr)
    pointer_registry::instance().add(r.blocks[at.block], at.block_bytes, kind, device_,
                                     allocation_use::other);
  r.storage.add(bytes, at);
  return {static_cast<unsigned char*>(r.blocks[at.block]) + at.offset,
          r.numbers[at.block] + at.offset};
}

bool graph_memory::by_pages(usm_kind kind, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const auto k = static_cast<std::size_t>(kind);
  if (!asked_[k] && bytes > least_bytes_by_pages) {
    const device_entry& d = process::instance().machine.device(device_);
    if (auto store = d.owner->open_pages(d.index, memory_kind_of(kind)))
      pages_[k] = std::make_unique<graph_pages>(std::move(store));
    asked_[k] = true;
  }
  return pages_[k] != nullptr && pages_[k]->suits(bytes);
}

void* graph_memory::add_by_pages(usm_kind kind, std::uint64_t bytes, std::uint64_t name) {
  std::lock_guard lock(mutex_);
  void* const pointer = pages_[static_cast<std::size_t>(kind)]->add(name, bytes);
  pointer_registry::instance().add(pointer, bytes, kind, device_, allocation_use::other);
  return pointer;
}

void graph_memory::settle(std::vector<model::command>& commands,
                          model::array_view<const model::buffer_info> buffers) {
  std::lock_guard lock(mutex_);
  if (std::all_of(std::begin(pages_), std::end(pages_),
                  [](const auto& pages) { return pages == nullptr; }))
    return;
  graph_pages::lives lives;
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    if (const auto* a = std::get_if<model::allocate_command>(&commands[i].payload))
      lives[a->allocation] = {i, planner::storage_request::never};
    else if (const auto* f = std::get_if<model::free_command>(&commands[i].payload))
      if (const auto l = lives.find(f->allocation); l != lives.end()) l->second.died = i;
  }
  const auto edges = planner::command_edges(commands, buffers);
  for (const auto& pages : pages_) {
    if (pages == nullptr) continue;
    pages->settle(lives, edges);
    for (model::command& c : commands)
      if (auto* const a = std::get_if<model::allocate_command>(&c.payload))
        if (pages->has(a->allocation)) a->place = pages->place_of(a->allocation);
  }
}

std::uint64_t graph_memory::bytes() const noexcept {
  std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& pages : pages_)
    if (pages != nullptr) sum += pages->bytes();
  for (const region& r : regions_) sum += r.storage.bytes();
  return sum;
}

}  // namespace pianola::runtime
