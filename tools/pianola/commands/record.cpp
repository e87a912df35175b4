// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "commands/subcommands.hpp"
#include "inputs/opened_graph.hpp"

namespace pianola::tool {

namespace {

namespace fs = std::filesystem;

struct record_request {
  std::string folder = "recorded";
  bool times = false;
  bool recover = false;
  bool json = false;
  std::vector<std::string> words;  // program and arguments
};

[[noreturn]] void fail(const std::string& what) {
  throw model::user_error(model::error_code::invalid, what);
}

// What a file is known by: written anew, it is another one.
using file_stamps = std::map<std::string, std::pair<::ino_t, std::int64_t>>;

file_stamps recordings_in(const fs::path& folder) {
  file_stamps found;
  std::error_code error;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, error)) {
    const std::string name = e.path().filename().string();
    if (!name.ends_with(".graph.json") && !name.ends_with(".plan.json") && !name.ends_with(".dot"))
      continue;
    struct ::stat s{};
    if (::stat(e.path().c_str(), &s) == 0)
      found[name] = {s.st_ino, s.st_mtim.tv_sec * std::int64_t{1000000000} + s.st_mtim.tv_nsec};
  }
  return found;
}

// Names of what a recording consists of: eager, graph-3, eager-1234, ...
bool is_of_recording(const std::string& name) {
  const std::size_t words = std::min(name.find_first_of("-."), name.size());
  if (name.compare(0, words, "eager") != 0 && name.compare(0, words, "graph") != 0) return false;
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return false;
  if (name.find_first_not_of("-0123456789", words) < dot) return false;
  for (const char* const ending : {".graph.json", ".plan.json", ".dot", ".journal"})
    if (name.substr(dot) == ending) return true;
  return false;
}

// The recording that was in the folder, out of the way: files of two runs are no recording. Comes back unless it is to go.
class former_recording {
 public:
  explicit former_recording(const fs::path& folder)
      : folder_(folder), aside_(folder / fmt::format(".before-{}", ::getpid())) {
    std::error_code error;
    for (const fs::directory_entry& e : fs::directory_iterator(folder, error))
      if (std::string name = e.path().filename().string(); is_of_recording(name))
        names_.push_back(std::move(name));
    if (names_.empty()) return;
    fs::create_directory(aside_, error);
    if (error)
      fail(formats::one_line(folder.string(), 200) +
           ": nothing can be written there: " + error.message());
    move(folder_, aside_);
  }
  former_recording(const former_recording&) = delete;
  former_recording& operator=(const former_recording&) = delete;
  ~former_recording() {
    if (names_.empty()) return;
    move(aside_, folder_);
    std::error_code error;
    fs::remove(aside_, error);
  }
  void drop() {
    if (names_.empty()) return;
    names_.clear();
    std::error_code error;
    fs::remove_all(aside_, error);
    std::fprintf(stderr, "pianola: the recording that was in %s is replaced\n",
                 formats::one_line(folder_.string(), 200).c_str());
  }

 private:
  void move(const fs::path& from, const fs::path& to) const {
    std::error_code error;
    for (const std::string& name : names_) fs::rename(from / name, to / name, error);
  }
  fs::path folder_, aside_;
  std::vector<std::string> names_;
};

// The child that signals are passed on to; 0: there is none.
volatile std::sig_atomic_t recorded_child = 0;

void pass_on(int signal) {
  const int before = errno;
  if (recorded_child > 0) ::kill(static_cast<::pid_t>(recorded_child), signal);
  errno = before;
}

constexpr std::array passed_on = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};
// These come from the terminal, which sends them to the program as well.
constexpr std::array left_to_it = {SIGINT, SIGQUIT};

// Runs the program in this one's place, as far as anybody can tell. Returns what waitpid said.
int run(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  ::sigset_t all, before;
  ::sigfillset(&all);
  // No signal in between gets lost: they wait until there is somebody to pass them on to.
  ::sigprocmask(SIG_BLOCK, &all, &before);
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) fail(std::string("no pipe: ") + std::strerror(errno));
  const ::pid_t child = ::fork();
  if (child < 0) fail(std::string("no process for it: ") + std::strerror(errno));
  if (child == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    static_cast<void>(!::write(report[1], &error, sizeof error));
    ::_exit(127);
  }
  ::close(report[1]);
  recorded_child = child;
  struct ::sigaction handler{};
  handler.sa_handler = pass_on;
  handler.sa_flags = SA_RESTART;
  for (const int s : passed_on) ::sigaction(s, &handler, nullptr);
  handler.sa_handler = SIG_IGN;
  for (const int s : left_to_it) ::sigaction(s, &handler, nullptr);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  int error = 0;
  ::ssize_t n = 0;
  do n = ::read(report[0], &error, sizeof error);
  while (n < 0 && errno == EINTR);
  ::close(report[0]);
  int status = 0;
  ::pid_t waited = 0;
  do waited = ::waitpid(child, &status, 0);
  while (waited < 0 && errno == EINTR);
  recorded_child = 0;
  if (n == static_cast<::ssize_t>(sizeof error))
    fail(formats::one_line(words[0], 200) + ": cannot be run: " + std::strerror(error));
  if (waited < 0) fail(std::string("nobody knows how the program ended: ") + std::strerror(errno));
  return status;
}

// Larger ones become files that are too large to be read; tools read them as they are.
constexpr std::uintmax_t most_recovered_bytes = std::uintmax_t{24} << 20;

// Journals of processes that could not do it themselves. Whether some stay, and have what was recorded.
bool recover_all(const fs::path& folder) {
  bool stays = false;
  for (const std::string& journal : journals_in(folder.string())) {
    const std::string name = formats::one_line(journal, 200);
    try {
      std::error_code error;
      if (fs::file_size(journal, error) > most_recovered_bytes && !error) {
        std::fprintf(stderr,
                     "pianola: recorded %s, which is long and stays as it is: subcommands take it "
                     "for a graph\n",
                     name.c_str());
        stays = true;
      } else if (!recover(journal)) {
        std::fprintf(stderr, "pianola: %s is still being written\n", name.c_str());
        stays = true;
      }
    } catch (const model::user_error& e) {
      std::fprintf(stderr, "pianola: %s\n", formats::one_line(e.what()).c_str());
    }
  }
  return stays;
}

// What one run, or one recovery, has written into the folder.
struct written {
  struct graph {
    std::string file;
    std::string plan;  // empty: it has none
  };
  std::vector<graph> graphs;
  bool journals = false;  // some stay, and have what was recorded
};

written written_since(const fs::path& folder, const file_stamps& before, bool journals) {
  static constexpr std::string_view of_graph = ".graph.json";
  const file_stamps after = recordings_in(folder);
  written result;
  result.journals = journals;
  for (const auto& [name, stamp] : after) {
    const auto old = before.find(name);
    if ((old != before.end() && old->second == stamp) || !name.ends_with(of_graph)) continue;
    const std::string plan = name.substr(0, name.size() - of_graph.size()) + ".plan.json";
    result.graphs.push_back({name, after.count(plan) != 0 ? plan : ""});
  }
  return result;
}

void tell(const fs::path& folder, const written& is) {
  const std::string where = formats::one_line(folder.string(), 200);
  if (is.graphs.empty()) {
    if (is.journals) return;
    std::fprintf(stderr,
                 "pianola: nothing was recorded in %s: the program submitted nothing through "
                 "Pianola, or was killed\n",
                 where.c_str());
    return;
  }
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(is.graphs.size(), most); ++i) {
    const std::string plan = formats::one_line(is.graphs[i].plan, 80);
    std::fprintf(stderr, "pianola: recorded %s/%s%s\n", where.c_str(),
                 formats::one_line(is.graphs[i].file, 80).c_str(),
                 plan.empty() ? "" : (" and " + plan).c_str());
  }
  if (is.graphs.size() > most)
    std::fprintf(stderr, "pianola: and %zu more graphs\n", is.graphs.size() - most);
}

// One line, behind whatever the program wrote there.
void tell_programs(const fs::path& folder, const written& is) {
  formats::json_writer json;
  json.open_object().key("format").text("pianola.recording/1");
  json.key("folder").text(folder.string()).key("graphs").open_array();
  for (const written::graph& g : is.graphs) {
    json.open_object().key("graph").text(g.file).key("plan");
    if (g.plan.empty())
      json.null();
    else
      json.text(g.plan);
    json.close();
  }
  json.close().key("journals").open_array();
  for (const std::string& journal : journals_in(folder.string()))
    json.text(fs::path(journal).filename().string());
  json.close().close();
  std::fputs(json.finish().c_str(), stderr);
}

void report(const record_request& request, const fs::path& folder, const file_stamps& before) {
  const written is = written_since(folder, before, recover_all(folder));
  if (request.json)
    tell_programs(folder, is);
  else
    tell(folder, is);
}

// Ends as the program did, but for a core, of which one is enough.
[[noreturn]] void end_by(int signal) {
  const struct ::rlimit nothing{0, 0};
  ::setrlimit(RLIMIT_CORE, &nothing);
  struct ::sigaction usual{};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  ::sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

int record(record_request& request) {
  if (request.recover) {
    if (!request.words.empty()) fail("record --recover takes a folder (-o) and no program");
    if (journals_in(request.folder).empty())
      fail(formats::one_line(request.folder, 200) + ": there is no journal in this folder");
    report(request, request.folder, recordings_in(request.folder));
    return exit_good;
  }
  if (request.words.empty())
    fail("record takes a program behind --, such as: pianola record -- ./app --its-option");
  std::error_code error;
  const fs::path folder = fs::absolute(request.folder, error);
  if (request.folder.empty() || error) fail("-o takes a folder");
  fs::create_directories(folder, error);
  if (error)
    fail(formats::one_line(folder.string(), 200) +
         ": the folder cannot be made: " + error.message());
  ::setenv("PIANOLA_RECORD", folder.c_str(), 1);
  if (request.times) ::setenv("PIANOLA_RECORD_TIMES", "on", 1);
  former_recording former(folder);
  const file_stamps before = recordings_in(folder);
  const int status = run(request.words);
  former.drop();
  report(request, folder, before);
  if (WIFSIGNALED(status)) end_by(WTERMSIG(status));
  return WEXITSTATUS(status);
}

}  // namespace

void add_record(CLI::App& app, int& code, std::vector<std::string> program) {
  auto request = std::make_shared<record_request>();
  request->words = std::move(program);
  CLI::App* command = app.add_subcommand(
      "record", "Run a program, and record what it submits: graphs and plans as files");
  command
      ->add_option("-o,--output", request->folder,
                   "Folder to write to; it is made if it is not there")
      ->capture_default_str();
  command->add_flag("--times", request->times, "Also what each command takes");
  command->add_flag("--recover", request->recover,
                    "Run nothing: turn the journals that programs left in the folder into files");
  command->add_flag("--json", request->json,
                    "For programs: what was written, as the last line on standard error: "
                    "pianola.recording/1");
  command->footer(
      "The program and its arguments follow --. It needs no change: PIANOLA_RECORD is set for it, "
      "and its\nexit code is the one of this command; if a signal ends it, the same signal ends "
      "this command.\nExit code 2 and one line if it cannot be run.\n\nExamples:\n"
      "  pianola record -- ./app\n"
      "  pianola record -o before --times -- ./app --size 4096\n"
      "  pianola record --recover -o before");
  command->callback([request, &code] { code = record(*request); });
}

}  // namespace pianola::tool
