// SPDX-License-Identifier: Apache-2.0
#include "recording/journal_thread.hpp"

#include <pthread.h>
#include <csignal>
#include <cstdio>
#include <exception>
#include <utility>

#include <pianola/formats/text.hpp>

namespace pianola::runtime {

namespace {

// Signals are the program's, and one that tells of a file that grows too large is an error of the write here.
class without_signals {
 public:
  without_signals() {
    ::sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  without_signals(const without_signals&) = delete;
  without_signals& operator=(const without_signals&) = delete;
  ~without_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  ::sigset_t before_;
};

}  // namespace

journal_thread::journal_thread(std::string path, bool nameless, std::function<void()> make_room)
    : path_(std::move(path)), nameless_(nameless), make_room_(std::move(make_room)) {
  const without_signals none;
  thread_ = std::thread([this] { run(); });
}

journal_thread::~journal_thread() { finish(); }

bool journal_thread::finish() {
  if (thread_.joinable()) {
    ring_.close();
    thread_.join();
  }
  return file_.is_open() && !failed_;
}

void journal_thread::run() {
  for (bool more = true; more;) {
    more = ring_.wait();
    ring_.take([this](model::array_view<const std::uint64_t> record) {
      if (failed_) return;
      try {
        encoder_.take(record);
        if (encoder_.bytes().size() >= block_bytes) flush();
      } catch (const std::exception& e) {
        failed_ = true;
        std::fprintf(stderr, "pianola: the recording ends here: %s\n", e.what());
      }
    });
    if (!failed_) flush();
  }
}

std::string journal_thread::open() {
  try {
    make_room_();
  } catch (const std::exception& e) {
    return e.what();
  }
  return file_.open(path_, nameless_);
}

void journal_thread::flush() {
  if (encoder_.bytes().empty()) return;
  // What submits nothing has no file.
  if (encoder_.commands() == 0 && encoder_.bytes().size() < block_bytes) return;
  std::string error;
  if (!file_.is_open()) error = open();
  if (error.empty()) error = file_.append(encoder_.bytes());
  encoder_.bytes().clear();
  if (error.empty()) return;
  failed_ = true;
  std::fprintf(
      stderr,
      "pianola: %s cannot be written: %s; the program goes on, and what was written stays\n",
      formats::one_line(path_, 200).c_str(), error.c_str());
}

}  // namespace pianola::runtime
