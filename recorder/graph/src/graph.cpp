// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/graph.hpp"

#include <algorithm>

#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>

namespace pianola::recorder {

using model::error_code;
using model::user_error;

model::command_id graph::append(model::command command) {
  model::argument_block* const arguments = model::arguments_of(command.payload);
  if (arguments != nullptr) *arguments = commands_->adopt_arguments(*arguments);
  const model::command_id id = commands_->append(command);
  node_edges_.reset();
  note_order(command.after);
  if (arguments != nullptr) parameters_.note(id.value(), *arguments);
  return id;
}

model::command_id graph::append_nested(const graph_contents& child, model::device_id device,
                                       std::vector<std::uint64_t> after) {
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  kept_alive_.insert(kept_alive_.end(), child.kept_alive.begin(), child.kept_alive.end());
  std::vector<model::buffer_id> buffers;
  for (std::size_t i = 0; i < child.buffers.size(); ++i)
    buffers.push_back(commands_->add_buffer(child.buffers[i], child.externals[i], child.labels[i]));
  model::command entry;
  entry.after = after;
  entry.device = device;
  entry.label = "subgraph begins";
  const model::command_id before = commands_->append(entry);
  note_order(after);
  const std::uint64_t first = before.value();
  std::vector<model::requirement> requirements;
  std::vector<std::uint64_t> order;
  std::vector<char> followed(child.commands.size() + 1, 0);  // from the entry on
  for (const model::command& source : child.commands) {
    model::command c = source;
    requirements.assign(source.requirements.begin(), source.requirements.end());
    for (model::requirement& r : requirements) r.buffer = buffers[r.buffer.value()];
    order.clear();
    for (const std::uint64_t a : source.after) order.push_back(first + 1 + a);
    if (order.empty()) order.push_back(first);
    for (const std::uint64_t a : order) followed[a - first] = 1;
    c.requirements = requirements;
    c.after = order;
    append(c);
  }
  model::command exit;
  order.clear();
  for (std::uint64_t i = first; i < commands_->size(); ++i)
    if (followed[i - first] == 0) order.push_back(i);
  exit.after = order;
  exit.device = device;
  exit.label = "subgraph ends";
  const model::command_id last = commands_->append(exit);
  note_order(order);
  for (const staging& s : child.staged)
    staged_.push_back({static_cast<std::uint32_t>(first + 1 + s.in),
                       static_cast<std::uint32_t>(first + 1 + s.out), s.bytes});
  nested_.push_back({static_cast<std::uint32_t>(first), last.value(), false});
  node_edges_.reset();
  return last;
}

void graph::note_staged_copy(const staging& between) {
  staged_.push_back(between);
  nested_.push_back({between.in, between.out, true});
  node_edges_.reset();
}

bool graph::is_staged_copy(model::command_id id) const {
  return std::any_of(staged_.begin(), staged_.end(),
                     [&](const staging& s) { return id.value() == s.in || id.value() == s.out; });
}

std::shared_ptr<const void> graph::exchange(model::command_id id, const model::command& command,
                                            std::vector<std::shared_ptr<void>> kept_alive) {
  forget_edges();
  auto old = commands_->exchange(id, command, std::move(kept_alive));
  const model::argument_block* arguments = model::arguments_of(commands_->command(id).payload);
  parameters_.note(id.value(), arguments != nullptr ? *arguments : model::argument_block());
  return old;
}

void graph::write_parameter(std::uint64_t cookie, std::uint32_t offset, const void* value,
                            std::uint32_t size, std::vector<std::shared_ptr<const void>>& old) {
  for (const parameter_places::place& p : parameters_.all())
    if (p.cookie == cookie)
      old.push_back(
          commands_->write_arguments(model::command_id(p.command), p.offset + offset, value, size));
}

void graph::make_edge(model::command_id from, model::command_id to) {
  const std::size_t n = commands_->size();
  if (!from.valid() || !to.valid() || from.value() >= n || to.value() >= n)
    throw user_error(error_code::invalid, "make_edge: a node is not of this graph");
  if (from == to) throw user_error(error_code::invalid, "make_edge: a node cannot follow itself");
  node_edges_.reset();
  forget_past();
  // What comes before a nested graph comes before its first command.
  edges_.add(*commands_, from, model::command_id(first_of(to)), looks_for_cycles_);
  note_followed(from.value());
}

const std::vector<char>& graph::past_of(const std::vector<std::uint32_t>& of) {
  past_.resize(commands_->size(), not_past);
  std::vector<std::uint32_t> found;
  std::size_t ends_met = 0;
  const auto visit = [&](std::uint32_t i) {
    ++past_looked_at_;
    if (past_[i] == end) {
      past_[i] = past;
      ++ends_met;
    } else if (past_[i] == not_past) {
      past_[i] = fresh;
      found.push_back(i);
    }
  };
  for (const std::uint32_t i : of) visit(i);
  for (std::size_t at = 0; at < found.size(); ++at)
    for (const std::uint64_t a : commands_->command(model::command_id(found[at])).after)
      visit(static_cast<std::uint32_t>(a));
  // Else some of what was there before does not come before these.
  if (ends_met == past_ends_ && edges_.backward().empty()) {
    for (const std::uint32_t i : found) past_[i] = past;
  } else {
    past_ = ancestors(of);
    past_looked_at_ += past_.size();
  }
  past_ends_ = 0;
  for (const std::uint32_t i : of) {
    if (past_[i] == end) continue;
    past_[i] = end;
    ++past_ends_;
  }
  return past_;
}

void graph::note_order(model::array_view<const std::uint64_t> after) {
  for (const std::uint64_t a : after) note_followed(a);
  followed_.push_back(0);
  ++unfollowed_;
}

void graph::note_followed(std::uint64_t command) {
  if (followed_[command] == 0) --unfollowed_;
  followed_[command] = 1;
}

std::vector<model::command_id> graph::leaves() const {
  const auto n = static_cast<std::uint32_t>(followed_.size());
  const auto is_followed = [this](std::uint32_t i) { return followed_[i] != 0; };
  known_leaves_.erase(std::remove_if(known_leaves_.begin(), known_leaves_.end(), is_followed),
                      known_leaves_.end());
  if (unfollowed_ == 0) {
    known_leaves_.clear();
  } else if (unfollowed_ == 1 && !is_followed(n - 1)) {
    known_leaves_.assign(1, n - 1);
  } else {
    // What is followed by now may follow a leaf of before.
    std::vector<std::uint32_t> open = std::move(known_leaves_);
    for (auto i = static_cast<std::uint32_t>(leaves_known_of_); i < n; ++i) open.push_back(i);
    known_leaves_.clear();
    for (const std::uint64_t i : edges_.leaves_among(*commands_, open))
      if (!is_followed(static_cast<std::uint32_t>(i)))
        known_leaves_.push_back(static_cast<std::uint32_t>(i));
  }
  leaves_known_of_ = n;
  return {known_leaves_.begin(), known_leaves_.end()};
}

std::vector<model::command_id> graph::nodes() const {
  std::vector<model::command_id> found;
  for (std::uint32_t i = 0; i < commands_->size(); ++i)
    if (node_of(i) == i) found.emplace_back(i);
  return found;
}

const graph::node_edges& graph::known_edges() const {
  if (node_edges_) return *node_edges_;
  node_edges known;
  std::vector<command_edge>& all = known.by_from;
  all = edges_.all(*commands_);
  for (auto& [from, to] : all) {
    from = node_of(from);
    to = node_of(to);
  }
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const auto& e) { return e.first == e.second; }),
      all.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  known.by_to.reserve(all.size());
  for (const auto& [from, to] : all) known.by_to.emplace_back(to, from);
  std::sort(known.by_to.begin(), known.by_to.end());
  return node_edges_.emplace(std::move(known));
}

namespace {

// The other ends of those that have the node first.
std::vector<model::command_id> ends_of(const std::vector<command_edge>& sorted,
                                       model::command_id node) {
  std::vector<model::command_id> ends;
  for (auto it = std::lower_bound(sorted.begin(), sorted.end(), command_edge{node.value(), 0});
       it != sorted.end() && it->first == node.value(); ++it)
    ends.emplace_back(it->second);
  return ends;
}

}  // namespace

std::vector<model::command_id> graph::predecessors(model::command_id node) const {
  return ends_of(known_edges().by_to, node);
}

std::vector<model::command_id> graph::successors(model::command_id node) const {
  return ends_of(known_edges().by_from, node);
}

const graph::nested* graph::nested_with(std::uint32_t command) const {
  // They do not overlap: the first one that ends behind the command or with it is the only one that may hold it.
  const auto n = std::lower_bound(
      nested_.begin(), nested_.end(), command,
      [](const nested& candidate, std::uint32_t wanted) { return candidate.last < wanted; });
  return n != nested_.end() && n->first <= command ? &*n : nullptr;
}

std::uint32_t graph::node_of(std::uint32_t command) const {
  const nested* n = nested_with(command);
  return n != nullptr ? n->last : command;
}

std::uint32_t graph::first_of(model::command_id node) const {
  const nested* n = nested_with(node.value());
  return n != nullptr && n->last == node.value() ? n->first : node.value();
}

bool graph::is_nested_graph(model::command_id node) const {
  const nested* n = nested_with(node.value());
  return n != nullptr && n->last == node.value() && !n->is_copy;
}

void graph::list_buffers(graph_contents& to) const {
  to.buffers.assign(commands_->buffers().begin(), commands_->buffers().end());
  for (std::uint32_t i = 0; i < to.buffers.size(); ++i) {
    to.externals.push_back(commands_->external(model::buffer_id(i)));
    to.labels.push_back(commands_->buffer_label(model::buffer_id(i)));
  }
}

graph_contents graph::known_buffers() const {
  graph_contents c;
  list_buffers(c);
  return c;
}

// Commands that share a buffer keep their order, whatever the edges say: an edge against it is a contradiction.
void graph::put_in_order(graph_contents& contents) const {
  const auto n = static_cast<std::uint32_t>(contents.commands.size());
  const std::vector<std::uint32_t> order = in_order(n, edges_.all(*commands_));
  if (order.size() != n && edges_.close_cycle(*commands_))
    throw user_error(error_code::invalid,
                     "the edges of the graph close a cycle, which make_edge was asked not to look "
                     "for: no order of its nodes is right");
  if (order.size() != n)
    throw user_error(error_code::invalid,
                     "an edge of the graph contradicts the order in which its commands use a "
                     "buffer: record the commands in the order in which they are to run");
  std::vector<std::uint32_t> place(n);
  for (std::uint32_t i = 0; i < n; ++i) place[order[i]] = i;
  std::vector<model::command> sorted;
  contents.after.resize(n);
  for (const std::uint32_t i : order)
    for (const std::uint64_t a : contents.commands[i].after)
      contents.after[place[i]].push_back(place[a]);
  for (const auto& [from, to] : edges_.backward()) contents.after[place[to]].push_back(place[from]);
  for (const std::uint32_t i : order) {
    model::command c = contents.commands[i];
    c.after = contents.after[sorted.size()];
    sorted.push_back(c);
  }
  contents.commands.swap(sorted);
  for (staging& between : contents.staged) {
    between.in = place[between.in];
    between.out = place[between.out];
  }
  contents.place = std::move(place);
}

graph_contents graph::contents() const {
  graph_contents c;
  c.storage = commands_;
  c.staged = staged_;
  c.kept_alive = kept_alive_;
  c.commands.assign(commands_->commands().begin(), commands_->commands().end());
  list_buffers(c);
  if (!edges_.backward().empty()) put_in_order(c);
  for (std::uint32_t i = 0; i < c.commands.size(); ++i)
    if (auto refers_to = commands_->exchanged(model::command_id(i))) {
      c.exchanged.resize(c.commands.size());
      c.exchanged[c.place.empty() ? i : c.place[i]] = std::move(refers_to);
    }
  c.hash = structural_hash(c.commands, c.buffers);
  return c;
}

}  // namespace pianola::recorder
