// SPDX-License-Identifier: Apache-2.0
// What a program says of itself, in words, comes back from the journal as it was said.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <pianola/journal/encoder.hpp>
#include <pianola/journal/file.hpp>
#include <pianola/journal/run.hpp>
#include <pianola/journal/shape_table.hpp>
#include <pianola/journal/words.hpp>
#include <pianola/recorder/topology_json.hpp>

namespace {

using namespace pianola;
using journal::record_kind;

struct told_requirement {
  std::uint64_t key;
  model::box elements;
  model::access_mode mode;
  bool operator==(const told_requirement&) const = default;
};

// A command as the program knows it.
struct told {
  std::string label;
  std::uint64_t global = 1;  // of a kernel; 0: it is a replay
  std::vector<told_requirement> requirements;
  std::set<std::uint32_t> after;
  std::set<std::uint64_t> allocations, freed;  // sizes, of which each allocation has its own
  model::device_id device;
};

class told_program {
 public:
  explicit told_program(unsigned seed) : random_(seed) {
    machine_.memories = {{"host", 1U << 30}, {"device", 1U << 30}};
    machine_.devices = {{"processor", "openmp", model::memory_id(0)},
                        {"device", "simulated", model::memory_id(1)}};
    machine_.links = {{model::memory_id(0), model::memory_id(1)},
                      {model::memory_id(1), model::memory_id(0)}};
    put_text(record_kind::machine, 0, recorder::to_json(machine_));
    for (std::uint64_t key = 0; key < 3; ++key) {
      const model::point3 range{{key + 1, 8, 5}};
      record(
          {record_kind::buffer, key, range.c[0], range.c[1], range.c[2], 1, 4, 5, 4U << 8 | 3U, 0});
      ranges_.push_back(range);
    }
  }

  void allocate() {
    const std::uint64_t serial = ++serials_, bytes = 16 * serial;
    record({record_kind::allocation, serial, address_, bytes,
            std::uint64_t{1} << 8 | static_cast<std::uint64_t>(model::usm_kind::device)});
    live_[serial] = {address_, bytes};
    address_ += bytes + 4096;
  }

  void free_one() {
    if (live_.empty()) return;
    const auto at = std::next(live_.begin(), static_cast<std::ptrdiff_t>(below(live_.size())));
    record({record_kind::freed, at->first});
    freed_.push_back(at->second);
    live_.erase(at);
  }

  // `different`: of how many sizes its kernel may have one.
  void submit(std::uint64_t different) {
    told t;
    t.label = "kernel " + std::to_string(below(3));
    t.global = 1 + below(different);
    t.device = model::device_id(static_cast<std::uint16_t>(below(2)));
    if (labels_.try_emplace(t.label, labels_.size() + 1).second)
      put_text(record_kind::text, labels_[t.label], t.label);

    const std::vector<std::uint64_t> after = some_steps(t);
    std::vector<std::uint64_t> pointers;
    for (std::uint64_t n = below(3); n != 0 && !live_.empty(); --n) {
      const auto at = std::next(live_.begin(), static_cast<std::ptrdiff_t>(below(live_.size())));
      pointers.push_back(at->second.first + below(at->second.second));
      t.allocations.insert(at->second.second);
    }
    if (!freed_.empty() && below(4) == 0) {
      const auto& [address, bytes] = freed_[below(freed_.size())];
      pointers.push_back(address + below(bytes));
      t.freed.insert(bytes);
    }
    pointers.push_back(4096 + below(1000));  // looks like one

    model::command command;
    command.device = t.device;
    model::kernel_command kernel;
    kernel.id = model::kernel_id(7);
    kernel.geometry.dimensions = 1;
    kernel.geometry.global.c[2] = t.global;
    command.payload = kernel;
    const needs all = some_requirements(t);
    std::vector<std::uint64_t> words = begin_command(t, after, pointers);
    const std::size_t at = words.size();
    words.resize(at + all.requirements.size() * journal::most_requirement_words +
                 journal::most_payload_words);
    const std::uint64_t* const end = journal::write_command(
        words.data() + at, command, static_cast<std::uint32_t>(labels_[t.label]), all.requirements,
        all.names.data());
    words.resize(static_cast<std::size_t>(end - words.data()));
    words[0] = journal::head_of(record_kind::command, words.size(), journal::from_queue);
    encoder_.take(words);
    commands.push_back(t);
    if (below(50) == 0) end_block();
  }

  // A graph that every later replay of it names.
  void tell_graph() {
    std::vector<std::uint64_t> words(2 + journal::most_requirement_words * 3 +
                                     journal::most_payload_words);
    told t;
    t.label = "graph";
    t.global = 0;
    t.device = model::device_id(0);
    if (labels_.try_emplace(t.label, labels_.size() + 1).second)
      put_text(record_kind::text, labels_[t.label], t.label);
    model::command command;
    command.device = t.device;
    command.payload = model::subgraph_command{nullptr, 5};
    const needs all = some_requirements(t);
    words[1] = ++graphs_told_;
    const std::uint64_t* const end = journal::write_command(
        words.data() + 2, command, static_cast<std::uint32_t>(labels_[t.label]), all.requirements,
        all.names.data());
    words.resize(static_cast<std::size_t>(end - words.data()));
    words[0] = journal::head_of(record_kind::replays, words.size());
    encoder_.take(words);
    graphs_[graphs_told_] = t;
  }

  void end_graph() {
    if (graphs_.empty()) return;
    const auto at = std::next(graphs_.begin(), static_cast<std::ptrdiff_t>(below(graphs_.size())));
    record({record_kind::replays_end, at->first});
    graphs_.erase(at);
  }

  void replay() {
    if (graphs_.empty()) return;
    const auto at = std::next(graphs_.begin(), static_cast<std::ptrdiff_t>(below(graphs_.size())));
    told t = at->second;
    const std::vector<std::uint64_t> after = some_steps(t);
    std::vector<std::uint64_t> words = begin_command(t, after, {});
    words.push_back(at->first);
    words[0] = journal::head_of(record_kind::command, words.size(),
                                journal::from_queue | journal::by_number);
    encoder_.take(words);
    commands.push_back(t);
  }

  // What the journal tells of it.
  journal::recorded_run read_back() {
    std::string name = ::testing::TempDir() + "pianola-journal-XXXXXX";
    const int scratch = ::mkstemp(name.data());
    if (scratch < 0) throw std::runtime_error("no temporary file");
    ::close(scratch);
    end_block();
    {
      journal::file_writer file;
      std::string error = file.open(name, false);
      for (const std::string& block : blocks_)
        if (error.empty()) error = file.append(block);
      if (!error.empty()) throw std::runtime_error(error);
    }
    journal::recorded_run run = journal::read_run(name);
    ::unlink(name.c_str());
    return run;
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  std::vector<told> commands;

 private:
  struct needs {
    std::vector<model::requirement> requirements;
    std::vector<journal::named_buffer> names;
  };
  needs some_requirements(told& t) {
    needs all;
    for (std::uint64_t n = below(3); n != 0; --n) {
      const std::uint64_t key = below(ranges_.size());
      model::requirement r;
      r.buffer = model::buffer_id(static_cast<std::uint32_t>(key));
      r.mode = static_cast<model::access_mode>(below(3));
      r.elements = model::box::of(ranges_[key]);
      const bool whole = below(2) == 0;
      for (int d = 0; !whole && d < 3; ++d) {
        r.elements.lo.c[d] = below(ranges_[key].c[d]);
        r.elements.hi.c[d] = r.elements.lo.c[d] + 1 + below(ranges_[key].c[d] - r.elements.lo.c[d]);
      }
      t.requirements.push_back({key, r.elements, r.mode});
      all.requirements.push_back(r);
      all.names.push_back({key, whole});
    }
    return all;
  }

  // Of commands that it comes after.
  std::vector<std::uint64_t> some_steps(told& t) {
    std::vector<std::uint64_t> after;
    for (std::uint64_t n = below(3); n != 0 && !commands.empty(); --n) {
      const auto which = static_cast<std::uint32_t>(below(commands.size()));
      t.after.insert(which);
      after.push_back(first_ + 3 * which);
    }
    return after;
  }

  // One step for each, and the numbers of two that nothing is known of.
  std::vector<std::uint64_t> begin_command(const told& t, const std::vector<std::uint64_t>& after,
                                           const std::vector<std::uint64_t>& pointers) {
    std::vector<std::uint64_t> words{0,
                                     below(2) + 1,  // queue
                                     0,
                                     first_ + 3 * commands.size(),
                                     after.size() | std::uint64_t{1} << 32,
                                     pointers.size()};
    words.insert(words.end(), after.begin(), after.end());
    words.push_back(journal::step_head(t.device.value(), t.device.value(), after.size(), false));
    words.insert(words.end(), after.begin(), after.end());
    words.insert(words.end(), pointers.begin(), pointers.end());
    return words;
  }

  struct words_of_record {
    template <class... Words>
    words_of_record(record_kind kind, Words... words)  // NOLINT: a list in braces
        : all{journal::head_of(kind, 1 + sizeof...(words)), static_cast<std::uint64_t>(words)...} {}
    std::vector<std::uint64_t> all;
  };
  void record(const words_of_record& r) { encoder_.take(r.all); }
  void put_text(record_kind kind, std::uint64_t number, const std::string& text) {
    std::vector<std::uint64_t> words(3 + (text.size() + 7) / 8);
    words[0] = journal::head_of(kind, words.size());
    words[1] = number;
    words[2] = text.size();
    std::memcpy(words.data() + 3, text.data(), text.size());
    encoder_.take(words);
  }
  void end_block() {
    if (!encoder_.bytes().empty()) blocks_.push_back(encoder_.bytes());
    encoder_.bytes().clear();
  }

  std::mt19937_64 random_;
  model::topology machine_;
  std::vector<model::point3> ranges_;
  std::map<std::string, std::uint64_t> labels_;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> live_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> freed_;
  std::uint64_t serials_ = 0, address_ = std::uint64_t{1} << 40, first_ = 12;
  std::map<std::uint64_t, told> graphs_;
  std::uint64_t graphs_told_ = 0;
  journal::encoder encoder_;
  std::vector<std::string> blocks_;
};

std::string difference(const told& t, const recorder::command_graph& graph, std::uint32_t which) {
  const model::command_id id(which);
  const model::command& c = graph.command(id);
  if (t.label != c.label) return "label";
  if (t.device != c.device) return "device";
  const auto* kernel = std::get_if<model::kernel_command>(&c.payload);
  const auto* replay = std::get_if<model::subgraph_command>(&c.payload);
  if (t.global == 0 ? replay == nullptr || replay->nodes != 5
                    : kernel == nullptr || kernel->geometry.global.c[2] != t.global)
    return "what it does";
  std::vector<told_requirement> requirements;
  for (const model::requirement& r : c.requirements)
    requirements.push_back({graph.buffer(r.buffer).grid.range().c[0] - 1, r.elements, r.mode});
  if (requirements != t.requirements) return "requirements";
  if (std::set<std::uint32_t>(c.after.begin(), c.after.end()) != t.after) return "edges";
  std::set<std::uint64_t> sizes;
  for (const std::uint32_t a : graph.allocations_of(id)) sizes.insert(graph.allocations()[a].bytes);
  if (sizes != t.allocations) return "allocations";
  std::set<std::uint64_t> freed;
  for (const model::usm_access& a : graph.usm_accesses())
    if (a.command == id) freed.insert(graph.allocations()[a.allocation].bytes);
  if (freed != t.freed) return "what has been freed";
  return {};
}

RC_GTEST_PROP(Journals, tell_what_a_program_did, (unsigned seed)) {
  told_program p(seed);
  const std::uint64_t actions = p.below(400), different = 1 + p.below(40);
  for (std::uint64_t i = 0; i < actions; ++i) {
    switch (p.below(12)) {
      case 0:
        p.allocate();
        break;
      case 1:
        p.free_one();
        break;
      case 2:
        p.tell_graph();
        break;
      case 3:
        p.end_graph();
        break;
      case 4:
      case 5:
        p.replay();
        break;
      default:
        p.submit(different);
    }
  }
  const journal::recorded_run run = p.read_back();
  RC_ASSERT(!run.cut_off);
  RC_ASSERT(run.graph.size() == p.commands.size());
  for (std::uint32_t i = 0; i < p.commands.size(); ++i) {
    const std::string wrong = difference(p.commands[i], run.graph, i);
    if (!wrong.empty()) RC_FAIL("command " + std::to_string(i) + ": " + wrong);
  }
}

TEST(Journals, tell_of_more_different_commands_than_are_remembered) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  told_program p(seed);
  p.tell_graph();
  for (std::size_t i = 0; i < 3 * journal::shape_table::most_shapes; ++i) {
    p.submit(1U << 20);
    if (i % 1000 == 0) p.replay();
  }
  const journal::recorded_run run = p.read_back();
  ASSERT_EQ(run.graph.size(), p.commands.size());
  for (std::uint32_t i = 0; i < p.commands.size(); ++i)
    ASSERT_EQ(difference(p.commands[i], run.graph, i), "") << "command " << i;
}

RC_GTEST_PROP(Journals, number_what_comes_again, (unsigned seed)) {
  std::mt19937_64 random(seed);
  journal::shape_table table;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  for (int i = 0; i < 2000; ++i) {
    // Some are the start of others, and many differ in one word.
    std::vector<std::uint64_t> key(random() % 5);
    for (std::uint64_t& word : key) word = random() % 4;
    const auto at = known.find(key);
    RC_ASSERT(table.find(key) == (at == known.end() ? journal::shape_table::none : at->second));
    if (at == known.end()) {
      const auto next = static_cast<std::uint32_t>(known.size());
      RC_ASSERT(table.add(key) == next);
      known[key] = next;
    }
    if (random() % 500 == 0) {
      table.clear();
      known.clear();
    }
  }
}

TEST(Journals, are_written_with_bounded_memory) {
  journal::shape_table table;
  std::vector<std::uint64_t> key(1000);
  std::size_t words = 0;
  for (; !table.full(); words += key.size()) {
    key[0] = words;
    table.add(key);
  }
  EXPECT_LT(words, journal::shape_table::most_words + 2 * key.size());
  EXPECT_EQ(table.find(key), words / key.size() - 1);
  table.clear();
  EXPECT_FALSE(table.full());
  EXPECT_EQ(table.find(key), journal::shape_table::none);
}

}  // namespace
