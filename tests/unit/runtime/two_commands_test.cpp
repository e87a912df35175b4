// SPDX-License-Identifier: Apache-2.0
// Command groups that are more than one command inside: reductions, streams, copies over the host. Whoever waits for one
// waits for all of it.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <pianola/test/all_devices.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "error_code.hpp"

namespace pianola::test {
namespace {

namespace exp = sycl::ext::oneapi::experimental;

constexpr int old_value = 1'000'000;
constexpr int items = 1000;
constexpr int total = old_value + items * (items - 1) / 2;

// Combines slowly where the old value of the variable comes in, which is at the very end.
struct slow_at_the_end {
  int operator()(int a, int b) const {
    if (a >= old_value || b >= old_value) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return a + b;
  }
};

struct usm_deleter {
  sycl::queue q;
  void operator()(int* p) const { sycl::free(p, q); }
};
using usm_int = std::unique_ptr<int, usm_deleter>;

usm_int shared_int(sycl::queue& q) {
  usm_int p(sycl::malloc_shared<int>(1, q), {q});
  *p = old_value;
  return p;
}

// Reads or writes the buffer, and sums into USM.
template <class Tag>
sycl::event reduce(sycl::queue& q, sycl::buffer<int>& b, int* sum, Tag tag) {
  return q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, tag);
    h.parallel_for(b.get_range(), sycl::reduction(sum, 0, slow_at_the_end()),
                   [=](sycl::id<1> i, auto& r) {
                     if constexpr (std::is_const_v<typename decltype(a)::value_type> ||
                                   std::is_same_v<Tag, std::decay_t<decltype(sycl::read_only)>>)
                       r.combine(a[i]);
                     else
                       r.combine(a[i] = static_cast<int>(i[0]));
                   });
  });
}

class two_commands : public ::testing::Test {
 protected:
  std::vector<std::string> errors;
  std::vector<sycl::queue> queues = queues_on_all_devices({}, &errors);
};

TEST_F(two_commands, of_a_reduction_are_over_when_a_buffer_of_its_command_group_ends) {
  for (auto& q : queues) {
    const usm_int sum = shared_int(q);
    std::vector<int> data(items);
    {
      sycl::buffer<int> b(data.data(), items);
      reduce(q, b, sum.get(), sycl::read_write);
    }
    EXPECT_EQ(*sum, total);
    *sum = old_value;
    {
      sycl::buffer<int> b(data.data(), items);
      reduce(q, b, sum.get(), sycl::read_only);
    }
    EXPECT_EQ(*sum, total);
    q.wait();
  }
}

TEST_F(two_commands, of_a_reduction_are_over_when_the_host_reads_a_buffer_that_it_writes) {
  for (auto& q : queues) {
    const usm_int sum = shared_int(q);
    sycl::buffer<int> b(items);
    reduce(q, b, sum.get(), sycl::write_only);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[items - 1], items - 1);
    EXPECT_EQ(*sum, total);
  }
}

TEST_F(two_commands, of_a_reduction_come_before_commands_that_use_the_same_buffer) {
  for (auto& q : queues)
    for (auto& other : queues) {
      const usm_int sum = shared_int(q);
      sycl::buffer<int> b(items), result(1);
      reduce(q, b, sum.get(), sycl::write_only);
      int* const seen = sum.get();
      other.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_only);
        sycl::accessor r(result, h, sycl::write_only, sycl::no_init);
        h.host_task([=] { r[0] = a[1] == 1 ? *seen : 0; });
      });
      EXPECT_EQ(sycl::host_accessor(result)[0], total);
    }
}

TEST_F(two_commands, of_a_recorded_reduction_come_before_what_uses_the_same_buffer) {
  for (auto& q : queues) {
    const usm_int sum = shared_int(q);
    sycl::buffer<int> b(items), result(1);
    exp::command_graph graph(q);
    graph.begin_recording(q);
    reduce(q, b, sum.get(), sycl::write_only);
    int* const seen = sum.get();
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_only);
      sycl::accessor r(result, h, sycl::write_only, sycl::no_init);
      h.host_task([=] { r[0] = a[1] == 1 ? *seen : 0; });
    });
    graph.end_recording(q);
    auto body = graph.finalize();
    for (int i = 0; i < 5; ++i) {
      q.wait();
      *sum = old_value;
      q.ext_oneapi_graph(body);
      EXPECT_EQ(sycl::host_accessor(result)[0], total);
    }
  }
}

TEST_F(two_commands, leave_the_parts_of_a_page_that_others_write_alone) {
  for (auto& q : queues) {
    const usm_int sum = shared_int(q);
    std::vector<int> data(2 * items, -1);
    {
      sycl::buffer<int> b(data.data(), 2 * items);
      for (const std::size_t half : {0, 1})
        (half == 0 ? q : queues.back()).submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::range<1>(items), sycl::id<1>(half * items), sycl::write_only,
                           sycl::no_init);
          const int first = static_cast<int>(half) * items;
          h.parallel_for(sycl::range<1>(items), sycl::reduction(sum.get(), sycl::plus<>()),
                         [=](sycl::id<1> i, auto& r) {
                           a[i] = first + static_cast<int>(i[0]);
                           r += 0;
                         });
        });
    }
    for (int i = 0; i < 2 * items; ++i) ASSERT_EQ(data[static_cast<std::size_t>(i)], i);
    q.wait();
  }
}

// The buffer lost nothing: its kernel ran.
TEST_F(two_commands, of_which_the_second_fails_leave_the_buffers_of_the_first_as_they_are) {
  for (auto& q : queues) {
    const usm_int sum = shared_int(q);
    sycl::buffer<int> b(items);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      const auto no_sum = [](int x, int y) {
        if (x >= old_value || y >= old_value) throw std::runtime_error("no sum");
        return x + y;
      };
      h.parallel_for(b.get_range(), sycl::reduction(sum.get(), 0, no_sum),
                     [=](sycl::id<1> i, auto& r) { r.combine(a[i] = static_cast<int>(i[0])); });
    });
    q.wait_and_throw();
    EXPECT_EQ(errors, std::vector<std::string>{"no sum"});
    errors.clear();
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[7], 7);
  }
}

TEST_F(two_commands, of_which_the_first_fails_leave_what_failed_commands_leave) {
  for (auto& q : queues) {
    const usm_int sum = shared_int(q);
    std::vector<int> data(items, 5);
    sycl::buffer<int> b(data.data(), items);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(b.get_range(), sycl::reduction(sum.get(), sycl::plus<>()),
                     [=](sycl::id<1> i, auto& r) {
                       r += a[i];
                       throw std::runtime_error("no kernel");
                     });
    });
    q.wait_and_throw();
    EXPECT_EQ(errors, std::vector<std::string>{"no kernel"});
    errors.clear();
    EXPECT_EQ(*sum, old_value);
    EXPECT_EQ(code_of([&] { sycl::host_accessor h(b, sycl::read_only); }), sycl::errc::runtime);
    sycl::host_accessor(b, sycl::write_only, sycl::no_init)[0] = 1;
  }
}

TEST_F(two_commands, have_the_times_of_both) {
  for (auto& q : queues) {
    const sycl::queue timed(q.get_device(), sycl::property::queue::enable_profiling());
    sycl::queue t = timed;
    const usm_int sum = shared_int(t);
    std::atomic<std::uint64_t> inside{0};
    std::atomic<std::uint64_t>* const at = &inside;
    const sycl::event e =
        t.parallel_for(sycl::range<1>(items), sycl::reduction(sum.get(), 0, slow_at_the_end()),
                       [=](sycl::id<1> i, auto& r) {
                         if (i[0] == 0)
                           at->store(static_cast<std::uint64_t>(
                               std::chrono::steady_clock::now().time_since_epoch().count()));
                         r.combine(1);
                       });
    const auto started = e.get_profiling_info<sycl::info::event_profiling::command_start>();
    const auto submitted = e.get_profiling_info<sycl::info::event_profiling::command_submit>();
    const auto ended = e.get_profiling_info<sycl::info::event_profiling::command_end>();
    EXPECT_LE(submitted, started);
    EXPECT_LE(started, inside.load());
    EXPECT_LT(inside.load(), ended);
  }
}

// Standard output that takes nothing until somebody reads it.
class full_output {
 public:
  full_output() : before_(dup(1)) {
    std::fflush(stdout);
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    from_ = ends[0];
    dup2(ends[1], 1);
    close(ends[1]);
  }
  ~full_output() {
    std::fflush(stdout);
    dup2(before_, 1);
    close(before_);
    reader_.join();
    close(from_);
  }
  void read_soon() {
    reader_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      char some[4096];
      while (read(from_, some, sizeof some) > 0) {
      }
    });
  }

 private:
  int before_;
  int from_ = -1;
  std::thread reader_;
};

TEST_F(two_commands, of_a_kernel_with_a_stream_are_over_when_a_buffer_of_its_command_group_ends) {
  for (auto& q : queues) {
    sycl::event printed;
    sycl::info::event_command_status status{};
    {
      full_output output;
      output.read_soon();
      {
        std::vector<int> data(4000);
        sycl::buffer<int> b(data.data(), 4000);
        printed = q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::read_write);
          sycl::stream out(1 << 20, 256, h);
          h.parallel_for(b.get_range(), [=](sycl::id<1> i) {
            a[i] = 1;
            out << "more than a pipe can take, over and over again\n";
          });
        });
      }
      status = printed.get_info<sycl::info::event::command_execution_status>();
    }
    EXPECT_EQ(status, sycl::info::event_command_status::complete);
  }
}

// Between devices of drivers that know nothing of each other. The command group requires a buffer, which has nothing to
// do with what is copied.
TEST_F(two_commands, of_a_copy_over_the_host_are_over_when_its_command_group_leaves_a_buffer) {
  using status = sycl::info::event_command_status;
  const std::vector<std::size_t> simulated = simulated_devices();
  if (simulated.empty()) GTEST_SKIP() << "no device whose copies can be made to last";
  sycl::queue& last = queues[simulated.back()];
  simulated::control& control = *simulated_control();
  // The second half, from the host, ends long after the first.
  const unsigned host = 0, there = memory_of(simulated.back());
  control.delay_link(host, there, 20'000'000);
  for (auto& q : queues) {
    if (q.get_device() == last.get_device()) continue;
    int* const from = sycl::malloc_device<int>(items, q);
    int* const to = sycl::malloc_device<int>(items, last);
    q.fill(from, 7, items).wait();
    const auto copy = [&](sycl::buffer<int>& b) {
      return q.submit([&](sycl::handler& h) {
        const sycl::accessor a(b);
        h.require(a);
        h.memcpy(to, from, items * sizeof(int));
      });
    };
    const auto is_complete = [](const sycl::event& e) {
      return e.get_info<sycl::info::event::command_execution_status>() == status::complete;
    };
    std::vector<int> data(items, 1);
    sycl::event copied;
    {
      sycl::buffer<int> b(data.data(), items);
      copied = copy(b);
    }
    EXPECT_TRUE(is_complete(copied)) << "the buffer has ended";
    sycl::buffer<int> b(data.data(), items);
    copied = copy(b);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 1);
    EXPECT_TRUE(is_complete(copied)) << "the host has read it";
    copied = copy(b);
    bool seen = false;
    q.submit([&](sycl::handler& h) {
       const sycl::accessor a(b, h, sycl::read_only_host_task);
       h.host_task([&, a] { seen = a[0] == 1 && is_complete(copied); });
     }).wait();
    EXPECT_TRUE(seen) << "a command has read it";
    std::vector<int> back(items, 0);
    last.memcpy(back.data(), to, items * sizeof(int)).wait();
    EXPECT_EQ(back, std::vector<int>(items, 7));
    sycl::free(from, q);
    sycl::free(to, last);
  }
  control.delay_link(host, there, 0);
}

// What is wrong with the second is found before there is a first.
TEST_F(two_commands, submit_nothing_if_the_second_cannot_be_submitted) {
  for (auto& q : queues) {
    const usm_int sum = shared_int(q);
    std::atomic<int> ran{0};
    std::atomic<int>* const count = &ran;
    auto variable = std::make_unique<sycl::buffer<int>>(1);
    EXPECT_EQ(code_of([&] {
                q.submit([&](sycl::handler& h) {
                  auto r = sycl::reduction(*variable, h, sycl::plus<>());
                  h.parallel_for(sycl::range<1>(4), r, [=](sycl::id<1>, auto& x) {
                    count->fetch_add(1);
                    x += 1;
                  });
                  // No handler can know this; the runtime does.
                  pianola::runtime::submission& first =
                      sycl::detail::handler_access::submission_of(h);
                  first.next->accessors[1].elements.hi.c[2] = 1000;
                });
              }),
              sycl::errc::invalid);
    q.wait();
    EXPECT_EQ(ran.load(), 0);
    exp::command_graph graph(q);
    graph.begin_recording(q);
    EXPECT_EQ(
        code_of([&] {
          q.submit([&](sycl::handler& h) {
            h.parallel_for(sycl::range<1>(4), sycl::reduction(*variable, h, sycl::plus<>()),
                           [=](sycl::id<1>, auto& x) { x += 1; });
            sycl::detail::handler_access::submission_of(h).next->accessors[1].elements.hi.c[2] =
                1000;
          });
        }),
        sycl::errc::invalid);
    graph.end_recording(q);
    EXPECT_TRUE(graph.get_nodes().empty());
  }
}

}  // namespace
}  // namespace pianola::test
