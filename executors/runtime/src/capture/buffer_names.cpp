// SPDX-License-Identifier: Apache-2.0
#include "capture/buffer_names.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>

#include <boost/container_hash/hash.hpp>

#include "data/buffer_table.hpp"
#include "process.hpp"

namespace pianola::runtime {

namespace {

// Graphs take the one for the other exactly if these are equal, but for chance.
std::uint64_t shape_of(const model::buffer_info& b) noexcept {
  std::size_t h = 0;
  const auto add = [&h](std::uint64_t value) { boost::hash_combine(h, value); };
  add(b.element_size);
  add(b.dimensions);
  for (int d = 0; d < 3; ++d) {
    add(b.grid.range().c[d]);
    add(b.grid.page().c[d]);
  }
  add((b.temporary ? 1U : 0U) + (b.evictable ? 2U : 0U));
  return h;
}

}  // namespace

std::uint64_t buffer_names::look_up(process& rt, buffer_key key) {
  seen& lately = lately_[key.value() % lately_.size()];
  const auto known = names_.find(key.value());
  if (known != names_.end()) {
    lately = {key.value(), known->second.name};
    return lately.name;
  }
  std::uint64_t shape = 0;
  {
    const std::lock_guard lock(rt.mutex);
    const buffer_entry* const b = rt.buffers.find_living(key);
    if (b == nullptr) return none;  // who submits the command is told
    shape = shape_of(b->info);
  }
  const auto ended =
      std::find_if(free_.rbegin(), free_.rend(), [&](const entry& e) { return e.shape == shape; });
  entry made{0, shape};
  if (ended != free_.rend()) {
    made.name = ended->name;
    free_.erase(std::next(ended).base());
  } else {
    made.name = ++next_;
  }
  names_.emplace(key.value(), made);
  lately = {key.value(), made.name};
  return made.name;
}

void buffer_names::ends(buffer_key key) {
  const auto known = names_.find(key.value());
  if (known == names_.end()) return;
  lately_[key.value() % lately_.size()] = {};
  if (free_.size() == most_free) free_.erase(free_.begin(), free_.begin() + most_free / 2);
  free_.push_back(known->second);
  names_.erase(known);
}

}  // namespace pianola::runtime
