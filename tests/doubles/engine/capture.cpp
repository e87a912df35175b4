// SPDX-License-Identifier: Apache-2.0
// Streams whose work becomes nodes of a graph.
#include <algorithm>
#include <utility>

#include "engine.hpp"

namespace pianola::test::drivers {

namespace {

void add_tips(std::vector<std::size_t>& tips, const std::vector<std::size_t>& more) {
  tips.insert(tips.end(), more.begin(), more.end());
  std::sort(tips.begin(), tips.end());
  tips.erase(std::unique(tips.begin(), tips.end()), tips.end());
}

// Nodes that the tips come after, and themselves.
std::vector<bool> before_tips(const graph& g, const std::vector<std::size_t>& tips) {
  std::vector<bool> found(g.nodes.size());
  for (const std::size_t tip : tips) found[tip] = true;
  for (std::size_t i = found.size(); i-- > 0;)
    if (found[i])
      for (const std::size_t earlier : g.nodes[i]->after) found[earlier] = true;
  return found;
}

void leave(stream& s) {
  s.captured = nullptr;
  s.tips.clear();
}

thread_local capture_mode mode_of_thread = capture_mode::global;

capture_mode mode_of(int number) {
  if (number < 0 || number > 2) violate(codes::invalid_value, "the mode of a capture");
  return static_cast<capture_mode>(number);
}

}  // namespace

int engine::exchange_capture_mode(int mode) {
  return static_cast<int>(std::exchange(mode_of_thread, mode_of(mode)));
}

void engine::check_captures() {
  if (mode_of_thread == capture_mode::relaxed) return;
  std::erase_if(captures_, [](const auto& w) { return w.expired() || w.lock()->ended; });
  bool lost = false;
  for (const auto& w : captures_) {
    const auto c = w.lock();
    const bool own = c->thread == std::this_thread::get_id();
    if (own ? c->mode == capture_mode::relaxed
            : c->mode != capture_mode::global || mode_of_thread != capture_mode::global)
      continue;
    c->invalid = lost = true;
  }
  if (lost) violate(codes::capture_unsupported, "a stream is being captured, which forbids that");
}

void engine::begin_capture(const std::shared_ptr<stream>& s, int mode,
                           const std::shared_ptr<graph>& known, const void* const* after,
                           std::size_t count) {
  const capture_mode wanted = mode_of(mode);
  check(*s->owner);
  if (s->legacy) violate(codes::capture_unsupported, "the default stream cannot be captured");
  if (s->captured != nullptr) violate(codes::illegal_state, "the stream is being captured");
  auto c = std::make_shared<capture>();
  c->made = known != nullptr ? known : make_graph();
  c->own_graph = known == nullptr;
  c->origin = s.get();
  c->streams.push_back(s);
  c->thread = std::this_thread::get_id();
  c->mode = wanted;
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = handles.get<node>(after[i], codes::invalid_value);
    if (n->owner != c->made.get())
      violate(codes::invalid_value, "a dependency is a node of another graph");
    s->tips.push_back(n->index);
  }
  ++c->made->captures;
  captures_.push_back(c);
  s->captured = std::move(c);
}

const std::vector<void*>& engine::tips_of(stream& s) {
  s.told.clear();
  for (const std::size_t tip : s.tips) s.told.push_back(s.captured->made->nodes[tip]->handle);
  return s.told;
}

std::shared_ptr<graph> engine::end_capture(stream& s) {
  const auto c = s.captured;
  if (c == nullptr) violate(codes::illegal_state, "the stream is not being captured");
  if (c->origin != &s)
    violate(codes::capture_unmatched, "the capture was begun with another stream");
  if (c->mode != capture_mode::relaxed && c->thread != std::this_thread::get_id())
    violate(codes::capture_wrong_thread, "the capture was begun by another thread");
  const std::vector<bool> joined = before_tips(*c->made, s.tips);
  bool all_joined = true;
  for (const auto& w : c->streams)
    if (const auto other = w.lock(); other != nullptr && other->captured == c) {
      for (const std::size_t tip : other->tips) all_joined = all_joined && joined[tip];
      leave(*other);
    }
  c->ended = true;
  --c->made->captures;
  // Whether real drivers leave a graph of the program's is not documented: nobody may rely on it.
  if (c->invalid || !all_joined) destroy(*c->made);
  if (c->invalid) violate(codes::capture_invalidated, "something was done that cannot be captured");
  if (!all_joined)
    violate(codes::capture_unjoined,
            "another stream has work that the captured one has not waited for");
  return c->made;
}

bool engine::captured(const std::shared_ptr<stream>& s, const node_action& action) {
  if (s->captured == nullptr) return false;
  if (s->captured->invalid)
    violate(codes::capture_invalidated, "something was done that cannot be captured");
  const auto& made = s->captured->made;
  std::vector<const void*> after;
  for (const std::size_t tip : s->tips) after.push_back(made->nodes[tip]->handle);
  const auto n = add_node(made, after.data(), after.size(), s->owner, action);
  s->tips = {n->index};
  return true;
}

void* engine::allocate(const std::shared_ptr<stream>& s, std::size_t bytes) {
  if (!captured(s, nothing{})) return allocate(s->owner, memory_type::device, bytes);
  graph& g = *s->captured->made;
  g.nodes[s->tips[0]]->memory = true;
  g.memory.push_back({allocate(s->owner, memory_type::device, bytes), false});
  return g.memory.back().start;
}

void engine::free(const std::shared_ptr<stream>& s, void* start) {
  allocation* const a = find(start);
  if (a == nullptr || a->start != reinterpret_cast<std::uintptr_t>(start) ||
      a->type != memory_type::device)
    violate(codes::invalid_value, "the address is not where an allocation starts");
  if (captured(s, nothing{})) {
    graph& g = *s->captured->made;
    g.nodes[s->tips[0]]->memory = true;
    const auto owned = std::find_if(g.memory.begin(), g.memory.end(), [&](const graph::owned& o) {
      return o.start == start && !o.freed;
    });
    if (owned == g.memory.end())
      violate(codes::invalid_value, "a node frees what no node of the graph has allocated");
    owned->freed = true;
    return;
  }
  auto t = std::make_shared<task>();
  t->owner = s->owner;
  t->at_end = [this, at = a->start, number = a->number] {
    if (allocation* const still = memory_->with_number(at, number); still != nullptr)
      release(*still);
  };
  enqueue(s, t);
}

void engine::join(const std::shared_ptr<stream>& s, const event& e) {
  if (e.captured == nullptr) {
    s->captured->invalid = true;
    violate(codes::capture_isolation,
            "a stream that is captured cannot wait for an event that was recorded outside");
  }
  if (e.captured->ended)
    violate(codes::captured_event, "the event was recorded in a capture that has ended");
  if (s->captured == nullptr) {
    s->captured = e.captured;
    e.captured->streams.push_back(s);
  } else if (s->captured != e.captured) {
    s->captured->invalid = e.captured->invalid = true;
    violate(codes::capture_merge, "a wait would join two captures");
  }
  add_tips(s->tips, e.tips);
}

void engine::refuse_captured(const stream& s) {
  if (s.captured == nullptr) return;
  s.captured->invalid = true;
  violate(codes::capture_unsupported, "nobody can wait for a stream that is captured, or ask it");
}

void engine::refuse_captured(const event& e) {
  if (e.captured == nullptr) return;
  if (!e.captured->ended) e.captured->invalid = true;
  violate(codes::captured_event, "the event was recorded in a stream that was captured");
}

}  // namespace pianola::test::drivers
