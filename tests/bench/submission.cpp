// SPDX-License-Identifier: Apache-2.0
// What one command costs from submission to completion, when its kernel does next to nothing.
#include <memory>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "comparison.hpp"
#include "submission_reference.hpp"

namespace bench {

namespace {

class counter_in_usm {
 public:
  explicit counter_in_usm(sycl::queue q) : queue(std::move(q)) {
    value = sycl::malloc_shared<int>(1, queue);
    *value = 0;
  }
  counter_in_usm(const counter_in_usm&) = delete;
  counter_in_usm& operator=(const counter_in_usm&) = delete;
  ~counter_in_usm() { sycl::free(value, queue); }

  sycl::queue queue;
  int* value;
};

// submit_one(counter) is called `units` times before the queue is waited for.
template <class SubmitOne>
subject through_usm(const sycl::queue& q, SubmitOne submit_one) {
  auto counter = std::make_shared<counter_in_usm>(q);
  return {[counter, submit_one](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) submit_one(*counter);
              counter->queue.wait();
            });
          },
          [counter] { return static_cast<double>(*counter->value); }};
}

sycl::queue in_order_queue() { return sycl::queue{sycl::property::queue::in_order{}}; }

subject usm_single_task() {
  return through_usm(in_order_queue(), [](counter_in_usm& c) {
    int* p = c.value;
    c.queue.submit([&](sycl::handler& h) { h.single_task([=] { *p += 1; }); });
  });
}

subject usm_parallel_for() {
  return through_usm(in_order_queue(), [](counter_in_usm& c) {
    int* p = c.value;
    c.queue.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(1), [=](sycl::id<1> i) { p[i] += 1; });
    });
  });
}

subject usm_events() {
  auto last = std::make_shared<sycl::event>();
  return through_usm(sycl::queue{}, [last](counter_in_usm& c) {
    int* p = c.value;
    *last = c.queue.submit([&](sycl::handler& h) {
      h.depends_on(*last);
      h.single_task([=] { *p += 1; });
    });
  });
}

subject usm_wait_each() {
  return through_usm(in_order_queue(), [](counter_in_usm& c) {
    int* p = c.value;
    c.queue.submit([&](sycl::handler& h) { h.single_task([=] { *p += 1; }); }).wait();
  });
}

// Commands go round all buffers: those on the same one are a chain, the chains are independent.
subject through_buffers(std::size_t count) {
  struct state {
    sycl::queue queue;
    std::vector<sycl::buffer<int, 1>> buffers;
    std::size_t next = 0;
  };
  auto s = std::make_shared<state>();
  for (std::size_t i = 0; i < count; ++i) {
    s->buffers.emplace_back(sycl::range<1>(1));
    sycl::host_accessor(s->buffers.back(), sycl::write_only, sycl::no_init)[0] = 0;
  }
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) {
                s->queue.submit([&](sycl::handler& h) {
                  sycl::accessor a{s->buffers[s->next], h, sycl::read_write};
                  h.single_task([=] { a[0] += 1; });
                });
                if (++s->next == s->buffers.size()) s->next = 0;
              }
              s->queue.wait();
            });
          },
          [s] {
            double sum = 0;
            for (auto& b : s->buffers) sum += sycl::host_accessor(b, sycl::read_only)[0];
            return sum;
          }};
}

}  // namespace

void add_submission(std::vector<comparison>& all) {
  const auto add = [&](const char* name, double limit, std::function<subject()> ours,
                       std::function<subject()> reference, const char* reference_name,
                       const char* published) {
    comparison c;
    c.name = std::string("submit/") + name;
    c.unit = "us/command";
    c.units = 10'000;
    c.warm_up = 2'000;
    c.ours = std::move(ours);
    c.reference = std::move(reference);
    c.reference_name = reference_name;
    c.goal = ours_at_most(limit);
    c.published = published;
    all.push_back(std::move(c));
  };
  const auto chain = [] { return dependent_tasks(1); };
  add("usm_in_order_single_task", 0.5, usm_single_task, chain, "OpenMP tasks",
      "AdaptiveCpp 1.26 fast, 2.6 slow");
  add("usm_in_order_parallel_for_1", 0.5, usm_parallel_for, chain, "OpenMP tasks",
      "AdaptiveCpp 1.27 fast, 2.9 slow");
  add("usm_chain_with_events", 0.6, usm_events, chain, "OpenMP tasks",
      "AdaptiveCpp 1.40 fast, 2.7 slow");
  add(
      "one_buffer_chain", 0.8, [] { return through_buffers(1); }, chain, "OpenMP tasks",
      "AdaptiveCpp 2.6 fast, 5.5 slow");
  add(
      "256_independent_buffers", 0.8, [] { return through_buffers(256); },
      [] { return dependent_tasks(256); }, "OpenMP tasks", "AdaptiveCpp 2.1 fast, 5.4 slow");
  add(
      "10000_independent_buffers", 0.8, [] { return through_buffers(10'000); },
      [] { return dependent_tasks(10'000); }, "OpenMP tasks", "AdaptiveCpp 2.1 fast, 5.4 slow");
  add(
      "one_command_and_wait", 5.0, usm_wait_each, [] { return region_each(); }, "OpenMP region",
      "AdaptiveCpp 33 fast, 46 slow");
}

}  // namespace bench
