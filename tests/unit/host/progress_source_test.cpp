// SPDX-License-Identifier: Apache-2.0
// Lanes that wait for lanes of devices which tell how far they have come only when asked.
#include <atomic>

#include <pianola/host/lane.hpp>
#include <pianola/host/team.hpp>

namespace pianola::host {
namespace {

// A device that has always finished what it is asked about, and never says so by itself.
class silent_device final : public executors::progress_source {
 public:
  executors::progress completion{*this};
  std::atomic<int> looks{0}, waits{0};
  std::atomic<bool> ready{true};

  void wait(const executors::progress&, std::uint64_t position) noexcept override {
    ++waits;
    while (completion.finished() < position) completion.finish(completion.finished() + 1);
  }
  void look(const executors::progress&) noexcept override {
    ++looks;
    if (ready && completion.finished() == 0) completion.finish(1);
  }
};

class source_hooks final : public step_hooks {
 public:
  void copy(const executors::resolved_copy&) override {}
  void fill(const executors::resolved_fill&) override {}
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return false; }
};

TEST(progress_source, is_waited_for_by_itself) {
  silent_device d;
  team::instance().wait(d.completion, 3);
  EXPECT_EQ(d.waits, 1);
  EXPECT_TRUE(d.completion.reached(3));
  team::instance().wait(d.completion, 2);
  EXPECT_EQ(d.waits, 1);
}

TEST(progress_source, is_asked_by_lanes_whose_next_step_waits_for_it) {
  static source_hooks h;
  static const std::atomic<bool> attention{false};
  static executors::step_observer observer;
  observer.attention = &attention;
  // Stays with the team.
  static auto& l = *new lane(h, observer, team::instance());
  static auto& d = *new silent_device();
  d.ready = false;
  const executors::lane_position before{&d.completion, 1};
  executors::step_submission s;
  s.waits = {&before, 1};
  l.submit(s, nullptr);
  while (d.looks < 3) static_cast<void>(team::instance().help(team::current_thread()));
  EXPECT_FALSE(l.completion().reached(1));
  d.ready = true;
  team::instance().wait(l.completion(), 1);
  EXPECT_TRUE(l.completion().reached(1));
  EXPECT_EQ(d.waits, 0);
}

}  // namespace
}  // namespace pianola::host
