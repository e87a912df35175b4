// SPDX-License-Identifier: Apache-2.0
// Launches of one executable graph on other buffers and other memory.
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/ext/pianola/graph_parameter.hpp>
#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;
using ints = sycl::buffer<int>;
using buffer_parameter = pia::graph_parameter<ints>;
using memory_parameter = pia::graph_parameter<int*>;

constexpr std::size_t size = 64;

// Many launches after another leave the range of int.
constexpr int wrapped(unsigned value) { return static_cast<int>(value); }

class graph_parameters_of_launches : public ::testing::Test {
 protected:
  // to = 3 * from + 1, in two steps.
  executable made(const sycl::property_list& properties = {}) {
    g.add([&](sycl::handler& h) {
      sycl::accessor a{*from, h, sycl::read_only};
      sycl::accessor b{*to, h, sycl::write_only, sycl::no_init};
      h.parallel_for(size,
                     [=](sycl::id<1> i) { b[i] = wrapped(3U * static_cast<unsigned>(a[i])); });
    });
    g.add([&](sycl::handler& h) {
      sycl::accessor b{*to, h};
      h.parallel_for(size,
                     [=](sycl::id<1> i) { b[i] = wrapped(static_cast<unsigned>(b[i]) + 1U); });
    });
    return g.finalize(properties);
  }
  static ints filled(int value) {
    ints b{size};
    sycl::host_accessor a{b};
    for (std::size_t i = 0; i < size; ++i) a[i] = value;
    return b;
  }
  static int last(ints& b) { return sycl::host_accessor{b, sycl::read_only}[size - 1]; }
  std::string message(const executable& e, const std::vector<pia::graph_argument>& arguments) {
    try {
      q.ext_oneapi_graph(e, arguments);
    } catch (const sycl::exception& thrown) {
      EXPECT_EQ(thrown.code(), sycl::errc::invalid);
      return thrown.what();
    }
    return "";
  }

  sycl::queue q;
  modifiable g{q};
  buffer_parameter from{sycl::range<1>(size)}, to{sycl::range<1>(size)};
};

TEST_F(graph_parameters_of_launches, are_other_buffers_each_time) {
  const executable e = made();
  ints a = filled(1), b = filled(0), c = filled(0);
  q.ext_oneapi_graph(e, {from = a, to = b});
  q.ext_oneapi_graph(e, {from = b, to = c});
  q.ext_oneapi_graph(e, {from = c, to = a});
  EXPECT_EQ(last(b), 4);
  EXPECT_EQ(last(c), 13);
  EXPECT_EQ(last(a), 40);
}

TEST_F(graph_parameters_of_launches, take_turns_without_waiting_between) {
  const executable e = made();
  ints a = filled(1), b = filled(0);
  unsigned expected = 1;
  for (int i = 0; i < 40; ++i) {
    q.ext_oneapi_graph(e, {from = i % 2 == 0 ? a : b, to = i % 2 == 0 ? b : a});
    expected = 3 * expected + 1;
  }
  EXPECT_EQ(static_cast<unsigned>(last(a)), expected);
}

TEST_F(graph_parameters_of_launches, see_what_others_did_to_the_buffer) {
  const executable e = made();
  ints a = filled(1), b = filled(0);
  for (int i = 0; i < 5; ++i) {
    sycl::host_accessor{a}[size - 1] = 10 * i;
    q.ext_oneapi_graph(e, {from = a, to = b});
    q.submit([&](sycl::handler& h) {
      sycl::accessor x{b, h};
      h.parallel_for(size, [=](sycl::id<1> n) { x[n] *= 2; });
    });
    EXPECT_EQ(last(b), 2 * (30 * i + 1));
  }
}

TEST_F(graph_parameters_of_launches, are_written_back_to_the_programs_memory) {
  const executable e = made();
  ints a = filled(2);
  std::vector<std::vector<int>> results(6, std::vector<int>(size));
  for (std::vector<int>& r : results) {
    ints b{r.data(), sycl::range<1>(size)};
    q.ext_oneapi_graph(e, {from = a, to = b});
  }
  for (const std::vector<int>& r : results) EXPECT_EQ(r, std::vector<int>(size, 7));
}

TEST_F(graph_parameters_of_launches, may_end_right_behind_the_launch) {
  const executable e = made();
  ints a = filled(5), result = filled(0);
  for (int i = 0; i < 20; ++i) {
    ints b = filled(0);
    q.ext_oneapi_graph(e, {from = a, to = b});
    q.ext_oneapi_graph(e, {from = b, to = result});
  }
  EXPECT_EQ(last(result), 49);
}

TEST_F(graph_parameters_of_launches, do_not_wait_for_the_launch_before) {
  const executable e = made();
  const auto open = std::make_shared<std::atomic<bool>>(false);
  ints a = filled(1), b = filled(0), c = filled(0);
  q.ext_oneapi_graph(e, {from = a, to = b});
  EXPECT_EQ(last(b), 4);
  const sycl::event held = q.submit([&](sycl::handler& h) {
    h.host_task([open] {
      while (!open->load()) std::this_thread::yield();
    });
  });
  // All of these come behind the host task, which goes on only afterwards.
  q.ext_oneapi_graph(e, {from = b, to = c}, {held});
  q.ext_oneapi_graph(e, {from = c, to = b}, {held});
  q.ext_oneapi_graph(e, {from = b, to = a}, {held});
  open->store(true);
  EXPECT_EQ(last(a), 121);
}

TEST_F(graph_parameters_of_launches, stand_beside_buffers_that_stay) {
  ints sum = filled(0);
  g.add([&](sycl::handler& h) {
    sycl::accessor a{*from, h, sycl::read_only};
    sycl::accessor s{sum, h};
    h.parallel_for(size, [=](sycl::id<1> i) { s[i] += a[i]; });
  });
  const executable e = g.finalize();
  ints a = filled(1), b = filled(20);
  for (int i = 0; i < 6; ++i) q.ext_oneapi_graph(e, {from = i % 2 == 0 ? a : b});
  EXPECT_EQ(last(sum), 63);
  EXPECT_NE(message(e, {from = sum}).find("stands for"), std::string::npos);
}

TEST_F(graph_parameters_of_launches, may_be_one_buffer_where_nothing_is_written) {
  ints sum = filled(0);
  g.add([&](sycl::handler& h) {
    sycl::accessor a{*from, h, sycl::read_only}, b{*to, h, sycl::read_only};
    sycl::accessor s{sum, h, sycl::write_only, sycl::no_init};
    h.parallel_for(size, [=](sycl::id<1> i) { s[i] = a[i] + b[i]; });
  });
  const executable e = g.finalize();
  ints a = filled(4);
  q.ext_oneapi_graph(e, {from = a, to = a});
  EXPECT_EQ(last(sum), 8);
}

TEST_F(graph_parameters_of_launches, go_to_copies_and_host_tasks_too) {
  g.add([&](sycl::handler& h) {
    sycl::accessor a{*from, h, sycl::read_only};
    sycl::accessor b{*to, h, sycl::write_only, sycl::no_init};
    h.copy(a, b);
  });
  g.add([&](sycl::handler& h) {
    sycl::accessor b{*to, h, sycl::read_write_host_task};
    h.host_task([=] { b[size - 1] += 5; });
  });
  const executable e = g.finalize();
  ints a = filled(1), b = filled(0), c = filled(0);
  q.ext_oneapi_graph(e, {from = a, to = b});
  q.ext_oneapi_graph(e, {from = b, to = c});
  EXPECT_EQ(last(c), 11);
}

TEST_F(graph_parameters_of_launches, of_a_nested_graph_are_those_of_the_graph_that_holds_it) {
  const executable inner = made();
  modifiable outer{q};
  outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(inner); });
  const executable e = outer.finalize();
  ints a = filled(1), b = filled(0);
  q.ext_oneapi_graph(e, {from = a, to = b});
  EXPECT_EQ(last(b), 4);
}

TEST_F(graph_parameters_of_launches, reach_the_bodies_of_loops) {
  memory_parameter in{1, q, sycl::usm::alloc::shared};
  int* const step = in.get();
  modifiable body{q};
  body.add([&](sycl::handler& h) {
    sycl::accessor b{*to, h};
    h.parallel_for(size, [=](sycl::id<1> i) { b[i] += *step; });
  });
  modifiable twice{q};
  twice.add_repeat(2, body.finalize());
  g.add([&](sycl::handler& h) {
    sycl::accessor a{*from, h, sycl::read_only};
    sycl::accessor b{*to, h, sycl::write_only, sycl::no_init};
    h.copy(a, b);
  });
  g.add_repeat(3, twice.finalize());
  const executable e = g.finalize();
  int* const x = sycl::malloc_shared<int>(2, q);
  x[0] = 1;
  x[1] = 10;
  {
    ints a = filled(1), b = filled(0), c = filled(0);
    q.ext_oneapi_graph(e, {from = a, to = b, in = x});
    q.ext_oneapi_graph(e, {from = b, to = c, in = x + 1});
    q.ext_oneapi_graph(e, {from = c, to = a, in = x});
    EXPECT_EQ(last(b), 7);
    EXPECT_EQ(last(c), 67);
    EXPECT_EQ(last(a), 73);
  }
  q.wait();
  sycl::free(x, q);
}

TEST_F(graph_parameters_of_launches, decide_how_often_loops_run) {
  memory_parameter left{1, q, sycl::usm::alloc::device};
  buffer_parameter which{sycl::range<1>(1)};
  int* const n = left.get();
  modifiable body{q};
  body.add([&](sycl::handler& h) {
    sycl::accessor b{*to, h};
    h.single_task([=] {
      b[size - 1] += 1;
      *n -= 1;
    });
  });
  modifiable ten{q};
  ten.add([&](sycl::handler& h) {
    sycl::accessor b{*to, h};
    h.single_task([=] { b[size - 1] += 10; });
  });
  const auto loop = g.add_while(n, body.finalize());
  g.add_if(*which, ten.finalize(), {exp::property::node::depends_on(loop)});
  const executable e = g.finalize();
  int* const x = sycl::malloc_device<int>(2, q);
  ints a = filled(0), b = filled(0), yes{sycl::range<1>(1)}, no{sycl::range<1>(1)};
  sycl::host_accessor(yes, sycl::write_only, sycl::no_init)[0] = 1;
  sycl::host_accessor(no, sycl::write_only, sycl::no_init)[0] = 0;
  q.submit([&](sycl::handler& h) {
     h.single_task([=] {
       x[0] = 3;
       x[1] = 5;
     });
   }).wait();
  q.ext_oneapi_graph(e, {to = a, which = no, left = x});
  q.ext_oneapi_graph(e, {to = b, which = yes, left = x + 1});
  EXPECT_EQ(last(a), 3);
  EXPECT_EQ(last(b), 15);
  q.wait();
  sycl::free(x, q);
}

TEST_F(graph_parameters_of_launches, follow_an_update) {
  exp::dynamic_parameter<int> factor(g, 2);
  exp::node scaled = g.add([&](sycl::handler& h) {
    sycl::accessor a{*from, h, sycl::read_only};
    sycl::accessor b{*to, h, sycl::write_only, sycl::no_init};
    pia::dynamic_argument f(factor);
    h.parallel_for(size, [=](sycl::id<1> i) { b[i] = a[i] * f; });
  });
  executable e = g.finalize({exp::property::graph::updatable()});
  ints a = filled(1), b = filled(0), c = filled(0);
  q.ext_oneapi_graph(e, {from = a, to = b});
  q.ext_oneapi_graph(e, {from = b, to = c});
  factor.update(5);
  e.update(scaled);
  q.ext_oneapi_graph(e, {from = c, to = a});
  q.ext_oneapi_graph(e, {from = a, to = b});
  e.update(g);
  q.ext_oneapi_graph(e, {from = b, to = c});
  EXPECT_EQ(last(c), 500);
}

TEST_F(graph_parameters_of_launches, are_other_memory_each_time) {
  memory_parameter in{size, q, sycl::usm::alloc::shared}, out{size, q, sycl::usm::alloc::shared};
  int* const x = in.get();
  int* const y = out.get();
  const exp::node first = g.add(
      [&](sycl::handler& h) { h.parallel_for(size, [=](sycl::id<1> i) { y[i] = x[i] + 1; }); });
  const exp::node second = g.add([&](sycl::handler& h) { h.memcpy(y, x + 1, sizeof(int)); },
                                 {exp::property::node::depends_on(first)});
  g.add([&](sycl::handler& h) { h.fill(y + 1, 77, 1); }, {exp::property::node::depends_on(second)});
  const executable e = g.finalize();
  std::vector<int*> memory;
  for (int i = 0; i < 3; ++i) memory.push_back(sycl::malloc_shared<int>(2 * size, q));
  for (std::size_t i = 0; i < size; ++i) memory[0][i] = static_cast<int>(i);
  sycl::event last;
  for (int i = 0; i < 7; ++i)
    last = q.ext_oneapi_graph(e, {in = memory[i % 3], out = memory[(i + 1) % 3]}, {last});
  last.wait();
  EXPECT_EQ(memory[1][size - 1], static_cast<int>(size) - 1 + 7);
  EXPECT_EQ(memory[1][0], 77);
  EXPECT_EQ(memory[1][1], 77);
  for (int* m : memory) sycl::free(m, q);
}

// Padding behind a captured value may hold the last bytes of an address.
template <class Value>
struct value_before_old_bytes {
  Value value;
  unsigned char old[sizeof(void*) - sizeof(Value)];
  int* out;

  value_before_old_bytes(Value v, int* to) : value(v), out(to) {
    std::memcpy(old, reinterpret_cast<const unsigned char*>(&out) + sizeof(Value), sizeof old);
  }
  void operator()() const { *out = static_cast<int>(value); }
};

TEST_F(graph_parameters_of_launches, leave_values_alone_that_stand_before_old_bytes_of_addresses) {
  std::vector<memory_parameter> all;
  const auto add = [&](auto value) {
    all.emplace_back(std::size_t{1}, q, sycl::usm::alloc::shared);
    g.add([&, to = all.back().get()](sycl::handler& h) {
      h.single_task(value_before_old_bytes<decltype(value)>(value, to));
    });
  };
  std::vector<int> expected;
  for (int i = 0; i < 40; ++i) {
    add(i % 2 == 1);
    add(static_cast<short>(i));
    add(1000 * i);
    expected.insert(expected.end(), {i % 2, i, 1000 * i});
  }
  const executable e = g.finalize();
  int* const memory = sycl::malloc_shared<int>(all.size(), q);
  std::vector<pia::graph_argument> arguments;
  for (std::size_t i = 0; i < all.size(); ++i) arguments.push_back(all[i] = memory + i);
  q.ext_oneapi_graph(e, arguments).wait();
  EXPECT_EQ(std::vector<int>(memory, memory + all.size()), expected);
  sycl::free(memory, q);
}

TEST_F(graph_parameters_of_launches, have_to_fit) {
  memory_parameter in{size, q, sycl::usm::alloc::host};
  int* const x = in.get();
  g.add([&](sycl::handler& h) {
    sycl::accessor b{*to, h, sycl::write_only, sycl::no_init};
    h.parallel_for(size, [=](sycl::id<1> i) { b[i] = x[i]; });
  });
  const executable e = g.finalize();
  int* const fits = sycl::malloc_host<int>(size, q);
  int* const shared = sycl::malloc_shared<int>(size, q);
  int on_stack = 0;
  ints right{size}, long_one{size + 1};
  sycl::buffer<int> coarse{sycl::range<1>(size)};
  const auto says = [](const std::string& message, const char* what) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  says(message(e, {}), "no buffer is given");
  says(message(e, {to = right}), "no pointer is given");
  says(message(e, {in = fits}), "no buffer is given");
  says(message(e, {to = long_one, in = fits}), "65 elements of 4 bytes");
  says(message(e, {to = *to, in = fits}), "another parameter");
  says(message(e, {to = right, to = right, in = fits}), "two values");
  says(message(e, {to = right, from = right, in = fits}), "does not use");
  says(message(e, {to = right, in = fits + 1}), "252 bytes behind it");
  says(message(e, {to = right, in = reinterpret_cast<int*>(reinterpret_cast<char*>(fits) + 1)}),
       "255 bytes behind it");
  says(message(e, {to = right, in = shared}), "into shared memory");
  says(message(e, {to = right, in = &on_stack}), "no USM allocation");
  says(message(e, {to = right, in = nullptr}), "null pointer");
  EXPECT_EQ(error_code_of([&] {
              ints part{right, sycl::id<1>(0), sycl::range<1>(size / 2)};
              static_cast<void>(to = part);
            }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { memory_parameter none(0, q); }), sycl::errc::invalid);
  EXPECT_EQ(message(e, {to = right, in = fits}), "");
  q.wait();
  sycl::free(fits, q);
  sycl::free(shared, q);
}

TEST_F(graph_parameters_of_launches, hold_no_data_elsewhere) {
  const executable e = made();
  EXPECT_EQ(error_code_of([&] { sycl::host_accessor{*to}; }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::accessor a{*to, h};
                h.parallel_for(size, [=](sycl::id<1> i) { a[i] = 1; });
              });
            }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.ext_oneapi_graph(e); }), sycl::errc::invalid);
}

TEST_F(graph_parameters_of_launches, of_memory_are_refused_by_commands_outside_of_graphs) {
  const memory_parameter memory{size, q};
  int* const p = memory.get();
  int* const real = sycl::malloc_device<int>(size, q);
  const auto invalid = [](auto&& submit) { EXPECT_EQ(error_code_of(submit), sycl::errc::invalid); };
  invalid([&] { q.single_task([=] { *p = 1; }); });
  invalid([&] { q.submit([&](sycl::handler& h) { h.host_task([=] { *p = 1; }); }); });
  invalid([&] { q.memcpy(real, p, size * sizeof(int)); });
  invalid([&] { q.memcpy(p + 1, real, sizeof(int)); });
  invalid([&] { q.fill(p, 1, size); });
  // Old bytes of a pointer behind a flag are none.
  struct alignas(16) padded {
    int* old;
    int* more;
  } remains{p, p};
  alignas(16) unsigned char bytes[sizeof remains];
  std::memcpy(bytes, &remains, sizeof remains);
  struct alignas(16) flagged {
    bool set = true;
  };
  std::memcpy(bytes, "\1", 1);
  flagged f;
  std::memcpy(&f, bytes, sizeof f);
  q.single_task([=] { *real = f.set ? 7 : 8; }).wait();
  int seen = 0;
  q.memcpy(&seen, real, sizeof seen).wait();
  EXPECT_EQ(seen, 7);
  sycl::free(real, q);
}

TEST_F(graph_parameters_of_launches, let_several_run_at_a_time) {
  ints work{sycl::range<1>(size), {pia::property::buffer::temporary()}};
  g.add([&](sycl::handler& h) {
    sycl::accessor a{*from, h, sycl::read_only};
    sycl::accessor w{work, h, sycl::write_only, sycl::no_init};
    h.parallel_for(size, [=](sycl::id<1> i) { w[i] = 2 * a[i]; });
  });
  g.add([&](sycl::handler& h) {
    sycl::accessor w{work, h, sycl::read_only};
    sycl::accessor b{*to, h, sycl::write_only, sycl::no_init};
    h.parallel_for(size, [=](sycl::id<1> i) { b[i] = w[i] + 1; });
  });
  const executable e = g.finalize({pia::property::graph::in_flight(3)});
  std::vector<ints> in, out;
  for (int i = 0; i < 8; ++i) {
    in.push_back(filled(i));
    out.push_back(filled(0));
  }
  for (int round = 0; round < 5; ++round)
    for (std::size_t i = 0; i < 8; ++i) q.ext_oneapi_graph(e, {from = in[i], to = out[i]});
  for (int i = 0; i < 8; ++i) EXPECT_EQ(last(out[static_cast<std::size_t>(i)]), 2 * i + 1);
  EXPECT_EQ(error_code_of([&] { g.finalize({pia::property::graph::in_flight(0)}); }),
            sycl::errc::invalid);
}

TEST_F(graph_parameters_of_launches, let_a_second_launch_begin_while_the_first_one_runs) {
  const auto begun = std::make_shared<std::atomic<int>>(0);
  g.add([&](sycl::handler& h) {
    h.host_task([begun] {
      begun->fetch_add(1);
      while (begun->load() < 2) std::this_thread::yield();
    });
  });
  const executable e = g.finalize({pia::property::graph::in_flight(2)});
  q.ext_oneapi_graph(e);
  q.ext_oneapi_graph(e);
  q.wait();
  EXPECT_EQ(begun->load(), 2);
}

// A second one would find its storage in use.
TEST_F(graph_parameters_of_launches, run_one_at_a_time_unless_the_graph_says_how_many) {
  const auto running = std::make_shared<std::atomic<int>>(0);
  const auto most = std::make_shared<std::atomic<int>>(0);
  g.add([&](sycl::handler& h) {
    h.host_task([running, most] {
      const int now = running->fetch_add(1) + 1;
      if (now > most->load()) most->store(now);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      running->fetch_sub(1);
    });
  });
  const executable e = g.finalize();
  for (int i = 0; i < 8; ++i) q.ext_oneapi_graph(e);
  q.wait();
  EXPECT_EQ(most->load(), 1);
}

}  // namespace
