// SPDX-License-Identifier: Apache-2.0
#include "helper.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "address_space.hpp"

extern char** environ;

namespace pianola::test::drivers {
namespace {

constexpr int kernels_at_once = 4;
// In the new process: above what it could have been given by its parent's parent.
constexpr int first_descriptor = 200;

// Beside the library that this is part of.
std::string program_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&program_path), &info) == 0) return "pianola-test-gpu";
  const std::string path = info.dli_fname;
  const auto slash = path.rfind('/');
  return (slash == std::string::npos ? std::string() : path.substr(0, slash + 1)) +
         "pianola-test-gpu";
}

bool write_all(int to, const void* from, std::size_t bytes) {
  for (auto* at = static_cast<const char*>(from); bytes != 0;) {
    const ssize_t n = send(to, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int from, void* to, std::size_t bytes) {
  for (auto* at = static_cast<char*>(to); bytes != 0;) {
    const ssize_t n = recv(from, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

helper::helper(const address_space& memory) {
  const std::string program = program_path();
  // Where the addresses are taken in the new process: the system chooses others for it the next time.
  for (int tries = 0; tries < 100; ++tries)
    if (start(memory, program)) {
      free_.assign(sockets_.begin() + 1, sockets_.end());
      return;
    }
  throw std::runtime_error("cannot start " + program +
                           " with the memory of the devices at their addresses");
}

bool helper::start(const address_space& memory, const std::string& program) {
  std::vector<int> theirs;
  sockets_.clear();
  for (int i = 0; i <= kernels_at_once; ++i) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
      throw std::runtime_error("no sockets");
    sockets_.push_back(pair[0]);
    theirs.push_back(pair[1]);
  }
  std::vector<std::string> arguments = {program, std::to_string(first_descriptor),
                                        std::to_string(memory.base()),
                                        std::to_string(memory.size())};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, memory.file(), first_descriptor);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const int to = first_descriptor + 1 + static_cast<int>(i);
    posix_spawn_file_actions_adddup2(&actions, theirs[i], to);
    arguments.push_back(std::to_string(to));
  }
  std::vector<char*> pointers;
  for (std::string& a : arguments) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  const int failed =
      posix_spawn(&process_, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  for (const int s : theirs) close(s);
  if (failed == 0 && !talk(sockets_[0], {}, {}).lost) return true;
  for (const int s : sockets_) close(s);
  if (failed != 0) throw std::runtime_error("cannot start " + program);
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != helper_addresses_taken)
    throw std::runtime_error(program + " ended at once");
  return false;
}

helper::~helper() {
  end();
  for (const int s : sockets_) close(s);
  int status = 0;
  waitpid(process_, &status, 0);
}

void helper::end() { kill(process_, SIGKILL); }

helper::answer helper::talk(int socket, const helper_request& request, std::string_view bytes) {
  answer a;
  helper_request r = request;
  r.bytes = bytes.size();
  a.lost = !write_all(socket, &r, sizeof r) || !write_all(socket, bytes.data(), bytes.size());
  // What it had to say before it ended.
  a.lost = !read_all(socket, &a.reply, sizeof a.reply);
  if (a.lost) return a;
  a.text.resize(a.reply.text_bytes);
  a.lost = !read_all(socket, a.text.data(), a.text.size());
  return a;
}

helper::answer helper::ask(const helper_request& request, std::string_view bytes) {
  const std::lock_guard lock(asking_);
  return talk(sockets_[0], request, bytes);
}

helper::answer helper::run(std::string_view launch) {
  int socket = -1;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !free_.empty(); });
    socket = free_.back();
    free_.pop_back();
  }
  helper_request r;
  r.kind = request_kind::launch;
  answer a = talk(socket, r, launch);
  const std::lock_guard lock(mutex_);
  free_.push_back(socket);
  changed_.notify_one();
  return a;
}

void helper::protect(std::uintptr_t address, std::size_t bytes, bool accessible) {
  helper_request r;
  r.kind = request_kind::protect;
  r.numbers[0] = address;
  r.numbers[1] = bytes;
  r.numbers[2] = accessible ? 1 : 0;
  ask(r);
}

void helper::map(std::uintptr_t address, std::size_t bytes, std::size_t offset) {
  helper_request r;
  r.kind = request_kind::map;
  r.numbers[0] = address;
  r.numbers[1] = bytes;
  r.numbers[2] = offset;
  ask(r);
}

}  // namespace pianola::test::drivers
