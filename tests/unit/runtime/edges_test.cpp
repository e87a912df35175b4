// SPDX-License-Identifier: Apache-2.0
// Processes at their edges, looked at from outside.
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct outcome {
  int code = -1;     // exit code, -signal if one ended it
  std::string text;  // standard output and error
};

outcome run(const std::string& which, const std::string& environment = "",
            const std::string& prefix = "") {
  // Programs that end by exit leave their objects behind, which is no leak of ours.
  const std::string command = "env -u PIANOLA_DEVICES ASAN_OPTIONS=detect_leaks=0 " + environment +
                              " " + prefix + " '" + PIANOLA_EDGES_PROGRAM "' " + which + " 2>&1";
  outcome o;
  std::FILE* f = popen(command.c_str(), "r");
  if (f == nullptr) return o;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, f) != nullptr) o.text += buffer;
  const int status = pclose(f);
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return o;
}

class edges : public ::testing::TestWithParam<const char*> {
 protected:
  static outcome run_here(const std::string& which) {
    return run(which, std::string("PIANOLA_DEVICES=") + GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(on, edges,
                         ::testing::Values("openmp", "openmp,simulated:4", "simulated:2",
                                           "simulated:2:separate"),
                         [](const auto& i) {
                           std::string name = i.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

TEST_P(edges, a_program_may_end_with_work_in_flight) {
  for (const char* which : {"exit-kernels", "exit-host-task", "exit-graph"}) {
    const outcome o = run_here(which);
    EXPECT_EQ(o.code, 0) << which << ": " << o.text;
    EXPECT_EQ(o.text, "") << which;
  }
}

TEST_P(edges, a_limit_of_threads_is_named_or_does_not_matter) {
  // The team does with one thread beside the caller. It starts first, and takes the two that it wants; then each device
  // that has a thread of its own needs that one, and one looks after all of these.
  const bool separate = std::string(GetParam()) == "simulated:2:separate";
  const int enough = separate ? 2 + 2 + 1 : 1;
  for (int limit = 0; limit <= 6; ++limit) {
    const outcome o = run("few-threads " + std::to_string(limit),
                          std::string("PIANOLA_DEVICES=") + GetParam() + " OMP_NUM_THREADS=3");
    if (o.code == 77) GTEST_SKIP() << "a sanitizer starts the threads";
    EXPECT_EQ(o.code, 0) << limit << ": " << o.text;
    if (limit >= enough) {
      EXPECT_EQ(o.text, "works\n") << limit;
      continue;
    }
    EXPECT_THAT(o.text, ::testing::StartsWith("platform: ")) << limit;
    EXPECT_THAT(o.text, HasSubstr("no thread can be started")) << limit;
    EXPECT_THAT(o.text, HasSubstr("`ulimit -u`")) << limit;
  }
}

TEST_P(edges, what_commands_print_that_nobody_waited_for_is_seen) {
  const outcome o = run_here("exit-output");
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_EQ(o.text, "from a kernel\nfrom a host task\n");
}

TEST_P(edges, static_buffers_are_written_back) {
  for (const char* which : {"static-late", "static-function"}) {
    const outcome o = run_here(which);
    EXPECT_EQ(o.code, 0) << which;
    EXPECT_EQ(o.text, "static buffer written back\n") << which;
  }
}

TEST_P(edges, destructors_of_static_objects_submit_work) {
  for (const char* which : {"static-works", "static-starts"})
    for (const char* threads : {"1", "2"}) {
      const outcome o =
          run(which, std::string("PIANOLA_DEVICES=") + GetParam() + " OMP_NUM_THREADS=" + threads);
      EXPECT_EQ(o.code, 0) << which << ": " << o.text;
      EXPECT_EQ(o.text, "0 wrong\n") << which;
    }
}

TEST_P(edges, destructors_of_thread_local_objects_submit_work) {
  const outcome o = run_here("thread-local-works");
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_EQ(o.text, "0 wrong\n0 wrong\n");
}

TEST_P(edges, a_forked_child_is_told_what_is_wrong) {
  const outcome o = run_here("fork-after");
  EXPECT_EQ(o.code, 0) << o.text;
  for (const char* what : {"submit", "queue", "wait", "event", "buffer"})
    EXPECT_THAT(o.text, HasSubstr(std::string(what) + ": runtime: this process was forked"));
  EXPECT_THAT(o.text, HasSubstr("parent: 2"));
}

TEST_P(edges, a_forked_child_does_not_wait_for_locks_of_queues_that_capture) {
  const outcome o = run_here("fork-capture");
  EXPECT_EQ(o.code, 0) << o.text;
}

TEST(edges_of_the_environment, a_static_buffer_waits_for_the_commands_of_parts) {
  const outcome o = run("static-parts", "PIANOLA_DEVICES=openmp:2 OMP_NUM_THREADS=2");
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_EQ(o.text, "static buffer written back\n");
}

TEST_P(edges, a_process_may_fork_before_the_first_use) {
  const outcome o = run_here("fork-before");
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("child: 2"));
  EXPECT_THAT(o.text, HasSubstr("parent: 2"));
}

TEST_P(edges, an_error_that_nobody_handles_ends_the_program_with_a_message) {
  const outcome o = run_here("unhandled");
  EXPECT_NE(o.code, 0);
  EXPECT_THAT(o.text, HasSubstr("nobody handles this"));
  EXPECT_THAT(o.text, HasSubstr("async_handler"));
}

TEST_P(edges, everything_works_with_any_number_of_threads) {
  for (const char* threads : {"1", "2", "3", "4"}) {
    const outcome o =
        run("work", std::string("PIANOLA_DEVICES=") + GetParam() + " OMP_NUM_THREADS=" + threads);
    EXPECT_EQ(o.code, 0) << threads << ": " << o.text;
    EXPECT_EQ(o.text, "works\n") << threads;
  }
}

TEST_P(edges, everything_works_on_part_of_the_processors) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) {
      const outcome o = run("work", std::string("PIANOLA_DEVICES=") + GetParam(),
                            "taskset -c " + std::to_string(i));
      EXPECT_EQ(o.code, 0) << o.text;
      EXPECT_EQ(o.text, "works\n");
      return;
    }
}

TEST_P(edges, a_thread_that_waits_for_the_end_of_its_own_host_accessor_is_told) {
  const std::string devices = std::string("PIANOLA_WAIT_HINT=0 PIANOLA_DEVICES=") + GetParam();
  const auto hint = [](const std::string& what, const std::string& elements,
                       const std::string& mode = "read_write") {
    return "pianola: warn: a thread waits for " + what + " while it holds a host_accessor (" +
           mode + ") of a buffer of " + elements +
           " elements of 4 bytes, for whose end something that was submitted later waits. Unless "
           "another thread ends that accessor, this wait never ends: let the accessor, and every "
           "copy of it, go out of scope first\n";
  };
  EXPECT_EQ(run("hint-accessors", devices).text, hint("a host_accessor", "4 x 6"));
  for (const char* which : {"hint-queue", "hint-event", "hint-buffer"})
    EXPECT_EQ(run(which, devices).text, hint("commands", "16")) << which;
  EXPECT_EQ(run("hint-writer", devices).text, hint("commands", "16", "read"));
}

TEST_P(edges, a_loop_whose_condition_stays_as_it_is_is_told_of_once) {
  const std::string devices = std::string(" PIANOLA_DEVICES=") + GetParam();
  EXPECT_EQ(run("hint-loop", "PIANOLA_WAIT_HINT=0" + devices).text,
            "pianola: warn: a loop of a recorded graph has run 64 times, and its condition has "
            "been 1 for 0 s: it ends when a command of its body, or another thread, makes that "
            "0\n200\n");
  EXPECT_EQ(run("hint-loop", "PIANOLA_WAIT_HINT=off" + devices).text, "200\n");
  EXPECT_EQ(run("hint-loop", "PIANOLA_WAIT_HINT=3600" + devices).text, "200\n");
}

TEST(edges_of_loops, a_body_that_moves_data_in_each_iteration_is_told_of) {
  const char* const told =
      "pianola: info: add_repeat: the body moves 256 bytes in each iteration, 256 of them of "
      "buffer "
      "0 from memory 1 to memory 0; what stays on one device is faster\n";
  EXPECT_THAT(run("moving-loop", "PIANOLA_LOG=info PIANOLA_DEVICES=simulated:1:separate").text,
              HasSubstr(told));
  EXPECT_THAT(run("moving-loop", "PIANOLA_LOG=info PIANOLA_DEVICES=openmp").text,
              Not(HasSubstr("moves")));
  EXPECT_EQ(run("moving-loop", "PIANOLA_DEVICES=simulated:1:separate").text, "1\n2\n");
}

TEST_P(edges, a_thread_that_waits_for_something_else_is_told_nothing) {
  const std::string devices = std::string(" PIANOLA_DEVICES=") + GetParam();
  EXPECT_EQ(run("no-hint", "PIANOLA_WAIT_HINT=0" + devices).text, "works\n");
  EXPECT_EQ(run("no-hint-wanted", "PIANOLA_WAIT_HINT=off" + devices).text, "works\n");
  EXPECT_EQ(run("no-hint-wanted", "PIANOLA_WAIT_HINT=3600" + devices).text, "works\n");
  EXPECT_EQ(run("no-hint-wanted", "PIANOLA_WAIT_HINT=0 PIANOLA_LOG=off" + devices).text, "works\n");
}

TEST(edges_of_the_environment, a_time_for_hints_that_is_none_is_reported) {
  for (const char* wrong : {"-1", "3601", "soon", "1s", "99999999999999999999"})
    EXPECT_THAT(run("work", std::string("PIANOLA_WAIT_HINT=") + wrong).text,
                HasSubstr(std::string("PIANOLA_WAIT_HINT='") + wrong +
                          "': it takes a number of seconds from 0 to 3600, or off"));
  EXPECT_EQ(run("work", "PIANOLA_WAIT_HINT=").text, "works\n");
}

TEST(edges_of_the_environment, queues_capture_by_themselves_where_a_variable_says_so) {
  const auto repeats = [](const std::string& environment) {
    return run("repeats", "PIANOLA_DEVICES=openmp " + environment).text;
  };
  for (const char* on : {"on", "1"})
    EXPECT_EQ(repeats(std::string("PIANOLA_AUTOCAPTURE=") + on), "captured\n");
  for (const char* off : {"off", "0", ""})
    EXPECT_EQ(repeats(std::string("PIANOLA_AUTOCAPTURE=") + off), "submitted\n");
  EXPECT_THAT(repeats("PIANOLA_AUTOCAPTURE=maybe"),
              HasSubstr("PIANOLA_AUTOCAPTURE='maybe': it takes on or off, or 1 or 0"));
}

TEST(edges_of_the_environment, the_processors_can_be_several_devices) {
  const auto of = [](const char* what, const std::string& devices) {
    return run(what, "OMP_NUM_THREADS=4 PIANOLA_DEVICES='" + devices + "'").text;
  };
  const std::string three = of("devices", "simulated:1,openmp:3");
  EXPECT_THAT(three, ::testing::StartsWith("device: Simulated device 0\ndevice: "));
  for (const char* part : {" (1 of 3)\n", " (2 of 3)\n", " (3 of 3)\n"})
    EXPECT_THAT(three, HasSubstr(part));
  EXPECT_EQ(std::count(three.begin(), three.end(), '\n'), 4) << three;
  EXPECT_EQ(of("devices", "openmp:1"), of("devices", "openmp"));
  EXPECT_EQ(of("work", "openmp:2"), "works\n");
  EXPECT_EQ(of("work", "openmp:4,simulated:1:separate"), "works\n");
  // Of a machine that is not here.
  EXPECT_THAT(run("devices",
                  "OMP_NUM_THREADS=4 PIANOLA_DEVICES=openmp:numa "
                  "HWLOC_SYNTHETIC='numa:2 core:2 pu:1'")
                  .text,
              HasSubstr(" (2 of 2)\n"));
  EXPECT_THAT(run("devices",
                  "OMP_NUM_THREADS=4 PIANOLA_DEVICES=openmp:numa "
                  "HWLOC_SYNTHETIC='numa:1 core:4 pu:1'")
                  .text,
              Not(HasSubstr(" of ")));
}

TEST(edges_of_the_environment, bad_device_selections_are_reported_with_what_to_do) {
  for (const char* selection :
       {"nonsense", "openmp,,simulated", "simulated:0", "simulated:abc", "simulated:1000",
        "simulated:2x", "openmp:0", "openmp:-1", "openmp:2000000", "openmp:cores", "openmp,openmp",
        ",", "simulated:-1", "simulated:2,nonsense:7", "simulated:99999999999999999999"}) {
    const outcome o = run("devices", std::string("PIANOLA_DEVICES='") + selection + "'");
    EXPECT_EQ(o.code, 2) << selection << ": " << o.text;
    EXPECT_THAT(o.text, HasSubstr("PIANOLA_DEVICES='" + std::string(selection) + "'"));
    EXPECT_EQ(o.text.find("platform: "), 0U);
    EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
  }
}

TEST(edges_of_the_environment, devices_are_selected_in_the_order_given) {
  EXPECT_EQ(run("devices", "PIANOLA_DEVICES=simulated:2").text,
            "device: Simulated device 0\ndevice: Simulated device 1\n");
  const auto both = run("devices", "PIANOLA_DEVICES=simulated,openmp").text;
  EXPECT_EQ(both.find("device: Simulated device 0\n"), 0U);
  EXPECT_GT(both.size(), 30U);
  EXPECT_EQ(run("devices", "PIANOLA_DEVICES=").code, 0);
}

TEST(edges_of_the_environment, a_plugin_that_is_not_there_is_reported) {
  const outcome o = run("devices", "PIANOLA_DEVICES=simulated:2 PIANOLA_PLUGIN_PATH=/nonexistent");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.text, HasSubstr("simulated"));
  EXPECT_THAT(o.text, HasSubstr("/nonexistent"));
}

TEST(edges_of_the_environment, a_dump_directory_that_cannot_be_written_is_reported_at_the_start) {
  char file[] = "/tmp/pianola-edges-XXXXXX";
  const int handle = mkstemp(file);
  ASSERT_GE(handle, 0);
  close(handle);
  for (const std::string& path : {std::string("/proc/no/such/place"), std::string(file)}) {
    const outcome o = run("devices", "PIANOLA_RECORD=" + path);
    EXPECT_EQ(o.code, 2) << o.text;
    EXPECT_EQ(o.text.find("invalid: PIANOLA_RECORD='" + path + "'"), 0U);
    EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
  }
  unlink(file);
}

TEST(edges_of_the_environment, a_dump_directory_gets_the_graphs_of_an_unmodified_program) {
  char directory[] = "/tmp/pianola-edges-XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string d = directory;
  const outcome o = run("work", "PIANOLA_RECORD=" + d);
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_EQ(o.text, "works\n");
  for (const char* name : {"eager.graph.json", "eager.plan.json", "eager.dot", "graph-0.graph.json",
                           "graph-0.plan.json", "graph-0.dot"}) {
    struct stat s{};
    EXPECT_EQ(stat((d + "/" + name).c_str(), &s), 0) << name;
    EXPECT_GT(s.st_size, 50) << name;
    unlink((d + "/" + name).c_str());
  }
  EXPECT_EQ(rmdir(directory), 0) << "something else was written";
}

TEST(edges_of_the_environment, the_log_says_as_much_as_asked_for) {
  EXPECT_EQ(run("work", "PIANOLA_LOG=off").text, "works\n");
  EXPECT_EQ(run("work", "PIANOLA_LOG=warn").text, "works\n");
  EXPECT_EQ(run("work", "PIANOLA_LOG=").text, "works\n");
  const auto info = run("work", "PIANOLA_LOG=info PIANOLA_DEVICES=simulated").text;
  EXPECT_THAT(info, HasSubstr("pianola: info: device 0: Simulated device 0"));
  EXPECT_THAT(info, Not(HasSubstr("trace")));
  const auto trace = run("work", "PIANOLA_LOG=trace PIANOLA_DEVICES=simulated").text;
  EXPECT_THAT(trace, HasSubstr("pianola: trace: command"));
  EXPECT_THAT(trace, HasSubstr("pianola: trace: transfer of buffer"));
  const auto plan = run("work", "PIANOLA_LOG=plan PIANOLA_DEVICES=simulated").text;
  EXPECT_THAT(plan, HasSubstr("pianola: trace: command"));
  EXPECT_THAT(plan, HasSubstr("pianola: plan: after place_commands:\npianola: plan:   #0 "));
  EXPECT_THAT(plan, HasSubstr("pianola: plan: after prune_edges:\npianola: plan:   0 "));
  EXPECT_THAT(trace, Not(HasSubstr("plan: after")));
  const auto wrong = run("work", "PIANOLA_LOG=loud").text;
  EXPECT_THAT(wrong, HasSubstr("PIANOLA_LOG is 'loud'"));
  EXPECT_THAT(wrong, HasSubstr("works\n"));
}

}  // namespace
