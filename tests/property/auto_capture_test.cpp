// SPDX-License-Identifier: Apache-2.0
// Random programs that almost repeat themselves, on queues that capture by themselves, by one thread or by two on the same
// queues. The numbers must be those of one command after the other.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <sycl/sycl.hpp>

#include "drawn_device.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;

struct capturing_queues {
  explicit capturing_queues(std::mt19937_64& random)
      : home(pianola::testing::drawn_device(random)) {
    for (int i = 0; i < 2; ++i) {
      const pia::property::queue::auto_capture captures(i == 0 || random() % 2 == 0);
      const bool in_order = random() % 2 == 0, profiles = random() % 4 == 0;
      using sycl::property::queue::enable_profiling;
      using order = sycl::property::queue::in_order;
      queues.emplace_back(
          home.get_context(), home.get_device(),
          in_order   ? profiles ? sycl::property_list{captures, order{}, enable_profiling{}}
                                : sycl::property_list{captures, order{}}
            : profiles ? sycl::property_list{captures, enable_profiling{}}
                     : sycl::property_list{captures});
    }
  }
  sycl::queue home;
  std::vector<sycl::queue> queues;
};

// What one thread does: some commands, several times, each time a little different, perhaps.
class almost_repeating {
 public:
  almost_repeating(std::uint64_t seed, std::vector<sycl::queue> queues)
      : random_(seed), queues_(std::move(queues)) {
    for (std::size_t b = 0; b < buffers; ++b) fresh_buffer(b);
    for (std::uint32_t& x : in_memory_) x = next();
    queues_[0].memcpy(memory_, in_memory_, sizeof in_memory_).wait();
  }
  almost_repeating(const almost_repeating&) = delete;
  almost_repeating& operator=(const almost_repeating&) = delete;
  ~almost_repeating() {
    for (sycl::queue& q : queues_) q.wait();
    sycl::free(memory_, queues_[0]);
  }

  void act(std::uint64_t seed) {
    random_.seed(seed);
    std::vector<command> body(1 + below(5));
    for (command& c : body) c = any_command();
    const std::size_t waits = below(4);  // after each repetition: a wait, a look, nothing
    // Those that end after each repetition, and are made anew.
    std::vector<std::size_t> renewed;
    if (below(3) == 0)
      for (std::size_t b = 0; b < buffers; ++b)
        if (below(2) == 0) renewed.push_back(b);
    // Several in a row, so that what is captured of them is left in the middle.
    const std::size_t times = below(3) == 0 ? 2 + below(24) : 1;
    const std::size_t rare = 200 * times;
    for (std::size_t repetition = 4 + below(30); repetition > 0; --repetition) {
      for (std::size_t i = 0; i < times * body.size(); ++i) {
        command& c = body[i % body.size()];
        if (c.changes) c.salt = next();
        if (c.moves) c.to = below(c.in_memory ? cells : buffers);
        if (c.resizes) c.length = 1 + below(elements);
        const std::size_t chance = below(rare);
        if (chance == 0) continue;
        run(c);
        if (chance < 8) disturb(chance);
      }
      if (waits == 0) wait_somehow(queues_[0]);
      if (waits == 1) look(below(buffers));
      for (const std::size_t b : renewed) {
        if (below(16) != 0) renew(b);
      }
    }
  }

  [[nodiscard]] bool is_right() {
    for (std::size_t b = 0; b < buffers; ++b)
      if (!look(b)) return false;
    for (sycl::queue& q : queues_) q.wait();
    std::uint32_t is[cells];
    queues_[0].memcpy(is, memory_, sizeof is).wait();
    return std::equal(is, is + cells, in_memory_) && looks_right_;
  }

 private:
  static constexpr std::size_t buffers = 4, elements = 16, cells = 5;
  enum class kind : unsigned char { kernel, copy, fill, host_task, barrier };
  struct command {
    kind what = kind::kernel;
    bool in_memory = false, overwrites = false, changes = false, moves = false, resizes = false;
    std::size_t from = 0, to = 0, queue = 0, length = elements;
    std::uint32_t salt = 0;
  };
  using contents = std::vector<std::uint32_t>;

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::uint32_t next() { return static_cast<std::uint32_t>(random_()); }

  command any_command() {
    command c;
    constexpr kind kinds[] = {kind::kernel, kind::kernel, kind::kernel, kind::kernel,
                              kind::kernel, kind::copy,   kind::fill,   kind::barrier};
    c.what = below(20) == 0 ? kind::host_task : kinds[below(8)];
    c.in_memory = below(3) == 0;
    c.overwrites = below(2) == 0;
    c.changes = below(3) == 0;
    c.moves = below(6) == 0;
    c.resizes = below(6) == 0;
    c.queue = below(8) == 0 ? 1 : 0;
    c.from = below(c.in_memory ? cells : buffers);
    c.to = below(c.in_memory ? cells : buffers);
    c.salt = next();
    return c;
  }

  void fresh_buffer(std::size_t b) {
    // With data of the host's that is written back, or with none.
    data_[b].reset();
    kept_[b].assign(elements, 0);
    for (std::uint32_t& x : kept_[b]) x = next();
    expected_[b] = kept_[b];
    written_back_[b] = below(2) == 0;
    if (written_back_[b]) {
      data_[b].emplace(kept_[b].data(), sycl::range<1>(elements));
      return;
    }
    data_[b].emplace(sycl::range<1>(elements));
    sycl::host_accessor x(*data_[b], sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < elements; ++i) x[i] = kept_[b][i];
  }

  // It ends, and what it holds is the host's again.
  void renew(std::size_t b) {
    data_[b].reset();
    looks_right_ = looks_right_ && (!written_back_[b] || kept_[b] == expected_[b]);
    fresh_buffer(b);
  }

  void disturb(std::size_t how) {
    switch (how) {
      case 1:
        return run(any_command());
      case 2:
        return static_cast<void>(look(below(buffers)));
      case 3:
        return renew(below(buffers));
      case 4:
        try {
          queues_[0].submit([&](sycl::handler& h) {
            sycl::accessor x(*data_[0], h);
            throw std::runtime_error("a command group gives up");
          });
        } catch (const std::runtime_error&) {
        }
        return;
      case 5:
        return wait_somehow(queues_[below(2)]);
      case 6: {
        const std::size_t b = below(buffers);
        sycl::host_accessor x(*data_[b]);
        x[1] += 7;
        expected_[b][1] += 7;
        return;
      }
      default:
        return static_cast<void>(queues_[0].ext_oneapi_empty());
    }
  }

  void wait_somehow(sycl::queue& q) {
    if (!last_ || below(2) == 0) return q.wait();
    last_->wait();
  }

  bool look(std::size_t b) {
    sycl::host_accessor x(*data_[b], sycl::read_only);
    for (std::size_t i = 0; i < elements; ++i)
      if (x[i] != expected_[b][i]) looks_right_ = false;
    return looks_right_;
  }

  void run(const command& c) {
    sycl::queue& q = queues_[c.queue];
    if (c.what == kind::barrier) {
      last_ = below(2) == 0 || !last_ ? q.ext_oneapi_submit_barrier()
                                      : q.ext_oneapi_submit_barrier({*last_});
      return;
    }
    if (c.in_memory)
      run_in_memory(c, q);
    else
      run_on_buffers(c, q);
  }

  void run_on_buffers(const command& c, sycl::queue& q) {
    contents& to = expected_[c.to];
    const contents from = expected_[c.from];
    const bool alias = c.from == c.to;
    last_ = q.submit([&](sycl::handler& h) {
      if (c.what == kind::fill) {
        h.fill(sycl::accessor(*data_[c.to], h, sycl::write_only, sycl::no_init), c.salt);
        to.assign(elements, c.salt);
      } else if (c.what == kind::copy && !alias) {
        h.copy(sycl::accessor(*data_[c.from], h, sycl::read_only),
               sycl::accessor(*data_[c.to], h, sycl::write_only, sycl::no_init));
        to = from;
      } else if (c.what == kind::host_task) {
        sycl::accessor x(*data_[c.to], h, sycl::read_write_host_task);
        h.host_task([x, salt = c.salt] { x[3] += salt; });
        to[3] += c.salt;
      } else if (alias || !c.overwrites || c.length != elements) {
        sycl::accessor x(*data_[c.from], h, sycl::read_only);
        sycl::accessor y(*data_[c.to], h);
        h.parallel_for(c.length,
                       [=, salt = c.salt](sycl::id<1> i) { y[i] = 3 * y[i] + x[i] + salt; });
        for (std::size_t i = 0; i < c.length; ++i) to[i] = 3 * to[i] + from[i] + c.salt;
      } else {
        sycl::accessor x(*data_[c.from], h, sycl::read_only);
        sycl::accessor y(*data_[c.to], h, sycl::write_only, sycl::no_init);
        h.parallel_for(c.length, [=, salt = c.salt](sycl::id<1> i) {
          y[i] = 5 * x[(i[0] + 1) % elements] + salt;
        });
        for (std::size_t i = 0; i < elements; ++i) to[i] = 5 * from[(i + 1) % elements] + c.salt;
      }
    });
  }

  // Ordered by events, whatever the queue promises.
  void run_in_memory(const command& c, sycl::queue& q) {
    std::vector<sycl::event> before;
    for (const std::size_t cell : {c.from, c.to})
      if (written_[cell]) before.push_back(*written_[cell]);
    before.insert(before.end(), read_[c.to].begin(), read_[c.to].end());
    auto* const to = memory_ + c.to;
    auto* const from = memory_ + c.from;
    if (c.what == kind::fill) {
      last_ = q.fill(to, c.salt, 1, before);
      in_memory_[c.to] = c.salt;
    } else if (c.what == kind::copy && from != to) {
      last_ = q.memcpy(to, from, sizeof *to, before);
      in_memory_[c.to] = in_memory_[c.from];
    } else {
      last_ = q.single_task(before, [=, salt = c.salt] { *to = 3 * *to + *from + salt; });
      in_memory_[c.to] = 3 * in_memory_[c.to] + in_memory_[c.from] + c.salt;
    }
    read_[c.to].clear();
    written_[c.to] = *last_;
    if (c.from == c.to) return;
    if (read_[c.from].size() == 8) {
      sycl::event::wait(read_[c.from]);
      read_[c.from].clear();
    }
    read_[c.from].push_back(*last_);
  }

  std::mt19937_64 random_;
  std::vector<sycl::queue> queues_;
  contents kept_[buffers], expected_[buffers];
  bool written_back_[buffers] = {};
  std::optional<sycl::buffer<std::uint32_t>> data_[buffers];
  std::uint32_t* memory_ = sycl::malloc<std::uint32_t>(
      cells, queues_[0],
      pianola::testing::drawn_usm(random_, queues_[0].get_device(), /*device_only=*/true));
  std::uint32_t in_memory_[cells] = {};
  std::optional<sycl::event> written_[cells], last_;
  std::vector<sycl::event> read_[cells];
  bool looks_right_ = true;
};

TEST(programs_that_almost_repeat, give_the_numbers_of_one_command_after_the_other) {
  pia::reset_auto_capture_statistics();
  const bool passed = rc::check([] {
    const auto world = *rc::gen::arbitrary<std::uint64_t>();
    const auto actions = *rc::gen::scale(
        0.1, rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>()));
    try {
      std::mt19937_64 random(world);
      capturing_queues all(random);
      const bool two = random() % 3 == 0;
      almost_repeating one(random(), all.queues);
      almost_repeating two_of_them(random(), all.queues);
      std::thread other;
      std::atomic<bool> other_threw{false};
      if (two)
        other = std::thread([&] {
          try {
            for (const auto a : actions) two_of_them.act(a + 1);
          } catch (...) {
            other_threw = true;
          }
        });
      try {
        for (const auto a : actions) one.act(a);
      } catch (...) {
        if (two) other.join();
        throw;
      }
      if (two) other.join();
      RC_ASSERT(!other_threw);
      RC_ASSERT(one.is_right());
      RC_ASSERT(two_of_them.is_right());
    } catch (const std::exception& e) {
      RC_FAIL(e.what());
    }
  });
  EXPECT_TRUE(passed);
  EXPECT_GT(pia::get_auto_capture_statistics().replays, 10U);
  EXPECT_GT(pia::get_auto_capture_statistics().flushes, 10U);
  EXPECT_GT(pia::get_auto_capture_statistics().changed_commands, 0U);
}

}  // namespace
