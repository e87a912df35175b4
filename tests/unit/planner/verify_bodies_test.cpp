// SPDX-License-Identifier: Apache-2.0
// Loops and branches that say of themselves what is not so, held against a run of their graphs element by element.
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <pianola/planner/bodies.hpp>
#include <pianola/planner/verify_bodies.hpp>

#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using model::buffer_id;
using model::control_kind;
using planner::graph_of_command;
using planner::graph_view;

constexpr std::uint32_t buffers = 3;

// Of the graphs that are drawn.
struct bounds {
  std::uint64_t elements, longest;  // of a buffer; of what a command needs of it
  std::uint32_t commands;
};
constexpr bounds few{8, 8, 4};
// So many boxes of a buffer that they are looked up in a tree.
constexpr bounds many{160, 5, 100};

// A graph with its plan, in one place.
struct body_graph {
  std::vector<std::vector<model::requirement>> requirements;
  std::vector<model::command> commands;
  std::vector<model::buffer_info> infos;
  planner::plan plan;

  body_graph() = default;
  body_graph(const body_graph&) = delete;
  body_graph& operator=(const body_graph&) = delete;

  void add(model::device_id device, std::vector<model::requirement> needed) {
    requirements.push_back(std::move(needed));
    model::command c;
    c.payload = model::kernel_command{};
    c.device = device;
    commands.push_back(c);
  }
  void make(const model::topology& machine) {
    for (std::size_t i = 0; i < commands.size(); ++i) commands[i].requirements = requirements[i];
    plan = planner::make_plan(commands, infos, machine);
  }
  [[nodiscard]] graph_view view() const { return {commands, infos, plan.graph_hash}; }
};

const std::vector<buffer_id> same_names{buffer_id(0), buffer_id(1), buffer_id(2)};

using place = std::pair<std::uint32_t, std::uint64_t>;

template <class F>
void for_each_element(const box& b, const F& f) {
  for (std::uint64_t i = b.lo.c[2]; i < b.hi.c[2]; ++i) f(i);
}

// Runs graphs one after the other and looks at each element.
class run_of {
 public:
  run_of(const std::vector<model::requirement>& holder, const std::vector<const body_graph*>& order,
         const bounds& of)
      : holder_(holder) {
    for (std::uint32_t b = 0; b < buffers; ++b)
      for (std::uint64_t i = 0; i < of.elements; ++i) valid_[{b, i}] = elsewhere;
    for (const model::requirement& r : holder_)
      if (model::reads(r.mode) || !r.no_init)
        for_each_element(r.elements,
                         [&](std::uint64_t i) { valid_[{r.buffer.value(), i}].add(r.memory); });
    for (const body_graph* g : order) run(*g);
    look_at_the_end();
  }
  [[nodiscard]] bool wrong() const { return wrong_; }

 private:
  const model::memory_set elsewhere{model::memory_id(60)};

  void run(const body_graph& g) {
    for (const planner::validity_entry& e : g.plan.contract)
      for_each_element(e.elements, [&](std::uint64_t i) {
        wrong_ = wrong_ || !valid_[{e.buffer.value(), i}].contains(e.memories);
      });
    std::set<place> written;
    for (const auto& all : g.requirements)
      for (const model::requirement& r : all)
        if (model::writes(r.mode))
          for_each_element(r.elements,
                           [&](std::uint64_t i) { written.insert({r.buffer.value(), i}); });
    for (const planner::validity_entry& e : g.plan.exit)
      for_each_element(e.elements, [&](std::uint64_t i) {
        const place at{e.buffer.value(), i};
        valid_[at] = written.count(at) != 0 ? e.memories : valid_[at] | e.memories;
      });
    written_.insert(written.begin(), written.end());
  }
  void look_at_the_end() {
    std::set<place> claimed;
    for (const model::requirement& r : holder_)
      if (model::writes(r.mode))
        for_each_element(r.elements, [&](std::uint64_t i) {
          const place at{r.buffer.value(), i};
          claimed.insert(at);
          wrong_ = wrong_ || !valid_[at].contains(r.memory);
        });
    for (const place& at : written_) wrong_ = wrong_ || claimed.count(at) == 0;
  }

  const std::vector<model::requirement>& holder_;
  std::map<place, model::memory_set> valid_;
  std::set<place> written_;
  bool wrong_ = false;
};

struct holder {
  model::subgraph_command what;
  std::vector<model::requirement> requirements;
};

bool goes_wrong(const holder& h, const std::vector<const body_graph*>& bodies, const bounds& of) {
  std::vector<std::vector<const body_graph*>> orders;
  if (h.what.control == control_kind::branch) {
    orders.emplace_back();
    for (const body_graph* b : bodies) orders.push_back({b});
  } else {
    const std::uint64_t least = h.what.control == control_kind::loop ? 0 : h.what.count;
    for (std::uint64_t n = least; n <= std::max<std::uint64_t>(least, 3); ++n)
      if (h.what.control == control_kind::loop || n == h.what.count)
        orders.emplace_back(n, bodies.front());
  }
  return std::any_of(orders.begin(), orders.end(),
                     [&](const auto& order) { return run_of(h.requirements, order, of).wrong(); });
}

std::optional<planner::violation> verified(const holder& h,
                                           const std::vector<const body_graph*>& bodies,
                                           const model::topology& machine) {
  model::command c;
  c.payload = h.what;
  c.requirements = h.requirements;
  c.device = device1;
  std::vector<graph_of_command> graphs;
  for (const body_graph* b : bodies) graphs.push_back({0, same_names, b->view(), &b->plan, {}});
  return verify_bodies(graph_view({&c, 1}, bodies.front()->infos, 0), machine, graphs);
}

box random_span(std::mt19937& rng, const bounds& of) {
  const std::uint64_t from = rng() % of.elements;
  return span(from, from + 1 + rng() % std::min(of.longest, of.elements - from));
}

void draw(std::mt19937& rng, const model::topology& machine, const bounds& of, body_graph& to) {
  const std::uint64_t page = rng() % 2 == 0 ? 2 : of.longest;
  for (std::uint32_t b = 0; b < buffers; ++b) to.infos.push_back(row(of.elements, page));
  const std::uint32_t count = 1 + rng() % of.commands;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<model::requirement> needed;
    for (std::uint32_t b = 0; b < buffers; ++b) {
      if (rng() % 2 == 0) continue;
      const auto mode = static_cast<access_mode>(rng() % 3);
      needed.push_back(needs(buffer_id(b), mode, random_span(rng, of),
                             mode == access_mode::write && rng() % 2 == 0));
    }
    to.add(rng() % 4 == 0 ? cpu : device1, needed);
  }
  to.make(machine);
}

void change(std::mt19937& rng, const bounds& of, holder& h) {
  auto& all = h.requirements;
  if (all.empty()) return;
  model::requirement& r = all[rng() % all.size()];
  switch (rng() % 7) {
    case 6:
      all.push_back(r);
      break;
    case 0:
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(rng() % all.size()));
      break;
    case 1:
      r.memory = memory_id(static_cast<std::uint16_t>(rng() % 3));
      break;
    case 2:
      r.elements = random_span(rng, of);
      break;
    case 3:
      r.mode = static_cast<access_mode>(rng() % 3);
      break;
    case 4:
      r.mode = access_mode::write;
      r.no_init = !r.no_init;
      break;
    default:
      r.buffer = buffer_id(rng() % buffers);
  }
}

void hold_against_runs(const bounds& of, std::uint32_t graphs) {
  const model::topology machine = four_devices();
  std::uint32_t right = 0, wrong = 0;
  for (std::uint32_t seed = 0; seed < graphs; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const control_kind kinds[] = {control_kind::loop, control_kind::repeat, control_kind::branch};
    holder h;
    h.what.control = kinds[rng() % 3];
    h.what.count = h.what.control == control_kind::repeat ? rng() % 3 : 1;
    std::vector<body_graph> drawn(h.what.control == control_kind::branch ? 1 + rng() % 2 : 1);
    std::vector<const body_graph*> bodies;
    std::vector<planner::body> plans;
    bool fits = true;
    for (body_graph& b : drawn) {
      draw(rng, machine, of, b);
      bodies.push_back(&b);
      plans.push_back({&b.plan, same_names});
      fits = fits && planner::follows_itself(b.plan);
    }
    const auto needed = planner::requirements_of(
        plans, memory1, h.what.control == control_kind::repeat && h.what.count != 0);
    if (!fits || !needed.apart.empty()) continue;
    h.requirements = needed.needed;
    const auto found = verified(h, bodies, machine);
    EXPECT_FALSE(found) << found->reason;
    EXPECT_FALSE(goes_wrong(h, bodies, of));
    for (int i = 0; i < 4; ++i) {
      holder other = h;
      for (std::uint32_t changes = 1 + rng() % 3; changes > 0; --changes) change(rng, of, other);
      const auto told = verified(other, bodies, machine);
      const bool goes = goes_wrong(other, bodies, of);
      EXPECT_EQ(told.has_value(), goes) << (told ? told->reason : "nothing is told");
      ++(goes ? wrong : right);
    }
  }
  EXPECT_GT(right, graphs / 20);
  EXPECT_GT(wrong, graphs / 4);
}

TEST(verify_bodies, finds_what_a_run_of_the_graphs_runs_into) { hold_against_runs(few, 400); }
TEST(verify_bodies, finds_it_among_many_boxes) { hold_against_runs(many, 80); }

TEST(verify_bodies, tells_of_data_that_is_elsewhere_when_the_next_iteration_begins) {
  constexpr std::uint64_t elements = few.elements;
  const model::topology machine = four_devices();
  body_graph body;
  body.infos = {row(elements), row(elements), row(elements)};
  body.add(device1, {needs(buffer_id(0), access_mode::read_write, span(0, elements))});
  body.make(machine);
  holder h;
  h.what.control = control_kind::loop;
  const planner::body plans[] = {{&body.plan, same_names}};
  h.requirements = planner::requirements_of(plans, memory1, false).needed;
  EXPECT_FALSE(verified(h, {&body}, machine));
  // The condition is looked at elsewhere than where an iteration leaves it.
  h.requirements.insert(h.requirements.begin(),
                        needs(buffer_id(0), access_mode::read, span(2, 3), false, host));
  h.what.condition = 0;
  auto told = verified(h, {&body}, machine);
  ASSERT_TRUE(told);
  EXPECT_EQ(
      told->reason,
      "command 0: an iteration leaves the condition, in buffer 0, elsewhere than in memory 0");
  h.requirements[0].memory = memory1;
  EXPECT_FALSE(verified(h, {&body}, machine));
  // A plan that is not right.
  body.plan.exit[0].memories = model::memory_set(host);
  told = verified(h, {&body}, machine);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->reason.find("in a graph that command 0 runs: "), 0U) << told->reason;
}

TEST(verify_bodies, tells_of_what_a_command_says_that_it_leaves_where_no_graph_leaves_it) {
  const model::topology machine = four_devices();
  body_graph body;
  body.infos = {row(few.elements), row(few.elements), row(few.elements)};
  body.add(device1, {needs(buffer_id(0), access_mode::read, span(0, few.elements))});
  body.make(machine);
  holder h;
  h.what.control = control_kind::repeat;
  h.what.count = 1;
  const planner::body plans[] = {{&body.plan, same_names}};
  h.requirements = planner::requirements_of(plans, memory1, true).needed;
  EXPECT_FALSE(verified(h, {&body}, machine));
  h.requirements.push_back(
      needs(buffer_id(0), access_mode::write, span(0, few.elements), true, memory2));
  const auto told = verified(h, {&body}, machine);
  ASSERT_TRUE(told);
  EXPECT_NE(told->reason.find("the command writes buffer 0"), std::string::npos) << told->reason;
}

TEST(verify_bodies, of_graphs_of_what_runs_none_are_told) {
  constexpr std::uint64_t elements = few.elements;
  const model::topology machine = four_devices();
  body_graph body;
  body.infos = {row(elements), row(elements), row(elements)};
  body.add(device1, {});
  body.make(machine);
  const auto told = verified({}, {&body}, machine);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->reason, "command 0 runs no other graphs");
}

}  // namespace
}  // namespace pianola::test
