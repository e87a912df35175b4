// SPDX-License-Identifier: Apache-2.0
// Barriers of sub-groups that not all of a sub-group come to, or that not all sub-groups come to equally often, and
// exchanges that its work-items come to on different ways, or go past on different ways, or that some of them leave before.
#include <sycl/sycl.hpp>
#include <vector>

#include "print.hpp"

namespace {

// Each work-item makes rounds of its own number, and reads what its neighbour left behind.
void rounds_of_their_own(sycl::queue& q) {
  constexpr std::size_t items = 64, groups = 3;
  std::vector<int> out(items * groups);
  {
    sycl::buffer<int> buffer(out.data(), sycl::range<1>(out.size()));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor result(buffer, h, sycl::write_only, sycl::no_init);
      const sycl::local_accessor<int> tile(items, h);
      h.parallel_for(sycl::nd_range<1>(items * groups, items), [=](sycl::nd_item<1> it) {
        const sycl::sub_group lanes = it.get_sub_group();
        const auto i = it.get_local_linear_id();
        const auto first = i - lanes.get_local_linear_id();
        const auto next = first + (lanes.get_local_linear_id() + 1) % 8;
        int v = static_cast<int>(i);
        int read[3] = {0, 0, 0};  // private memory that is no register
        const auto rounds = (i * 7 + it.get_group_linear_id()) % 6;
        tile[i] = 1000;
        sycl::group_barrier(lanes);
        for (std::size_t r = 0; r < rounds; ++r) {
          tile[i] = v;
          sycl::group_barrier(lanes);
          read[(r + i) % 3] = tile[next];
          sycl::group_barrier(lanes);
          v = (v * 3 + read[r % 3] + read[(r + 1) % 3]) % 10007;
        }
        result[it.get_global_id()] = v;
      });
    });
  }
  print("rounds of their own", out);
}

// A team of threads that share rows: some of the last sub-group have none, and those behind it make no rounds at all.
void rows_of_a_team(sycl::queue& q) {
  constexpr std::size_t team = 256, rows = 83, columns = 5, teams = 2;
  std::vector<int> out(teams * rows * columns);
  {
    sycl::buffer<int, 2> buffer(out.data(), sycl::range<2>(teams * rows, columns));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor result(buffer, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<2>({team, teams}, {team, 1}), [=](sycl::nd_item<2> it) {
        for (std::size_t row = it.get_local_id(0); row < rows; row += it.get_local_range(0)) {
          for (std::size_t c = it.get_local_id(1); c < columns; c += it.get_local_range(1))
            result[it.get_group(1) * rows + row][c] = static_cast<int>(row * 10 + c + 1);
          sycl::group_barrier(it.get_sub_group());
        }
      });
    });
  }
  print("rows of a team", out);
}

// Whole sub-groups work as the data says, and meet the others at a barrier of the group.
void some_sub_groups(sycl::queue& q) {
  constexpr std::size_t items = 64, groups = 2;
  std::vector<int> work{0, 3, 1, 0, 2, 0, 0, 5}, out(items * groups);
  {
    sycl::buffer<int> rounds(work.data(), sycl::range<1>(work.size()));
    sycl::buffer<int> buffer(out.data(), sycl::range<1>(out.size()));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor of(rounds, h, sycl::read_only);
      const sycl::accessor result(buffer, h, sycl::write_only, sycl::no_init);
      const sycl::local_accessor<int> tile(items, h);
      h.parallel_for(sycl::nd_range<1>(items * groups, items), [=](sycl::nd_item<1> it) {
        const sycl::sub_group lanes = it.get_sub_group();
        const auto i = it.get_local_linear_id();
        const auto first = i - lanes.get_local_linear_id();
        int v = static_cast<int>(i + 1);
        for (int r = 0; r < of[lanes.get_group_linear_id() % 8]; ++r) {
          tile[i] = v;
          sycl::group_barrier(lanes);
          v += tile[first + (i + 3) % 8];
          sycl::group_barrier(lanes);
        }
        sycl::group_barrier(it.get_group());
        tile[i] = v;
        sycl::group_barrier(it.get_group());
        result[it.get_global_id()] =
            tile[items - 1 - i] + sycl::reduce_over_group(lanes, v, sycl::plus<>());
      });
    });
  }
  print("some sub-groups", out);
}

// Some lanes prepare more than others, and both find out for themselves that there is nothing to exchange: an optimiser
// makes the same of `if (works) prepare(); if (n > 0) do ... while (k < n);`. All lanes come to the exchange, on two ways.
void two_ways_to_an_exchange(sycl::queue& q) {
  constexpr std::size_t items = 24;
  std::vector<int> rounds{3, 0, 1, 4}, out(items * rounds.size());
  {
    sycl::buffer<int> of_groups(rounds.data(), sycl::range<1>(rounds.size()));
    sycl::buffer<int> buffer(out.data(), sycl::range<1>(out.size()));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor of(of_groups, h, sycl::read_only);
      const sycl::accessor result(buffer, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(out.size(), items), [=](sycl::nd_item<1> it) {
        const sycl::sub_group lanes = it.get_sub_group();
        const int i = static_cast<int>(it.get_local_linear_id());
        const int n = of[it.get_group_linear_id()];
        const bool works = lanes.get_local_linear_id() < 5;
        int values[4] = {i, i + 1, i + 2, i + 3};
        int k = 0, sum = works ? 1000 : 0;
        if (works) {
          if (n <= 0) goto nothing_to_exchange;
          for (int j = 0; j < n; ++j) values[j] *= i + j;
          sum += values[n - 1];
        } else {
          if (n <= 0) goto nothing_to_exchange;
        }
        do {
          sum += sycl::select_from_group(lanes, values[k], (lanes.get_local_linear_id() + 3) % 8);
        } while (++k < n);
      nothing_to_exchange:
        result[it.get_global_id()] = sum;
      });
    });
  }
  print("two ways to an exchange", out);
}

// Lanes without an element give what is neutral, which depends on the operation, too: an optimiser sends them to the operation's
// own exchange past the question which one it is, and the others go through it.
void neutral_elements(sycl::queue& q) {
  constexpr std::size_t items = 24;
  std::vector<int> operations{2, 0, 1, 3}, out(items * operations.size());
  {
    sycl::buffer<int> of_groups(operations.data(), sycl::range<1>(operations.size()));
    sycl::buffer<int> buffer(out.data(), sycl::range<1>(out.size()));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor of(of_groups, h, sycl::read_only);
      const sycl::accessor result(buffer, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(out.size(), items), [=](sycl::nd_item<1> it) {
        const sycl::sub_group lanes = it.get_sub_group();
        const int operation = of[it.get_group_linear_id()];
        const int lane = static_cast<int>(lanes.get_local_linear_id());
        const int x = lane < 5 ? 40 - 7 * lane : operation == 1 ? 1000 : operation == 2 ? -1000 : 0;
        int y = -1;
        if (operation == 0)
          y = sycl::reduce_over_group(lanes, x, sycl::plus<>());
        else if (operation == 1)
          y = sycl::reduce_over_group(lanes, x, sycl::minimum<>());
        else if (operation == 2)
          y = sycl::reduce_over_group(lanes, x, sycl::maximum<>());
        result[it.get_global_id()] = y;
      });
    });
  }
  print("neutral elements", out);
}

// Some lanes have work, and in it is an exchange that none of them comes to where the group does not ask for it.
void work_without_an_exchange(sycl::queue& q) {
  constexpr std::size_t items = 24;
  std::vector<int> exchanges{0, 1, 0}, out(items * exchanges.size());
  {
    sycl::buffer<int> of_groups(exchanges.data(), sycl::range<1>(exchanges.size()));
    sycl::buffer<int> buffer(out.data(), sycl::range<1>(out.size()));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor of(of_groups, h, sycl::read_only);
      const sycl::accessor result(buffer, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(out.size(), items), [=](sycl::nd_item<1> it) {
        const sycl::sub_group lanes = it.get_sub_group();
        const bool together = of[it.get_group_linear_id()] != 0;
        const int i = static_cast<int>(it.get_local_linear_id());
        int sum = 0;
        if (together || i % 8 < 3) {
          sum = 10 * i;
          if (together) sum = sycl::reduce_over_group(lanes, sum, sycl::plus<>());
        }
        for (int k = together ? 0 : i % 4; k < 4; ++k) {
          sum += k;
          if (together) sum += sycl::shift_group_left(lanes, sum, 1) * (i % 8 == 7 ? 0 : 1);
        }
        result[it.get_global_id()] = sum;
      });
    });
  }
  print("work without an exchange", out);
}

// Work-items bring what they read, or what changes nothing, which is known to some before they come to the question.
void brought_or_neutral(sycl::queue& q) {
  constexpr std::size_t items = 24;
  std::vector<unsigned> table(256), operations{0, 1, 2, 0, 1}, out(items * operations.size());
  for (unsigned i = 0; i < table.size(); ++i) table[i] = i * 77 + 1;
  {
    sycl::buffer<unsigned> of_table(table.data(), sycl::range<1>(table.size()));
    sycl::buffer<unsigned> of_groups(operations.data(), sycl::range<1>(operations.size()));
    sycl::buffer<unsigned> buffer(out.data(), sycl::range<1>(out.size()));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor in(of_table, h, sycl::read_only);
      const sycl::accessor of(of_groups, h, sycl::read_only);
      const sycl::accessor result(buffer, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(out.size(), items), [=](sycl::nd_item<1> it) {
        const auto own = static_cast<unsigned>(it.get_local_linear_id());
        const unsigned operation = of[it.get_group_linear_id()];
        const unsigned brought = own % 4 != 0
                                     ? in[(in[own] % 3 == 1 ? own : in[own + 9] & 255U) & 255U]
                                 : operation == 1 ? ~0U
                                 : operation == 2 ? 1U
                                                  : 0U;
        unsigned all = 5;
        if (operation == 0)
          all = sycl::reduce_over_group(it.get_sub_group(), brought, sycl::bit_and<unsigned>());
        result[it.get_global_id()] = brought ^ (all << 8);
      });
    });
  }
  print("brought or neutral", out);
}

// What kernels written for GPUs do at the end of the data: those without an element leave, in the middle of a sub-group, and the
// others go on to functions of the sub-group without them.
template <class F>
void left_before(sycl::queue& q, const char* name, F exchange) {
  constexpr std::size_t items = 32, groups = 3, elements = 83;
  std::vector<int> out(items * groups, -1);
  {
    sycl::buffer<int> buffer(out.data(), sycl::range<1>(out.size()));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor result(buffer, h, sycl::read_write);
      h.parallel_for(sycl::nd_range<1>(out.size(), items), [=](sycl::nd_item<1> it) {
        const auto i = it.get_global_linear_id();
        if (i >= elements) return;
        result[i] = exchange(it.get_sub_group(), static_cast<int>(i));
      });
    });
  }
  print(name, out);
}

void some_have_left(sycl::queue& q) {
  using lanes = sycl::sub_group;
  left_before(q, "reduce",
              [](lanes g, int i) { return sycl::reduce_over_group(g, i, sycl::plus<>()); });
  left_before(q, "scan",
              [](lanes g, int i) { return sycl::inclusive_scan_over_group(g, i, sycl::plus<>()); });
  left_before(q, "broadcast", [](lanes g, int i) { return sycl::group_broadcast(g, i + 3, 1); });
  left_before(q, "any", [](lanes g, int i) { return sycl::any_of_group(g, i == 82) ? 1 : 0; });
  left_before(q, "all", [](lanes g, int i) { return sycl::all_of_group(g, i > 77) ? 1 : 0; });
  // The last one's partner is not there.
  left_before(q, "exchange", [](lanes g, int i) {
    const int other = sycl::permute_group_by_xor(g, i * 2, 1);
    return i == 82 ? -2 : other;
  });
  left_before(q, "tree", [](lanes g, int i) {
    int sum = 1;
    for (unsigned d = 4; d > 0; d /= 2) {
      const int more = sycl::shift_group_left(g, sum, d);
      if (g.get_local_linear_id() + d < 8 && i + static_cast<int>(d) < 83) sum += more;
    }
    return sum;
  });
  left_before(q, "barrier", [](lanes g, int i) {
    sycl::group_barrier(g);
    return i + 1;
  });
}

}  // namespace

int main() {
  sycl::queue q;
  some_have_left(q);
  rounds_of_their_own(q);
  rows_of_a_team(q);
  some_sub_groups(q);
  two_ways_to_an_exchange(q);
  neutral_elements(q);
  work_without_an_exchange(q);
  brought_or_neutral(q);
}
