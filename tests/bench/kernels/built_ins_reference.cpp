// SPDX-License-Identifier: Apache-2.0
#include "built_ins.hpp"
#include "openmp.hpp"

namespace bench::reference {

namespace {

template <class T>
struct state {
  state(built_in f, std::size_t count)
      : function(f),
        n(count),
        in(openmp::filled<T>(count, [](std::size_t i) { return built_in_argument<T>(i); })),
        out(make_array<T>(count)) {}
  template <class Function>
  void loop(Function f) {
    const T* __restrict from = in.get();
    T* __restrict to = out.get();
    const std::size_t count = n;
#pragma omp parallel for simd schedule(static)
    for (std::size_t i = 0; i < count; ++i) to[i] = f(from[i]);
  }
  void step() {
    switch (function) {
      case built_in::sin:
        return loop([](T x) { return std::sin(x); });
      case built_in::exp:
        return loop([](T x) { return std::exp(x); });
      case built_in::log:
        return loop([](T x) { return std::log(x); });
      case built_in::pow:
        return loop([](T x) { return std::pow(x, T(1.7)); });
      case built_in::sqrt:
        return loop([](T x) { return std::sqrt(x); });
      case built_in::tanh:
        return loop([](T x) { return std::tanh(x); });
      default:
        return loop([](T x) { return std::erf(x); });
    }
  }
  double checksum() const { return checksum_of(out.get(), n); }

  built_in function;
  std::size_t n;
  array<T> in, out;
};

}  // namespace

subject built_in_of_float(built_in function, std::size_t n) {
  return openmp::repeated(std::make_shared<state<float>>(function, n));
}
subject built_in_of_double(built_in function, std::size_t n) {
  return openmp::repeated(std::make_shared<state<double>>(function, n));
}

}  // namespace bench::reference

namespace bench {

void add_built_ins(std::vector<comparison>& all, bool small) {
  const std::size_t n = std::size_t{1} << (small ? 12 : 20);
  for (int f = 0; f < static_cast<int>(built_in::count); ++f)
    for (const bool single : {true, false})
      for (const bool by_pianolacc : {true, false}) {
        const built_in function = static_cast<built_in>(f);
        comparison c;
        c.name = std::string("built_in/") + built_in_names[f] + (single ? "/float" : "/double") +
                 (by_pianolacc ? "/compiled" : "/library_only");
        c.unit = "ps/element";
        c.per_nanosecond = 1e3 / static_cast<double>(n);
        c.units = 8;
        c.warm_up = 1;
        c.rounds = 15;
        c.ours = [=] {
          return by_pianolacc ? (single ? compiled::built_in_of_float(function, n)
                                        : compiled::built_in_of_double(function, n))
                              : (single ? library::built_in_of_float(function, n)
                                        : library::built_in_of_double(function, n));
        };
        c.reference = [=] {
          return single ? reference::built_in_of_float(function, n)
                        : reference::built_in_of_double(function, n);
        };
        c.reference_name = "OpenMP, g++ -ffast-math";
        c.tolerance = single ? 1e-6 : 1e-13;
        all.push_back(std::move(c));
      }
}

}  // namespace bench
