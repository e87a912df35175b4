// SPDX-License-Identifier: Apache-2.0
// The folder of PIANOLA_RECORD, and names in it that no two processes share.
//
// Who comes first has the plain names for as long as it lives. Of what an earlier process has left under them nothing is
// lost: within one run of `pianola record`, and where plans are read from there, whoever comes later has names of its own;
// else the newest recording has the plain names, and the earlier one goes to a folder of its own.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/journal/folder.hpp>
#include <pianola/model/error.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "process.hpp"
#include "recording/call_places.hpp"
#include "recording/eager_recorder.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

namespace {

bool times_are_wanted() {
  const char* const text = std::getenv("PIANOLA_RECORD_TIMES");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty() || word == "off") return false;
  if (word == "on") return true;
  throw model::user_error(model::error_code::invalid,
                          fmt::format("PIANOLA_RECORD_TIMES='{}': it takes on or off", word));
}

bool facts_are_wanted() {
  const char* const text = std::getenv("PIANOLA_RECORD_FACTS");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty() || word == "off") return false;
  if (word == "on") return true;
  throw model::user_error(model::error_code::invalid,
                          fmt::format("PIANOLA_RECORD_FACTS='{}': it takes on or off", word));
}

// `pianola record` has emptied the folder, and waits for all that record into it.
bool is_of_one_run(const std::string& directory) {
  const char* const run = std::getenv("PIANOLA_RECORD_RUN");
  return run != nullptr && directory == run;
}

bool plans_come_from(const std::string& directory) {
  const char* const plans = std::getenv("PIANOLA_PLAN");
  std::error_code error;
  return plans != nullptr && std::filesystem::equivalent(plans, directory, error);
}

}  // namespace

static checking check_from_environment() {
  const char* const text = std::getenv("PIANOLA_CHECK");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty() || word == "0" || word == "off") return checking::off;
  if (word == "1" || word == "on") return checking::certain;
  if (word == "suspicions") return checking::suspicions;
  throw model::user_error(model::error_code::invalid,
                          fmt::format("PIANOLA_CHECK='{}': it takes 1, 0 or suspicions", word));
}

std::unique_ptr<eager_recorder> eager_recorder::from_environment(const model::topology& topology,
                                                                 model::device_id host) {
  const char* directory = std::getenv("PIANOLA_RECORD");
  const checking check = check_from_environment();
  if (directory == nullptr || *directory == '\0') {
    if (check == checking::off) return nullptr;
    return std::make_unique<eager_recorder>("", topology, host, false, true, check);
  }
  if (mkdir(directory, 0777) != 0 && errno != EEXIST)
    throw model::user_error(model::error_code::invalid,
                            fmt::format("PIANOLA_RECORD='{}': cannot make the directory: {}",
                                        directory, std::strerror(errno)));
  struct stat info{};
  if (stat(directory, &info) != 0 || !S_ISDIR(info.st_mode) || access(directory, W_OK) != 0)
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("PIANOLA_RECORD='{}' is not a directory that can be written to", directory));
  const bool facts = facts_are_wanted() || check != checking::off;
  return std::make_unique<eager_recorder>(directory, topology, host, times_are_wanted(), facts,
                                          check);
}

eager_recorder::eager_recorder(std::string directory, const model::topology& topology,
                               model::device_id host, bool times, bool facts, checking check)
    : directory_(std::move(directory)),
      base_(directory_ + "/"),
      topology_(topology),
      host_(host),
      times_(times),
      facts_(facts),
      check_(check) {
  prepare_call_places();
  if (directory_.empty()) {
    const char* const temporary = std::getenv("TMPDIR");
    begin(std::string(temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary) +
              "/pianola-check",
          true);
    return;
  }
  // It goes with the process, however that ends.
  directory_lock_ = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool first = directory_lock_ >= 0 && ::flock(directory_lock_, LOCK_EX | LOCK_NB) == 0;
  const bool stays = is_of_one_run(directory_) || plans_come_from(directory_);
  if (!first || (stays && journal::has_plain_names(directory_)))
    base_ += journal::new_process_prefix();
  else
    sets_aside_ = !stays;
  ::clock_gettime(CLOCK_REALTIME, &started_);
  begin(base_ + recorder::run_journal, false);
}

void eager_recorder::make_room() {
  if (!sets_aside_) return;
  std::call_once(room_, [this] {
    const std::string aside = journal::set_aside(directory_, started_);
    if (!aside.empty())
      log_warn("PIANOLA_RECORD: what was recorded in {0} before is in {0}/{1} now",
               formats::one_line(directory_, 200), aside);
  });
}

void eager_recorder::begin(const std::string& journal, bool nameless) {
  journal_ = std::make_unique<journal_thread>(journal, nameless, [this] { make_room(); });
  tell_machine();
  pointer_registry::instance().tell(this);
}

eager_recorder::~eager_recorder() {
  pointer_registry::instance().tell(nullptr);
  if (directory_lock_ >= 0) ::close(directory_lock_);
}

std::string eager_recorder::next_graph_name() {
  return fmt::format("{}graph-{}", base_, written_++);
}

}  // namespace pianola::runtime
