// SPDX-License-Identifier: Apache-2.0
// Accessors to no elements, as the last part of a loop or an edge without a halo has them: they need nothing, recorded as
// run at once.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <sycl/sycl.hpp>
#include <vector>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

class graph_of_empty_accessors : public ::testing::Test {
 protected:
  using group = std::function<void(sycl::handler&)>;

  // What is left in `data` after the groups: at once, recorded and launched twice, and added as nodes.
  void expect_alike(const std::vector<group>& groups) {
    sycl::queue q;
    for (const group& g : groups) q.submit(g);
    const std::vector<int> at_once = contents();
    fill();
    exp::command_graph recorded(q, {exp::property::graph::assume_buffer_outlives_graph{}});
    recorded.begin_recording(q);
    for (const group& g : groups) q.submit(g);
    recorded.end_recording();
    exp::command_graph added(q, {exp::property::graph::assume_buffer_outlives_graph{}});
    for (const group& g : groups) added.add(g);
    const auto launch = [&](auto& executable) {
      fill();
      q.ext_oneapi_graph(executable);
      return contents();
    };
    auto executable = recorded.finalize({exp::property::graph::updatable{}});
    EXPECT_EQ(launch(executable), at_once);
    EXPECT_EQ(launch(executable), at_once);
    executable.update(added);
    EXPECT_EQ(launch(executable), at_once);
    auto other = added.finalize();
    EXPECT_EQ(launch(other), at_once);
  }

  std::vector<int> contents() {
    const sycl::host_accessor a(data, sycl::read_only);
    return std::vector<int>(a.begin(), a.end());
  }
  void fill() {
    const sycl::host_accessor a(data, sycl::write_only);
    std::iota(a.begin(), a.end(), 0);
  }
  void SetUp() override { fill(); }

  sycl::buffer<int> data{sycl::range<1>(16)};
  sycl::buffer<int> nothing{sycl::range<1>(0)};
  sycl::buffer<int, 2> no_rows{sycl::range<2>(0, 5)};
  std::vector<int> out = std::vector<int>(4);
};

TEST_F(graph_of_empty_accessors, parts_of_a_buffer_that_have_no_elements) {
  expect_alike({[&](sycl::handler& h) {
                  const sycl::accessor some(data, h, sycl::range<1>(4), sycl::id<1>(2));
                  const sycl::accessor end(data, h, sycl::range<1>(0), sycl::id<1>(16),
                                           sycl::read_only);
                  h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) {
                    some[i] += 10 + static_cast<int>(end.get_range()[0]);
                  });
                },
                [&](sycl::handler& h) {
                  const sycl::accessor none(data, h, sycl::range<1>(0), sycl::id<1>(5));
                  h.parallel_for(sycl::range<1>(0), [=](sycl::id<1> i) { none[i] = 1; });
                },
                [&](sycl::handler& h) {
                  const sycl::accessor all(data, h);
                  h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { all[i] *= 2; });
                }});
}

TEST_F(graph_of_empty_accessors, buffers_without_elements) {
  expect_alike({[&](sycl::handler& h) {
                  const sycl::accessor a(nothing, h, sycl::write_only, sycl::no_init);
                  h.parallel_for(nothing.get_range(), [=](sycl::id<1> i) { a[i] = 1; });
                },
                [&](sycl::handler& h) {
                  const sycl::accessor a(no_rows, h);
                  const sycl::accessor d(data, h);
                  h.single_task([=] { d[0] = 7 + static_cast<int>(a.size()); });
                }});
}

TEST_F(graph_of_empty_accessors, copies_fills_and_host_tasks) {
  expect_alike({[&](sycl::handler& h) {
                  const sycl::accessor a(data, h, sycl::range<1>(0), sycl::id<1>(3));
                  h.copy(a, out.data());
                },
                [&](sycl::handler& h) {
                  const sycl::accessor a(nothing, h);
                  h.fill(a, 3);
                },
                [&](sycl::handler& h) {
                  const sycl::accessor a(data, h, sycl::range<1>(0), sycl::id<1>(3),
                                         sycl::read_write_host_task);
                  h.host_task([=] { static_cast<void>(a.size()); });
                },
                [&](sycl::handler& h) {
                  const sycl::accessor all(data, h);
                  h.single_task([=] { all[1] = all[2] + 5; });
                }});
  EXPECT_EQ(out, std::vector<int>(4));
}

}  // namespace
