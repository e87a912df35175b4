// SPDX-License-Identifier: Apache-2.0
// Every call that a small program makes of the driver fails once.
#include <random>

#include "in_a_process.hpp"
#include "small_program.hpp"
#include "test_driver.hpp"

namespace pianola::test {
namespace {

constexpr int out_of_memory = 2, unknown = 999;
constexpr int launch_failed = 719;  // the device is lost

std::string list(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& t : texts) all += "\n  " + t;
  return all;
}

// The driver's own words are in every error that it is the first cause of.
std::string check_texts(const std::vector<std::string>& errors, int code) {
  if (errors.empty()) return "";
  const std::string number = (on_cuda() ? ", " : "(") + std::to_string(code) + ")";
  for (const std::string& e : errors)
    if (e.find(on_cuda() ? "CUDA: " : "HIP: ") != std::string::npos &&
        e.find(number) != std::string::npos)
      return "";
  for (const std::string& e : errors)
    if (e == "no memory") return "";  // malloc_device says no more than null
  return "no error has the driver's text:" + list(errors);
}

// The n-th call after the start fails; the device lives on.
std::string sweep(bool recorded, int code) {
  small_program p;
  std::string wrong = p.run(recorded);
  if (!wrong.empty() || !p.errors.empty()) return "without any fault: " + wrong + list(p.errors);
  std::size_t failed = 0;
  for (std::uint64_t n = 1;; ++n) {
    control().reset();
    control().fail("any", n, code);
    wrong = p.run(recorded);
    const bool made = control().calls("any") >= n;
    control().reset();
    if (wrong.empty()) wrong = check_texts(p.errors, code);
    failed += p.errors.empty() ? 0 : 1;
    if (wrong.empty()) wrong = p.run_on_cpu();
    if (wrong.empty()) {
      wrong = p.run(recorded);
      if (wrong.empty() && !p.errors.empty()) wrong = "errors:" + list(p.errors);
      if (!wrong.empty()) wrong = "afterwards: " + wrong;
    }
    if (!wrong.empty()) return "call " + std::to_string(n) + ": " + wrong;
    if (!made) break;
  }
  // How many of the calls may fail unnoticed (queries, hints) depends on how far the device is when the host looks.
  return failed >= 5 ? "" : "only " + std::to_string(failed) + " runs met an error";
}

class every_call : public ::testing::TestWithParam<bool> {
 protected:
  static void expect_fine(const process_end& end, const std::string& what) {
    EXPECT_TRUE(end.text.empty() && end.how.empty()) << what << ": " << end.how << ' ' << end.text;
  }
};

TEST_P(every_call, that_fails_for_want_of_memory_is_reported_and_the_program_goes_on) {
  expect_fine(in_a_process({}, [] { return sweep(GetParam(), out_of_memory); }), "");
}

TEST_P(every_call, that_fails_for_unknown_reasons_is_reported_and_the_program_goes_on) {
  expect_fine(in_a_process({}, [] { return sweep(GetParam(), unknown); }), "");
}

// Calls of a whole process.
std::uint64_t calls_in_all(bool recorded) {
  return std::strtoull(in_a_process({},
                                    [&] {
                                      small_program p;
                                      p.run(recorded);
                                      return std::to_string(control().all_calls());
                                    })
                           .text.c_str(),
                       nullptr, 10);
}

TEST_P(every_call, that_loses_the_device_leaves_the_processor_and_its_data) {
  const std::uint64_t all = calls_in_all(GetParam());
  ASSERT_GT(all, 50U);
  // Every call of a short program; of a long one each run takes another fourth of them, and the first and the last.
  const std::uint64_t step = all < 200 ? 1 : 4;
  const std::uint64_t chosen = step == 1 ? 0 : std::random_device()() % step;
  for (std::uint64_t n = 1; n <= all + 3; ++n) {
    if (n % step != chosen && n > 8 && n < all - 8) continue;
    // Hundreds of programs: on a busy machine threads that look for work would take the processors from each
    // other in every one of them, and minutes in all.
    const process_end end = in_a_process(
        {{"OMP_NUM_THREADS", "1"},
         {"PIANOLA_TEST_DRIVER_FAIL",
          "any:" + std::to_string(n) + "=" + std::to_string(launch_failed)}},
        [&]() -> std::string {
          small_program p;
          std::string wrong = p.run(GetParam());
          if (!wrong.empty()) return wrong + list(p.errors);
          if (!p.errors.empty() && p.errors.front().find("not usable") != std::string::npos)
            return "";  // the backend did not start, and the program was told why
          wrong = check_texts(p.errors, launch_failed);
          if (!wrong.empty()) return wrong;
          wrong = p.run_on_cpu();
          if (!wrong.empty() || p.errors.empty()) return wrong;
          // Lost for good, and it says so at once.
          wrong = p.run(GetParam());
          return wrong.empty() ? check_texts(p.errors, launch_failed) : "afterwards: " + wrong;
        });
    expect_fine(end, "call " + std::to_string(n));
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(programs, every_call, ::testing::Bool(), [](const auto& info) {
  return info.param ? "of_a_recorded_program" : "of_an_eager_program";
});

}  // namespace
}  // namespace pianola::test
