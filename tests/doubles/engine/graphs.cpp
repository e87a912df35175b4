// SPDX-License-Identifier: Apache-2.0
// Graphs: made node by node, copied into executables, updated within the rules.
#include <algorithm>
#include <utility>

#include "engine.hpp"

namespace pianola::test::drivers {

std::shared_ptr<graph> engine::make_graph() {
  auto g = std::make_shared<graph>();
  handles.add(g);
  return g;
}

lock*& engine::held_by_thread() {
  static thread_local lock* held = nullptr;
  return held;
}

engine::alone::alone(engine& e, unsynchronised& o) : object_(o) {
  const auto self = std::this_thread::get_id();
  if (o.depth != 0 && o.user != self) {
    e.note_violation("two threads use a graph, or an executable graph, at the same time");
    // Once it is told, the other one's call may end.
    lock& held = *held_by_thread();
    while (o.depth != 0) {
      held.unlock();
      std::this_thread::yield();
      held.lock();
    }
  }
  o.user = self;
  if (++o.depth != 1) return;
  lock& held = *held_by_thread();
  held.unlock();
  std::this_thread::yield();
  held.lock();
}

void engine::destroy(executable& e) {
  const alone user(*this, e);
  handles.remove(e);
  if (const auto g = e.of.lock(); g != nullptr && e.last != nullptr) g->left.push_back(e.last);
  release_memory_of(std::exchange(e.memory, {}));
}

// What a launch that is still under way uses stays until its context ends.
void engine::release_memory_of(const std::vector<graph::owned>& memory) {
  for (const graph::owned& o : memory)
    if (allocation* const a = memory_->find(o.start); a != nullptr && a->users == 0) release(*a);
}

bool engine::is_for_one(const graph& g) {
  return std::any_of(g.nodes.begin(), g.nodes.end(),
                     [](const auto& n) { return n->memory || !n->bodies.empty(); });
}

void engine::forget_nodes(graph& g) {
  for (const auto& n : g.nodes) {
    n->owner = nullptr;
    handles.remove(*n);
    for (const auto& body : n->bodies) forget_nodes(*body);
  }
  handles.remove(g);
}

void engine::destroy(graph& g) {
  const alone user(*this, g);
  if (g.body_of != nullptr) violate(codes::invalid_value, "the graph is a conditional node's");
  if (g.captures != 0) violate(codes::illegal_state, "a stream is being captured into the graph");
  forget_nodes(g);
  auto memory = std::exchange(g.memory, {});
  for (const auto& w : g.executables)
    if (const auto e = w.lock(); e != nullptr && handles.is_live(e->handle))
      e->memory = std::exchange(memory, {});
  release_memory_of(memory);
}

void engine::check_reach(const context& where, const node_action& a) {
  const auto* box = std::get_if<copy_box>(&a);
  if (box == nullptr) return;
  for (const void* side : {box->source, static_cast<const void*>(box->destination)})
    if (const allocation* memory = memory_->find(side);
        memory != nullptr && !reaches(where, *memory))
      violate(codes::peer_access_not_enabled, "a node of device " + std::to_string(where.device) +
                                                  " copies from or to the memory of device " +
                                                  std::to_string(memory->device));
}

std::shared_ptr<node> engine::add_node(const std::shared_ptr<graph>& g, const void* const* after,
                                       std::size_t count, const std::shared_ptr<context>& where,
                                       node_action action) {
  const alone user(*this, *g);
  check(*where);
  if (count != 0 && after == nullptr) violate(codes::invalid_value, "dependencies are null");
  auto n = std::make_shared<node>();
  n->owner = g.get();
  n->index = g->nodes.size();
  n->where = where;
  for (std::size_t i = 0; i < count; ++i) {
    const auto d = handles.get<node>(after[i], codes::invalid_value);
    if (d->owner != g.get())
      violate(codes::invalid_value, "a dependency is a node of another graph");
    n->after.push_back(d->index);
  }
  std::sort(n->after.begin(), n->after.end());
  if (std::adjacent_find(n->after.begin(), n->after.end()) != n->after.end())
    violate(codes::invalid_value, "a dependency is given twice");
  // What can be said now is said now.
  check_reach(*where, action);
  prepared tried = std::visit([&](const auto& a) { return prepare(where, a); }, action);
  release_memory_of(*tried.what);
  n->action = std::move(action);
  handles.add(n);
  g->nodes.push_back(n);
  return n;
}

std::shared_ptr<node> engine::add_child(const std::shared_ptr<graph>& g, const void* const* after,
                                        std::size_t count, const std::shared_ptr<context>& where,
                                        const graph& child) {
  const alone user(*this, const_cast<graph&>(child));
  // Before the node is there: a graph may be put into itself as it is now.
  auto copy = std::make_shared<graph>();
  for (const auto& n : child.nodes) {
    if (!n->bodies.empty())
      violate(codes::not_supported, "a graph with conditional nodes cannot become a node");
    // The program need not know what a library does.
    if (n->memory) refuse(codes::not_supported, "a graph that allocates cannot become a node");
    auto twin = std::make_shared<node>(*n);
    twin->handle = nullptr;
    twin->owner = copy.get();
    copy->nodes.push_back(std::move(twin));
  }
  const auto n = add_node(g, after, count, where, nothing{});
  n->child = std::move(copy);
  return n;
}

void engine::add_edges(graph& g, const void* const* from, const void* const* to, std::size_t count,
                       const bool* programmatic) {
  const alone user(*this, g);
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = handles.get<node>(from[i], codes::invalid_value);
    const auto b = handles.get<node>(to[i], codes::invalid_value);
    if (a->owner != &g || b->owner != &g)
      violate(codes::invalid_value, "an edge to or from a node of another graph");
    if (a == b) violate(codes::invalid_value, "an edge from a node to itself");
    const auto at = std::lower_bound(b->after.begin(), b->after.end(), a->index);
    if (at != b->after.end() && *at == a->index)
      violate(codes::invalid_value, "an edge that is there already");
    if (programmatic != nullptr && programmatic[i]) {
      if (!std::holds_alternative<kernel_run>(a->action) ||
          !std::holds_alternative<kernel_run>(b->action))
        violate(codes::invalid_value, "a programmatic edge is not between kernels");
      if (a->where != b->where)
        violate(codes::invalid_value, "a programmatic edge is between two devices");
      b->programmatic.insert(a->index);
    }
    b->after.insert(at, a->index);
  }
}

void engine::set_action(node& n, node_action action) {
  if (n.owner == nullptr) violate(codes::invalid_value, "the node's graph has been destroyed");
  const alone user(*this, *n.owner);
  if (n.action.index() != action.index())
    violate(codes::invalid_value, "the node is of another type");
  if (const auto* k = std::get_if<kernel_run>(&action)) n.where = k->function->owner;
  check_reach(*n.where, action);
  prepared tried = std::visit([&](const auto& a) { return prepare(n.where, a); }, action);
  release_memory_of(*tried.what);
  n.action = std::move(action);
}

// Nodes whose dependencies come before them, in an order that keeps that of their creation where it can.
std::vector<std::size_t> engine::append_steps(executable& e, const graph& g,
                                              const std::size_t* entry) {
  e.conditions.insert(g.conditions.begin(), g.conditions.end());
  std::vector<std::size_t> place(g.nodes.size());
  std::vector<bool> taken(g.nodes.size()), waited_for(g.nodes.size());
  std::size_t left = g.nodes.size();
  const auto append = [&e](const node& n, executable::step::role what) -> executable::step& {
    executable::step& s = e.steps.emplace_back();
    s.of = n.handle;
    s.where = n.where;
    s.what = what;
    return s;
  };
  const auto wait_for = [](executable::step& s, std::size_t d, bool programmatic) {
    s.after.push_back(d);
    s.programmatic.push_back(programmatic);
  };
  while (left != 0) {
    const std::size_t before = left;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const node& n = *g.nodes[i];
      if (taken[i] ||
          !std::all_of(n.after.begin(), n.after.end(), [&](std::size_t d) { return taken[d]; }))
        continue;
      check(*n.where);
      check_event(n.action);
      if (g.body_of != nullptr) check_body(g, n);
      taken[i] = true;
      --left;
      using role = executable::step::role;
      place[i] = e.steps.size();
      // (Conditional nodes become what they are below.)
      executable::step& s = append(n, n.child == nullptr ? role::node : role::begins_child);
      give_action(s, n.action);
      s.priority = n.priority;
      for (const std::size_t d : n.after) {
        wait_for(s, place[d], n.programmatic.count(d) != 0);
        waited_for[d] = true;
      }
      if (n.after.empty() && entry != nullptr) wait_for(s, *entry, false);
      if (n.child == nullptr && n.bodies.empty()) continue;
      if (!n.bodies.empty()) {
        append_decision(e, place[i], n);
        place[i] = e.steps.size() - 1;
        continue;
      }
      const std::size_t begin = place[i];
      const std::vector<std::size_t> ends = append_steps(e, *n.child, &begin);
      place[i] = e.steps.size();
      executable::step& end = append(n, role::ends_child);
      for (const std::size_t d : ends) wait_for(end, d, false);
      if (ends.empty()) wait_for(end, begin, false);
    }
    if (left == before) violate(codes::invalid_value, "the graph has a cycle");
  }
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (!waited_for[i]) ends.push_back(place[i]);
  return ends;
}

std::shared_ptr<executable> engine::flatten(graph& g) {
  auto e = std::make_shared<executable>();
  append_steps(*e, g, nullptr);
  e->keeps_memory =
      std::any_of(g.memory.begin(), g.memory.end(), [](const graph::owned& o) { return !o.freed; });
  return e;
}

std::shared_ptr<executable> engine::instantiate(graph& g) {
  const alone user(*this, g);
  if (g.captures != 0) violate(codes::illegal_state, "a stream is being captured into the graph");
  std::erase_if(g.executables, [&](const auto& w) {
    const auto e = w.lock();
    return e == nullptr || !handles.is_live(e->handle);
  });
  if (!g.executables.empty() && is_for_one(g))
    violate(codes::invalid_value,
            "a graph with conditional nodes, or that allocates, has one executable at a time");
  // Nobody says whether one that is destroyed, and still runs, counts.
  std::erase_if(g.left, [](const auto& t) { return t->done; });
  if (!g.left.empty() && is_for_one(g))
    refuse(codes::invalid_value, "the graph's executable has been destroyed, and still runs");
  const auto e = flatten(g);
  e->of = handles.get<graph>(g.handle, codes::invalid_value);
  handles.add(e);
  g.executables.push_back(e);
  return e;
}

void engine::launch(const std::shared_ptr<executable>& e, const std::shared_ptr<stream>& s) {
  const alone user(*this, *e);
  check(*s->owner);
  if (s->captured != nullptr)
    refuse(codes::not_supported, "launches of graphs are not captured here");
  if (std::exchange(e->launched, true) && e->keeps_memory)
    violate(codes::invalid_value, "what the launch before has allocated has not been freed");
  const std::vector<prepared> all = prepare_steps(e, *e);
  // After what is in the stream, and after itself.
  auto first = std::make_shared<task>();
  first->owner = s->owner;
  first->at_end = [e] {
    for (const auto& [number, c] : e->conditions)
      if (c.assigned) e->values[number] = c.value;
  };
  auto after = before(*s);
  after.push_back(e->last);
  scheduler_.add(first, after);
  auto last = std::make_shared<task>();
  last->owner = s->owner;
  add_steps(e, *e, all, first, last);
  s->last = last;
  e->last = last;
}

void engine::wait_for_pageable_copies(lock& held, const executable& e) {
  const auto pageable = [this](const executable::step& s) {
    const auto* const copy = std::get_if<copy_box>(&s.action);
    return copy != nullptr &&
           (memory_->find(copy->source) == nullptr || memory_->find(copy->destination) == nullptr);
  };
  if (!patient_copies_ || std::none_of(e.steps.begin(), e.steps.end(), pageable)) return;
  scheduler_.wait(held, [last = e.last] { return last->done; });
}

std::vector<engine::prepared> engine::prepare_steps(const std::shared_ptr<executable>& root,
                                                    const executable& e) {
  std::vector<prepared> all;
  try {
    for (const auto& step : e.steps) {
      check(*step.where);
      const auto* const k = std::get_if<kernel_run>(&step.action);
      all.push_back(
          k != nullptr && k->function->sets_condition
              ? prepare_setting(step.where, *k, root)
              : std::visit([&](const auto& a) { return prepare(step.where, a); }, step.action));
    }
  } catch (...) {
    for (const auto& p : all) release_memory_of(*p.what);
    throw;
  }
  return all;
}

void engine::add_steps(const std::shared_ptr<executable>& root, const executable& e,
                       const std::vector<prepared>& all, const std::shared_ptr<task>& first,
                       const std::shared_ptr<task>& last) {
  std::vector<std::shared_ptr<task>> ends = {first}, after;
  std::map<std::size_t, std::shared_ptr<task>> gates;  // by the step that opens them
  for (std::size_t i = 0; i < all.size(); ++i) {
    const executable::step& s = e.steps[i];
    after.clear();
    for (const std::size_t d : s.after) {
      after.push_back(all[d].what);
      if (const auto gate = gates.find(d); gate != gates.end()) after.push_back(gate->second);
    }
    if (after.empty()) after.push_back(first);
    if (const auto* a = std::get_if<awaiting>(&s.action); a != nullptr && !late_waits_)
      after.push_back(a->what->recorded);
    if (s.what == executable::step::role::decides) {
      const auto gate = std::make_shared<task>();
      gate->owner = s.where;
      scheduler::add_gate(gate);
      gates.emplace(i, gate);
      all[i].what->at_end = [this, root, &s, gate] { decide(root, s, gate); };
    }
    scheduler_.add(all[i].what, after);
    ends.push_back(all[i].what);
  }
  scheduler_.add(last, ends);
  // Not before: what waits in this launch does so for what was recorded before it.
  for (std::size_t i = 0; i < all.size() && !late_records_; ++i)
    if (const auto* r = std::get_if<recording>(&e.steps[i].action)) {
      r->what->recorded = all[i].what;
      r->what->where.reset();
    }
}

std::pair<int, int> engine::home(const void* address) {
  const allocation* a = memory_->find(address);
  if (a == nullptr) return {-1, -1};
  return {static_cast<int>(a->type), static_cast<int>(a->device)};
}

void engine::give_action(executable::step& to, node_action action) {
  to.action = std::move(action);
  if (const auto* copy = std::get_if<copy_box>(&to.action)) {
    to.source_home = home(copy->source);
    to.destination_home = home(copy->destination);
  } else if (const auto* fill = std::get_if<fill_box>(&to.action)) {
    to.destination_home = home(fill->destination);
  }
}

/// Empty: the step may become that.
std::string engine::refusal(const executable::step& old, const node_action& now,
                            const context* where, bool whole) {
  if (where != nullptr && where != old.where.get()) return "another context";
  if (const auto* a = std::get_if<copy_box>(&old.action)) {
    const auto& b = std::get<copy_box>(now);
    if (!whole && (!a->one_dimensional() || !b.one_dimensional()))
      return "copies of more than one dimension cannot be changed";
    if (old.source_home != home(b.source) || old.destination_home != home(b.destination))
      return "source or destination would be of another kind or of another device";
  }
  if (const auto* a = std::get_if<fill_box>(&old.action)) {
    const auto& b = std::get<fill_box>(now);
    const bool same = a->destination == b.destination && a->value == b.value &&
                      a->width == b.width && a->height == b.height && a->pitch == b.pitch &&
                      a->element_bytes == b.element_bytes;
    if (!same && (a->height != 1 || b.height != 1))
      return "fills of more than one row cannot be changed";
    // Drivers may, where it does not fit what they have set aside for the node.
    if (a->element_bytes != b.element_bytes) return "the fill would be of other elements";
    if (old.destination_home != home(b.destination))
      return "the destination would be of another kind or device";
  }
  return {};
}

void engine::update_step(executable& e, const void* node_handle, node_action action) {
  const alone user(*this, e);
  handles.get<node>(node_handle, codes::invalid_value);
  const auto step = std::find_if(e.steps.begin(), e.steps.end(),
                                 [&](const executable::step& s) { return s.of == node_handle; });
  if (step == e.steps.end())
    violate(codes::invalid_value, "the node is not of the graph that the executable was made from");
  check(*step->where);
  if (step->action.index() != action.index())
    violate(codes::invalid_value, "the node is of another type");
  const auto* k = std::get_if<kernel_run>(&action);
  const std::string why =
      refusal(*step, action, k != nullptr ? k->function->owner.get() : nullptr, false);
  if (!why.empty()) refuse(codes::invalid_value, why);
  check_reach(*step->where, action);
  prepared tried = std::visit([&](const auto& a) { return prepare(step->where, a); }, action);
  release_memory_of(*tried.what);
  give_action(*step, std::move(action));
}

engine::update_result engine::update(executable& e, graph& g, void*& node_handle) {
  const alone user(*this, e);
  node_handle = nullptr;
  // Nodes are paired in the order that instantiation gives them.
  const alone reader(*this, g);
  const std::shared_ptr<executable> now = flatten(g);
  if (e.steps.size() != now->steps.size()) return update_result::topology_changed;
  // More than is documented: handles of conditions would have to be made in the same order.
  if (!e.conditions.empty() || !now->conditions.empty()) return update_result::failed;
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    const auto &a = e.steps[i], &b = now->steps[i];
    node_handle = b.of;
    if (a.after != b.after || a.programmatic != b.programmatic)
      return update_result::topology_changed;
    if (a.action.index() != b.action.index() || a.what != b.what)
      return update_result::node_type_changed;
    if (a.where != b.where)
      return std::holds_alternative<kernel_run>(a.action) ? update_result::function_changed
                                                          : update_result::parameters_changed;
    if (e.heeds_priorities && a.priority != b.priority) return update_result::attributes_changed;
    if (!refusal(a, b.action, nullptr, true).empty()) return update_result::parameters_changed;
  }
  node_handle = nullptr;
  for (std::size_t i = 0; i < e.steps.size(); ++i) give_action(e.steps[i], now->steps[i].action);
  return update_result::done;
}

}  // namespace pianola::test::drivers
