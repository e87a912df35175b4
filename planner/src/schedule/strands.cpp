// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/schedule/strands.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "state/clock_rows.hpp"

namespace pianola::planner {

namespace {

// Nodes whose parts a node may follow part by part. Each is compared with every one that follows like that.
constexpr std::size_t max_open = 16;

// By so much shorter a graph must be, by its model, to be worth another order than that in which its nodes lie in memory and
// share caches.
constexpr double clearly_shorter = 0.98;

using graph_nodes = model::array_view<const strand_node>;
using graph_waits = model::array_view<const std::uint32_t>;

graph_waits node_waits(graph_nodes nodes, graph_waits waits, std::uint32_t n) {
  return {waits.data() + nodes[n].first_wait, nodes[n].wait_count};
}

// Who goes where, and when all is done.
struct assignment {
  static constexpr std::uint32_t all = 0xffffffffU;
  std::vector<std::uint32_t> strand;  // index: node; all: cut
  double makespan = 0;
};

class strand_assigner {
 public:
  strand_assigner(graph_nodes nodes, graph_waits waits, unsigned strands, const strand_costs& costs)
      : nodes_(nodes), waits_(waits), strands_(strands), costs_(costs) {}

  // `order`: empty for that of the nodes.
  [[nodiscard]] assignment in_order(const std::vector<std::uint32_t>& order) {
    made_.strand.assign(nodes_.size(), 0);
    made_.makespan = 0;
    finish_.assign(nodes_.size(), 0.0);
    available_.assign(strands_, 0.0);
    const auto node = [&](std::size_t i) {
      return order.empty() ? static_cast<std::uint32_t>(i) : order[i];
    };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool last = i + 1 == nodes_.size();
      const std::uint32_t n = node(i);
      if (worth_cutting(n, last || waits_for(node(i + 1), n)))
        cut(n);
      else
        place(n);
      made_.makespan = std::max(made_.makespan, finish_[n]);
    }
    return made_;
  }

  // By the longest way to the end of the graph: what they take, and a handover where several strands may have it. The
  // longest first, so before each node comes what it waits for.
  [[nodiscard]] std::vector<std::uint32_t> by_urgency() {
    const std::size_t count = nodes_.size();
    const double handover = costs_.handover * (1.0 - 1.0 / strands_);
    std::vector<double> rank(count, 0.0);
    // Nobody given before one that may block is less urgent than that.
    double least = 0;
    for (std::size_t i = count; i-- > 0;) {
      const auto n = static_cast<std::uint32_t>(i);
      const bool chained = i + 1 == count || waits_for(n + 1, n);
      const double takes = nodes_[n].cost / (worth_cutting(n, chained) ? strands_ : 1);
      rank[n] = std::max(least, rank[n] + takes);
      if (nodes_[n].blocking) least = rank[n];
      for (const std::uint32_t before : node_waits(nodes_, waits_, n))
        rank[before] = std::max(rank[before], rank[n] + handover);
    }
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank[a] != rank[b] ? rank[a] > rank[b] : a < b;
    });
    return order;
  }

  // No order takes less: all nodes one after the other on their ways, and all strands at work all the time.
  [[nodiscard]] double bound() const {
    std::vector<double> end(nodes_.size(), 0.0);
    double longest = 0, sum = 0;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      double begin = 0;
      for (const std::uint32_t before : node_waits(nodes_, waits_, n))
        begin = std::max(begin, end[before]);
      end[n] = begin + nodes_[n].cost / (nodes_[n].divisible ? strands_ : 1);
      longest = std::max(longest, end[n]);
      sum += nodes_[n].cost;
    }
    return std::max(longest, sum / strands_);
  }

 private:
  [[nodiscard]] bool waits_for(std::uint32_t later, std::uint32_t n) const {
    const graph_waits before = node_waits(nodes_, waits_, later);
    return std::find(before.begin(), before.end(), n) != before.end();
  }
  // `chained`: the next step waits for it.
  [[nodiscard]] bool worth_cutting(std::uint32_t n, bool chained) const {
    return nodes_[n].divisible &&
           nodes_[n].cost >= (chained ? costs_.cut_in_chain_from : costs_.cut_from);
  }

  void cut(std::uint32_t n) {
    double ready = 0;
    for (const std::uint32_t before : node_waits(nodes_, waits_, n))
      ready = std::max(ready, finish_[before]);
    double end = 0;
    for (unsigned t = 0; t < strands_; ++t) {
      available_[t] = std::max(available_[t], ready + costs_.handover) + nodes_[n].cost / strands_;
      end = std::max(end, available_[t]);
    }
    finish_[n] = end;
    made_.strand[n] = assignment::all;
  }

  void place(std::uint32_t n) {
    const double cost = nodes_[n].cost;
    unsigned best = 0;
    double best_end = 0;
    for (unsigned t = 0; t < (nodes_[n].blocking ? 1 : strands_); ++t) {
      double begin = available_[t];
      for (const std::uint32_t before : node_waits(nodes_, waits_, n)) {
        const std::uint32_t where = made_.strand[before];
        const bool here = where == t || where == assignment::all;
        begin = std::max(begin, finish_[before] + (here ? 0.0 : costs_.handover));
      }
      if (t == 0 || begin + cost < best_end) {
        best = t;
        best_end = begin + cost;
      }
    }
    available_[best] = best_end;
    finish_[n] = best_end;
    made_.strand[n] = best;
  }

  const graph_nodes nodes_;
  const graph_waits waits_;
  const unsigned strands_;
  const strand_costs costs_;
  assignment made_;
  std::vector<double> finish_;     // index: node
  std::vector<double> available_;  // index: strand
};

// Lists of items, and what they wait for.
class strand_writer {
 public:
  strand_writer(graph_nodes nodes, graph_waits waits, unsigned strands, const part_knowledge& parts)
      : nodes_(nodes),
        waits_(waits),
        strands_(strands),
        parts_(parts),
        position_(nodes.size() * strands, 0),
        known_(strands) {
    out_.strands.resize(strands);
    out_.relations.resize(nodes.size());
    for (clock_rows& k : known_) {
      k.clear();
      k.clear_row(strands);
    }
  }

  strand_schedule write(const assignment& made, const std::vector<std::uint32_t>& order) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::uint32_t n = order.empty() ? static_cast<std::uint32_t>(i) : order[i];
      const bool cut = made.strand[n] == assignment::all;
      relate(n, cut);
      if (!cut) append(made.strand[n], n, true);
      for (unsigned t = 0; cut && t < strands_; ++t) append(t, n, false);
    }
    out_.makespan = made.makespan;
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t& position(std::uint32_t n, unsigned strand) {
    return position_[std::size_t{n} * strands_ + strand];
  }

  // Other parts of open nodes may still run when a part of a node starts: nodes that follow it must not forget them.
  void relate(std::uint32_t n, bool in_parts) {
    part_relations& r = out_.relations[n];
    const auto before = node_waits(nodes_, waits_, n);
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

  const graph_nodes nodes_;
  const graph_waits waits_;
  const unsigned strands_;
  const part_knowledge& parts_;
  strand_schedule out_;
  // Where the parts of a node are: items finished on each strand once the node is done there (0: no
  // part of it there).
  std::vector<std::uint32_t> position_;
  // Index: strand. Strands are lanes: what each knows to have finished on the others after each of its items, and in the
  // working row when it comes to its next one.
  std::vector<clock_rows> known_;
};

}  // namespace

strand_schedule assign_strands(model::array_view<const strand_node> nodes,
                               model::array_view<const std::uint32_t> waits, unsigned strands,
                               const part_knowledge& parts, const strand_costs& costs,
                               strand_order order) {
  strand_assigner assign(nodes, waits, strands, costs);
  std::vector<std::uint32_t> numbers;  // empty: as given
  assignment made = assign.in_order(numbers);
  const bool worth_a_look =
      order == strand_order::by_urgency || (order == strand_order::shorter && strands > 1 &&
                                            assign.bound() < clearly_shorter * made.makespan);
  if (worth_a_look) {
    std::vector<std::uint32_t> urgent = assign.by_urgency();
    assignment other = assign.in_order(urgent);
    if (order == strand_order::by_urgency || other.makespan < clearly_shorter * made.makespan) {
      made = std::move(other);
      numbers = std::move(urgent);
    }
  }
  return strand_writer(nodes, waits, strands, parts).write(made, numbers);
}

}  // namespace pianola::planner
