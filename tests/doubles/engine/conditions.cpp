// SPDX-License-Identifier: Apache-2.0
// Conditional nodes: graphs that run while a number says so, if it does, or that it chooses.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "engine.hpp"

namespace pianola::test::drivers {

namespace {

// As the kernel takes its parameters.
struct setting {
  std::uint64_t condition = 0;
  std::uint64_t number = 0;
  std::uint64_t begin = 0;
  std::uint32_t source =
      0;  // 0: the number in memory; 1: `begin`, written there; 2: one less, written there
  std::uint32_t bytes = 0;
  std::uint32_t limit = 0;
};
constexpr std::uint32_t sizes_of_setting[] = {8, 8, 8, 4, 4, 4};

// Which body is run by the value; as many as there are: none.
std::size_t chosen_by(decision::kind what, unsigned value, std::size_t bodies) {
  switch (what) {
    case decision::kind::loop:
      return value != 0 ? 0 : bodies;
    case decision::kind::branch:
      return value != 0 ? 0 : 1;
    case decision::kind::choice:
      break;
  }
  return value;
}

}  // namespace

std::uint64_t engine::make_condition(graph& g, const context& where, unsigned value,
                                     bool assigned) {
  const alone user(*this, g);
  check(where);
  // No address, and nothing that a number in memory might be by chance.
  const std::uint64_t number = 0x0c0d'0000'0000'0000 + ++conditions_made_;
  g.conditions.emplace(number, graph::condition{value, assigned, false});
  return number;
}

std::shared_ptr<node> engine::add_conditional(const std::shared_ptr<graph>& g,
                                              const void* const* after, std::size_t count,
                                              const std::shared_ptr<context>& where, decision by,
                                              std::size_t bodies) {
  const auto known = g->conditions.find(by.condition);
  if (known == g->conditions.end())
    violate(codes::invalid_value, "the condition was made for another graph");
  if (known->second.used) violate(codes::invalid_value, "another node decides by the condition");
  const std::size_t most = by.what == decision::kind::loop     ? 1
                           : by.what == decision::kind::branch ? 2
                                                               : std::size_t{1} << 20;
  if (bodies == 0 || bodies > most)
    violate(codes::invalid_value, "a conditional node with " + std::to_string(bodies) + " graphs");
  const auto n = add_node(g, after, count, where, nothing{});
  known->second.used = true;
  n->by = by;
  for (std::size_t i = 0; i < bodies; ++i) {
    n->bodies.push_back(make_graph());
    n->bodies.back()->body_of = where;
  }
  return n;
}

void engine::check_body(const graph& g, const node& n) {
  const auto bad = [](const std::string& what) {
    violate(codes::invalid_value, "a conditional node's graph " + what);
  };
  if (std::holds_alternative<recording>(n.action) || std::holds_alternative<awaiting>(n.action))
    bad("has nodes of events");
  if (n.where != g.body_of && !std::holds_alternative<nothing>(n.action))
    bad("has nodes of another device");
  if (!n.programmatic.empty()) bad("has programmatic edges");
  const auto reached = [&](const void* at) {
    const allocation* const a = find(at);
    if (a == nullptr) bad("copies from or to memory that is not locked");
    if (!reaches(*g.body_of, *a)) bad("copies from or to memory that the device does not reach");
  };
  if (const auto* c = std::get_if<copy_box>(&n.action)) {
    reached(c->source);
    reached(c->destination);
  }
  if (const auto* f = std::get_if<fill_box>(&n.action)) reached(f->destination);
}

bool engine::has_idle_body(const graph& g) {
  const auto idle = [](const auto& n) {
    return std::holds_alternative<nothing>(n->action) && n->child == nullptr && n->bodies.empty() &&
           !n->memory;
  };
  return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const auto& n) {
    return std::any_of(n->bodies.begin(), n->bodies.end(), [&](const auto& body) {
      return std::all_of(body->nodes.begin(), body->nodes.end(), idle) || has_idle_body(*body);
    });
  });
}

void engine::append_decision(executable& e, std::size_t step, const node& n) {
  using role = executable::step::role;
  for (const auto& body : n.bodies) {
    auto made = std::make_shared<executable>();
    append_steps(*made, *body, nullptr);
    e.conditions.insert(made->conditions.begin(), made->conditions.end());
    e.steps[step].bodies.push_back(std::move(made));
  }
  e.steps[step].what = role::decides;
  e.steps[step].by = n.by;
  executable::step& end = e.steps.emplace_back();
  end.of = n.handle;
  end.where = n.where;
  end.what = role::has_decided;
  end.after.push_back(step);
  end.programmatic.push_back(false);
}

std::vector<std::uint32_t> engine::parameters_in(const std::string& text,
                                                 const std::string& symbol) {
  const auto entry = text.find(".entry " + symbol + "(");
  if (entry == std::string::npos) refuse(codes::not_found, "the text has no kernel " + symbol);
  const std::string list = text.substr(entry, text.find(')', entry) - entry);
  std::vector<std::uint32_t> bytes;
  for (auto at = list.find(".param .u"); at != std::string::npos;
       at = list.find(".param .u", at + 1))
    bytes.push_back(static_cast<std::uint32_t>(std::atoi(list.c_str() + at + 9)) / 8);
  if (!std::equal(bytes.begin(), bytes.end(), std::begin(sizes_of_setting),
                  std::end(sizes_of_setting)))
    refuse(codes::no_binary_for_gpu, "the text is another kernel than the one that is known here");
  return bytes;
}

engine::prepared engine::prepare_setting(const std::shared_ptr<context>& where,
                                         const kernel_run& run,
                                         const std::shared_ptr<executable>& root) {
  setting s;
  std::memcpy(&s, run.functor.data(), std::min(sizeof s, run.functor.size()));
  if (s.bytes != 1 && s.bytes != 2 && s.bytes != 4 && s.bytes != 8)
    violate(codes::invalid_value, "a number of " + std::to_string(s.bytes) + " bytes");
  if (s.source > 2 || (s.source != 0 && s.bytes != 8))
    violate(codes::invalid_value, "a number of source " + std::to_string(s.source));
  const side at = resolve(reinterpret_cast<const void*>(s.number), place::unified, s.bytes,
                          "the number of a condition", false);
  if (!reaches(*where, *at.memory))
    violate(codes::invalid_value, "the number of a condition is in the memory of another device");
  prepared p;
  p.what = std::make_shared<task>();
  p.what->owner = where;
  uses(*p.what, *at.memory);
  if (root == nullptr) return p;
  if (root->conditions.count(s.condition) == 0)
    violate(codes::invalid_value, "a kernel sets a condition of another graph");
  p.what->work = [this, s, at = at.at, root]() -> task::result {
    if (const int code = begin_work("kernel"); code != 0) return {code, "a kernel failed as told"};
    std::uint64_t value = 0;
    std::memcpy(&value, at, s.bytes);
    if (s.source == 1) value = s.begin;
    if (s.source == 2) --value;
    if (s.source != 0) std::memcpy(at, &value, s.bytes);
    const lock held(mutex_);
    root->values[s.condition] = static_cast<unsigned>(std::min<std::uint64_t>(value, s.limit));
    return {};
  };
  return p;
}

void engine::decide(const std::shared_ptr<executable>& root, const executable::step& s,
                    const std::shared_ptr<task>& gate) {
  const std::size_t chosen = chosen_by(s.by.what, root->values[s.by.condition], s.bodies.size());
  if (chosen >= s.bodies.size() || s.where->error != 0 || scheduler_.stopping())
    return scheduler_.open(gate);
  const executable& body = *s.bodies[chosen];
  std::vector<prepared> all;
  try {
    all = prepare_steps(root, body);
  } catch (const failure& x) {
    if (x.violation) note_violation("in a conditional node: " + x.text);
    if (s.where->error == 0) lose(*s.where, x.code, x.text);
    return scheduler_.open(gate);
  }
  const auto first = std::make_shared<task>(), last = std::make_shared<task>();
  first->owner = last->owner = s.where;
  last->at_end = [this, root, &s, gate] {
    if (s.by.what == decision::kind::loop)
      decide(root, s, gate);
    else
      scheduler_.open(gate);
  };
  scheduler_.add(first, {});
  add_steps(root, body, all, first, last);
}

}  // namespace pianola::test::drivers
