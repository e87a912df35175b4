// SPDX-License-Identifier: Apache-2.0
// Streams whose work becomes nodes of a graph.
#include <algorithm>

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

}  // namespace

void engine::begin_capture(const std::shared_ptr<stream>& s, bool any_thread,
                           const std::shared_ptr<graph>& known, const void* const* after,
                           std::size_t count) {
  check(*s->owner);
  if (s->legacy) violate(codes::capture_unsupported, "the default stream cannot be captured");
  if (s->captured != nullptr) violate(codes::illegal_state, "the stream is being captured");
  auto c = std::make_shared<capture>();
  c->made = known != nullptr ? known : make_graph();
  c->own_graph = known == nullptr;
  c->origin = s.get();
  c->streams.push_back(s);
  c->thread = std::this_thread::get_id();
  c->any_thread = any_thread;
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = handles.get<node>(after[i], codes::invalid_value);
    if (n->owner != c->made.get())
      violate(codes::invalid_value, "a dependency is a node of another graph");
    s->tips.push_back(n->index);
  }
  s->captured = std::move(c);
}

std::shared_ptr<graph> engine::end_capture(stream& s) {
  const auto c = s.captured;
  if (c == nullptr) violate(codes::illegal_state, "the stream is not being captured");
  if (c->origin != &s)
    violate(codes::capture_unmatched, "the capture was begun with another stream");
  if (!c->any_thread && c->thread != std::this_thread::get_id())
    violate(codes::capture_wrong_thread, "the capture was begun by another thread");
  const std::vector<bool> joined = before_tips(*c->made, s.tips);
  bool all_joined = true;
  for (const auto& w : c->streams)
    if (const auto other = w.lock(); other != nullptr && other->captured == c) {
      for (const std::size_t tip : other->tips) all_joined = all_joined && joined[tip];
      leave(*other);
    }
  c->ended = true;
  if (c->own_graph && (c->invalid || !all_joined)) destroy(*c->made);
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
