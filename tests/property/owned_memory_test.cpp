// SPDX-License-Identifier: Apache-2.0
// Who uses memory of a graph while nobody has it for certain, against the closure of all edges.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/owned_memory.hpp>
#include <pianola/test/scenario.hpp>
#include <set>
#include <variant>
#include <vector>

namespace pianola {
namespace {

unsigned char memory_of_graphs[1024];

struct owned_life {
  const unsigned char *from, *to;
  std::size_t born, died;
};

test::command_list any_commands(std::size_t most) {
  test::command_list commands;
  const auto n = *rc::gen::inRange<std::size_t>(1, most);
  std::uint64_t names = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::set<std::uint64_t> after;
    // Mostly behind the one before it.
    if (i != 0 && *rc::gen::inRange(0, 4) != 0) after.insert(i - 1);
    if (i != 0) after.insert(*rc::gen::inRange<std::uint64_t>(0, i));
    model::command_payload payload;
    const int what = *rc::gen::inRange(0, 4);
    if (what == 0) {
      model::allocate_command a;
      a.pointer = memory_of_graphs + 64 * *rc::gen::inRange(0, 4);
      a.bytes = *rc::gen::inRange<std::uint64_t>(1, 150);
      a.allocation = ++names;
      payload = a;
    } else if (what == 1 && names != 0) {
      model::free_command f;
      f.allocation = *rc::gen::inRange<std::uint64_t>(1, names + 1);
      payload = f;
    } else {
      model::fill_command f;
      f.destination.pointer = memory_of_graphs + *rc::gen::inRange(0, 500);
      f.width = 1;
      payload = f;
    }
    commands.add(model::device_id(0), {}, {after.begin(), after.end()}, payload);
  }
  return commands;
}

std::set<std::size_t> wrong_by_closure(const test::command_list& commands) {
  const std::size_t n = commands.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n));  // [later][earlier]
  for (std::size_t i = 0; i < n; ++i)
    for (const std::uint64_t a : commands[i].after) {
      before[i][a] = true;
      for (std::size_t k = 0; k < a; ++k) before[i][k] = before[i][k] || before[a][k];
    }
  std::vector<owned_life> lives;
  std::set<std::size_t> wrong;
  std::vector<std::uint64_t> names;
  for (std::size_t i = 0; i < n; ++i) {
    if (const auto* a = std::get_if<model::allocate_command>(&commands[i].payload)) {
      const auto* from = static_cast<const unsigned char*>(a->pointer);
      lives.push_back({from, from + a->bytes, i, n});
      names.push_back(a->allocation);
    } else if (const auto* f = std::get_if<model::free_command>(&commands[i].payload)) {
      for (std::size_t l = 0; l < lives.size(); ++l)
        if (names[l] == f->allocation && lives[l].died == n) {
          lives[l].died = i;
          if (!before[i][lives[l].born]) wrong.insert(i);
        }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto* f = std::get_if<model::fill_command>(&commands[i].payload);
    if (f == nullptr) continue;
    bool owned = false, fine = false;
    for (const owned_life& l : lives) {
      if (f->destination.pointer < l.from || f->destination.pointer >= l.to) continue;
      owned = true;
      fine = fine || (before[i][l.born] && (l.died == n || before[l.died][i]));
    }
    if (owned && !fine) wrong.insert(i);
  }
  return wrong;
}

void finds_what_the_closure_finds(std::size_t most) {
  const test::command_list commands = any_commands(most);
  std::set<std::size_t> found;
  for (const auto& m :
       planner::misuses_of_owned_memory(commands.all(), planner::command_edges(commands.all(), {})))
    found.insert(m.command);
  RC_ASSERT(found == wrong_by_closure(commands));
}

RC_GTEST_PROP(OwnedMemory, is_misused_where_the_closure_of_all_edges_says_so, ()) {
  finds_what_the_closure_finds(20);
}

// More lives than are looked at at a time.
RC_GTEST_PROP(OwnedMemory, of_many_lives_is_misused_where_the_closure_of_all_edges_says_so, ()) {
  finds_what_the_closure_finds(400);
}

}  // namespace
}  // namespace pianola
