// SPDX-License-Identifier: Apache-2.0
// A recorded graph of one queue, run by all threads as one team, or each of its kernels in two parts, one on each half of
// the processor as a sub-device.
#include <vector>

#include <sycl/sycl.hpp>

#include "kernels.hpp"
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace with = sycl::ext::pianola::property::graph;

std::vector<sycl::device> halves_of(const sycl::device& whole) {
  const auto units = whole.get_info<sycl::info::device::max_compute_units>();
  return whole.create_sub_devices<sycl::info::partition_property::partition_equally>(
      units > 1 ? (units + 1) / 2 : 1);
}

// Makes the graph with `record`, which submits to the queue that it is given.
class recorded {
 public:
  template <class F>
  recorded(bool in_parts, F&& record)
      : devices_(in_parts ? halves_of(sycl::device()) : std::vector{sycl::device()}),
        context_(devices_),
        queue_(context_, devices_.front(), sycl::property::queue::in_order{}) {
    exp::command_graph<exp::graph_state::modifiable> g{
        queue_,
        {with::place(in_parts ? with::place::anywhere : with::place::as_submitted),
         with::split(in_parts ? with::split::always : with::split::never)}};
    g.begin_recording(queue_);
    record(queue_);
    g.end_recording(queue_);
    graph_.push_back(g.finalize());
  }
  void step() { queue_.ext_oneapi_graph(graph_.front()); }
  void wait() { queue_.wait(); }

 private:
  std::vector<sycl::device> devices_;
  sycl::context context_;
  sycl::queue queue_;
  std::vector<exp::command_graph<exp::graph_state::executable>> graph_;
};

double checksum_of_buffer(sycl::buffer<float, 2>& b) {
  sycl::host_accessor a(b, sycl::read_only);
  return checksum_of(&a[0][0], b.size());
}

struct heat_state {
  heat_state(std::size_t n, bool in_parts)
      : a(sycl::range<2>(n, n)), b(sycl::range<2>(n, n)), graph(in_parts, [&](sycl::queue& q) {
          for (sycl::buffer<float, 2>* first : {&a, &b})
            q.submit([&](sycl::handler& h) {
              sycl::accessor x(*first, h, sycl::write_only, sycl::no_init);
              h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
                x[i] = static_cast<float>((i[0] * 7 + i[1]) % 29) * 0.1F;
              });
            });
          for (std::size_t s = 0; s < parts_steps; ++s)
            q.submit([&](sycl::handler& h) {
              sycl::accessor from(s % 2 == 0 ? a : b, h, sycl::read_only);
              sycl::accessor to(s % 2 == 0 ? b : a, h, sycl::write_only);
              h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
                const std::size_t y = i[0], x = i[1];
                if (y > 0 && y < n - 1 && x > 0 && x < n - 1)
                  to[i] =
                      0.25F * (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]);
              });
            });
        }) {}
  void step() { graph.step(); }
  void wait() { graph.wait(); }
  double checksum() { return checksum_of_buffer(parts_steps % 2 == 0 ? a : b); }

  sycl::buffer<float, 2> a, b;
  recorded graph;
};

struct product_state {
  product_state(std::size_t n, bool in_parts)
      : a(sycl::range<2>(n, n)),
        b(sycl::range<2>(n, n)),
        c(sycl::range<2>(n, n)),
        graph(in_parts, [&](sycl::queue& q) {
          q.submit([&](sycl::handler& h) {
            sycl::accessor x(a, h, sycl::read_only), y(b, h, sycl::read_only);
            sycl::accessor z(c, h, sycl::write_only, sycl::no_init);
            h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
              float sum = 0;
              for (std::size_t k = 0; k < n; ++k) sum += x[i[0]][k] * y[k][i[1]];
              z[i] = sum;
            });
          });
        }) {
    sycl::host_accessor x(a, sycl::write_only, sycl::no_init),
        y(b, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < n * n; ++i) {
      x[i / n][i % n] = matmul_a(i);
      y[i / n][i % n] = matmul_b(i);
    }
  }
  void step() { graph.step(); }
  void wait() { graph.wait(); }
  double checksum() { return checksum_of_buffer(c); }

  sycl::buffer<float, 2> a, b, c;
  recorded graph;
};

}  // namespace

subject recorded_heat(std::size_t n, bool in_parts) {
  return repeated(std::make_shared<heat_state>(n, in_parts));
}
subject recorded_product(std::size_t n, bool in_parts) {
  return repeated(std::make_shared<product_state>(n, in_parts));
}

}  // namespace bench::PIANOLA_BENCH_SIDE
