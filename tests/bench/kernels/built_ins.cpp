// SPDX-License-Identifier: Apache-2.0
#include "built_ins.hpp"

#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

template <class T>
struct state {
  state(built_in f, std::size_t count)
      : function(f), n(count), in(queue, count), out(queue, count) {
    T* const p = in.get();
    queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { p[i] = built_in_argument<T>(i[0]); })
        .wait();
  }
  template <class Function>
  void loop(Function f) {
    const T* const from = in.get();
    T* const to = out.get();
    queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { to[i] = f(from[i]); });
  }
  void step() {
    switch (function) {
      case built_in::sin:
        return loop([](T x) { return sycl::sin(x); });
      case built_in::exp:
        return loop([](T x) { return sycl::exp(x); });
      case built_in::log:
        return loop([](T x) { return sycl::log(x); });
      case built_in::pow:
        return loop([](T x) { return sycl::pow(x, T(1.7)); });
      case built_in::sqrt:
        return loop([](T x) { return sycl::sqrt(x); });
      case built_in::tanh:
        return loop([](T x) { return sycl::tanh(x); });
      default:
        return loop([](T x) { return sycl::erf(x); });
    }
  }

  sycl::queue queue{sycl::property::queue::in_order()};
  built_in function;
  std::size_t n;
  device_array<T> in, out;
};

template <class T>
subject make(built_in function, std::size_t n) {
  auto s = std::make_shared<state<T>>(function, n);
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) s->step();
              s->queue.wait();
            });
          },
          [s] { return s->out.checksum(); }};
}

}  // namespace

subject built_in_of_float(built_in function, std::size_t n) { return make<float>(function, n); }
subject built_in_of_double(built_in function, std::size_t n) { return make<double>(function, n); }

}  // namespace bench::PIANOLA_BENCH_SIDE
