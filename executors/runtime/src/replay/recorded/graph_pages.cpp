// SPDX-License-Identifier: Apache-2.0
#include "replay/recorded/graph_pages.hpp"

#include <fmt/format.h>

#include <pianola/model/error.hpp>
#include <pianola/model/saturating.hpp>

#include "execute/memory_pools.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;
using planner::storage_request;

graph_pages::graph_pages(std::unique_ptr<executors::page_store> store)
    : store_(std::move(store)),
      first_number_(memory_pools::instance().number_bytes(store_->most_bytes())) {}

void* graph_pages::add(std::uint64_t name, std::uint64_t bytes) {
  const std::uint64_t whole = model::saturating_round_up(bytes, store_->page_bytes());
  void* pointer = nullptr;
  const executors::status reserved = store_->reserve(whole, pointer);
  if (!reserved.ok())
    throw user_error(error_code::memory_allocation,
                     fmt::format("async_malloc of {} bytes while a graph is recorded: {}", bytes,
                                 reserved.reason));
  by_name_[name] = allocations_.size();
  allocations_.push_back({name, pointer, whole});
  offsets_.push_back(storage_request::anywhere);
  return pointer;
}

void graph_pages::settle(const lives& of, edges order) {
  std::vector<storage_request> requests;
  std::vector<std::size_t> which;  // index: request
  std::vector<std::uint64_t> fixed;
  bool any = false;
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    const auto found = of.find(allocations_[i].name);
    if (found == of.end() && offsets_[i] == storage_request::anywhere) continue;
    any = any || offsets_[i] == storage_request::anywhere;
    const life l = found == of.end() ? life{0, storage_request::never} : found->second;
    requests.push_back({allocations_[i].bytes, l.born, l.died});
    fixed.push_back(offsets_[i]);
    which.push_back(i);
  }
  if (!any) return;
  const planner::storage_layout layout =
      planner::share_storage(requests, order, store_->page_bytes(), fixed);
  grow(layout.bytes);
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (fixed[r] != storage_request::anywhere) continue;
    const allocation& a = allocations_[which[r]];
    if (const executors::status s = store_->map(a.pointer, a.bytes, layout.offsets[r]); !s.ok())
      throw user_error(error_code::memory_allocation,
                       fmt::format("cannot put memory behind {} bytes of a graph's own allocation "
                                   "(async_malloc): {}",
                                   a.bytes, s.reason));
    offsets_[which[r]] = layout.offsets[r];
  }
}

void graph_pages::grow(std::uint64_t bytes) {
  if (bytes <= bytes_) return;
  if (const executors::status s = store_->grow(bytes); !s.ok())
    throw user_error(error_code::memory_allocation,
                     fmt::format("the graph's own allocations (async_malloc) need {} bytes at the "
                                 "same time: {}; free them earlier, or order the commands",
                                 bytes, s.reason));
  bytes_ = bytes;
}

}  // namespace pianola::runtime
