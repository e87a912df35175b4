// SPDX-License-Identifier: Apache-2.0
#include "box_index.hpp"

#include <iterator>

// Its own headers include what it says is old.
#define BOOST_ALLOW_DEPRECATED_HEADERS
#include <boost/geometry/algorithms/covered_by.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace pianola::planner::verification {

namespace {

namespace bg = boost::geometry;
using model::box;
using corner = bg::model::point<std::uint64_t, 3, bg::cs::cartesian>;
using closed_box =
    bg::model::box<corner>;  // with its last elements, so that boxes side by side do not meet
using leaf = std::pair<closed_box, std::uint32_t>;  // and where its value is

constexpr std::size_t few = 16;

closed_box closed(const box& b) {
  return {corner(b.lo.c[0], b.lo.c[1], b.lo.c[2]),
          corner(b.hi.c[0] - 1, b.hi.c[1] - 1, b.hi.c[2] - 1)};
}
box opened(const closed_box& c) {
  const corner &lo = c.min_corner(), &hi = c.max_corner();
  return {{{lo.get<0>(), lo.get<1>(), lo.get<2>()}},
          {{hi.get<0>() + 1, hi.get<1>() + 1, hi.get<2>() + 1}}};
}

struct same_leaf {
  bool operator()(const leaf& a, const leaf& b) const { return a.second == b.second; }
};

}  // namespace

struct box_index::tree {
  bg::index::rtree<leaf, bg::index::linear<16>, bg::index::indexable<leaf>, same_leaf> leaves;
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> unused;  // places among them

  void add(const box& where, std::uint32_t value) {
    auto place = static_cast<std::uint32_t>(values.size());
    if (unused.empty()) {
      values.push_back(value);
    } else {
      place = unused.back();
      unused.pop_back();
      values[place] = value;
    }
    leaves.insert({closed(where), place});
  }
};

box_index::box_index() = default;
box_index::box_index(box_index&&) noexcept = default;
box_index& box_index::operator=(box_index&&) noexcept = default;
box_index::~box_index() = default;

void box_index::add(const box& where, std::uint32_t value) {
  if (where.empty()) return;
  if (many_ == nullptr && few_.size() < few) {
    few_.push_back({where, value});
    return;
  }
  if (many_ == nullptr) {
    many_ = std::make_unique<tree>();
    for (const entry& e : few_) many_->add(e.where, e.value);
    few_ = {};
  }
  many_->add(where, value);
}

void box_index::replace(const box& where, std::uint32_t value) {
  if (many_ != nullptr && !where.empty()) {
    auto met = many_->leaves.qbegin(bg::index::intersects(closed(where)));
    if (met != many_->leaves.qend() && opened(met->first) == where) {
      const std::uint32_t place = met->second;
      if (++met == many_->leaves.qend()) {
        many_->values[place] = value;
        return;
      }
    }
  }
  cut_out(where);
  add(where, value);
}

std::vector<box_index::entry> box_index::meeting(const box& where) const {
  std::vector<entry> found;
  if (where.empty()) return found;
  for (const entry& e : few_)
    if (overlap(e.where, where)) found.push_back(e);
  if (many_ == nullptr) return found;
  const auto take = [&](const leaf& l) {
    found.push_back({opened(l.first), many_->values[l.second]});
  };
  many_->leaves.query(bg::index::intersects(closed(where)),
                      boost::make_function_output_iterator(take));
  return found;
}

std::vector<box_index::entry> box_index::cut_out(const box& hole) {
  std::vector<entry> met;
  if (hole.empty()) return met;
  if (many_ != nullptr) {
    std::vector<leaf> leaves;
    many_->leaves.query(bg::index::intersects(closed(hole)), std::back_inserter(leaves));
    for (const leaf& l : leaves) {
      met.push_back({opened(l.first), many_->values[l.second]});
      many_->leaves.remove(l);
      many_->unused.push_back(l.second);
    }
  } else {
    met = meeting(hole);
    if (!met.empty()) std::erase_if(few_, [&](const entry& e) { return overlap(e.where, hole); });
  }
  for (const entry& e : met)
    for_each_difference(e.where, hole, [&](const box& rest) { add(rest, e.value); });
  return met;
}

void box_index::clear() {
  few_.clear();
  many_.reset();
}

std::size_t box_index::size() const noexcept {
  return many_ != nullptr ? many_->leaves.size() : few_.size();
}

std::optional<box> box_index::gap(const box& where) const {
  const std::vector<entry> met = meeting(where);
  std::uint64_t covered = 0;
  for (const entry& e : met) covered += intersection(e.where, where).count();
  if (covered == where.count()) return std::nullopt;
  std::vector<box> rest{where}, next;
  for (const entry& e : met) {
    next.clear();
    for (const box& r : rest)
      for_each_difference(r, e.where, [&](const box& piece) { next.push_back(piece); });
    rest.swap(next);
    if (rest.empty()) return std::nullopt;
  }
  return rest.front();
}

}  // namespace pianola::planner::verification
