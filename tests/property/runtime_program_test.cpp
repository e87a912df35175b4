// SPDX-License-Identifier: Apache-2.0
// Random programs through the whole runtime, on processors and simulated devices, eager and recorded and
// mixed with accesses by the host: the bytes must be those of a sequential interpreter.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <pianola/model/error.hpp>
#include <pianola/test/runtime_program.hpp>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace pianola::test {
namespace {

// Read when the runtime starts, at the first use below.
const bool devices_chosen = setenv("PIANOLA_DEVICES", "openmp,simulated:4", 0) == 0;

using model::access_mode;
using model::box;
using model::extent3;

class program {
 public:
  explicit program(std::uint64_t seed) : random_(seed) {
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count; ++i) add_buffer();
    for (std::uint16_t d = 0; d < runtime::device_count(); ++d)
      for (const bool in_order : {false, true}) {
        runtime::queue_description description;
        description.device = model::device_id(d);
        description.in_order = in_order;
        queues_.push_back(runtime::create_queue(std::move(description)));
      }
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() {
    release_held();
    graphs_.clear();
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (buffers_[i]->alive) runtime::destroy_buffer(keys_[i], true);
    // Nothing above waits for commands on buffers that nobody wants back.
    for (const auto& q : queues_) runtime::wait(*q);
  }

  // One random action. Throws std::runtime_error if the bytes differ.
  void act(std::uint64_t seed) {
    random_.seed(seed);
    switch (below(16)) {
      case 0:
      case 1:
        release_held();
        host_access();
        break;
      case 2:
        if (held_.ticket == 0) hold_host_access();
        break;
      case 3:
        release_held();
        record();
        break;
      case 4:
      case 5:
      case 6:
        replay();
        break;
      case 7:
        if (below(8) == 0) {
          release_held();
          end_buffer(below(buffers_.size()));
        } else if (below(4) == 0 && !graphs_.empty()) {
          release_held();
          graphs_.erase(graphs_.begin() + static_cast<std::ptrdiff_t>(below(graphs_.size())));
        } else {
          release_held();
          runtime::wait(*queues_[below(queues_.size())]);
        }
        break;
      default:
        eager();
        break;
    }
  }

  void finish() {
    release_held();
    for (std::size_t i = 0; i < buffers_.size(); ++i) end_buffer(i);
  }

 private:
  struct buffer_state {
    extent3 range;
    std::vector<std::uint32_t> expected;
    std::vector<char> known;
    std::vector<std::uint32_t> host;  // host data, and where contents are written back to
    bool in_place = false;
    bool writes_back = false;
    bool alive = true;
  };
  struct recorded {
    std::shared_ptr<runtime::executable_graph> graph;
    std::shared_ptr<runtime::queue> queue;
    std::vector<const operation*> operations;
    std::set<std::size_t> buffers;
  };

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void add_buffer() {
    auto& b = *buffers_.emplace_back(std::make_unique<buffer_state>());
    const unsigned dimensions = 1 + static_cast<unsigned>(below(3));
    b.range = {{1, 1, 1}};
    extent3 page{{1, 1, 1}};
    for (unsigned d = 3 - dimensions; d < 3; ++d) {
      b.range.c[d] = 1 + below(dimensions == 1 ? 40 : 7);
      page.c[d] = below(3) == 0 ? 0 : 1 + below(b.range.c[d]);
    }
    const auto n = volume(b.range);
    b.expected.resize(n);
    b.known.assign(n, 0);
    b.host.resize(n);
    for (std::size_t i = 0; i < n; ++i) b.host[i] = static_cast<std::uint32_t>(random_());
    runtime::buffer_description d;
    d.info.grid = model::page_grid(b.range, page);
    d.info.element_size = 4;
    d.info.dimensions = static_cast<std::uint8_t>(dimensions);
    d.info.evictable = below(2) == 0;
    const std::size_t use = below(3);
    if (use != 0) {
      d.host_data = b.host.data();
      d.use = use == 1 ? runtime::host_data_use::in_place : runtime::host_data_use::copied;
      b.in_place = use == 1;
      b.expected = b.host;
      b.known.assign(n, 1);
    }
    keys_.push_back(runtime::create_buffer(d));
    b.writes_back = below(3) != 0;
    if (b.writes_back) {
      runtime::write_back w;
      w.what =
          b.in_place ? runtime::write_back::kind::in_place : runtime::write_back::kind::pointer;
      w.pointer = b.host.data();
      runtime::set_write_back(keys_.back(), w);
    }
  }

  box random_box(const extent3& range) {
    box r = box::of(range);
    if (below(4) == 0) return r;
    for (int d = 0; d < 3; ++d) {
      r.lo.c[d] = below(range.c[d]);
      r.hi.c[d] = r.lo.c[d] + 1 + below(range.c[d] - r.lo.c[d]);
    }
    return r;
  }

  std::vector<std::size_t> living() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (buffers_[i]->alive) all.push_back(i);
    return all;
  }

  operation::access random_access(std::size_t buffer) {
    operation::access a;
    a.buffer = buffer;
    a.range = buffers_[buffer]->range;
    a.elements = random_box(a.range);
    switch (below(5)) {
      case 0:
      case 1:
        a.mode = access_mode::read;
        break;
      case 2:
        a.mode = access_mode::write;
        break;
      case 3:
        a.mode = access_mode::read_write;
        break;
      default:
        a.mode = below(2) == 0 ? access_mode::write : access_mode::read_write;
        a.no_init = true;
        break;
    }
    return a;
  }

  operation& random_operation(bool may_be_partial) {
    operation& o = operations_.emplace_back();
    o.id = ++last_id_;
    o.partial = may_be_partial && below(3) == 0;
    const auto all = living();
    const std::size_t n = 1 + below(operation::max_accesses);
    for (std::size_t i = 0; i < n; ++i) {
      auto a = random_access(all[below(all.size())]);
      // Two accesses of one element, one of them no_init: nothing to be sure of.
      bool clash = false;
      for (const auto& other : o.accesses)
        clash = clash || (other.buffer == a.buffer && (a.no_init || other.no_init) &&
                          overlap(other.elements, a.elements));
      if (!clash) o.accesses.push_back(a);
    }
    return o;
  }

  void interpret(const operation& o) {
    std::uint32_t* bases[operation::max_accesses] = {};
    for (std::size_t i = 0; i < o.accesses.size(); ++i)
      bases[i] = buffers_[o.accesses[i].buffer]->expected.data();
    o.run(bases);
    for (const auto& a : o.accesses) {
      if (!writes(a.mode)) continue;
      auto& known = buffers_[a.buffer]->known;
      operation::for_each(a, [&](std::uint64_t at) {
        if (a.no_init)
          known[at] = !o.leaves_out(at);
        else if ((at + o.id) % 3 != 0)
          known[at] = 1;
      });
    }
  }

  void decide_on_data(operation& o) {
    for (auto& a : o.accesses) {
      const auto& known = buffers_[a.buffer]->known;
      operation::for_each(a, [&](std::uint64_t at) { a.uses_data = a.uses_data && known[at]; });
    }
  }

  void eager() {
    if (living().empty()) return;
    operation& o = random_operation(true);
    decide_on_data(o);
    submit_operation(*queues_[below(queues_.size())], o, keys_, below(6) == 0);
    interpret(o);
  }

  // Writes every element that nobody knows.
  void heal(std::size_t buffer) {
    auto& b = *buffers_[buffer];
    if (std::find(b.known.begin(), b.known.end(), 0) == b.known.end()) return;
    operation& o = operations_.emplace_back();
    o.id = ++last_id_;
    operation::access a;
    a.buffer = buffer;
    a.range = b.range;
    a.elements = box::of(b.range);
    a.mode = access_mode::write;
    a.no_init = true;
    o.accesses.push_back(a);
    submit_operation(*queues_[below(queues_.size())], o, keys_, false);
    interpret(o);
  }

  void record() {
    if (living().empty() || graphs_.size() > 4) return;
    recorded r;
    r.queue = queues_[below(queues_.size())];
    // So little that evictable buffers have to leave devices now and then.
    const std::uint64_t budget = below(2) == 0 ? 0 : 256 * (2 + below(5));
    const auto graph = runtime::create_graph(runtime::device_of(*r.queue), true, budget);
    runtime::begin_recording(graph, *r.queue);
    // Of other devices, or of the same one.
    std::vector<std::size_t> recording = {static_cast<std::size_t>(
        std::find(queues_.begin(), queues_.end(), r.queue) - queues_.begin())};
    for (std::size_t more = below(2) * below(4); more > 0; --more) {
      const std::size_t q = below(queues_.size());
      if (runtime::is_recording(*queues_[q])) continue;
      runtime::begin_recording(graph, *queues_[q]);
      recording.push_back(q);
    }
    const std::size_t n = 1 + below(8);
    for (std::size_t i = 0; i < n; ++i) {
      operation& o = random_operation(false);
      submit_operation(*queues_[recording[below(recording.size())]], o, keys_, below(5) == 0);
      r.operations.push_back(&o);
      for (const auto& a : o.accesses) r.buffers.insert(a.buffer);
    }
    runtime::end_recording(graph);
    if (below(2) == 0) {
      runtime::graph_placing placing;
      placing.anywhere = true;
      placing.objective = static_cast<runtime::graph_placing::goal>(below(3));
      for (std::uint16_t d = 0; d < runtime::device_count(); ++d)
        if (below(4) != 0) placing.devices.emplace_back(d);
      runtime::set_placing(*graph, placing);
    }
    try {
      r.graph = runtime::finalize(*graph);
    } catch (const model::user_error& e) {
      if (budget == 0 || e.code() != model::error_code::memory_allocation) throw;
      return;  // too little for what may not leave
    }
    graphs_.push_back(std::move(r));
  }

  void replay() {
    if (graphs_.empty()) return;
    recorded& r = graphs_[below(graphs_.size())];
    for (const std::size_t b : r.buffers) {
      if (buffers_[b]->alive) {
        heal(b);
      } else {
        // Its contents cannot be set any more.
        const auto& known = buffers_[b]->known;
        if (std::find(known.begin(), known.end(), 0) != known.end()) return;
      }
    }
    for (std::size_t i = 1 + below(4); i > 0; --i) {
      submit_graph(*r.queue, r.graph);
      for (const operation* o : r.operations) interpret(*o);
    }
  }

  void compare(std::size_t buffer, const std::uint32_t* actual, const box& elements) const {
    const auto& b = *buffers_[buffer];
    operation::access a;
    a.elements = elements;
    a.range = b.range;
    operation::for_each(a, [&](std::uint64_t at) {
      if (b.known[at] && actual[at] != b.expected[at])
        throw std::runtime_error("buffer " + std::to_string(buffer) + " element " +
                                 std::to_string(at) + ": " + std::to_string(actual[at]) +
                                 " instead of " + std::to_string(b.expected[at]));
    });
  }

  void host_access() {
    const auto all = living();
    if (all.empty()) return;
    const auto a = random_access(all[below(all.size())]);
    const auto h = runtime::acquire_on_host(keys_[a.buffer], a.elements, a.mode, a.no_init);
    use(h, a);
    runtime::release_on_host(h);
  }
  void use(const runtime::host_access& h, const operation::access& a) {
    auto* data = static_cast<std::uint32_t*>(h.base);
    auto& b = *buffers_[a.buffer];
    if (!a.no_init) compare(a.buffer, data, a.elements);
    if (!writes(a.mode)) return;
    operation::for_each(a, [&](std::uint64_t at) {
      data[at] = b.expected[at] = static_cast<std::uint32_t>(random_());
      b.known[at] = 1;
    });
  }
  // What is submitted from now on waits where it must.
  void hold_host_access() {
    const auto all = living();
    if (all.empty()) return;
    held_access_ = random_access(all[below(all.size())]);
    held_ = runtime::acquire_on_host(keys_[held_access_.buffer], held_access_.elements,
                                     held_access_.mode, held_access_.no_init);
    // Its effect comes first whatever happens until it is released.
    if (!writes(held_access_.mode)) return;
    auto& b = *buffers_[held_access_.buffer];
    held_values_.clear();
    operation::for_each(held_access_, [&](std::uint64_t at) {
      b.expected[at] = static_cast<std::uint32_t>(random_());
      b.known[at] = 1;
      held_values_.emplace_back(at, b.expected[at]);
    });
  }
  void release_held() {
    if (held_.ticket == 0) return;
    auto* data = static_cast<std::uint32_t*>(held_.base);
    for (const auto& [at, value] : held_values_) data[at] = value;
    held_values_.clear();
    runtime::release_on_host(held_);
    held_ = {};
  }

  void end_buffer(std::size_t i) {
    auto& b = *buffers_[i];
    if (!b.alive) return;
    b.alive = false;
    runtime::destroy_buffer(keys_[i], true);
    if (b.writes_back && std::find(b.known.begin(), b.known.end(), 1) != b.known.end())
      compare(i, b.host.data(), box::of(b.range));
  }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<buffer_state>> buffers_;
  std::vector<runtime::buffer_key> keys_;
  std::vector<std::shared_ptr<runtime::queue>> queues_;
  std::deque<operation> operations_;
  std::vector<recorded> graphs_;
  std::uint32_t last_id_ = 0;
  runtime::host_access held_;
  operation::access held_access_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> held_values_;
};

void check_programs(std::size_t longest) {
  ASSERT_TRUE(devices_chosen);
  ASSERT_GE(runtime::device_count(), 2U);
  const bool passed = rc::check([&] {
    const auto world = *rc::gen::arbitrary<std::uint64_t>();
    const auto actions = *rc::gen::scale(
        static_cast<double>(longest) / 100.0,
        rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>()));
    try {
      program p(world);
      for (const auto a : actions) p.act(a);
      p.finish();
    } catch (const std::exception& e) {
      RC_FAIL(e.what());
    }
  });
  EXPECT_TRUE(passed);
}

TEST(runtime_programs, short_ones_give_the_bytes_of_an_interpreter) { check_programs(30); }
TEST(runtime_programs, long_ones_give_the_bytes_of_an_interpreter) { check_programs(400); }

}  // namespace
}  // namespace pianola::test
