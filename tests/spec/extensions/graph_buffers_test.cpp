// SPDX-License-Identifier: Apache-2.0
// What else may be in recorded graphs: views and parts of buffers, graphs with several parents, kernel bundles, and copies and
// fills that a node exchanges.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace on_graph = exp::property::graph;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

class graph_holds : public ::testing::Test {
 protected:
  ~graph_holds() override { q.wait(); }

  template <class T>
  static std::vector<T> contents(sycl::buffer<T>& of) {
    const sycl::host_accessor a(of, sycl::read_only);
    return {a.begin(), a.end()};
  }
  void replay(const executable& made) { q.ext_oneapi_graph(made).wait(); }
  void replay() { replay(g.finalize()); }

  sycl::queue q;
  modifiable g{q,
               {on_graph::assume_buffer_outlives_graph{}, on_graph::assume_data_outlives_buffer{}}};
};

TEST_F(graph_holds, views_of_buffers_as_other_types) {
  sycl::buffer<unsigned> words(4);
  g.add([&](sycl::handler& h) {
    h.fill(sycl::accessor(words, h, sycl::write_only, sycl::no_init), 0x01020304U);
  });
  sycl::buffer<unsigned char> bytes =
      words.reinterpret<unsigned char, 1>(sycl::range<1>(4 * sizeof(unsigned)));
  exp::node node = g.add([&](sycl::handler& h) {
    sycl::accessor b(bytes, h);
    h.parallel_for(16, [=](sycl::id<1> i) { b[i] = static_cast<unsigned char>(b[i] + 1); });
  });
  EXPECT_EQ(node.get_predecessors().size(), 1U);
  auto square = words.reinterpret<unsigned, 2>(sycl::range<2>(2, 2));
  g.add([&](sycl::handler& h) {
    sycl::accessor s(square, h);
    h.single_task([=] { s[1][0] = 7; });
  });
  const executable made = g.finalize();
  for (int run = 0; run < 2; ++run) {
    replay(made);
    EXPECT_EQ(contents(words), (std::vector<unsigned>{0x02030405U, 0x02030405U, 7U, 0x02030405U}));
  }
}

TEST_F(graph_holds, parts_of_buffers) {
  std::vector<int> data(16, 1);
  {
    sycl::buffer<int> all(data);
    sycl::buffer<int> middle(all, sycl::id<1>(4), sycl::range<1>(8));
    g.add([&](sycl::handler& h) {
      sycl::accessor m(middle, h);
      h.parallel_for(8, [=](sycl::id<1> i) { m[i] += 10; });
    });
    g.add([&](sycl::handler& h) {
      sycl::accessor part(all, h, sycl::range<1>(4), sycl::id<1>(6));
      h.parallel_for(4, [=](sycl::id<1> i) { part[i] *= 2; });
    });
    g.add([&](sycl::handler& h) {
      sycl::accessor to(all, h, sycl::range<1>(2), sycl::id<1>(0), sycl::write_only);
      sycl::accessor from(middle, h, sycl::range<1>(2), sycl::id<1>(2), sycl::read_only);
      h.copy(from, to);
    });
    replay();
  }
  std::vector<int> wanted(16, 1);
  for (std::size_t i = 4; i < 12; ++i) wanted[i] = 11;
  for (std::size_t i = 6; i < 10; ++i) wanted[i] = 22;
  wanted[0] = wanted[1] = 22;
  EXPECT_EQ(data, wanted);
}

TEST_F(graph_holds, a_graph_that_has_several_parents) {
  int* const v = sycl::malloc_shared<int>(1, q);
  *v = 1;
  modifiable child(q);
  child.add([&](sycl::handler& h) { h.single_task([=] { *v *= 3; }); });
  const executable inner = child.finalize();
  const auto nested_twice = [&](int plus) {
    modifiable parent(q);
    parent.begin_recording(q);
    const sycl::event first = q.ext_oneapi_graph(inner);
    const sycl::event then = q.single_task(first, [=] { *v += plus; });
    q.ext_oneapi_graph(inner, then);
    parent.end_recording();
    return parent.finalize();
  };
  const executable one = nested_twice(1), two = nested_twice(2);
  replay(one);
  EXPECT_EQ(*v, 12);
  replay(two);
  EXPECT_EQ(*v, 114);
  replay(inner);
  EXPECT_EQ(*v, 342);
  modifiable grandparent(q);
  exp::node a = grandparent.add([&](sycl::handler& h) { h.ext_oneapi_graph(one); });
  grandparent.add([&](sycl::handler& h) { h.ext_oneapi_graph(two); },
                  {exp::property::node::depends_on(a)});
  *v = 1;
  replay(grandparent.finalize());
  EXPECT_EQ(*v, 114);
  sycl::free(v, q);
}

constexpr sycl::specialization_id<int> step(5);
class steps;

TEST_F(graph_holds, kernels_of_a_bundle_with_its_constants) {
  auto input = sycl::get_kernel_bundle<steps, sycl::bundle_state::input>(q.get_context());
  input.set_specialization_constant<step>(7);
  const auto bundle = sycl::build(input);
  int* const v = sycl::malloc_shared<int>(1, q);
  *v = 0;
  const auto stepping = [&](sycl::handler& h) {
    h.use_kernel_bundle(bundle);
    h.single_task<steps>(
        [=](sycl::kernel_handler k) { *v += k.get_specialization_constant<step>(); });
  };
  exp::node first = g.add(stepping);
  g.begin_recording(q);
  q.submit(stepping);
  g.end_recording();
  exp::node second = g.get_nodes().back();
  g.make_edge(first, second);
  const executable made = g.finalize();
  replay(made);
  EXPECT_EQ(*v, 14);
  replay(made);
  EXPECT_EQ(*v, 28);
  sycl::free(v, q);
}

TEST_F(graph_holds, copies_and_fills_that_a_node_exchanges) {
  int* const from = sycl::malloc_device<int>(16, q);
  int* const to = sycl::malloc_shared<int>(8, q);
  std::vector<int> numbers(16);
  std::iota(numbers.begin(), numbers.end(), 0);
  q.copy(numbers.data(), from, 16).wait();
  sycl::buffer<int> b(8);
  exp::dynamic_command_group copies(
      g, {[=](sycl::handler& h) { h.memcpy(to, from, 8 * sizeof(int)); },
          [=](sycl::handler& h) { h.memcpy(to, from + 8, 4 * sizeof(int)); }});
  exp::dynamic_command_group fills(
      g, {[&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 1); },
          [&](sycl::handler& h) {
            h.fill(sycl::accessor(b, h, sycl::range<1>(2), sycl::id<1>(6), sycl::write_only), 2);
          }});
  exp::node copy = g.add(copies), fill = g.add(fills);
  EXPECT_EQ(copy.get_type(), exp::node_type::memcpy);
  executable made = g.finalize({on_graph::updatable{}});
  replay(made);
  EXPECT_EQ(std::vector<int>(to, to + 8), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(contents(b), std::vector<int>(8, 1));
  copies.set_active_index(1);
  fills.set_active_index(1);
  made.update({copy, fill});
  replay(made);
  EXPECT_EQ(std::vector<int>(to, to + 8), (std::vector<int>{8, 9, 10, 11, 4, 5, 6, 7}));
  EXPECT_EQ(contents(b), (std::vector<int>{1, 1, 1, 1, 1, 1, 2, 2}));
  copies.set_active_index(0);
  made.update(copy);
  replay(made);
  EXPECT_EQ(to[0], 0);
  sycl::free(from, q);
  sycl::free(to, q);
}

// A graph that was put together in another order is the same graph.
TEST_F(graph_holds, what_an_update_brings_in_another_order) {
  int* const v = sycl::malloc_shared<int>(3, q);
  for (int i = 0; i < 3; ++i) v[i] = 0;
  const auto alone = [=](int what) {
    return [=](sycl::handler& h) { h.host_task([=] { v[2] += what; }); };
  };
  const auto chain = [=](modifiable& to, int what) {
    exp::node first = to.add([=](sycl::handler& h) { h.single_task([=] { v[0] = what; }); });
    return to.add([=](sycl::handler& h) { h.single_task([=] { v[1] = v[0] * 2; }); },
                  {exp::property::node::depends_on(first)});
  };
  exp::node last = chain(g, 1);
  g.add(alone(1));
  executable made = g.finalize({on_graph::updatable{}});
  modifiable other(q);
  other.add(alone(10));
  chain(other, 100);
  made.update(other);
  replay(made);
  EXPECT_EQ(std::vector<int>(v, v + 3), (std::vector<int>{100, 200, 10}));
  // The nodes that it was finalized from are still found.
  made.update(last);
  replay(made);
  EXPECT_EQ(std::vector<int>(v, v + 3), (std::vector<int>{100, 200, 20}));
  made.update(g.get_nodes());
  replay(made);
  EXPECT_EQ(std::vector<int>(v, v + 3), (std::vector<int>{1, 2, 21}));
  sycl::free(v, q);
}

}  // namespace
