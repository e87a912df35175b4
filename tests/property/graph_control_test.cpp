// SPDX-License-Identifier: Apache-2.0
// Random programs with loops and branches within loops and branches, as graphs of one launch: the bytes of an interpreter
// that runs them step by step on the host.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sycl/sycl.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;
using number = std::uint32_t;

constexpr std::size_t arrays = 3, length = 24, page = 8;

enum kind : std::uint8_t { update, overwrite, on_host, sized, repeat, loop, branch, choice, kinds };

struct statement {
  std::uint8_t what;
  std::uint8_t to, from;      // arrays
  std::uint8_t first, count;  // elements of `to`
  std::uint8_t device;
  std::uint32_t seed;
  std::vector<std::vector<statement>> blocks;
};
using block = std::vector<statement>;

std::ostream& operator<<(std::ostream& out, const statement& s);
std::ostream& operator<<(std::ostream& out, const block& b) {
  out << "{ ";
  for (const statement& s : b) out << s << "; ";
  return out << "}";
}
std::ostream& operator<<(std::ostream& out, const statement& s) {
  static constexpr const char* names[] = {"update", "overwrite", "on_host", "sized",
                                          "repeat", "while",     "if",      "switch"};
  out << names[s.what] << " " << +s.to << "[" << +s.first << ", " << s.first + s.count << ") from "
      << +s.from << " on " << +s.device << " seed " << s.seed;
  for (const block& b : s.blocks) out << " " << b;
  return out;
}

block random_block(std::mt19937& rng, int depth, std::size_t most) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(rng() % n); };
  block b;
  const std::size_t size = 1 + below(static_cast<std::uint32_t>(most));
  for (std::size_t i = 0; i < size; ++i) {
    statement s{};
    s.what = static_cast<std::uint8_t>(below(depth > 0 ? kinds : repeat));
    s.to = static_cast<std::uint8_t>(below(arrays));
    s.from = static_cast<std::uint8_t>((s.to + 1 + below(arrays - 1)) % arrays);
    s.first = static_cast<std::uint8_t>(below(length));
    s.count = static_cast<std::uint8_t>(1 + below(length - s.first));
    if (below(2) == 0) s.first = 0, s.count = length;
    s.device = static_cast<std::uint8_t>(below(16));
    s.seed = static_cast<std::uint32_t>(rng());
    if (s.what >= repeat) {
      const std::size_t blocks = s.what == choice   ? 1 + below(3)
                                 : s.what == branch ? 1 + below(2)
                                                    : 1;
      for (std::size_t k = 0; k < blocks; ++k) s.blocks.push_back(random_block(rng, depth - 1, 3));
    }
    b.push_back(std::move(s));
  }
  return b;
}

number mixed(number old, number other, number seed, std::size_t i) {
  number x = old * 2654435761U + other * 40503U + seed + static_cast<number>(i) * 97U;
  x ^= x >> 15;
  return x * 2246822519U;
}
// How many elements.
number sized_by(number value, const statement& s) { return (value ^ s.seed) % (s.count + 1U); }
// What decides: how often, or which one.
number decided(number value, const statement& s) {
  return (value ^ s.seed) % (s.what == branch ? 2 : 4);
}

struct interpreter {
  std::array<std::array<number, length>, arrays> data{};

  void run(const block& b) {
    for (const statement& s : b) run(s);
  }
  void run(const statement& s) {
    auto& to = data[s.to];
    const auto from = data[s.from];
    switch (s.what) {
      case update:
      case on_host:
        for (std::size_t i = s.first; i < std::size_t{s.first} + s.count; ++i)
          to[i] = mixed(to[i], from[(i + 5) % length], s.seed, i);
        break;
      case sized:
        for (std::size_t i = s.first; i < std::size_t{s.first} + sized_by(from[s.first], s); ++i)
          to[i] = mixed(to[i], 1, s.seed, i);
        break;
      case overwrite:
        for (std::size_t i = s.first; i < std::size_t{s.first} + s.count; ++i)
          to[i] = mixed(0, 0, s.seed, i);
        break;
      case repeat:
        for (number k = 0; k < s.seed % 4; ++k) run(s.blocks[0]);
        break;
      case loop:
        for (number k = decided(from[s.first], s); k != 0; --k) run(s.blocks[0]);
        break;
      case branch: {
        const std::size_t chosen = decided(from[s.first], s) != 0 ? 0 : 1;
        if (chosen < s.blocks.size()) run(s.blocks[chosen]);
        break;
      }
      default: {
        const std::size_t chosen = decided(from[s.first], s);
        if (chosen < s.blocks.size()) run(s.blocks[chosen]);
        break;
      }
    }
  }
};

// Records blocks as graphs of several devices, or of the one queue that there is.
class loop_recorder {
 public:
  loop_recorder(std::vector<sycl::queue> queues, std::size_t elements)
      : queues_(std::move(queues)) {
    using sycl::ext::pianola::property::buffer::page_size;
    const page_size<1> pages{sycl::range<1>(elements)};
    for (std::size_t a = 0; a < arrays; ++a)
      data_.emplace_back(sycl::range<1>(length), sycl::property_list{pages});
    for (auto& b : data_) {
      sycl::host_accessor all(b, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < length; ++i) all[i] = 0;
    }
  }

  executable record(const block& b) { return record(b, nullptr); }
  void launch(const executable& graph) { queues_[0].ext_oneapi_graph(graph); }
  sycl::buffer<number>& data(std::size_t array) { return data_[array]; }

 private:
  sycl::queue& queue_for(const statement& s) { return queues_[s.device % queues_.size()]; }

  // `left`: one is taken from it at the end.
  executable record(const block& b, sycl::buffer<int>* left) {
    std::vector<std::vector<executable>> bodies;
    std::vector<sycl::buffer<int>*> conditions;
    for (const statement& s : b) {
      std::vector<executable>& of_statement = bodies.emplace_back();
      sycl::buffer<int>* const condition =
          s.what > repeat ? &conditions_.emplace_back(sycl::range<1>(1)) : nullptr;
      conditions.push_back(condition);
      for (const block& inner : s.blocks)
        of_statement.push_back(record(inner, s.what == loop ? condition : nullptr));
    }
    graphs::command_graph graph(queues_[0], sycl::ext::pianola::property::graph::multi_device{});
    graph.begin_recording(queues_);
    for (std::size_t i = 0; i < b.size(); ++i) submit(b[i], bodies[i], conditions[i]);
    if (left != nullptr)
      queue_for(b.back()).submit([&](sycl::handler& h) {
        const sycl::accessor l(*left, h, sycl::read_write);
        h.single_task([=] { l[0] -= 1; });
      });
    graph.end_recording();
    return graph.finalize();
  }

  void submit(const statement& s, const std::vector<executable>& bodies,
              sycl::buffer<int>* condition) {
    sycl::queue& q = queue_for(s);
    const number seed = s.seed;
    const std::size_t first = s.first;
    if (condition != nullptr)
      q.submit([&](sycl::handler& h) {
        const sycl::accessor from(data_[s.from], h, sycl::read_only);
        const sycl::accessor c(*condition, h, sycl::write_only, sycl::no_init);
        const number n = s.what == branch ? 2 : 4;
        h.single_task([=] { c[0] = static_cast<int>((from[first] ^ seed) % n); });
      });
    if (s.what == sized) return submit_sized(q, s);
    q.submit([&](sycl::handler& h) {
      namespace control = sycl::ext::pianola;
      if (s.what == repeat) return control::add_repeat(h, seed % 4, bodies[0]);
      if (s.what == loop) return control::add_while(h, *condition, bodies[0]);
      if (s.what == branch && bodies.size() == 1) return control::add_if(h, *condition, bodies[0]);
      if (s.what == branch) return control::add_if(h, *condition, bodies[0], bodies[1]);
      if (s.what == choice) return control::add_switch(h, *condition, bodies);
      const sycl::range<1> count(s.count);
      const sycl::id<1> begin(first);
      if (s.what == overwrite) {
        const sycl::accessor to(data_[s.to], h, count, begin, sycl::write_only, sycl::no_init);
        h.parallel_for(count, [=](sycl::id<1> i) { to[i] = mixed(0, 0, seed, first + i[0]); });
      } else if (s.what == update) {
        const sycl::accessor from(data_[s.from], h, sycl::read_only);
        const sycl::accessor to(data_[s.to], h, count, begin, sycl::read_write);
        h.parallel_for(count, [=](sycl::id<1> i) {
          const std::size_t at = first + i[0];
          to[i] = mixed(to[i], from[(at + 5) % length], seed, at);
        });
      } else {
        const sycl::accessor from(data_[s.from], h, sycl::read_only_host_task);
        const sycl::accessor to(data_[s.to], h, count, begin, sycl::read_write_host_task);
        const std::size_t end = first + s.count;
        h.host_task([=] {
          for (std::size_t at = first; at < end; ++at)
            to[at - first] = mixed(to[at - first], from[(at + 5) % length], seed, at);
        });
      }
    });
  }

  // Some of the elements that it may work on.
  void submit_sized(sycl::queue& q, const statement& s) {
    const number seed = s.seed;
    const std::size_t first = s.first;
    sycl::buffer<int>& size = conditions_.emplace_back(sycl::range<1>(1));
    const sycl::range<1> count(s.count);
    queues_[(s.device + 1U) % queues_.size()].submit([&](sycl::handler& h) {
      const sycl::accessor from(data_[s.from], h, sycl::read_only);
      const sycl::accessor n(size, h, sycl::write_only, sycl::no_init);
      const number most = s.count + 1U;
      h.single_task([=] { n[0] = static_cast<int>((from[first] ^ seed) % most); });
    });
    q.submit([&](sycl::handler& h) {
      const sycl::accessor n(size, h, sycl::read_only);
      const sycl::accessor to(data_[s.to], h, count, sycl::id<1>(first), sycl::read_write);
      sycl::ext::pianola::parallel_for(
          h, sycl::ext::pianola::indirect_range(n, count),
          [=](sycl::id<1> i) { to[i] = mixed(to[i], 1, seed, first + i[0]); });
    });
  }

  std::vector<sycl::queue> queues_;
  std::vector<sycl::buffer<number>> data_;
  std::deque<sycl::buffer<int>> conditions_;
};

void check(bool everywhere) {
  EXPECT_TRUE(rc::check([everywhere] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    std::mt19937 rng(seed);
    const block b = random_block(rng, 2, 4);
    RC_LOG() << b << "\n";
    std::vector<sycl::queue> queues;
    const auto devices = sycl::device::get_devices();
    if (everywhere)
      for (const sycl::device& d : devices) queues.emplace_back(d);
    else
      queues.emplace_back(devices[rng() % devices.size()]);
    loop_recorder recorded(std::move(queues), rng() % 2 == 0 ? page : length);
    interpreter expected;
    try {
      const executable graph = recorded.record(b);
      for (int launch = 0; launch < 3; ++launch) {
        recorded.launch(graph);
        expected.run(b);
        if (launch == 1) continue;  // right after a replay, and after an access of the host
        for (std::size_t a = 0; a < arrays; ++a) {
          const sycl::host_accessor got(recorded.data(a), sycl::read_write);
          for (std::size_t i = 0; i < length; ++i) RC_ASSERT(got[i] == expected.data[a][i]);
          got[a] += 1;
          expected.data[a][a] += 1;
        }
      }
    } catch (const sycl::exception& e) {
      RC_FAIL(e.what());
    }
  }));
}

TEST(graph_control_programs, of_one_device_give_the_bytes_of_an_interpreter) { check(false); }
TEST(graph_control_programs, of_all_devices_give_the_bytes_of_an_interpreter) { check(true); }

}  // namespace
