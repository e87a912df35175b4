// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include <utility>

#include "engine.hpp"

namespace pianola::test::drivers {

std::shared_ptr<stream> engine::make_stream(const std::shared_ptr<context>& c, unsigned flags,
                                            bool non_blocking, int priority) {
  check(*c);
  auto s = std::make_shared<stream>();
  s->owner = c;
  s->flags = flags;
  s->non_blocking = non_blocking;
  s->priority = priority;
  handles.add(s);
  std::erase_if(c->streams, [](const auto& w) { return w.expired(); });
  c->streams.push_back(s);
  return s;
}

// What is under way in it goes on.
void engine::destroy(stream& s) { handles.remove(s); }

std::shared_ptr<stream> engine::stream_of(const std::shared_ptr<context>& current,
                                          const void* handle) {
  if (handle == nullptr || handle == reinterpret_cast<const void*>(1))
    return current->default_stream;
  return handles.get<stream>(handle);
}

// A context's default stream and those streams that are not "non-blocking" wait for each other.
std::vector<std::shared_ptr<task>> engine::before(stream& s) const {
  std::vector<std::shared_ptr<task>> all = {s.last};
  if (s.legacy) {
    for (const auto& w : s.owner->streams)
      if (const auto other = w.lock(); other != nullptr && !other->non_blocking)
        all.push_back(other->last);
  } else if (!s.non_blocking) {
    all.push_back(s.owner->default_stream->last);
  }
  return all;
}

void engine::enqueue(const std::shared_ptr<stream>& s, const std::shared_ptr<task>& t) {
  scheduler_.add(t, before(*s));
  s->last = t;
}

void engine::synchronize(lock& held, stream& s) {
  const auto owner = s.owner;
  check(*owner);
  refuse_captured(s);
  std::vector<std::shared_ptr<task>> all = before(s);
  scheduler_.wait(held, [&] {
    for (const auto& t : all)
      if (t != nullptr && !t->done) return false;
    return true;
  });
  print(*owner);
  check(*owner);
}

int engine::query(stream& s) {
  check(*s.owner);
  refuse_captured(s);
  for (const auto& t : before(s))
    if (t != nullptr && !t->done) return codes::not_ready;
  return codes::success;
}

std::shared_ptr<event> engine::make_event(const std::shared_ptr<context>& c, bool timed) {
  check(*c);
  auto e = std::make_shared<event>();
  e->owner = c;
  e->timed = timed;
  handles.add(e);
  return e;
}

void engine::record(event& e, const std::shared_ptr<stream>& s) {
  if (e.owner != s->owner)
    violate(codes::invalid_handle, "event and stream are of different contexts");
  check(*s->owner);
  e.where = s;
  e.captured = s->captured;
  e.tips = s->tips;
  if (s->captured != nullptr) return;
  auto t = std::make_shared<task>();
  t->owner = s->owner;
  enqueue(s, t);
  e.recorded = t;
}

void engine::wait(const std::shared_ptr<stream>& s, event& e) {
  check(*s->owner);
  check(*e.owner);
  if (s->captured != nullptr || e.captured != nullptr) return join(s, e);
  if (e.recorded == nullptr || e.recorded->done) return;
  auto t = std::make_shared<task>();
  t->owner = s->owner;
  auto after = before(*s);
  after.push_back(e.recorded);
  scheduler_.add(t, after);
  s->last = t;
}

void engine::check_event(const event& e) const {
  if (!handles.is_live(e.handle))
    violate(codes::invalid_value, "the event of a node has been destroyed");
}

void engine::check_event(const node_action& a) const {
  if (const auto* r = std::get_if<recording>(&a)) check_event(*r->what);
  if (const auto* w = std::get_if<awaiting>(&a)) check_event(*w->what);
}

engine::prepared engine::prepare(const std::shared_ptr<context>& where, const recording& r) {
  check_event(*r.what);
  if (r.what->owner != where)
    violate(codes::invalid_value, "the event that a node records is of another context");
  prepared p = prepare(where, nothing{});
  if (late_records_) p.what->records = r.what;
  return p;
}

engine::prepared engine::prepare(const std::shared_ptr<context>& where, const awaiting& a) {
  check_event(*a.what);
  check(*a.what->owner);
  prepared p = prepare(where, nothing{});
  if (late_waits_)
    p.what->work = [this, what = a.what]() -> task::result {
      lock held(mutex_);
      const auto recorded = what->recorded;
      scheduler_.wait(held, [&] { return recorded == nullptr || recorded->done; });
      return {};
    };
  return p;
}

void engine::ended(const std::shared_ptr<task>& t) {
  release_memory_of(*t);
  if (t->records != nullptr) {
    t->records->recorded = t;
    t->records->where.reset();
  }
  t->records = nullptr;
  if (const auto then = std::exchange(t->at_end, nullptr); then != nullptr) then();
}

void engine::synchronize(lock& held, event& e) {
  const auto owner = e.owner;
  const auto recorded = e.recorded;
  check(*owner);
  refuse_captured(e);
  scheduler_.wait(held, [&] { return recorded == nullptr || recorded->done; });
  print(*owner);
  check(*owner);
}

int engine::query(event& e) {
  check(*e.owner);
  refuse_captured(e);
  return e.recorded == nullptr || e.recorded->done ? codes::success : codes::not_ready;
}

float engine::milliseconds(event& from, event& to) {
  for (const event* e : {&from, &to}) {
    check(*e->owner);
    refuse_captured(*e);
    if (!e->timed) violate(codes::invalid_handle, "the event keeps no time");
    if (e->recorded == nullptr) violate(codes::invalid_handle, "the event has not been recorded");
  }
  if (from.owner != to.owner)
    violate(codes::invalid_handle, "the events are of different contexts");
  if (!from.recorded->done || !to.recorded->done)
    refuse(codes::not_ready, "an event has not been reached");
  return std::chrono::duration<float, std::milli>(to.recorded->when - from.recorded->when).count();
}

}  // namespace pianola::test::drivers
