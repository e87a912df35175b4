// SPDX-License-Identifier: Apache-2.0
#include "jacobi.hpp"

#include <memory>
#include <optional>
#include <sycl/sycl.hpp>
#include <utility>

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

class jacobi_with_buffers {
 public:
  explicit jacobi_with_buffers(std::size_t n, const sycl::property_list& of_queue = {})
      : n_(n),
        field_a_(initial_field(n)),
        field_b_(initial_field(n)),
        queue_(of_queue),
        a_(field_a_.get(), sycl::range<2>(n, n)),
        b_(field_b_.get(), sycl::range<2>(n, n)) {}

  void step() {
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor from{*from_, h, sycl::read_only};
      sycl::accessor to{*to_, h, sycl::write_only};
      h.parallel_for(sycl::range<2>(n_ - 2, n_ - 2), [=](sycl::id<2> at) {
        const std::size_t i = at[0] + 1, j = at[1] + 1;
        to[i][j] =
            0.2F * (from[i][j] + from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
      });
    });
    std::swap(from_, to_);
  }
  // Even, so that a replay ends where it began.
  void record(std::uint64_t steps) {
    graphs::command_graph<graphs::graph_state::modifiable> graph(queue_);
    graph.begin_recording(queue_);
    for (std::uint64_t i = 0; i < steps; ++i) step();
    graph.end_recording();
    graph_.emplace(graph.finalize());
  }
  void replay() { queue_.ext_oneapi_graph(*graph_); }
  void wait() { queue_.wait(); }
  [[nodiscard]] double checksum() {
    sycl::host_accessor a{*from_, sycl::read_only};
    return sum_of(&a[0][0], n_ * n_);
  }

 private:
  std::size_t n_;
  field field_a_, field_b_;
  sycl::queue queue_;
  sycl::buffer<float, 2> a_, b_;
  sycl::buffer<float, 2>* from_ = &a_;
  sycl::buffer<float, 2>* to_ = &b_;
  std::optional<graphs::command_graph<graphs::graph_state::executable>> graph_;
};

subject eager(std::size_t n, const sycl::property_list& of_queue = {}) {
  auto s = std::make_shared<jacobi_with_buffers>(n, of_queue);
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) s->step();
              s->wait();
            });
          },
          [s] { return s->checksum(); }};
}

subject recorded(std::size_t n, std::uint64_t steps_per_graph) {
  auto s = std::make_shared<jacobi_with_buffers>(n);
  s->record(steps_per_graph);
  return {[s, steps_per_graph](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; i += steps_per_graph) s->replay();
              s->wait();
            });
          },
          [s] { return s->checksum(); }};
}

class with_usm {
 public:
  explicit with_usm(std::size_t n,
                    const sycl::property_list& of_queue = {sycl::property::queue::in_order{}})
      : n_(n), queue_(of_queue) {
    const field start = initial_field(n);
    for (float** f : {&from_, &to_}) {
      *f = sycl::aligned_alloc_device<float>(4096, n * n, queue_);
      queue_.memcpy(*f, start.get(), n * n * sizeof(float)).wait();
    }
  }
  with_usm(const with_usm&) = delete;
  with_usm& operator=(const with_usm&) = delete;
  ~with_usm() {
    sycl::free(from_, queue_);
    sycl::free(to_, queue_);
  }

  void step() {
    queue_.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<2>(n_ - 2, n_ - 2), [from = std::as_const(from_), to = to_,
                                                      n = n_](sycl::id<2> at) {
        const std::size_t k = (at[0] + 1) * n + at[1] + 1;
        to[k] = 0.2F * (from[k] + from[k - n] + from[k + n] + from[k - 1] + from[k + 1]);
      });
    });
    std::swap(from_, to_);
  }
  void wait() { queue_.wait(); }
  [[nodiscard]] double checksum() {
    const field copy = initial_field(n_);
    queue_.memcpy(copy.get(), from_, n_ * n_ * sizeof(float)).wait();
    return sum_of(copy.get(), n_ * n_);
  }

 private:
  std::size_t n_;
  sycl::queue queue_;
  float* from_ = nullptr;
  float* to_ = nullptr;
};

subject usm(std::size_t n,
            const sycl::property_list& of_queue = {sycl::property::queue::in_order{}}) {
  auto s = std::make_shared<with_usm>(n, of_queue);
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) s->step();
              s->wait();
            });
          },
          [s] { return s->checksum(); }};
}

}  // namespace

subject jacobi_captured(std::size_t n) {
  return eager(n, {sycl::ext::pianola::property::queue::auto_capture{}});
}
subject jacobi_replayed(std::size_t n, std::uint64_t steps) { return recorded(n, steps); }
subject jacobi_eager(std::size_t n) { return eager(n); }
subject jacobi_usm(std::size_t n) { return usm(n); }
subject jacobi_usm_captured(std::size_t n) {
  return usm(
      n, {sycl::property::queue::in_order{}, sycl::ext::pianola::property::queue::auto_capture{}});
}

void add_jacobi(std::vector<comparison>& all) {
  struct size {
    std::size_t n;
    std::uint64_t steps;
    unsigned rounds;
    double eager_limit;
    const char* adaptivecpp_buffers;
    const char* adaptivecpp_usm;
  };
  constexpr double large_eager = 1.03, replayed = 1.03;
  constexpr std::uint64_t long_graph = 20, short_graph = 2;
  const size sizes[] = {
      {64, 4000, 31, 2.0, "AdaptiveCpp 6.5 fast, 13.8 slow", "AdaptiveCpp 4.3 fast, 8.8 slow"},
      {256, 1000, 31, 1.10, "AdaptiveCpp 15.7 fast, 22.2 slow", "AdaptiveCpp 12.5 fast, 18.3 slow"},
      {1024, 200, 21, large_eager, "AdaptiveCpp 143", "AdaptiveCpp 142"},
      {4096, 20, 15, large_eager, "AdaptiveCpp 5060", "AdaptiveCpp 4900"}};
  for (const size& s : sizes) {
    const std::size_t n = s.n;
    const auto add = [&](const std::string& what, std::function<subject()> ours,
                         std::function<subject()> reference, const char* reference_name,
                         target goal, const char* published = "") {
      comparison c;
      c.name = "jacobi/" + std::to_string(n) + "/" + what;
      c.unit = "us/step";
      c.units = s.steps;
      c.warm_up = s.steps / 10 / long_graph * long_graph;
      c.rounds = s.rounds;
      c.ours = std::move(ours);
      c.reference = std::move(reference);
      c.reference_name = reference_name;
      c.goal = goal;
      c.published = published;
      all.push_back(std::move(c));
    };
    const auto parallel_for = [n] { return jacobi_parallel_for(n); };
    const auto persistent = [n] { return jacobi_persistent(n); };
    const auto serial = [n] { return jacobi_serial(n); };
    add(
        "eager", [n] { return eager(n); }, parallel_for, "OpenMP parallel for",
        ratio_at_most(s.eager_limit), s.adaptivecpp_buffers);
    add("usm", [n] { return usm(n); }, parallel_for, "OpenMP parallel for", {}, s.adaptivecpp_usm);
    add(
        "replay_20_steps", [n] { return recorded(n, long_graph); }, persistent,
        "OpenMP persistent region", ratio_at_most(replayed));
    add("replay_2_steps", [n] { return recorded(n, short_graph); }, persistent,
        "OpenMP persistent region", {});
    add("replay_20_steps_or_serial", [n] { return recorded(n, long_graph); }, serial, "serial loop",
        {});
  }
}

}  // namespace bench
