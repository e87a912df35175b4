// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/schedule/strands.hpp"

#include <algorithm>

#include "state/clock_rows.hpp"

namespace pianola::planner {

namespace {

// Nodes whose parts a node may follow part by part. Each is compared with every one that follows like that.
constexpr std::size_t max_open = 16;

class scheduler {
 public:
  scheduler(model::array_view<const strand_node> nodes,
            model::array_view<const std::uint32_t> waits, unsigned strands,
            const part_knowledge& parts, const strand_costs& costs)
      : nodes_(nodes),
        waits_(waits),
        strands_(strands),
        parts_(parts),
        costs_(costs),
        position_(nodes.size() * strands, 0),
        finish_(nodes.size(), 0.0),
        available_(strands, 0.0),
        known_(strands) {
    out_.strands.resize(strands);
    out_.relations.resize(nodes.size());
    for (clock_rows& k : known_) {
      k.clear();
      k.clear_row(strands);
    }
  }

  strand_schedule run() {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      if (worth_cutting(n))
        cut(n);
      else
        place(n);
    return std::move(out_);
  }

 private:
  [[nodiscard]] model::array_view<const std::uint32_t> waits_of(std::uint32_t n) const {
    return {waits_.data() + nodes_[n].first_wait, nodes_[n].wait_count};
  }
  [[nodiscard]] std::uint32_t& position(std::uint32_t n, unsigned strand) {
    return position_[std::size_t{n} * strands_ + strand];
  }

  [[nodiscard]] bool next_waits_for(std::uint32_t n) const {
    if (n + 1 == nodes_.size()) return true;
    const auto next = waits_of(n + 1);
    return std::find(next.begin(), next.end(), n) != next.end();
  }
  [[nodiscard]] bool worth_cutting(std::uint32_t n) const {
    return nodes_[n].divisible &&
           nodes_[n].cost >= (next_waits_for(n) ? costs_.cut_in_chain_from : costs_.cut_from);
  }

  void cut(std::uint32_t n) {
    double ready = 0;
    for (const std::uint32_t before : waits_of(n)) ready = std::max(ready, finish_[before]);
    relate(n, true);
    double end = 0;
    for (unsigned t = 0; t < strands_; ++t) {
      append(t, n, false);
      available_[t] = std::max(available_[t], ready + costs_.handover) + nodes_[n].cost / strands_;
      end = std::max(end, available_[t]);
    }
    finish_[n] = end;
  }

  void place(std::uint32_t n) {
    const double cost = nodes_[n].cost;
    unsigned best = 0;
    double best_end = 0;
    for (unsigned t = 0; t < (nodes_[n].blocking ? 1 : strands_); ++t) {
      double begin = available_[t];
      for (const std::uint32_t before : waits_of(n)) {
        const bool here = position(before, t) != 0;
        begin = std::max(begin, finish_[before] + (here ? 0.0 : costs_.handover));
      }
      if (t == 0 || begin + cost < best_end) {
        best = t;
        best_end = begin + cost;
      }
    }
    relate(n, false);
    append(best, n, true);
    available_[best] = best_end;
    finish_[n] = best_end;
  }

  // Other parts of open nodes may still run when a part of a node starts: nodes that follow it must not forget them.
  void relate(std::uint32_t n, bool in_parts) {
    part_relations& r = out_.relations[n];
    const auto before = waits_of(n);
    r.ended.assign(before.begin(), before.end());
    r.in_parts = in_parts;
    if (!in_parts || !nodes_[n].touches_known) return;
    std::vector<std::uint32_t> candidates;
    for (const std::uint32_t b : before) {
      candidates.push_back(b);
      const std::vector<std::uint32_t>& open = out_.relations[b].open;
      candidates.insert(candidates.end(), open.begin(), open.end());
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    if (candidates.size() > max_open) return;
    r.ended.clear();
    for (const std::uint32_t b : candidates)
      (out_.relations[b].in_parts && parts_.independent(b, n) ? r.open : r.ended).push_back(b);
    out_.relies_on_knowledge = out_.relies_on_knowledge || !r.open.empty();
  }

  void append(unsigned t, std::uint32_t n, bool whole) {
    strand_item item{n, static_cast<std::uint32_t>(out_.waits.size()), 0, whole, {}};
    for (const std::uint32_t before : out_.relations[n].ended)
      for (unsigned u = 0; u < strands_; ++u) {
        const std::uint32_t count = position(before, u);
        if (u == t || count == 0 || known_[t].reached(u, count)) continue;
        out_.waits.push_back({u, count});
        known_[t].merge(known_[u], count - 1);
      }
    item.wait_count = static_cast<std::uint32_t>(out_.waits.size()) - item.first_wait;
    out_.strands[t].push_back(item);
    const auto done = static_cast<std::uint32_t>(out_.strands[t].size());
    position(n, t) = done;
    known_[t].raise(t, done);
    known_[t].store_row(strands_);
  }

  const model::array_view<const strand_node> nodes_;
  const model::array_view<const std::uint32_t> waits_;
  const unsigned strands_;
  const part_knowledge& parts_;
  const strand_costs costs_;
  strand_schedule out_;
  // Where the parts of a node are: items finished on each strand once the node is done there (0: no
  // part of it there).
  std::vector<std::uint32_t> position_;
  std::vector<double> finish_;     // index: node
  std::vector<double> available_;  // index: strand
  // Index: strand. Strands are lanes: what each knows to have finished on the others after each of its items, and in the
  // working row when it comes to its next one.
  std::vector<clock_rows> known_;
};

}  // namespace

strand_schedule assign_strands(model::array_view<const strand_node> nodes,
                               model::array_view<const std::uint32_t> waits, unsigned strands,
                               const part_knowledge& parts, const strand_costs& costs) {
  return scheduler(nodes, waits, strands, parts, costs).run();
}

}  // namespace pianola::planner
