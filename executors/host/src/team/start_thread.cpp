// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/start_thread.hpp"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <memory>
#include <system_error>

#include "pianola/host/own_threads.hpp"

namespace pianola::host {

namespace {

struct beginning {
  const char* name;
  std::function<void()> body;
};

// A thread begins with the signals blocked that are blocked where it is made.
class blocked_signals {
 public:
  blocked_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;

 private:
  sigset_t before_{};
};

void* run(void* of) {
  const own_thread one_of_ours;
  const std::unique_ptr<beginning> mine(static_cast<beginning*>(of));
  if (mine->name != nullptr) pthread_setname_np(pthread_self(), mine->name);
  mine->body();
  return nullptr;
}

}  // namespace

started_thread& started_thread::operator=(started_thread&& other) noexcept {
  if (joinable()) std::terminate();
  id_ = std::exchange(other.id_, std::nullopt);
  return *this;
}

started_thread::~started_thread() {
  if (joinable()) std::terminate();
}

void started_thread::join() noexcept { pthread_join(*std::exchange(id_, std::nullopt), nullptr); }

void started_thread::detach() noexcept { pthread_detach(*std::exchange(id_, std::nullopt)); }

started_thread start_thread(const thread_start& how, std::function<void()> body) {
  auto argument = std::make_unique<beginning>(beginning{how.name, std::move(body)});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  how.processors.give_to(attributes);
  if (how.stack_bytes != 0)
    pthread_attr_setstacksize(
        &attributes, (std::max<std::size_t>(how.stack_bytes, 64 << 10) + 4095) / 4096 * 4096);
  std::optional<blocked_signals> blocked;
  if (how.deaf) blocked.emplace();
  pthread_t id{};
  int error = pthread_create(&id, &attributes, run, argument.get());
  if (error == EINVAL && !how.processors.empty()) {
    processor_mask::of_calling_thread().give_to(attributes);
    error = pthread_create(&id, &attributes, run, argument.get());
  }
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category());
  static_cast<void>(argument.release());
  return started_thread(id);
}

}  // namespace pianola::host
