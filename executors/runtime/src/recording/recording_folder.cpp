// SPDX-License-Identifier: Apache-2.0
// The folder of PIANOLA_RECORD, and names in it that no two processes share.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "process.hpp"
#include "recording/call_places.hpp"
#include "recording/eager_recorder.hpp"

namespace pianola::runtime {

namespace {

bool times_are_wanted() {
  const char* const text = std::getenv("PIANOLA_RECORD_TIMES");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty() || word == "off") return false;
  if (word == "on") return true;
  throw model::user_error(model::error_code::invalid,
                          "PIANOLA_RECORD_TIMES='" + std::string(word) + "': it takes on or off");
}

}  // namespace

static checking check_from_environment() {
  const char* const text = std::getenv("PIANOLA_CHECK");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty() || word == "0" || word == "off") return checking::off;
  if (word == "1" || word == "on") return checking::certain;
  if (word == "suspicions") return checking::suspicions;
  throw model::user_error(model::error_code::invalid,
                          "PIANOLA_CHECK='" + std::string(word) + "': it takes 1, 0 or suspicions");
}

std::unique_ptr<eager_recorder> eager_recorder::from_environment(const model::topology& topology,
                                                                 model::device_id host) {
  const char* directory = std::getenv("PIANOLA_RECORD");
  const checking check = check_from_environment();
  if (directory == nullptr || *directory == '\0') {
    if (check == checking::off) return nullptr;
    return std::make_unique<eager_recorder>("", topology, host, false, check);
  }
  if (mkdir(directory, 0777) != 0 && errno != EEXIST)
    throw model::user_error(model::error_code::invalid,
                            std::string("PIANOLA_RECORD='") + directory +
                                "': cannot make the directory: " + std::strerror(errno));
  struct stat info{};
  if (stat(directory, &info) != 0 || !S_ISDIR(info.st_mode) || access(directory, W_OK) != 0)
    throw model::user_error(model::error_code::invalid,
                            std::string("PIANOLA_RECORD='") + directory +
                                "' is not a directory that can be written to");
  return std::make_unique<eager_recorder>(directory, topology, host, times_are_wanted(), check);
}

eager_recorder::eager_recorder(std::string directory, const model::topology& topology,
                               model::device_id host, bool times, checking check)
    : directory_(std::move(directory)),
      base_(directory_ + "/"),
      topology_(topology),
      host_(host),
      times_(times),
      check_(check) {
  prepare_call_places();
  if (directory_.empty()) {
    const char* const temporary = std::getenv("TMPDIR");
    begin(std::string(temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary) +
              "/pianola-check",
          true);
    return;
  }
  // Whoever comes first has the plain names for as long as it lives; it goes with the process, however that ends.
  directory_lock_ = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_lock_ < 0 || ::flock(directory_lock_, LOCK_EX | LOCK_NB) != 0) {
    char unique[48];
    std::snprintf(unique, sizeof unique, "%ld-%08x-", static_cast<long>(::getpid()),
                  std::random_device()());
    base_ += unique;
  }
  begin(base_ + "eager.journal", false);
}

void eager_recorder::begin(const std::string& journal, bool nameless) {
  journal_ = std::make_unique<journal_thread>(journal, nameless);
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
