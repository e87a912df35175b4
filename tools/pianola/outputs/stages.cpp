// SPDX-License-Identifier: Apache-2.0
#include "outputs/stages.hpp"

#include <unistd.h>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <fmt/format.h>

#include <pianola/formats/progress.hpp>
#include <pianola/formats/text.hpp>

namespace pianola::tool {

namespace {

constexpr auto unseen_for = std::chrono::seconds(1);
constexpr auto between_pictures = std::chrono::milliseconds(200);
constexpr std::size_t bar_width = 20, mark_width = 4;  // of the bar, and of what moves in it

class stage_line {
 public:
  ~stage_line() { end(); }

  void begin(const std::string& what) {
    const std::lock_guard hold(mutex_);
    if (ended_) return;
    what_ = formats::one_line(what, 60);
    formats::forget_progress();
    if (drawer_.joinable() || ::isatty(STDERR_FILENO) == 0) return;
    drawer_ = std::thread([this] { draw(); });
  }

  void end() noexcept {
    std::thread drawer;
    {
      const std::lock_guard hold(mutex_);
      ended_ = true;
      drawer.swap(drawer_);
    }
    if (!drawer.joinable()) return;
    changed_.notify_one();
    drawer.join();
  }

 private:
  void draw() {
    std::unique_lock hold(mutex_);
    const auto start = std::chrono::steady_clock::now();
    if (changed_.wait_for(hold, unseen_for, [this] { return ended_; })) return;
    for (std::size_t picture = 0; !ended_; ++picture) {
      std::string bar(bar_width, '.'), share;
      if (const auto percent = formats::percent_done()) {
        const std::size_t full = *percent * bar_width / 100;
        bar.replace(0, full, full, '#');
        share = fmt::format("{} % of ", *percent);
      } else {
        // Nobody knows how much there is: the mark goes from one end to the other.
        bar.replace(picture % (bar_width - mark_width + 1), mark_width, mark_width, '#');
      }
      const auto seconds =
          std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start)
              .count();
      fmt::print(stderr, "\r\033[K[{}] {}{}, {} s", bar, share, what_, seconds);
      std::fflush(stderr);
      changed_.wait_for(hold, between_pictures, [this] { return ended_; });
    }
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool ended_ = false;
  std::thread drawer_;
};

stage_line& the_line() {
  static stage_line only;
  return only;
}

}  // namespace

void begin_stage(const std::string& what) { the_line().begin(what); }

void end_stages() noexcept { the_line().end(); }

}  // namespace pianola::tool
