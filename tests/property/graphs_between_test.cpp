// SPDX-License-Identifier: Apache-2.0
// Random programs on plain memory, where only events make an order, and on buffers: some of their commands run eagerly, others
// in graphs that are recorded in between, with events of what is outside, and waits that cut the recording. The numbers must
// be those of one command after the other.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <exception>
#include <iterator>
#include <optional>
#include <random>
#include <vector>

#include <sycl/sycl.hpp>

#include "drawn_device.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using executable = exp::command_graph<exp::graph_state::executable>;

class program {
 public:
  explicit program(std::uint64_t seed) : random_(seed) {
    for (std::size_t i = 0; i < cells; ++i) {
      data_[i] = expected_[i] = static_cast<std::uint32_t>(random_());
      add_buffer(i, static_cast<std::uint32_t>(random_()));
    }
    for (int i = 0; i < 3; ++i)
      queues_.emplace_back(home_.get_context(), home_.get_device(),
                           below(2) == 0 ? sycl::property_list{sycl::property::queue::in_order{}}
                                         : sycl::property_list{});
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() {
    for (sycl::queue& q : queues_) q.wait();
    sycl::free(data_, home_);
  }

  // Some commands one by one, then some as a graph.
  void act(std::uint64_t seed) {
    random_.seed(seed);
    for (std::size_t n = below(5); n > 0; --n) {
      const command c = any_command();
      note(c, submit(c, queues_[below(queues_.size())]));
      interpret(c);
    }
    switch (below(4)) {
      case 0:
      case 1:
        return run_graph();
      case 2:
        return run_sequence();
      default:
        return;
    }
  }

  [[nodiscard]] bool is_right() {
    for (sycl::queue& q : queues_) q.wait();
    for (std::size_t i = 0; i < cells; ++i)
      if (data_[i] != expected_[i] ||
          sycl::host_accessor(*buffers_[now_[i]], sycl::read_only)[0] != in_buffers_[now_[i]])
        return false;
    return true;
  }

 private:
  static constexpr std::size_t cells = 6;
  enum class kind : unsigned char { kernel, host_task, copy, fill, on_buffers, copy_of_buffer };
  struct command {
    kind what;
    std::size_t to, from, and_from;
    std::uint32_t salt, delay;
  };
  struct use {
    std::optional<sycl::event> written;
    std::vector<sycl::event> read;
  };

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  command any_command() {
    constexpr kind kinds[] = {kind::kernel, kind::kernel,     kind::kernel,
                              kind::kernel, kind::host_task,  kind::copy,
                              kind::fill,   kind::on_buffers, kind::copy_of_buffer};
    command c{kinds[below(std::size(kinds))],
              below(cells),
              below(cells),
              below(cells),
              static_cast<std::uint32_t>(random_()),
              below(3) == 0 ? static_cast<std::uint32_t>(below(20000)) : 0};
    if (uses_buffers(c))
      for (std::size_t* const cell : {&c.to, &c.from, &c.and_from}) *cell = now_[*cell];
    return c;
  }
  // In the place of the cell's last one.
  void add_buffer(std::size_t cell, std::uint32_t value) {
    now_[cell] = buffers_.size();
    buffers_.emplace_back(sycl::range<1>(1));
    in_buffers_.push_back(value);
    sycl::host_accessor{*buffers_.back(), sycl::write_only, sycl::no_init}[0] = value;
  }
  static bool uses_buffers(const command& c) {
    return c.what == kind::on_buffers || c.what == kind::copy_of_buffer;
  }
  void interpret(const command& c) {
    interpret(c, uses_buffers(c) ? in_buffers_.data() : expected_);
  }
  static void interpret(const command& c, std::uint32_t* v) {
    if (c.what == kind::copy || c.what == kind::copy_of_buffer)
      v[c.to] = v[c.from];
    else if (c.what == kind::fill)
      v[c.to] = c.salt;
    else
      v[c.to] = v[c.from] * 3 + v[c.and_from] * 5 + c.salt;
  }

  // What the command has to come after.
  std::vector<sycl::event> before(const command& c) const {
    std::vector<sycl::event> all;
    if (uses_buffers(c)) return all;
    for (const std::size_t cell : {c.from, c.and_from, c.to})
      if (uses_[cell].written) all.push_back(*uses_[cell].written);
    all.insert(all.end(), uses_[c.to].read.begin(), uses_[c.to].read.end());
    return all;
  }
  void note(const command& c, const sycl::event& e) {
    if (uses_buffers(c)) return;
    uses_[c.from].read.push_back(e);
    uses_[c.and_from].read.push_back(e);
    uses_[c.to] = {e, {}};
  }

  sycl::event submit(const command& c, sycl::queue& q) {
    return q.submit([&](sycl::handler& h) {
      h.depends_on(before(c));
      if (c.what == kind::copy) return h.memcpy(data_ + c.to, data_ + c.from, sizeof *data_);
      if (c.what == kind::fill) return h.fill(data_ + c.to, c.salt, 1);
      if (uses_buffers(c)) return on_buffers(c, h);
      const auto work = [c, v = data_] {
        std::uint32_t volatile spun = 0;
        for (std::uint32_t i = 0; i < c.delay; ++i) spun = i;
        static_cast<void>(spun);
        v[c.to] = v[c.from] * 3 + v[c.and_from] * 5 + c.salt;
      };
      if (c.what == kind::host_task)
        h.host_task(work);
      else
        h.single_task(work);
    });
  }
  void on_buffers(const command& c, sycl::handler& h) {
    sycl::accessor to(*buffers_[c.to], h);
    if (c.what == kind::copy_of_buffer) {
      if (c.from == c.to) return h.single_task([=] { static_cast<void>(to); });
      return h.copy(sycl::accessor(*buffers_[c.from], h, sycl::read_only), to);
    }
    sycl::accessor from(*buffers_[c.from], h, sycl::read_only);
    sycl::accessor and_from(*buffers_[c.and_from], h, sycl::read_only);
    h.single_task([=, salt = c.salt] { to[0] = from[0] * 3 + and_from[0] * 5 + salt; });
  }

  void run_graph() {
    exp::command_graph graph(home_.get_context(), home_.get_device());
    std::vector<sycl::queue> recording{queues_[below(2)]};
    if (below(2) == 0) recording.push_back(queues_[2]);
    graph.begin_recording(recording);
    std::vector<command> commands;
    const std::vector<use> outside(uses_, uses_ + cells);
    for (std::size_t n = 1 + below(6); n > 0; --n) {
      commands.push_back(any_command());
      note(commands.back(), submit(commands.back(), recording[below(recording.size())]));
    }
    graph.end_recording();
    executable made = graph.finalize();
    if (below(3) == 0) {
      // Nested, it hands on what it waits for.
      exp::command_graph outer(home_.get_context(), home_.get_device());
      outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(made); });
      made = outer.finalize();
    }
    sycl::event last;
    for (std::size_t runs = 1 + below(3); runs > 0; --runs) {
      last = queues_[below(queues_.size())].ext_oneapi_graph(made);
      for (const command& c : commands) interpret(c);
    }
    // Outside of the recording its commands are the launch.
    for (std::size_t i = 0; i < cells; ++i) uses_[i] = outside[i];
    for (const command& c : commands) note(c, last);
  }

  // What may wait while queues record. False if nothing recorded since the last cut is waited for.
  bool cut(sycl::queue& q, sycl::event& e, const std::vector<command>& recorded) {
    const std::size_t cell = below(cells), buffer = now_[cell];
    bool used = false;
    std::vector<std::uint32_t> then = in_buffers_;  // when what is recorded has run
    for (const command& c : recorded) {
      if (!uses_buffers(c)) continue;
      used = used || c.to == buffer || c.from == buffer ||
             (c.what == kind::on_buffers && c.and_from == buffer);
      interpret(c, then.data());
    }
    const std::uint32_t expected = used ? then[buffer] : in_buffers_[buffer];
    switch (below(4)) {
      case 0:
        q.wait();
        return true;
      case 1:
        e.wait();
        return true;
      case 2:
        RC_ASSERT(sycl::host_accessor(*buffers_[buffer], sycl::read_only)[0] == expected);
        return used;
      default: {
        // It ends, and another one goes on with what it had.
        std::uint32_t left = 0;
        buffers_[buffer]->set_final_data(&left);
        buffers_[buffer].reset();
        RC_ASSERT(left == expected);
        add_buffer(cell, left);
        return used;
      }
    }
  }

  void run_sequence() {
    exp::command_graph graph(home_.get_context(), home_.get_device(),
                             {pia::property::graph::split_at_waits{}});
    std::vector<sycl::queue> recording{queues_[below(2)], queues_[2]};
    graph.begin_recording(recording);
    std::vector<std::vector<command>> parts(1);
    const std::vector<use> outside(uses_, uses_ + cells);
    for (std::size_t n = 1 + below(8); n > 0; --n) {
      const command c = any_command();
      sycl::queue& q = recording[below(2)];
      sycl::event e = submit(c, q);
      note(c, e);
      parts.back().push_back(c);
      if (below(3) != 0) continue;
      if (!cut(q, e, parts.back())) continue;
      for (const command& ran : parts.back()) interpret(ran);
      parts.emplace_back();
    }
    graph.end_recording();
    const bool all_ran = parts.back().empty();
    if (all_ran) parts.pop_back();
    pia::graph_sequence sequence(graph);
    RC_ASSERT(sequence.size() == parts.size());
    RC_ASSERT(sequence.position() == (all_ran ? 0 : parts.size() - 1));
    sycl::event last;
    for (std::size_t more = (all_ran ? 0 : 1) + below(3) * parts.size(); more > 0; --more) {
      for (const command& c : parts[sequence.position()]) interpret(c);
      last = sequence.next(queues_[below(queues_.size())]);
    }
    for (std::size_t i = 0; i < cells; ++i) uses_[i] = outside[i];
    for (const auto& part : parts)
      for (const command& c : part) note(c, last);
  }

  std::mt19937_64 random_;
  sycl::queue home_{pianola::testing::drawn_device(random_)};
  std::vector<sycl::queue> queues_;
  std::uint32_t* data_ = sycl::malloc<std::uint32_t>(
      cells, home_,
      pianola::testing::drawn_usm(random_, home_.get_device(), /*device_only=*/false));
  // Of each command the buffers that it names; those that have ended live on in graphs.
  std::vector<std::optional<sycl::buffer<std::uint32_t>>> buffers_;
  std::vector<std::uint32_t> in_buffers_;
  std::size_t now_[cells] = {};  // index: cell; its buffer
  std::uint32_t expected_[cells] = {};
  use uses_[cells];
};

TEST(programs_with_graphs_between, give_the_numbers_of_one_command_after_the_other) {
  const bool passed = rc::check([] {
    const auto world = *rc::gen::arbitrary<std::uint64_t>();
    const auto actions = *rc::gen::scale(
        0.3, rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>()));
    try {
      program p(world);
      for (const auto a : actions) p.act(a);
      RC_ASSERT(p.is_right());
    } catch (const std::exception& e) {
      RC_FAIL(e.what());
    }
  });
  EXPECT_TRUE(passed);
}

}  // namespace
