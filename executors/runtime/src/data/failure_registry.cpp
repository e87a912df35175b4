// SPDX-License-Identifier: Apache-2.0
#include "data/failure_registry.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/geometry/algorithms/covered_by.hpp>
#include <boost/geometry/algorithms/equals.hpp>
#include <boost/geometry/algorithms/intersects.hpp>
#include <boost/geometry/core/cs.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>

namespace pianola::runtime {

namespace {

namespace geometry = boost::geometry;
using tree_point = geometry::model::point<std::uint64_t, 3, geometry::cs::cartesian>;
using tree_box = geometry::model::box<tree_point>;

// The tree's boxes hold their upper ends.
tree_box closed(const model::box& b) {
  return {tree_point(b.lo.c[0], b.lo.c[1], b.lo.c[2]),
          tree_point(b.hi.c[0] - 1, b.hi.c[1] - 1, b.hi.c[2] - 1)};
}

std::uint64_t key_of(model::buffer_id buffer, std::uint32_t generation) noexcept {
  return std::uint64_t{generation} << 32 | buffer.value();
}

}  // namespace

struct failure_registry::storage {
  struct numbered;
  using place = std::list<numbered>::iterator;
  using by_step = std::multimap<std::uint64_t, place>;
  struct numbered {
    entry what;
    std::uint64_t number;       // parts of one that was cut have the same
    by_step::iterator retires;  // if it is stale
  };
  using tree = geometry::index::rtree<std::pair<tree_box, place>, geometry::index::quadratic<16>>;
  struct of_buffer {
    std::list<numbered> entries;
    tree where;
  };

  std::unordered_map<std::uint64_t, of_buffer> buffers;
  by_step stale;
  std::uint64_t next_number = 0;
  mutable std::uint64_t looked_at = 0;

  std::vector<place> overlapping(const of_buffer& b, const model::box& elements) const {
    std::vector<place> found;
    if (elements.empty()) return found;
    for (auto i = b.where.qbegin(geometry::index::intersects(closed(elements)));
         i != b.where.qend(); ++i)
      found.push_back(i->second);
    looked_at += found.size();
    std::sort(found.begin(), found.end(), [](place x, place y) { return x->number < y->number; });
    return found;
  }

  void insert(of_buffer& b, entry e, std::uint64_t number) {
    b.entries.push_back({std::move(e), number, stale.end()});
    const place at = std::prev(b.entries.end());
    b.where.insert({closed(at->what.elements), at});
    if (!at->what.poisoned) at->retires = stale.emplace(at->what.known_at.value(), at);
  }

  void erase(of_buffer& b, place at) {
    b.where.remove({closed(at->what.elements), at});
    if (at->retires != stale.end()) stale.erase(at->retires);
    b.entries.erase(at);
  }

  void known_later(place at, model::step_id step) {
    at->what.known_at = step;
    if (at->retires != stale.end()) stale.erase(at->retires);
    at->retires = stale.emplace(step.value(), at);
  }
};

failure_registry::failure_registry() : storage_(std::make_unique<storage>()) {}
failure_registry::~failure_registry() = default;

std::uint64_t failure_registry::looked_at() const noexcept { return storage_->looked_at; }

void failure_registry::for_each(model::buffer_id buffer, std::uint32_t generation,
                                const model::box& elements, const visitor& f) const {
  const auto known = storage_->buffers.find(key_of(buffer, generation));
  if (known == storage_->buffers.end()) return;
  for (const storage::place p : storage_->overlapping(known->second, elements)) f(p->what);
}

const failure_registry::entry* failure_registry::any(model::buffer_id buffer,
                                                     std::uint32_t generation,
                                                     const model::box& elements,
                                                     const condition& wanted) const {
  const auto known = storage_->buffers.find(key_of(buffer, generation));
  if (known == storage_->buffers.end() || elements.empty()) return nullptr;
  const storage::tree& where = known->second.where;
  for (auto i = where.qbegin(geometry::index::intersects(closed(elements))); i != where.qend();
       ++i) {
    ++storage_->looked_at;
    if (wanted(i->second->what)) return &i->second->what;
  }
  return nullptr;
}

const failure_registry::entry* failure_registry::find(model::buffer_id buffer,
                                                      std::uint32_t generation,
                                                      const model::box& elements,
                                                      model::memory_id memory,
                                                      model::step_id step) const {
  const auto known = storage_->buffers.find(key_of(buffer, generation));
  if (known == storage_->buffers.end()) return nullptr;
  for (const storage::place p : storage_->overlapping(known->second, elements))
    if ((p->what.poisoned || step < p->what.known_at) &&
        (p->what.affected == everywhere || p->what.affected == memory))
      return &p->what;
  return nullptr;
}

void failure_registry::add(entry e) {
  if (e.elements.empty()) return;
  storage::of_buffer& b = storage_->buffers[key_of(e.buffer, e.generation)];
  const auto same = geometry::index::satisfies([&](const storage::tree::value_type& v) {
    const entry& k = v.second->what;
    ++storage_->looked_at;
    return k.elements == e.elements && k.poisoned == e.poisoned && k.affected == e.affected &&
           k.valid_in == e.valid_in && k.cause == e.cause;
  });
  const auto known = b.where.qbegin(geometry::index::intersects(closed(e.elements)) && same);
  if (known != b.where.qend()) {
    if (!e.poisoned) storage_->known_later(known->second, e.known_at);
    return;
  }
  storage_->insert(b, std::move(e), storage_->next_number++);
  ++count_;
}

void failure_registry::clear(model::buffer_id buffer, std::uint32_t generation,
                             const model::box& elements) {
  const auto known = storage_->buffers.find(key_of(buffer, generation));
  if (known == storage_->buffers.end()) return;
  storage::of_buffer& b = known->second;
  for (const storage::place p : storage_->overlapping(b, elements)) {
    for_each_difference(p->what.elements, elements, [&](const model::box& rest) {
      entry piece = p->what;
      piece.elements = rest;
      storage_->insert(b, std::move(piece), p->number);
      ++count_;
    });
    storage_->erase(b, p);
    --count_;
  }
  if (b.entries.empty()) storage_->buffers.erase(known);
}

void failure_registry::end_buffer(model::buffer_id buffer, std::uint32_t generation,
                                  model::step_id next) {
  const auto known = storage_->buffers.find(key_of(buffer, generation));
  if (known == storage_->buffers.end()) return;
  for (auto p = known->second.entries.begin(); p != known->second.entries.end(); ++p) {
    if (!p->what.poisoned) continue;
    p->what.poisoned = false;
    storage_->known_later(p, next);
  }
}

void failure_registry::retire_below(model::step_id step) noexcept {
  while (!storage_->stale.empty() && storage_->stale.begin()->first <= step.value()) {
    const storage::place p = storage_->stale.begin()->second;
    const auto b = storage_->buffers.find(key_of(p->what.buffer, p->what.generation));
    ++storage_->looked_at;
    storage_->erase(b->second, p);
    --count_;
    if (b->second.entries.empty()) storage_->buffers.erase(b);
  }
}

}  // namespace pianola::runtime
