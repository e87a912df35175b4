// SPDX-License-Identifier: Apache-2.0
// Random sequences of group functions and algorithms in one kernel, over groups of random shapes: every work-item's value
// must be that of an interpreter that walks through the groups in order. Operands are such that every order of
// operations gives the same bits.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

enum kind : std::uint8_t {
  reduce,
  reduce_from,
  inclusive,
  inclusive_from,
  exclusive_from,
  broadcast,
  shift_left,
  shift_right,
  permute,
  select,
  any,
  all,
  none,
  joint_reduce,
  joint_inclusive,
  joint_exclusive,
  joint_any,
  through_local_memory,
  kinds
};

struct step {
  std::uint8_t what;
  std::uint8_t in_sub_group;
  std::uint8_t second_operation;
  std::uint32_t number;
};

struct program {
  std::size_t groups;
  std::size_t local[3];
  std::size_t elements;  // of the arrays of joint algorithms
  std::vector<step> steps;
  std::uint32_t seed;
};

std::ostream& operator<<(std::ostream& out, const program& p) {
  out << p.groups << " groups of " << p.local[0] << "x" << p.local[1] << "x" << p.local[2]
      << ", arrays of " << p.elements << ", values from " << p.seed << ":";
  for (const step& s : p.steps)
    out << ' ' << int{s.what} << (s.in_sub_group ? "s" : "g") << int{s.second_operation} << '('
        << s.number << ')';
  return out;
}

/// Associative, and not commutative.
struct first_that_is_not_zero {
  template <class T>
  T operator()(T a, T b) const {
    return a != T(0) ? a : b;
  }
};
template <class Operation>
inline constexpr bool commutes = !std::is_same_v<Operation, first_that_is_not_zero>;
template <class Operation, class T>
inline constexpr bool has_identity = sycl::has_known_identity_v<Operation, T>;

/// A value that the type holds exactly, as the sums of all that there are in a group.
template <class T>
T small(std::uint32_t n) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(n * 2654435761u);
  else
    return static_cast<T>(static_cast<float>(n % (sizeof(T) == 2 ? 8 : 1024)));
}
template <class T>
std::uint32_t bits_of(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::uint32_t>(x ^ (static_cast<std::uint64_t>(x) >> 32));
  else
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<float>(x)));
}
template <class T>
T fold(T x, std::uint32_t number, std::uint32_t rank) {
  // Zeros now and then, for the votes.
  const std::uint32_t n = bits_of(x) + number + rank * 7;
  return n % 5 == 0 ? T(0) : small<T>(n);
}

template <int Dimensions>
sycl::id<Dimensions> id_in(const sycl::range<Dimensions>& r, std::size_t linear) {
  sycl::id<Dimensions> id;
  for (int d = Dimensions - 1; d >= 0; --d) {
    id[d] = linear % r[d];
    linear /= r[d];
  }
  return id;
}

template <class T>
struct is_over {
  T limit;
  bool operator()(T x) const { return x > limit; }
};

/// What most kernels are made of: with everything they would take minutes to compile.
constexpr std::uint8_t few[] = {reduce,     inclusive, exclusive_from,
                                shift_left, any,       through_local_memory};

/// Work-items beyond the end of a group: what the headers promise, a work-item's own value.
template <class T, class Operation, class Group>
T run_operation(const step& s, const Group& g, T x, const T* data, T* out, std::size_t elements) {
  const Operation op;
  const T init = small<T>(s.number % 3);
  switch (s.what) {
    case reduce:
      if constexpr (commutes<Operation>) return sycl::reduce_over_group(g, x, op);
      return x;
    case reduce_from:
      if constexpr (commutes<Operation>) return sycl::reduce_over_group(g, x, init, op);
      return x;
    case inclusive:
      return sycl::inclusive_scan_over_group(g, x, op);
    case inclusive_from:
      return sycl::inclusive_scan_over_group(g, x, op, init);
    case exclusive_from:
      return sycl::exclusive_scan_over_group(g, x, init, op);
    default:
      break;
  }
  if constexpr (has_identity<Operation, T>) {
    const auto rank = static_cast<std::size_t>(g.get_local_linear_id());
    if (s.what == joint_reduce) return sycl::joint_reduce(g, data, data + elements, init, op);
    T* const end = s.what == joint_inclusive
                       ? sycl::joint_inclusive_scan(g, data, data + elements, out, op, init)
                       : sycl::joint_exclusive_scan(g, data, data + elements, out, init, op);
    return elements == 0 || end != out + elements ? x : out[(rank + s.number) % elements];
  }
  return x;
}

template <class T, class Operation, class Group>
T run_few(const step& s, const Group& g, T x) {
  const Operation op;
  switch (s.what) {
    case reduce:
      if constexpr (commutes<Operation>) return sycl::reduce_over_group(g, x, op);
      return x;
    case inclusive:
      return sycl::inclusive_scan_over_group(g, x, op);
    case exclusive_from:
      return sycl::exclusive_scan_over_group(g, x, small<T>(s.number % 3), op);
    case shift_left: {
      const auto by = s.number % (g.get_local_linear_range() + 1);
      return sycl::shift_group_left(g, x, static_cast<typename Group::linear_id_type>(by));
    }
    default:
      return sycl::any_of_group(g, x > small<T>(s.number)) ? T(1) : x;
  }
}

template <class T, class First, class Second, class Group>
T run_step(const step& s, const Group& g, T x, const T* data, T* out, std::size_t elements) {
  const auto size = static_cast<std::uint32_t>(g.get_local_linear_range());
  const auto rank = static_cast<std::uint32_t>(g.get_local_linear_id());
  using linear = typename Group::linear_id_type;
  switch (s.what) {
    case broadcast:
      return sycl::group_broadcast(g, x, static_cast<linear>(s.number % size));
    case shift_left:
      return sycl::shift_group_left(g, x, static_cast<linear>(s.number % (size + 1)));
    case shift_right:
      return sycl::shift_group_right(g, x, static_cast<linear>(s.number % (size + 1)));
    case permute:
      return sycl::permute_group_by_xor(g, x, static_cast<linear>(s.number % 32));
    case select:
      return sycl::select_from_group(g, x,
                                     id_in(g.get_local_range(), (rank * 3 + s.number) % size));
    case any:
      return sycl::any_of_group(g, x > small<T>(s.number)) ? T(1) : x;
    case all:
      return sycl::all_of_group(g, x, is_over<T>{small<T>(s.number)}) ? T(1) : x;
    case none:
      return sycl::none_of_group(g, x > small<T>(s.number)) ? T(1) : x;
    case joint_any:
      return sycl::joint_any_of(g, data, data + elements, is_over<T>{small<T>(s.number)}) ? T(1)
                                                                                          : x;
    default:
      if (s.second_operation != 0) return run_operation<T, Second>(s, g, x, data, out, elements);
      return run_operation<T, First>(s, g, x, data, out, elements);
  }
}

template <class T, class Operation>
void interpret_operation(const step& s, std::vector<T>& v, const std::vector<T>& data) {
  const Operation op;
  const T init = small<T>(s.number % 3);
  const std::vector<T> x = v;
  switch (s.what) {
    case reduce:
    case reduce_from: {
      if (!commutes<Operation>) return;
      T total = s.what == reduce ? x[0] : op(init, x[0]);
      for (std::size_t i = 1; i < x.size(); ++i) total = op(total, x[i]);
      v.assign(v.size(), total);
      return;
    }
    case inclusive:
    case inclusive_from: {
      T total = s.what == inclusive ? x[0] : op(init, x[0]);
      v[0] = total;
      for (std::size_t i = 1; i < x.size(); ++i) v[i] = total = op(total, x[i]);
      return;
    }
    case exclusive_from: {
      T total = init;
      for (std::size_t i = 0; i < x.size(); ++i) {
        v[i] = total;
        total = op(total, x[i]);
      }
      return;
    }
    default:
      break;
  }
  if (!has_identity<Operation, T>) return;
  T total = init;
  std::vector<T> scanned;
  for (const T& d : data) {
    if (s.what == joint_exclusive) scanned.push_back(total);
    total = op(total, d);
    if (s.what == joint_inclusive) scanned.push_back(total);
  }
  for (std::size_t i = 0; i < v.size(); ++i)
    if (s.what == joint_reduce)
      v[i] = total;
    else if (!data.empty())
      v[i] = scanned[(i + s.number) % data.size()];
}

template <class T, class First, class Second>
void interpret(const step& s, std::vector<T>& v, const std::vector<T>& data) {
  const std::vector<T> x = v;
  const std::size_t size = v.size();
  const is_over<T> over{small<T>(s.number)};
  const auto moved = [&](auto&& from) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t f = from(i);
      v[i] = f < size ? x[f] : x[i];
    }
  };
  const auto voted = [&](bool yes) {
    if (yes) v.assign(size, T(1));
  };
  switch (s.what) {
    case broadcast:
      return moved([&](std::size_t) { return s.number % size; });
    case shift_left:
      return moved([&](std::size_t i) { return i + s.number % (size + 1); });
    case shift_right:
      return moved([&](std::size_t i) { return i - s.number % (size + 1); });
    case permute:
      return moved([&](std::size_t i) { return i ^ (s.number % 32); });
    case select:
      return moved([&](std::size_t i) { return (i * 3 + s.number) % size; });
    case any:
      return voted(std::any_of(x.begin(), x.end(), over));
    case all:
      return voted(std::all_of(x.begin(), x.end(), over));
    case none:
      return voted(std::none_of(x.begin(), x.end(), over));
    case joint_any:
      return voted(std::any_of(data.begin(), data.end(), over));
    default:
      if (s.second_operation != 0) return interpret_operation<T, Second>(s, v, data);
      return interpret_operation<T, First>(s, v, data);
  }
}

template <class T, int Dimensions, class First, class Second, bool Everything>
void check(const program& p, sycl::queue q) {
  sycl::range<Dimensions> local = sycl::range<Dimensions>(), global = local;
  for (int d = 0; d < Dimensions; ++d) {
    local[d] = p.local[3 - Dimensions + d];
    global[d] = local[d] * (d == 0 ? p.groups : 1);
  }
  const std::size_t size = local.size(), items = p.groups * size;
  std::vector<T> values(items), data(p.elements);
  for (std::size_t i = 0; i < items; ++i)
    values[i] = fold(T(0), p.seed, static_cast<std::uint32_t>(i));
  for (std::size_t i = 0; i < p.elements; ++i)
    data[i] = fold(T(0), p.seed + 1, static_cast<std::uint32_t>(i));

  T* const device_values = sycl::malloc_device<T>(items, q);
  T* const device_data = sycl::malloc_device<T>(p.elements + 1, q);
  // A work-group's scans, and those of every sub-group that there could be.
  T* const scans = sycl::malloc_device<T>(items * 2 * (p.elements + 1), q);
  auto* const widths = sycl::malloc_device<std::uint32_t>(items, q);
  step* const steps = sycl::malloc_device<step>(p.steps.size(), q);
  q.copy(values.data(), device_values, items).wait();
  q.copy(data.data(), device_data, p.elements).wait();
  q.copy(p.steps.data(), steps, p.steps.size()).wait();
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<T> shared(sycl::range<1>(size), h);
     h.parallel_for(
         sycl::nd_range<Dimensions>(global, local),
         [=, count = p.steps.size(), elements = p.elements](sycl::nd_item<Dimensions> i) {
           const auto g = i.get_group();
           const auto sub = i.get_sub_group();
           const auto rank = static_cast<std::uint32_t>(i.get_local_linear_id());
           const std::size_t first = i.get_group_linear_id() * size;
           T* const own_scans = scans + first * 2 * (elements + 1);
           T x = device_values[first + rank];
           for (std::size_t k = 0; k < count; ++k) {
             const step s = steps[k];
             if (s.what == through_local_memory) {
               shared[rank] = x;
               sycl::group_barrier(g);
               x = shared[(rank + s.number) % size];
               sycl::group_barrier(g);
             } else if constexpr (!Everything) {
               x = s.in_sub_group != 0 ? run_few<T, First>(s, sub, x) : run_few<T, Second>(s, g, x);
             } else if (s.in_sub_group != 0) {
               x = run_step<T, First, Second>(
                   s, sub, x, device_data,
                   own_scans + (1 + sub.get_group_linear_id()) * (elements + 1), elements);
             } else {
               x = run_step<T, First, Second>(s, g, x, device_data, own_scans, elements);
             }
             x = fold(x, s.number, rank);
           }
           device_values[first + rank] = x;
           widths[first + rank] = static_cast<std::uint32_t>(sub.get_max_local_range()[0]);
         });
   }).wait();
  std::vector<T> got(items);
  std::vector<std::uint32_t> width(items);
  q.copy(device_values, got.data(), items).wait();
  q.copy(widths, width.data(), items).wait();
  for (void* memory :
       {static_cast<void*>(device_values), static_cast<void*>(device_data),
        static_cast<void*>(scans), static_cast<void*>(widths), static_cast<void*>(steps)})
    sycl::free(memory, q);

  for (std::size_t first = 0; first < items; first += size) {
    std::vector<T> group(values.begin() + static_cast<std::ptrdiff_t>(first),
                         values.begin() + static_cast<std::ptrdiff_t>(first + size));
    for (const step& s : p.steps) {
      if (s.what == through_local_memory) {
        const std::vector<T> x = group;
        for (std::size_t i = 0; i < size; ++i) group[i] = x[(i + s.number) % size];
      } else {
        const std::size_t part = s.in_sub_group != 0 ? width[0] : size;
        for (std::size_t at = 0; at < size; at += part) {
          const auto begin = group.begin() + static_cast<std::ptrdiff_t>(at);
          const auto end = group.begin() + static_cast<std::ptrdiff_t>(std::min(at + part, size));
          std::vector<T> members(begin, end);
          interpret<T, First, Second>(s, members, data);
          std::copy(members.begin(), members.end(), begin);
        }
      }
      for (std::size_t i = 0; i < size; ++i)
        group[i] = fold(group[i], s.number, static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < size; ++i)
      RC_ASSERT(static_cast<double>(got[first + i]) == static_cast<double>(group[i]));
  }
}

program make_program(int dimensions, bool everything) {
  const auto below = [](int n) { return *rc::gen::resize(100, rc::gen::inRange(0, n)); };
  program p{};
  p.groups = static_cast<std::size_t>(1 + below(3));
  p.local[0] = static_cast<std::size_t>(dimensions == 3 ? 1 + below(4) : 1);
  p.local[1] = static_cast<std::size_t>(dimensions == 3   ? 1 + below(5)
                                        : dimensions == 2 ? 1 + below(9)
                                                          : 1);
  p.local[2] = static_cast<std::size_t>(1 + below(dimensions == 3   ? 6
                                                  : dimensions == 2 ? 11
                                                                    : 100));
  p.elements = static_cast<std::size_t>(below(100));
  p.seed = static_cast<std::uint32_t>(below(1 << 20));
  p.steps = *rc::gen::map(
      rc::gen::container<std::vector<std::tuple<int, bool, bool, int>>>(
          rc::gen::tuple(rc::gen::inRange(0, int{kinds}), rc::gen::arbitrary<bool>(),
                         rc::gen::arbitrary<bool>(), rc::gen::inRange(0, 1000))),
      [&](const std::vector<std::tuple<int, bool, bool, int>>& made) {
        std::vector<step> steps;
        for (const auto& [what, sub, second, number] : made) {
          const auto any_kind = static_cast<std::uint8_t>(what);

          steps.push_back({everything ? any_kind : few[any_kind % sizeof few], sub,
                           everything ? second : !sub, static_cast<std::uint32_t>(number)});
        }
        return steps;
      });
  if (p.steps.size() > 12) p.steps.resize(12);
  if (p.steps.empty()) p.steps.push_back({reduce, 0, 1, 1});
  return p;
}

template <class T, int Dimensions, class First, class Second, bool Everything = false>
void computes_what_an_interpreter_does(const std::string& what) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    if constexpr (std::is_same_v<T, double>)
      if (!d.has(sycl::aspect::fp64)) continue;
    const sycl::queue q(d);
    const std::string on = what + " on " + d.get_info<sycl::info::device::name>();
    EXPECT_TRUE(rc::check(on, [&] {
      const program p = make_program(Dimensions, Everything);
      RC_LOG() << p << '\n';
      check<T, Dimensions, First, Second, Everything>(p, q);
    }));
  }
}

TEST(GroupPrograms, of_unsigned_integers_compute_what_an_interpreter_does) {
  computes_what_an_interpreter_does<std::uint32_t, 1, sycl::plus<>, first_that_is_not_zero, true>(
      "uint32");
}
TEST(GroupPrograms, of_long_integers_compute_what_an_interpreter_does) {
  computes_what_an_interpreter_does<std::uint64_t, 2, sycl::multiplies<>, sycl::bit_xor<>>(
      "uint64");
}
TEST(GroupPrograms, of_bytes_compute_what_an_interpreter_does) {
  computes_what_an_interpreter_does<std::uint8_t, 3, sycl::bit_and<std::uint8_t>, sycl::bit_or<>>(
      "uint8");
}
TEST(GroupPrograms, of_floats_compute_what_an_interpreter_does) {
  computes_what_an_interpreter_does<float, 3, sycl::plus<float>, sycl::maximum<>>("float");
}
TEST(GroupPrograms, of_halves_compute_what_an_interpreter_does) {
  computes_what_an_interpreter_does<sycl::half, 1, sycl::plus<>, sycl::maximum<sycl::half>>("half");
}
TEST(GroupPrograms, of_doubles_compute_what_an_interpreter_does) {
  computes_what_an_interpreter_does<double, 2, sycl::plus<>, sycl::minimum<double>, true>("double");
}

}  // namespace
