// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <sycl/sycl.hpp>
#include <vector>

#include "matrix_market.hpp"

namespace cg {

/// The method of conjugate gradients for A x = b with x = 0 to start with. Every scalar stays on the device, so an
/// iteration is a fixed list of commands that can be recorded once and replayed.
class solver {
 public:
  solver(const sparse_matrix& a, const std::vector<double>& b)
      : rows_(a.rows()),
        groups_((a.rows() + group_size - 1) / group_size),
        first_(a.first.data(), sycl::range<1>(a.first.size())),
        column_(a.column.data(), sycl::range<1>(a.column.size())),
        value_(a.value.data(), sycl::range<1>(a.value.size())),
        x_{sycl::range<1>(rows_)},
        r_(b.data(), sycl::range<1>(rows_)),
        p_(b.data(), sycl::range<1>(rows_)),
        ap_{sycl::range<1>(rows_)},
        partial_{sycl::range<1>(groups_)},
        scalars_{sycl::range<1>(scalar_count)},
        going_on_{sycl::range<1>(1)},
        done_{sycl::range<1>(1)} {}

  /// x = 0; the squared norm of the first residual.
  void start(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x{x_, h, sycl::write_only, sycl::no_init};
      h.parallel_for(sycl::range<1>(rows_), [=](sycl::id<1> i) { x[i] = 0; });
    });
    submit_dot(q, r_, r_);
    submit_sum(q, [](double sum, double* s) { s[residual] = sum; });
  }

  /// Submits one iteration to `q`: eagerly, or into the graph that records `q`. Once the residual is exactly zero
  /// further iterations change nothing.
  void iterate(sycl::queue& q) {
    submit_product(q);
    submit_dot(q, p_, ap_);
    submit_sum(
        q, [](double sum, double* s) { s[alpha] = sum > 0 || sum < 0 ? s[residual] / sum : 0; });
    submit_update_of_solution(q);
    submit_dot(q, r_, r_);
    submit_sum(q, [](double sum, double* s) {
      s[beta] = s[residual] > 0 ? sum / s[residual] : 0;
      s[residual] = sum;
    });
    submit_update_of_direction(q);
  }

  /// For a loop that the device ends: not zero as long as there is more to do.
  const sycl::buffer<std::uint32_t>& going_on() const { return going_on_; }
  void begin_loop(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor going_on{going_on_, h, sycl::write_only, sycl::no_init};
      const sycl::accessor done{done_, h, sycl::write_only, sycl::no_init};
      h.single_task([=] {
        going_on[0] = 1;
        done[0] = 0;
      });
    });
  }
  /// Behind so many iterations: goes on while the squared norm of the residual is above the goal, but not after `most`.
  void decide(sycl::queue& q, std::size_t iterations, double goal_squared, std::size_t most) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor s{scalars_, h, sycl::read_only};
      const sycl::accessor going_on{going_on_, h, sycl::write_only, sycl::no_init};
      const sycl::accessor done{done_, h, sycl::read_write};
      h.single_task([=] {
        done[0] += iterations;
        going_on[0] = s[residual] > goal_squared && done[0] < most ? 1 : 0;
      });
    });
  }
  /// Waits for the loop.
  std::size_t iterations_done() {
    const sycl::host_accessor done(done_, sycl::read_only);
    return done[0];
  }

  /// Squared norm of the present residual, as the method estimates it; waits for what was submitted.
  double residual_squared() {
    const sycl::host_accessor s(scalars_, sycl::read_only);
    return s[residual];
  }

  std::vector<double> solution() {
    const sycl::host_accessor x(x_, sycl::read_only);
    std::vector<double> result(rows_);
    for (std::size_t i = 0; i < rows_; ++i) result[i] = x[i];
    return result;
  }

 private:
  static constexpr std::size_t group_size = 64;
  enum scalar : std::size_t { residual, alpha, beta, scalar_count };

  void submit_product(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor first{first_, h, sycl::read_only};
      const sycl::accessor column{column_, h, sycl::read_only};
      const sycl::accessor value{value_, h, sycl::read_only};
      const sycl::accessor p{p_, h, sycl::read_only};
      const sycl::accessor ap{ap_, h, sycl::write_only, sycl::no_init};
      h.parallel_for(sycl::range<1>(rows_), [=](sycl::id<1> i) {
        double sum = 0;
        for (std::uint32_t k = first[i]; k < first[i + 1]; ++k) sum += value[k] * p[column[k]];
        ap[i] = sum;
      });
    });
  }

  /// One partial sum per work-group, added up as a tree in local memory.
  void submit_dot(sycl::queue& q, sycl::buffer<double>& left, sycl::buffer<double>& right) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a{left, h, sycl::read_only};
      const sycl::accessor b{right, h, sycl::read_only};
      const sycl::accessor partial{partial_, h, sycl::write_only, sycl::no_init};
      const sycl::local_accessor<double, 1> sums{sycl::range<1>(group_size), h};
      const std::size_t rows = rows_;
      h.parallel_for(sycl::nd_range<1>(groups_ * group_size, group_size),
                     [=](sycl::nd_item<1> item) {
                       const std::size_t i = item.get_global_id(0), local = item.get_local_id(0);
                       sums[local] = i < rows ? a[i] * b[i] : 0;
                       for (std::size_t half = group_size / 2; half > 0; half /= 2) {
                         sycl::group_barrier(item.get_group());
                         if (local < half) sums[local] += sums[local + half];
                       }
                       if (local == 0) partial[item.get_group(0)] = sums[0];
                     });
    });
  }

  /// Adds up the partial sums and hands the result to `use(sum, scalars)`.
  template <class Use>
  void submit_sum(sycl::queue& q, Use use) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor partial{partial_, h, sycl::read_only};
      const sycl::accessor scalars{scalars_, h, sycl::read_write};
      const std::size_t groups = groups_;
      h.single_task([=] {
        double sum = 0;
        for (std::size_t g = 0; g < groups; ++g) sum += partial[g];
        use(sum, &scalars[0]);
      });
    });
  }

  void submit_update_of_solution(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor s{scalars_, h, sycl::read_only};
      const sycl::accessor p{p_, h, sycl::read_only};
      const sycl::accessor ap{ap_, h, sycl::read_only};
      const sycl::accessor x{x_, h, sycl::read_write};
      const sycl::accessor r{r_, h, sycl::read_write};
      h.parallel_for(sycl::range<1>(rows_), [=](sycl::id<1> i) {
        x[i] += s[alpha] * p[i];
        r[i] -= s[alpha] * ap[i];
      });
    });
  }

  void submit_update_of_direction(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor s{scalars_, h, sycl::read_only};
      const sycl::accessor r{r_, h, sycl::read_only};
      const sycl::accessor p{p_, h, sycl::read_write};
      h.parallel_for(sycl::range<1>(rows_), [=](sycl::id<1> i) { p[i] = r[i] + s[beta] * p[i]; });
    });
  }

  std::size_t rows_;
  std::size_t groups_;
  sycl::buffer<std::uint32_t> first_;
  sycl::buffer<std::uint32_t> column_;
  sycl::buffer<double> value_;
  sycl::buffer<double> x_;
  sycl::buffer<double> r_;
  sycl::buffer<double> p_;
  sycl::buffer<double> ap_;
  sycl::buffer<double> partial_;
  sycl::buffer<double> scalars_;
  sycl::buffer<std::uint32_t> going_on_;
  sycl::buffer<std::size_t> done_;
};

}  // namespace cg
