// SPDX-License-Identifier: Apache-2.0
// BabelStream's five kernels on USM and on buffers.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

// A work-group sums a contiguous block, in whose rows neighbouring items read neighbouring elements, then its
// items' sums in a tree in local memory. The barriers after each row keep the items in step on every device: what
// one row leaves in the caches is used before the next one.
constexpr std::size_t dot_items = 256, dot_rows = 32;
constexpr std::size_t dot_block = dot_items * dot_rows;

// Works on anything that gives pointers or accessors for a, b, c and the partial sums.
template <class Access>
void submit(sycl::queue& queue, stream_kernel which, std::size_t n, const Access& access) {
  queue.submit([&](sycl::handler& h) {
    const sycl::range<1> all(n);
    switch (which) {
      case stream_kernel::copy: {
        auto a = access.a.read(h);
        auto c = access.c.write(h);
        h.parallel_for(all, [=](sycl::id<1> i) { c[i] = a[i]; });
        break;
      }
      case stream_kernel::mul: {
        auto c = access.c.read(h);
        auto b = access.b.write(h);
        h.parallel_for(all, [=](sycl::id<1> i) { b[i] = stream_scalar * c[i]; });
        break;
      }
      case stream_kernel::add: {
        auto a = access.a.read(h);
        auto b = access.b.read(h);
        auto c = access.c.write(h);
        h.parallel_for(all, [=](sycl::id<1> i) { c[i] = a[i] + b[i]; });
        break;
      }
      case stream_kernel::triad: {
        auto b = access.b.read(h);
        auto c = access.c.read(h);
        auto a = access.a.write(h);
        h.parallel_for(all, [=](sycl::id<1> i) { a[i] = b[i] + stream_scalar * c[i]; });
        break;
      }
      case stream_kernel::dot: {
        auto a = access.a.read(h);
        auto b = access.b.read(h);
        auto sums = access.sums.write(h);
        sycl::local_accessor<double, 1> local(sycl::range<1>(dot_items), h);
        h.parallel_for(sycl::nd_range<1>(n / dot_rows, dot_items), [=](sycl::nd_item<1> item) {
          const std::size_t id = item.get_local_id(0);
          const std::size_t begin = item.get_group(0) * dot_block + id;
          double sum = 0;
          for (std::size_t row = 0; row < dot_rows; ++row) {
            sum += a[begin + row * dot_items] * b[begin + row * dot_items];
            sycl::group_barrier(item.get_group());
          }
          local[id] = sum;
          for (std::size_t half = dot_items / 2; half > 0; half /= 2) {
            sycl::group_barrier(item.get_group());
            if (id < half) local[id] += local[id + half];
          }
          if (id == 0) sums[item.get_group(0)] = local[0];
        });
        break;
      }
    }
  });
}

void require_whole_blocks(std::size_t n) {
  if (n % dot_block != 0) throw std::invalid_argument("stream: n must be a multiple of 8192");
}

struct usm_memory {
  struct pointer {
    device_array<double>& array;
    const double* read(sycl::handler&) const { return array.get(); }
    double* write(sycl::handler&) const { return array.get(); }
  };
  struct access {
    pointer a, b, c, sums;
  };
  usm_memory(sycl::queue& queue, std::size_t n)
      : a(queue, n), b(queue, n), c(queue, n), sums(queue, n / dot_block) {
    a.fill([](std::size_t) { return stream_a; });
    b.fill([](std::size_t) { return stream_b; });
    c.fill([](std::size_t) { return stream_c; });
    sums.fill([](std::size_t) { return 0.0; });
  }
  access get() { return {{a}, {b}, {c}, {sums}}; }
  double sum_of_sums(sycl::queue& queue, std::size_t count) {
    if (!host) host = make_array<double>(count);
    queue.memcpy(host.get(), sums.get(), count * sizeof(double)).wait();
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += host[i];
    return sum;
  }
  double checksum() { return a.checksum() + 3 * b.checksum() + 7 * c.checksum(); }
  device_array<double> a, b, c, sums;
  array<double> host;
};

struct buffer_memory {
  struct buffer {
    sycl::buffer<double, 1>& data;
    auto read(sycl::handler& h) const { return sycl::accessor(data, h, sycl::read_only); }
    auto write(sycl::handler& h) const {
      return sycl::accessor(data, h, sycl::write_only, sycl::no_init);
    }
  };
  struct access {
    buffer a, b, c, sums;
  };
  buffer_memory(sycl::queue& queue, std::size_t n) : a(n), b(n), c(n), sums(n / dot_block) {
    const auto fill = [&](sycl::buffer<double, 1>& to, double value) {
      queue.submit([&](sycl::handler& h) {
        sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
        h.parallel_for(to.get_range(), [=](sycl::id<1> i) { out[i] = value; });
      });
    };
    fill(a, stream_a);
    fill(b, stream_b);
    fill(c, stream_c);
    fill(sums, 0);
    queue.wait();
  }
  access get() { return {{a}, {b}, {c}, {sums}}; }
  double sum_of_sums(sycl::queue&, std::size_t count) {
    const sycl::host_accessor in(sums, sycl::read_only);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += in[i];
    return sum;
  }
  static double checksum_of_buffer(sycl::buffer<double, 1>& of) {
    const sycl::host_accessor in(of, sycl::read_only);
    return checksum_of(&in[0], of.size());
  }
  double checksum() {
    return checksum_of_buffer(a) + 3 * checksum_of_buffer(b) + 7 * checksum_of_buffer(c);
  }
  sycl::buffer<double, 1> a, b, c, sums;
};

template <class Memory>
struct stream {
  stream(stream_kernel which, std::size_t count) : kernel(which), n(count), memory(queue, count) {}
  void step() {
    submit(queue, kernel, n, memory.get());
    // BabelStream takes the value to the host each time.
    if (kernel == stream_kernel::dot) dot = memory.sum_of_sums(queue, n / dot_block);
  }
  void wait() { queue.wait(); }
  double checksum() {
    return kernel == stream_kernel::dot ? rounded_dot(dot, n) : memory.checksum();
  }
  stream_kernel kernel;
  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  Memory memory;
  double dot = 0;
};

}  // namespace

subject stream_usm(stream_kernel which, std::size_t n) {
  require_whole_blocks(n);
  return repeated(std::make_shared<stream<usm_memory>>(which, n));
}
subject stream_buffers(stream_kernel which, std::size_t n) {
  require_whole_blocks(n);
  return repeated(std::make_shared<stream<buffer_memory>>(which, n));
}

}  // namespace bench::PIANOLA_BENCH_SIDE
