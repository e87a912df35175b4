// SPDX-License-Identifier: Apache-2.0
// What PIANOLA_RECORD leaves: journals, and folders of files.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <pianola/journal/file.hpp>
#include <pianola/journal/run.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "inputs/opened_graph.hpp"
#include "sample_graph.hpp"
#include "target.hpp"
#include "use_graph.hpp"

namespace pianola::testing {

namespace {

namespace fs = std::filesystem;

class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (fs::temp_directory_path() / "pianola-fuzz-XXXXXX").string();
    promise(::mkdtemp(name.data()) != nullptr, "no temporary folder");
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() { fs::remove_all(path_); }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

void put(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

// The blocks of the journal that a program leaves which may write files of at most `kibibytes`: no graph, which is larger.
std::vector<std::string> blocks_of(const std::string& program, unsigned kibibytes) {
  const scratch_folder folder;
  const std::string command = "cd '" + folder.path().string() + "' && ulimit -f " +
                              std::to_string(2 * kibibytes) +
                              " && PIANOLA_DEVICES=simulated:2:separate PIANOLA_RECORD=. "
                              "'" PIANOLA_RECORDED_RUN_PROGRAM "' " +
                              program + " >/dev/null 2>&1";
  (void)!std::system(command.c_str());
  std::vector<std::string> blocks;
  journal::file_reader reader((folder.path() / "eager.journal").string());
  for (std::string block; reader.next(block);) blocks.push_back(block);
  promise(!blocks.empty(), "the recorded program left no journal");
  return blocks;
}

// Input is the inside of blocks: checksums are right, which no accident manages.
std::vector<std::string> journals() {
  std::vector<std::string> all;
  for (const char* program : {"usm", "mistake 5", "waits", "loop 3"}) {
    std::string entries;
    for (const std::string& block : blocks_of(program, 2)) entries += block;
    all.push_back(entries);
  }
  return all;
}

std::string journal_of(const std::string& entries) {
  const scratch_folder folder;
  const std::string path = (folder.path() / "a.journal").string();
  {
    journal::file_writer writer;
    promise(writer.open(path, false).empty() && writer.append(entries).empty(), "no journal");
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void use_run(const journal::recorded_run& run) {
  const planner::graph_view view(run.graph);
  const std::string written = recorder::to_json(run.graph, run.topology, run.measured);
  const recorder::loaded_graph again = recorder::read_graph(written);
  promise(recorder::to_json(again.graph, again.topology, again.measured) == written,
          "the graph of a journal changes when it is written and read again");
  use_graph(run.graph, run.topology);
  use_plan(view, run.plan, run.topology);
}

void use_journal(const std::string& entries) {
  journal::file_writer writer;
  const std::string name = (fs::temp_directory_path() / "pianola-fuzz-journal").string();
  promise(writer.open(name, true).empty(), "no journal");
  promise(writer.append(entries).empty(), "no journal");
  accepts([&] { use_run(journal::read_run(writer.descriptor())); });
}

// Input is a list of files: a letter that tells which, a length of 4 bytes, the bytes.
constexpr const char* names[] = {"eager.graph.json", "eager.plan.json", "eager.journal",
                                 "thread.eager.journal"};

std::string listed(char which, const std::string& bytes) {
  std::string all(1, which);
  for (unsigned i = 0; i < 4; ++i) all.push_back(static_cast<char>(bytes.size() >> (8 * i)));
  return all + bytes;
}

std::vector<std::string> folders() {
  const recorder::command_graph graph = halo_graph();
  const std::string json = recorder::to_json(graph, two_devices());
  const std::string plan = planner::to_json(halo_plan(), planner::graph_view(graph));
  const std::string journal = journal_of(journals().front());
  return {listed(0, json), listed(0, json) + listed(1, plan), listed(2, journal),
          listed(0, json) + listed(3, journal)};
}

void use_folder(const std::string& bytes) {
  const scratch_folder folder;
  std::string_view left = bytes;
  while (left.size() >= 5) {
    std::size_t size = 0;
    for (unsigned i = 0; i < 4; ++i)
      size |= std::size_t{static_cast<unsigned char>(left[1 + i])} << (8 * i);
    size = std::min(size, left.size() - 5);
    put(folder.path() / names[static_cast<unsigned char>(left[0]) % 4], left.substr(5, size));
    left.remove_prefix(5 + size);
  }
  accepts([&] {
    const tool::opened_graph opened = tool::open_graph(folder.path().string());
    use_graph(opened.loaded.graph, opened.loaded.topology);
    if (opened.plan)
      use_plan(planner::graph_view(opened.loaded.graph), *opened.plan, opened.loaded.topology);
  });
  for (const std::string& journal : tool::journals_in(folder.path().string()))
    accepts([&] { (void)tool::recover(journal); });
}

}  // namespace

const fuzz_target journal_target{"journal", journals, use_journal};
const fuzz_target folder_target{"folder", folders, use_folder};

}  // namespace pianola::testing
