// SPDX-License-Identifier: Apache-2.0
// Journals whose blocks are whole, and whose entries say what cannot be: they are refused, with what is wrong.
#include <unistd.h>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/journal/file.hpp>
#include <pianola/journal/run.hpp>
#include <pianola/journal/words.hpp>
#include <pianola/model/error.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;

// Entries as journal::encoder writes them.
class made_up_journal {
 public:
  made_up_journal& number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
    return *this;
  }
  made_up_journal& text(const std::string& t) {
    number(t.size());
    bytes_ += t;
    return *this;
  }
  made_up_journal& machine(const model::topology& t) {
    return number(2).number(0).text(recorder::to_json(t));
  }
  // Of one dimension, of elements of 4 bytes.
  made_up_journal& buffer(std::uint64_t range, std::uint64_t page) {
    number(3).number(77);
    for (const std::uint64_t c :
         {std::uint64_t{1}, std::uint64_t{1}, range, std::uint64_t{1}, std::uint64_t{1}, page})
      number(c);
    return number(4 << 8 | 1).text("b");
  }
  // Of two dimensions, and of pages of one element.
  made_up_journal& square(std::uint64_t side) {
    number(3).number(77);
    for (const std::uint64_t c :
         {std::uint64_t{1}, side, side, std::uint64_t{1}, std::uint64_t{1}, std::uint64_t{1}})
      number(c);
    return number(4 << 8 | 2).text("b");
  }
  // A shape and a command of it: host tasks on device 0 that read the buffer, each one step.
  made_up_journal& shape(model::requirement r) {
    model::command c;
    c.payload = model::host_task_command{};
    c.device = model::device_id(0);
    std::uint64_t words[64];
    const journal::named_buffer name{77, false};
    const auto count =
        static_cast<std::size_t>(journal::write_command(words, c, 0, {&r, 1}, &name) - words);
    number(6).number(count);
    for (std::size_t i = 0; i < count; ++i) number(words[i]);
    return number(0).number(0);
  }
  made_up_journal& command(std::uint64_t steps_further, std::uint64_t shape = 0) {
    number(8).number(0).number(0).number(0).number(steps_further).number(shape);
    number(0);                                            // comes after nothing
    return number(1).number(0 << 1).number(0).number(0);  // a step on lane 0 of device 0
  }
  // A command of a shape that its queue has, which has no order of its own.
  made_up_journal& queued(std::uint64_t steps_further) {
    number(8).number(journal::from_queue).number(1).number(0).number(steps_further).number(0);
    number(0);
    return number(1).number(0 << 1).number(0).number(0);
  }
  // The host waits for a step, or for the commands of the queue that were submitted before that one.
  made_up_journal& waits_for_step(std::uint64_t step) { return number(9).number(step).number(0); }
  made_up_journal& waits_for_queue(std::uint64_t below) {
    return number(10).number(1).number(below).number(0);
  }
  made_up_journal& how_it_waits() { return number(1).number(0).text("event::wait"); }
  // A kernel that reads the buffer so many times, and points to so many allocations, or as often to the first of them.
  made_up_journal& kernel(std::size_t requirements, std::size_t pointers, bool to_one = false) {
    model::command c;
    model::kernel_command kernel;
    kernel.geometry.dimensions = 1;
    c.payload = kernel;
    c.device = model::device_id(0);
    const std::vector<model::requirement> all(requirements,
                                              need(0, model::access_mode::read, linear(0, 1)));
    const std::vector<journal::named_buffer> names(requirements, {77, true});
    std::vector<std::uint64_t> words(64 + requirements * journal::most_requirement_words);
    const auto count = static_cast<std::size_t>(
        journal::write_command(words.data(), c, 0, all, names.data()) - words.data());
    number(6).number(count);
    for (std::size_t i = 0; i < count; ++i) number(words[i]);
    for (std::size_t i = 0; i < pointers; ++i) number(((to_one ? 1 : i + 1) << 1) + 1).number(0);
    return number(0).number(0);
  }
  made_up_journal& allocations(std::size_t many) {
    for (std::size_t i = 0; i < many; ++i) number(4).number(i + 1).number(16).number(0);
    return *this;
  }
  // A barrier behind all that its queue has, which has no order of its own.
  made_up_journal& barrier(std::uint64_t steps_further) {
    number(8).number(journal::from_queue | journal::closes).number(1).number(0);
    number(steps_further).number(0).number(0);
    return number(1).number(0 << 1).number(0).number(0);
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.size(); }
  void write(const std::string& path) const {
    journal::file_writer file;
    EXPECT_EQ(file.open(path, false), "");
    EXPECT_EQ(file.append(bytes_), "");
  }
  [[nodiscard]] journal::recorded_run read() const {
    journal::file_writer file;
    EXPECT_EQ(file.open(::testing::TempDir() + "pianola-made-up", true), "");
    EXPECT_EQ(file.append(bytes_), "");
    return journal::read_run(file.descriptor());
  }

 private:
  std::string bytes_;
};

void expect_refused(const made_up_journal& j, const char* why) {
  try {
    (void)j.read();
    ADD_FAILURE() << "accepted, though " << why;
  } catch (const model::user_error& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

model::requirement reading(std::uint64_t first, std::uint64_t last) {
  return need(0, model::access_mode::read, linear(first, last));
}

TEST(unsound_journals, a_sound_one_is_read) {
  made_up_journal j;
  j.machine(two_devices()).buffer(16, 4).shape(reading(0, 16)).command(5).command(1);
  const journal::recorded_run run = j.read();
  EXPECT_EQ(run.graph.size(), 2U);
  EXPECT_EQ(run.plan.steps.size(), 2U);
}

// Steps that nobody recorded cost nothing: a few bytes must not ask for gigabytes.
TEST(unsound_journals, may_leave_out_any_number_of_steps) {
  made_up_journal j;
  j.machine(two_devices()).buffer(16, 4).shape(reading(0, 16)).command(5);
  for (int i = 0; i < 8; ++i) j.command(std::uint64_t{1} << 50);
  EXPECT_EQ(j.read().plan.steps.size(), 9U);
}

TEST(unsound_journals, requirements_stay_in_their_buffer) {
  made_up_journal j;
  j.machine(two_devices()).buffer(16, 4).shape(reading(8, 17)).command(0);
  expect_refused(j, "a requirement leaves its buffer");
}

// As an accessor's to no elements is.
TEST(unsound_journals, requirements_may_be_of_no_elements) {
  made_up_journal j;
  j.machine(two_devices()).buffer(16, 4).shape(reading(8, 8)).command(0);
  EXPECT_EQ(j.read().plan.steps.size(), 1U);
}

TEST(unsound_journals, requirements_name_memories_of_the_machine) {
  model::requirement r = reading(0, 4);
  r.memory = model::memory_id(64);
  made_up_journal j;
  j.machine(two_devices()).buffer(16, 4).shape(r).command(0);
  expect_refused(j, "a memory is not there");
}

TEST(unsound_journals, buffers_have_pages_and_do_not_change) {
  made_up_journal none, large, changed;
  expect_refused(none.machine(two_devices()).buffer(16, 0), "a page does not fit its buffer");
  expect_refused(large.machine(two_devices()).buffer(std::uint64_t{1} << 61, 4),
                 "a buffer is larger than 2^62 bytes");
  expect_refused(changed.machine(two_devices()).buffer(16, 4).buffer(8, 4), "a buffer changes");
}

// Commands name what they do by a number: a few bytes must not ask for gigabytes.
TEST(unsound_journals, that_stand_for_very_much_are_refused) {
  made_up_journal pointers, barriers;
  pointers.machine(two_devices()).allocations(50'000).kernel(0, 50'000);
  for (int i = 0; i < 20'000; ++i) pointers.command(1);
  EXPECT_LT(pointers.bytes(), 1U << 20);
  expect_refused(pointers, "of memory, the most that is read of a journal of ");
  // Each names what came since the one before it, not all that came before.
  barriers.machine(two_devices()).kernel(0, 0);
  for (int i = 0; i < 20'000; ++i) barriers.barrier(1);
  EXPECT_EQ(barriers.read().graph.size(), 20'000U);
}

// Nor must they ask for hours.
TEST(unsound_journals, that_take_very_long_are_refused) {
  made_up_journal requirements, pointers;
  requirements.machine(two_devices()).buffer(16, 4).kernel(200'000, 0);
  pointers.machine(two_devices()).allocations(1).kernel(0, 100'000, true);
  for (made_up_journal* j : {&requirements, &pointers}) {
    for (int i = 0; i < 1'000; ++i) j->command(1);
    EXPECT_LT(j->bytes(), 1U << 20);
    expect_refused(*j, "name more than 16777216 requirements, pointers and accesses");
  }
}

TEST(unsound_journals, whose_waits_are_in_turns_with_commands_cost_in_proportion_to_both) {
  constexpr std::uint64_t pending = 1023, pairs = 3'000;
  made_up_journal events, queues;
  events.machine(two_devices()).buffer(16, 4).how_it_waits().shape(reading(0, 16));
  for (std::uint64_t i = 0; i < pending; ++i) events.command(1);
  for (std::uint64_t i = 0; i < pairs; ++i) events.command(1).waits_for_step(pending + i + 1);
  queues.machine(two_devices()).how_it_waits().kernel(0, 0);
  for (std::uint64_t i = 0; i < pairs; ++i) queues.queued(1);
  for (std::uint64_t i = 0; i < pairs; ++i) queues.waits_for_queue(i + 1);
  for (const made_up_journal* j : {&events, &queues}) {
    const journal::recorded_run run = j->read();
    EXPECT_GE(run.graph.size(), 2 * pairs);
    EXPECT_LE(run.looked_at, 8 * run.graph.size());
    EXPECT_GE(run.looked_at, pairs);
  }
}

// Kernels that read every other row of a buffer, and others that write every other column of it.
made_up_journal crossing(std::uint64_t lines) {
  made_up_journal j;
  j.machine(two_devices()).square(2 * lines);
  for (std::uint64_t i = 0; i < lines; ++i) {
    j.shape(need(0, model::access_mode::read, {{{0, 2 * i, 0}}, {{1, 2 * i + 1, 2 * lines}}}));
    j.command(1, 2 * i);
    j.shape(need(0, model::access_mode::write, {{{0, 0, 2 * i}}, {{1, 2 * lines, 2 * i + 1}}}));
    j.command(1, 2 * i + 1);
  }
  return j;
}

TEST(unsound_journals, whose_commands_look_at_very_many_boxes_are_refused) {
  constexpr std::uint64_t lines = 100;
  made_up_journal j = crossing(lines);
  j.shape(need(0, model::access_mode::read, {{{0, 0, 0}}, {{1, 2 * lines, 2 * lines}}}));
  for (int i = 0; i < 10; ++i) j.command(1, 2 * lines);
  EXPECT_GE(j.read().looked_at, 10 * lines * lines);
  for (int i = 0; i < 1'000; ++i) j.command(1, 2 * lines);
  EXPECT_LT(j.bytes(), 1U << 20);
  expect_refused(j, "lie in boxes that differ, more than 16777216 in all");
}

TEST(unsound_journals, whose_commands_cross_each_other_make_no_more_boxes_than_memory_holds) {
  EXPECT_GE(crossing(100).read().plan.exit.size(), 100U);
  expect_refused(crossing(1'000), "the data of the run lies in more than 524288 boxes");
}

TEST(unsound_journals, may_do_the_same_over_many_buffers_very_often) {
  made_up_journal j;
  j.machine(two_devices()).buffer(16, 4).kernel(1'000, 10);
  j.allocations(10);
  for (int i = 0; i < 5'000; ++i) j.command(1);
  const journal::recorded_run run = j.read();
  ASSERT_EQ(run.graph.size(), 5'000U);
  EXPECT_EQ(run.graph.command(model::command_id(4'999)).requirements.data(),
            run.graph.command(model::command_id(0)).requirements.data())
      << "each has its own";
  EXPECT_EQ(run.graph.allocations_of(model::command_id(4'999)).size(), 10U);
}

TEST(unsound_journals, whose_text_would_be_too_large_to_be_read_stay) {
  const std::string folder = ::testing::TempDir() + "pianola-large-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  made_up_journal j;
  j.machine(two_devices()).buffer(16, 4).kernel(1'000, 0);
  for (int i = 0; i < 10'000; ++i) j.command(1);
  j.write(folder + "/eager.journal");
  const tool_result r = run_tool({"record", "--recover", "-o", folder});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.err, "pianola: " + folder +
                       "/eager.graph.json would be larger than 1 GiB, the most that is read; the "
                       "journal stays, and subcommands take it for a graph\n");
  std::size_t files = 0;
  for (const auto& e : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(e.path().filename(), "eager.journal");
    ++files;
  }
  EXPECT_EQ(files, 1U);
  // As far as the text goes, where that says it, too.
  made_up_journal small;
  small.machine(two_devices()).buffer(16, 4).shape(reading(0, 16)).command(0).command(1);
  const journal::recorded_run run = small.read();
  journal::write_files(run, folder + "/all");
  const auto graph_bytes = std::filesystem::file_size(folder + "/all.graph.json");
  EXPECT_GT(graph_bytes, std::filesystem::file_size(folder + "/all.plan.json"));
  journal::write_files(run, folder + "/just", graph_bytes);
  EXPECT_THROW(journal::write_files(run, folder + "/none", graph_bytes - 1), model::user_error);
  EXPECT_TRUE(std::filesystem::exists(folder + "/just.plan.json"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/none.graph.json"));
  EXPECT_EQ(formats::read_file(folder + "/just.graph.json"),
            recorder::to_json(run.graph, run.topology, run.measured));
  std::filesystem::remove_all(folder);
}

TEST(unsound_journals, machines_lose_nothing_and_are_told_first) {
  model::topology fewer = two_devices();
  fewer.devices.pop_back();
  made_up_journal lost, without;
  expect_refused(lost.machine(two_devices()).machine(fewer), "the machine has lost a device");
  expect_refused(without.buffer(16, 4).shape(reading(0, 4)).command(0), "there is no machine");
}

}  // namespace
