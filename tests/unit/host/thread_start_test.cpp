// SPDX-License-Identifier: Apache-2.0
// Where the threads of a team are from their first moment on, whoever starts them.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "pianola/host/processors.hpp"
#include "pianola/host/team.hpp"

namespace {

using pianola::host::processor_list;
using pianola::host::processor_mask;
using pianola::host::team;

// As the system writes it, of each thread of the process.
std::vector<std::string> processors_of_threads() {
  std::vector<std::string> found;
  const std::string key = "Cpus_allowed_list:\t";
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind(key, 0) == 0) found.push_back(line.substr(key.size()));
  }
  return found;
}

class thread_start : public ::testing::Test {
 protected:
  ~thread_start() override { before.bind_calling_thread(); }
  processor_mask before = processor_mask::of_calling_thread();
  processor_list all = before.list();
};

TEST_F(thread_start, is_on_its_processors_though_the_one_that_starts_it_is_bound_elsewhere) {
  if (all.size() < 2) GTEST_SKIP() << "needs two processors";
  static_cast<void>(team::instance());
  const std::string there = std::to_string(all.back());
  ASSERT_TRUE(processor_mask::of({all.front()}).bind_calling_thread());
  const auto here = [&] {
    const std::vector<std::string> found = processors_of_threads();
    return std::count(found.begin(), found.end(), there);
  };
  const auto already = here();
  team::start_for_sub_device(3, {all.back()});
  EXPECT_EQ(here(), already + 3);
}

TEST_F(thread_start, of_processors_that_are_gone_is_wherever_the_process_may_be) {
  static_cast<void>(team::instance());
  const std::size_t already = processors_of_threads().size();
  team::start_for_sub_device(1, {16000});
  EXPECT_EQ(processors_of_threads().size(), already + 1);
}

TEST_F(thread_start, of_a_helper_is_wherever_the_process_may_be_before_it_runs) {
  if (all.size() < 2) GTEST_SKIP() << "needs two processors";
  const team& t = team::instance();
  ASSERT_TRUE(processor_mask::of({all.front()}).bind_calling_thread());
  const auto bound_here = [&] {
    const std::vector<std::string> found = processors_of_threads();
    return std::count(found.begin(), found.end(), std::to_string(all.front()));
  };
  const auto before = bound_here();
  // Bound to where this thread is busy, one that binds itself would hardly ever get there in time.
  for (int i = 0; i < 20; ++i) {
    std::promise<void> ends;
    pianola::host::started_thread helper =
        t.start_helper("helper", [&] { ends.get_future().wait(); });
    EXPECT_EQ(bound_here(), before);
    ends.set_value();
    helper.join();
  }
}

TEST_F(thread_start, of_a_helper_is_wherever_the_process_may_be_and_deaf_to_signals) {
  if (all.size() < 2) GTEST_SKIP() << "needs two processors";
  const team& t = team::instance();
  ASSERT_TRUE(processor_mask::of({all.front()}).bind_calling_thread());
  processor_list there;
  sigset_t blocked{};
  t.start_helper("helper", [&] {
     there = processor_mask::of_calling_thread().list();
     pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
   }).join();
  EXPECT_EQ(there, all);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0) << "of the thread that starts it";
}

}  // namespace
