// SPDX-License-Identifier: Apache-2.0
// Kernels of every shape: named function objects with bases, members with constructors, lambdas in lambdas,
// generic ones, large captures, ids, items with offsets, single tasks.
#include <array>
#include <cstdint>
#include <optional>
#include <sycl/sycl.hpp>
#include <tuple>
#include <utility>

#include "print.hpp"

namespace {

// Members with constructors, conversions and their own operator().
class polynomial {
 public:
  explicit polynomial(std::initializer_list<double> c) {
    for (const double x : c) coefficients_.at(count_++) = x;
  }
  double operator()(double x) const {
    double sum = 0;
    for (std::size_t i = count_; i-- > 0;) sum = sum * x + coefficients_[i];
    return sum;
  }

 private:
  std::array<double, 6> coefficients_{};
  std::size_t count_ = 0;
};

struct scaling {
  std::uint64_t factor;
  std::uint64_t offset = 0;
  std::uint64_t scaled(std::uint64_t x) const { return x * factor + offset; }
};

template <class Function>
class apply : private scaling {
 public:
  apply(double* out, Function f, scaling s) : scaling(s), out_(out), function_(f) {}
  void operator()(sycl::id<1> i) const {
    out_[i] = function_(static_cast<double>(scaled(i[0])) / 64);
  }

 private:
  double* out_;
  Function function_;
};

enum class colour : std::uint16_t { red = 3, green = 500 };

}  // namespace

int main() {
  sycl::queue queue(sycl::property::queue::in_order{});
  constexpr std::size_t n = 300;
  auto* const reals = sycl::malloc_shared<double>(n, queue);
  auto* const words = sycl::malloc_shared<std::uint64_t>(n, queue);

  queue.parallel_for(sycl::range<1>(n), apply(reals, polynomial{1, -2, 0.5, 0.125}, {3, 1}));
  queue.wait();
  print("function object", reals, n);

  // A lambda that holds a lambda that holds one; a kernel that makes its own.
  const auto twice = [](auto f) { return [f](auto x) { return f(f(x)); }; };
  const auto step = twice([k = std::uint64_t{7}](std::uint64_t x) { return x * k + 1; });
  queue.parallel_for(sycl::range<1>(n), [=](sycl::item<1> at) {
    const auto with_id = [&](std::uint64_t x) { return step(x) ^ at.get_linear_id(); };
    words[at] = twice(with_id)(at.get_id(0));
  });
  queue.wait();
  print("lambdas in lambdas", words, n);

  // Captures of many kinds and sizes, some of them unused, with padding between them.
  std::array<std::uint8_t, 133> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint8_t>(i * i + 3);
  const std::tuple<char, double, colour> mixed('x', 2.5, colour::green);
  const std::optional<std::int16_t> maybe = -9;
  const bool odd = true;
  const char unused[3] = "ab";
  queue.parallel_for(sycl::range<3>(3, 10, 10), [=](sycl::item<3> at) {
    (void)unused;
    const std::size_t i = at.get_linear_id();
    double value = table[i % table.size()] * std::get<1>(mixed);
    if (odd && i % 2 == 1) value += static_cast<double>(std::get<2>(mixed));
    reals[i] = value + (maybe ? *maybe : 0) + std::get<0>(mixed);
  });
  queue.wait();
  print("many captures", reals, n);

  // Ids beyond 32 bits after multiplication; an offset.
  queue.fill(words, std::uint64_t{5}, n);
  queue.parallel_for(
      sycl::nd_range<2>(sycl::range<2>(10, 30), sycl::range<2>(5, 6), sycl::id<2>(1'000'000, 70)),
      [=](sycl::nd_item<2> item) {
        words[item.get_global_linear_id()] =
            item.get_global_id(0) * 5'000'000'000U + item.get_global_id(1) * 3 +
            item.get_offset()[1] + item.get_local_linear_id() * item.get_group_linear_id();
      });
  queue.wait();
  print("offset", words, n);

  queue.single_task([=] {
    std::uint64_t a = 0, b = 1;
    for (std::size_t i = 0; i < n; ++i) {
      words[i] = a;
      a = std::exchange(b, a + b);
    }
  });
  queue.wait();
  print("single task", words, n);

  sycl::free(reals, queue);
  sycl::free(words, queue);
}
