// SPDX-License-Identifier: Apache-2.0
// Temporary and evictable buffers, and budgets of graphs.
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pianola = sycl::ext::pianola;
using pianola::property::buffer::evictable;
using pianola::property::buffer::temporary;
using pianola::property::graph::memory_budget;

constexpr std::size_t length = 1024;

// The first is the input, every other one follows from the one before it.
void record_chain(sycl::queue& q, std::vector<sycl::buffer<int>>& links) {
  for (std::size_t i = 1; i < links.size(); ++i)
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(links[i - 1], h, sycl::read_only);
      sycl::accessor to(links[i], h, sycl::write_only, sycl::no_init);
      const int plus = static_cast<int>(i);
      h.parallel_for(length, [=](sycl::id<1> k) { to[k] = 2 * from[k] + plus; });
    });
}

int end_of_chain(std::size_t links, int value) {
  for (std::size_t i = 1; i < links; ++i) value = 2 * value + static_cast<int>(i);
  return value;
}

void set_all(sycl::buffer<int>& b, int value) {
  sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
  for (std::size_t i = 0; i < length; ++i) a[i] = value;
}

TEST(graph_memory, of_temporary_buffers_in_a_chain_is_that_of_two) {
  sycl::queue q{sycl::property::queue::in_order()};
  std::vector<sycl::buffer<int>> links{sycl::buffer<int>(sycl::range<1>(length))};
  for (int i = 0; i < 8; ++i)
    links.emplace_back(sycl::range<1>(length), sycl::property_list{temporary()});
  links.emplace_back(sycl::range<1>(length));
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  record_chain(q, links);
  graph.end_recording(q);
  const auto body = graph.finalize();
  const pianola::graph_memory_use use = pianola::get_memory_use(body, q.get_device());
  constexpr std::size_t each = length * sizeof(int);
  EXPECT_EQ(use.apart, 8 * each);
  EXPECT_EQ(use.shared, 2 * each);
  EXPECT_EQ(use.saved(), 6 * each);
  EXPECT_EQ(use.peak, 4 * each);
  EXPECT_GE(body.get_required_mem_size(), 2 * each);
  for (int value = 3; value < 6; ++value) {
    set_all(links[0], value);
    q.ext_oneapi_graph(body);
    sycl::host_accessor result(links.back(), sycl::read_only);
    for (std::size_t i = 0; i < length; ++i)
      ASSERT_EQ(result[i], end_of_chain(links.size(), value));
  }
}

TEST(graph_memory, outside_of_graphs_a_temporary_buffer_is_one_that_no_graph_touches) {
  sycl::queue q;
  sycl::buffer<int> t(sycl::range<1>(length), sycl::property_list{temporary()}),
      out{sycl::range<1>(length)};
  set_all(t, 17);
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(t, h, sycl::write_only, sycl::no_init);
    h.parallel_for(length, [=](sycl::id<1> i) { a[i] = 5; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(t, h, sycl::read_only);
    sycl::accessor b(out, h, sycl::write_only, sycl::no_init);
    h.parallel_for(length, [=](sycl::id<1> i) { b[i] = a[i] + 1; });
  });
  graph.end_recording(q);
  q.ext_oneapi_graph(graph.finalize()).wait();
  EXPECT_EQ((sycl::host_accessor{out, sycl::read_only}[length - 1]), 6);
  EXPECT_EQ((sycl::host_accessor{t, sycl::read_only}[length - 1]), 17);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(t, h, sycl::read_write);
    h.parallel_for(length, [=](sycl::id<1> i) { a[i] += 1; });
  });
  EXPECT_EQ((sycl::host_accessor{t, sycl::read_only}[0]), 18);
}

TEST(graph_memory, a_temporary_buffer_that_is_read_first_is_refused_by_its_name) {
  sycl::queue q;
  sycl::buffer<int> t(sycl::range<1>(length), sycl::property_list{temporary()}),
      out{sycl::range<1>(length)};
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(t, h, sycl::read_only);
    sycl::accessor b(out, h, sycl::write_only, sycl::no_init);
    h.parallel_for(length, [=](sycl::id<1> i) { b[i] = a[i]; });
  });
  graph.end_recording(q);
  EXPECT_EQ(error_code_of([&] { (void)graph.finalize(); }), sycl::errc::invalid);
}

TEST(graph_memory, a_temporary_buffer_is_not_made_of_data) {
  std::vector<int> data(length);
  EXPECT_EQ(error_code_of([&] { sycl::buffer<int> t(data, sycl::property_list{temporary()}); }),
            sycl::errc::invalid);
}

TEST(graph_memory, a_budget_of_nothing_is_refused) {
  sycl::queue q;
  EXPECT_EQ(
      error_code_of([&] { graphs::command_graph graph(q, sycl::property_list{memory_budget(0)}); }),
      sycl::errc::invalid);
}

// Twice around a ring of buffers, with room for three of them.
TEST(graph_memory, of_evictable_buffers_fits_a_budget) {
  sycl::queue q;
  constexpr std::size_t count = 7, each = length * sizeof(int);
  std::vector<sycl::buffer<int>> ring;
  for (std::size_t i = 0; i < count; ++i)
    ring.emplace_back(sycl::range<1>(length), sycl::property_list{evictable()});
  graphs::command_graph graph(q, sycl::property_list{memory_budget(3 * each)});
  graph.begin_recording(q);
  for (std::size_t i = 0; i < 2 * count; ++i)
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(ring[i % count], h, sycl::read_only);
      sycl::accessor to(ring[(i + 1) % count], h, sycl::read_write);
      h.parallel_for(length, [=](sycl::id<1> k) { to[k] += from[k]; });
    });
  graph.end_recording(q);
  const auto body = graph.finalize();
  const pianola::graph_memory_use use = pianola::get_memory_use(body, q.get_device());
  if (use.budget != 0) {
    EXPECT_LE(use.peak, 3 * each);
    EXPECT_EQ(use.apart, count * each);
  }
  for (int replay = 0; replay < 3; ++replay) {
    std::vector<int> expected(count);
    for (std::size_t b = 0; b < count; ++b) {
      expected[b] = static_cast<int>(b) + replay;
      set_all(ring[b], expected[b]);
    }
    q.ext_oneapi_graph(body);
    q.ext_oneapi_graph(body);
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t i = 0; i < 2 * count; ++i) expected[(i + 1) % count] += expected[i % count];
    for (std::size_t b = 0; b < count; ++b) {
      sycl::host_accessor a(ring[b], sycl::read_only);
      for (std::size_t i = 0; i < length; ++i) ASSERT_EQ(a[i], expected[b]) << "buffer " << b;
    }
  }
}

TEST(graph_memory, that_cannot_be_enough_is_refused_with_the_largest_buffers) {
  sycl::queue q;
  sycl::buffer<int> small{sycl::range<1>(16)}, large{sycl::range<1>(length)};
  graphs::command_graph graph(q, sycl::property_list{memory_budget(256)});
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(small, h, sycl::write_only, sycl::no_init);
    sycl::accessor b(large, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { a[i] = b[i] = 1; });
  });
  graph.end_recording(q);
  // A device that works in the host's memory has no budget.
  try {
    EXPECT_EQ(pianola::get_memory_use(graph.finalize(), q.get_device()).budget, 0u);
  } catch (const sycl::exception& e) {
    EXPECT_EQ(static_cast<sycl::errc>(e.code().value()), sycl::errc::memory_allocation);
    EXPECT_NE(std::string(e.what()).find("the largest are buffer 1 with 4096"), std::string::npos)
        << e.what();
  }
}

}  // namespace
