// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
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
#include <pianola/journal/file.hpp>
#include <pianola/journal/folder.hpp>
#include <pianola/model/error.hpp>

#include "commands/subcommands.hpp"
#include "inputs/opened_graph.hpp"

namespace pianola::tool {

namespace {

namespace fs = std::filesystem;

struct record_request {
  std::string folder = "recorded";
  bool times = false;
  bool facts = false;
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
    if (!name.ends_with(".graph.json") && !name.ends_with(".plan.json") &&
        !name.ends_with(".dot") && !name.ends_with(".journal"))
      continue;
    struct ::stat s{};
    if (::stat(e.path().c_str(), &s) == 0)
      found[name] = {s.st_ino, s.st_mtim.tv_sec * std::int64_t{1000000000} + s.st_mtim.tv_nsec};
  }
  return found;
}

[[noreturn]] void fail_for_another(const fs::path& folder) {
  fail(formats::one_line(folder.string(), 200) +
       ": a program records into this folder now; name another one with -o");
}

// The folder of a recording, and those around it that were not there. They go again if nothing comes into them.
class output_folder {
 public:
  explicit output_folder(const fs::path& folder) {
    std::error_code error;
    for (fs::path p = folder; p.has_relative_path() && !fs::exists(p, error); p = p.parent_path())
      made_.push_back(p);
    fs::create_directories(folder, error);
    if (error)
      fail(formats::one_line(folder.string(), 200) +
           ": the folder cannot be made: " + error.message());
  }
  output_folder(const output_folder&) = delete;
  output_folder& operator=(const output_folder&) = delete;
  ~output_folder() {
    for (const fs::path& p : made_) ::rmdir(p.c_str());  // only what is empty
  }

 private:
  std::vector<fs::path> made_;  // inner ones first
};

// One of this program at a time records into a folder: what is new in it when the run ends is of that run.
class sole_recorder {
 public:
  explicit sole_recorder(const fs::path& folder) : file_(folder / ".recording") {
    for (;;) {
      descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      if (descriptor_ < 0)
        fail(formats::one_line(folder.string(), 200) +
             ": nothing can be written there: " + std::strerror(errno));
      if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const bool busy = errno == EWOULDBLOCK;
        if (!busy) return;  // a file system without locks
        ::close(descriptor_);
        fail_for_another(folder);
      }
      // Who had it before may have taken the file away in between.
      struct ::stat locked{}, there{};
      if (::fstat(descriptor_, &locked) == 0 && ::stat(file_.c_str(), &there) == 0 &&
          locked.st_ino == there.st_ino && locked.st_dev == there.st_dev)
        return;
      ::close(descriptor_);
    }
  }
  sole_recorder(const sole_recorder&) = delete;
  sole_recorder& operator=(const sole_recorder&) = delete;
  ~sole_recorder() {
    ::unlink(file_.c_str());
    ::close(descriptor_);
  }

 private:
  fs::path file_;
  int descriptor_ = -1;
};

// What was recorded in the folder, by whichever process, out of the way: files of two runs are no recording. Comes back
// unless it is to go.
class former_recording {
 public:
  explicit former_recording(const fs::path& folder)
      : folder_(folder), aside_(folder / fmt::format("{}{}", prefix, ::getpid())) {
    bring_back_what_killed_ones_left();
    std::error_code error;
    for (const fs::directory_entry& e : fs::directory_iterator(folder, error))
      if (std::string name = e.path().filename().string();
          journal::process_of(name).has_value() ||
          (journal::is_of_before(name) && e.is_directory(error)))
        names_.push_back(std::move(name));
    if (is_recorded_into()) fail_for_another(folder);
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
  [[nodiscard]] bool is_there() const noexcept { return !names_.empty(); }
  void drop() {
    if (names_.empty()) return;
    names_.clear();
    std::error_code error;
    fs::remove_all(aside_, error);
  }

 private:
  static constexpr std::string_view prefix = ".before-";

  // Of a process that nothing is left of. Where there is something of the same name by now, it stays where it is.
  void bring_back_what_killed_ones_left() const {
    std::error_code error;
    std::vector<fs::path> left;
    for (const fs::directory_entry& e : fs::directory_iterator(folder_, error)) {
      const std::string name = e.path().filename().string();
      if (!name.starts_with(prefix) || !e.is_directory(error)) continue;
      ::pid_t of = 0;
      const char* const end = name.data() + name.size();
      const auto [last, wrong] = std::from_chars(name.data() + prefix.size(), end, of);
      if (wrong == std::errc{} && last == end && of > 0 && ::kill(of, 0) != 0 && errno == ESRCH)
        left.push_back(e.path());
    }
    for (const fs::path& aside : left) {
      std::vector<fs::path> names;
      for (const fs::directory_entry& e : fs::directory_iterator(aside, error))
        names.push_back(e.path().filename());
      for (const fs::path& name : names)
        if (!fs::exists(folder_ / name, error)) fs::rename(aside / name, folder_ / name, error);
      fs::remove(aside, error);
    }
  }
  // Whoever has the plain names has the folder locked.
  [[nodiscard]] bool is_recorded_into() const {
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    const bool busy = ::flock(folder, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(folder);
    return busy;
  }
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

// Where somebody asks for files. Larger ones take long to put together; tools read them as they are.
constexpr std::uintmax_t most_recovered_bytes = std::uintmax_t{24} << 20;

// Of a process that has not done it itself. Whether the journal stays as it is, and has what was recorded.
bool stays_after_recovery(const std::string& journal, std::uintmax_t most_bytes) {
  const std::string name = formats::one_line(journal, 200);
  try {
    std::error_code error;
    if (fs::file_size(journal, error) > most_bytes && !error)
      fmt::print(stderr, "pianola: recorded {}, which subcommands take for a graph{}\n", name,
                 most_bytes < most_recovered_bytes
                     ? " with its plan; record --recover makes files of text of it"
                     : "; it is long, and stays as it is");
    else if (!recover(journal))
      fmt::print(stderr, "pianola: {} is still being written\n", name);
  } catch (const model::user_error& e) {
    fmt::print(stderr, "pianola: {}\n", formats::one_line(e.what()));
  }
  std::error_code error;
  return fs::exists(journal, error);
}

// What one run, or one recovery, has left in the folder.
struct written {
  struct graph {
    std::string file;
    std::string plan;  // empty: it has none
  };
  std::vector<graph> graphs;
  std::vector<std::string> journals;  // those that stay

  [[nodiscard]] bool is_nothing() const noexcept { return graphs.empty() && journals.empty(); }
};

// All that was not there `before`.
written recover_all(const fs::path& folder, const file_stamps& before, std::uintmax_t most_bytes) {
  static constexpr std::string_view of_graph = ".graph.json";
  const auto is_new = [&](const auto& file) {
    const auto old = before.find(file.first);
    return old == before.end() || old->second != file.second;
  };
  written result;
  const file_stamps left = recordings_in(folder);
  for (const std::string& path : journals_in(folder.string())) {
    std::string name = fs::path(path).filename().string();
    if (const auto file = left.find(name);
        file != left.end() && is_new(*file) && stays_after_recovery(path, most_bytes))
      result.journals.push_back(std::move(name));
  }
  const file_stamps after = recordings_in(folder);
  for (const auto& file : after) {
    const std::string& name = file.first;
    if (!is_new(file) || !name.ends_with(of_graph)) continue;
    const std::string plan = name.substr(0, name.size() - of_graph.size()) + ".plan.json";
    result.graphs.push_back({name, after.count(plan) != 0 ? plan : ""});
  }
  return result;
}

void tell(const fs::path& folder, const written& is) {
  const std::string where = formats::one_line(folder.string(), 200);
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(is.graphs.size(), most); ++i) {
    const std::string plan = formats::one_line(is.graphs[i].plan, 80);
    fmt::print(stderr, "pianola: recorded {}/{}{}\n", where,
               formats::one_line(is.graphs[i].file, 80), plan.empty() ? "" : " and " + plan);
  }
  if (is.graphs.size() > most)
    fmt::print(stderr, "pianola: and {} more graphs\n", is.graphs.size() - most);
}

// How the program ended, where that tells why something is missing. What is submitted is on the disk a fifth of a second
// later, and at once when the program ends by itself.
void tell_end(const fs::path& folder, const written& is, int status, bool former_stays) {
  const std::string where = formats::one_line(folder.string(), 200);
  const char* const former = former_stays ? "; the recording that was there stays" : "";
  const std::string by_signal = WIFSIGNALED(status)
                                    ? fmt::format("the program ended by signal {} ({})",
                                                  WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                    : "";
  if (!is.is_nothing()) {
    if (WIFSIGNALED(status))
      fmt::print(stderr,
                 "pianola: {}; what it submitted in the last fifth of a second may be missing\n",
                 by_signal);
  } else if (WIFSIGNALED(status)) {
    fmt::print(stderr,
               "pianola: nothing was recorded in {}: {} before anything was written, which is a "
               "fifth of a second after it was submitted{}\n",
               where, by_signal, former);
  } else {
    fmt::print(stderr,
               "pianola: nothing was recorded in {}: the program, which ended with exit code {}, "
               "submitted nothing through Pianola, or a process of it was ended within a fifth of "
               "a second{}\n",
               where, WEXITSTATUS(status), former);
  }
}

// One line, behind whatever the program wrote there. `status`: as waitpid has it.
void tell_programs(const fs::path& folder, const written& is, int status) {
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
  for (const std::string& journal : is.journals) json.text(journal);
  json.close();
  if (WIFSIGNALED(status)) json.key("signal").number(static_cast<std::uint64_t>(WTERMSIG(status)));
  json.close();
  std::fputs(json.finish().c_str(), stderr);
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

// Returns what waitpid said.
int run_recorded(record_request& request, const fs::path& folder) {
  const output_folder into(folder);
  const sole_recorder alone(folder);
  former_recording former(folder);
  const file_stamps before = recordings_in(folder);
  const int status = run(request.words);
  const written is = recover_all(folder, before, journal::most_bytes_of_short_run);
  const bool replaced = former.is_there() && !is.is_nothing();
  if (replaced) {
    former.drop();
    fmt::print(stderr, "pianola: the recording that was in {} is replaced\n",
               formats::one_line(folder.string(), 200));
  }
  if (request.json) {
    tell_programs(folder, is, status);
  } else {
    tell(folder, is);
    tell_end(folder, is, status, former.is_there());
  }
  return status;
}

int record(record_request& request) {
  if (request.recover) {
    if (!request.words.empty()) fail("record --recover takes a folder (-o) and no program");
    if (journals_in(request.folder).empty())
      fail(formats::one_line(request.folder, 200) + ": there is no journal in this folder");
    file_stamps before = recordings_in(request.folder);
    std::erase_if(before, [](const auto& file) { return file.first.ends_with(".journal"); });
    const written is = recover_all(request.folder, before, most_recovered_bytes);
    if (request.json)
      tell_programs(request.folder, is, 0);
    else
      tell(request.folder, is);
    return exit_good;
  }
  if (request.words.empty() || request.words[0].empty())
    fail("record takes a program behind --, such as: pianola record -- ./app --its-option");
  std::error_code error;
  const fs::path folder = fs::absolute(request.folder, error);
  if (request.folder.empty() || error) fail("-o takes a folder");
  ::setenv("PIANOLA_RECORD", folder.c_str(), 1);
  ::setenv("PIANOLA_RECORD_RUN", folder.c_str(), 1);
  if (request.times) ::setenv("PIANOLA_RECORD_TIMES", "on", 1);
  if (request.facts) ::setenv("PIANOLA_RECORD_FACTS", "on", 1);
  const int status = run_recorded(request, folder);
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
  command->add_flag("--facts", request->facts,
                    "Also what kernels that pianolacc compiled touch, outside of recorded graphs: "
                    "`check` looks at them then");
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
      "  pianola record --facts -- ./app && pianola check recorded\n"
      "  pianola record --recover -o before");
  command->callback([request, &code] { code = record(*request); });
}

}  // namespace pianola::tool
