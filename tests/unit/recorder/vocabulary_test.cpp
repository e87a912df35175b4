// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pianola/model/allocation.hpp>
#include <pianola/model/aspects.hpp>
#include <pianola/model/backend_kind.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/recorder/graph_json.hpp>

namespace {

using namespace pianola::model;

// Files name them and hashes number them: a word may be added, never changed, and never put between others.
TEST(vocabulary, of_command_kinds_is_the_one_that_files_rely_on) {
  const std::vector<std::string> known = {
      "empty",  "kernel",      "copy",    "fill",     "host_task", "barrier", "prefetch",
      "advise", "host_access", "acquire", "subgraph", "allocate",  "free"};
  ASSERT_GE(word_count<command_kind>, known.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    EXPECT_EQ(name_of(static_cast<command_kind>(i)), known[i]);
}

TEST(vocabulary, of_sycl_aspects_has_their_numbers) {
  EXPECT_EQ(static_cast<int>(aspect::fp16), 6);
  EXPECT_EQ(static_cast<int>(aspect::usm_system_allocations), 18);
  EXPECT_STREQ(name_of(aspect::ext_oneapi_graph), "ext_oneapi_graph");
}

TEST(vocabulary, of_backends_is_found_by_its_words_and_by_no_others) {
  for (std::size_t i = 0; i < word_count<backend_kind>; ++i) {
    const auto kind = static_cast<backend_kind>(i);
    EXPECT_EQ(backend_kind_of(name_of(kind)), kind);
  }
  for (const char* other : {"", "open", "openmp ", "CUDA", "test"})
    EXPECT_FALSE(backend_kind_of(other).has_value());
  EXPECT_TRUE(runs_host_code("simulated"));
  EXPECT_FALSE(runs_host_code("hip"));
  EXPECT_FALSE(runs_host_code("test"));
}

TEST(vocabulary, has_no_name_for_other_numbers) {
  EXPECT_EQ(name_of(static_cast<access_mode>(3)), nullptr);
  EXPECT_EQ(name_of(usm_kind::unknown), nullptr);
  EXPECT_EQ(name_of(static_cast<aspect>(aspect_count)), nullptr);
}

TEST(vocabulary, of_nodes_calls_commands_what_programs_call_them) {
  fill_command bytes, words;
  words.pattern_bytes = 4;
  EXPECT_STREQ(name_of(node_kind_of(bytes)), "memset");
  EXPECT_STREQ(name_of(node_kind_of(words)), "fill");
  EXPECT_STREQ(name_of(node_kind_of(copy_command())), "memcpy");
  EXPECT_STREQ(name_of(node_kind_of(acquire_command())), "update");
  EXPECT_STREQ(name_of(node_kind_of(free_command())), "async_free");
}

// A graph of one buffer and one command, with a word in place of a good one.
std::string error_of_word(const std::string& good, const std::string& word) {
  pianola::recorder::command_graph graph;
  graph.add_buffer({page_grid(extent3{{1, 1, 4}}), 4, 1}, 1);
  graph.add_allocation({usm_kind::shared, memory_id(0), 64});
  command c;
  const requirement all{buffer_id(0), access_mode::read_write, false, {}, box::of({{1, 1, 4}})};
  c.requirements = {&all, 1};
  graph.append(c);
  topology machine;
  machine.memories = {{"host", 1 << 20}};
  std::string text = pianola::recorder::to_json(graph, machine);
  const std::size_t at = text.find("\"" + good + "\"");
  EXPECT_NE(at, std::string::npos);
  text.replace(at + 1, good.size(), word);
  try {
    (void)pianola::recorder::read_graph(text, "file");
  } catch (const user_error& e) {
    return e.what();
  }
  return {};
}

TEST(vocabulary, is_told_where_a_file_has_another_word) {
  EXPECT_EQ(
      error_of_word("read_write", "update"),
      "file: /commands/0/requirements/0/mode: expected \"read\", \"write\" or \"read_write\", "
      "found \"update\"");
  EXPECT_EQ(
      error_of_word("shared", "unknown"),
      "file: /allocations/0/kind: expected \"host\", \"device\" or \"shared\", found \"unknown\"");
  EXPECT_EQ(error_of_word("empty", "nothing"), "file: /commands/0/kind: unknown kind \"nothing\"");
}

TEST(vocabulary, leaves_allocations_without_a_kind_out_of_graphs) {
  pianola::recorder::command_graph graph;
  EXPECT_THROW(graph.add_allocation({usm_kind::unknown, memory_id(0), 64}), internal_error);
}

}  // namespace
