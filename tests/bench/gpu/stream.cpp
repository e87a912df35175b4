// SPDX-License-Identifier: Apache-2.0
// BabelStream's kernels as one writes them for a graphics processor, on USM and on buffers.
#include <memory>
#include <sycl/sycl.hpp>
#include <vector>

#include "programs.hpp"

namespace bench::gpu::ours {

namespace {

constexpr std::size_t dot_items = 256, dot_groups = 1024;

// Gives pointers or accessors for a command group.
struct usm_array {
  usm_array(sycl::queue q, std::size_t n)
      : queue(std::move(q)), count(n), data(sycl::malloc_device<double>(n, queue)) {
    if (data == nullptr) throw std::bad_alloc();
  }
  usm_array(const usm_array&) = delete;
  usm_array& operator=(const usm_array&) = delete;
  ~usm_array() {
    queue.wait();
    sycl::free(data, queue);
  }
  const double* read(sycl::handler&) const { return data; }
  double* write(sycl::handler&) const { return data; }
  void fill(double value) { queue.fill(data, value, count).wait(); }
  void take(std::vector<double>& to) {
    to.resize(count);
    queue.memcpy(to.data(), data, count * sizeof(double)).wait();
  }
  sycl::queue queue;
  std::size_t count;
  double* data;
};

struct buffer_array {
  buffer_array(sycl::queue q, std::size_t n) : queue(std::move(q)), data(n) {}
  auto read(sycl::handler& h) { return sycl::accessor(data, h, sycl::read_only); }
  auto write(sycl::handler& h) { return sycl::accessor(data, h, sycl::write_only, sycl::no_init); }
  void fill(double value) {
    queue.submit([&](sycl::handler& h) { h.fill(write(h), value); }).wait();
  }
  void take(std::vector<double>& to) {
    const sycl::host_accessor in(data, sycl::read_only);
    to.assign(in.begin(), in.end());
  }
  sycl::queue queue;
  sycl::buffer<double, 1> data;
};

template <class Array>
struct stream {
  stream(stream_kernel which, std::size_t count)
      : kernel(which), n(count), a(queue, n), b(queue, n), c(queue, n), sums(queue, dot_groups) {
    a.fill(stream_a);
    b.fill(stream_b);
    c.fill(stream_c);
    sums.fill(0);
  }
  void step() {
    queue.submit([&](sycl::handler& h) { submit(h); });
    // BabelStream takes the value to the host each time.
    if (kernel != stream_kernel::dot) return;
    sums.take(host);
    dot = 0;
    for (const double s : host) dot += s;
  }
  void submit(sycl::handler& h) {
    const sycl::range<1> all(n);
    switch (kernel) {
      case stream_kernel::copy:
        h.parallel_for(all, [a = a.read(h), c = c.write(h)](sycl::id<1> i) { c[i] = a[i]; });
        break;
      case stream_kernel::mul:
        h.parallel_for(
            all, [b = b.write(h), c = c.read(h)](sycl::id<1> i) { b[i] = stream_scalar * c[i]; });
        break;
      case stream_kernel::add:
        h.parallel_for(all, [a = a.read(h), b = b.read(h), c = c.write(h)](sycl::id<1> i) {
          c[i] = a[i] + b[i];
        });
        break;
      case stream_kernel::triad:
        h.parallel_for(all, [a = a.write(h), b = b.read(h), c = c.read(h)](sycl::id<1> i) {
          a[i] = b[i] + stream_scalar * c[i];
        });
        break;
      case stream_kernel::dot:
        submit_dot(h);
        break;
    }
  }
  void submit_dot(sycl::handler& h) {
    const sycl::local_accessor<double, 1> local(sycl::range<1>(dot_items), h);
    h.parallel_for(
        sycl::nd_range<1>(dot_groups * dot_items, dot_items),
        [n = n, a = a.read(h), b = b.read(h), sums = sums.write(h), local](sycl::nd_item<1> item) {
          const std::size_t id = item.get_local_id(0);
          double sum = 0;
          for (std::size_t i = item.get_global_id(0); i < n; i += dot_groups * dot_items)
            sum += a[i] * b[i];
          local[id] = sum;
          for (std::size_t half = dot_items / 2; half > 0; half /= 2) {
            sycl::group_barrier(item.get_group());
            if (id < half) local[id] += local[id + half];
          }
          if (id == 0) sums[item.get_group(0)] = local[0];
        });
  }
  double checksum() {
    if (kernel == stream_kernel::dot) return rounded_dot(dot, n);
    double sum = 0, weight = 1;
    for (Array* array : {&a, &b, &c}) {
      array->take(host);
      sum += weight * checksum_of(host.data(), n);
      weight = 2 * weight + 1;  // 1, 3, 7
    }
    return sum;
  }

  stream_kernel kernel;
  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  Array a, b, c, sums;
  std::vector<double> host;
  double dot = 0;
};

template <class Array>
subject make(stream_kernel which, std::size_t n) {
  auto state = std::make_shared<stream<Array>>(which, n);
  return {[state](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) state->step();
              state->queue.wait();
            });
          },
          [state] { return state->checksum(); }};
}

}  // namespace

subject stream_usm(stream_kernel which, std::size_t n) { return make<usm_array>(which, n); }
subject stream_buffers(stream_kernel which, std::size_t n) { return make<buffer_array>(which, n); }

}  // namespace bench::gpu::ours
