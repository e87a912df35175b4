// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of one device of a test driver, in memory that the driver shares with it:
//   pianola-test-gpu <file of the memory> <address> <bytes> <socket>...
// One thread serves each socket. A kernel that touches what it must not ends the process.
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pianola/test/simulated_driver.hpp>

#include "../engine/helper_protocol.hpp"
#include "textures.hpp"

namespace pianola::test::drivers {
namespace {

struct module {
  int file = -1;
  void* object = nullptr;
  std::uint32_t version = 0;
  std::map<void*, void*> shared;  // variables, and the memory that has their values
};

struct function {
  std::uint64_t in = 0;  // the module
  pianola_sim_kernel run = nullptr;
  pianola_sim_kernel_info info{};
  std::string symbol;
};

int memory_file = -1;
std::mutex mutex;
std::map<std::uint64_t, module> modules;
std::map<std::uint64_t, std::unique_ptr<function>> functions;
std::uint64_t functions_made = 0;
texture_table textures;

thread_local int serving = -1;

void read_all(int from, void* to, std::size_t bytes) {
  for (auto* at = static_cast<char*>(to); bytes != 0;) {
    const ssize_t n = recv(from, at, bytes, 0);
    if (n <= 0) _exit(0);  // the driver is gone
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void write_all(int to, const void* from, std::size_t bytes) {
  for (auto* at = static_cast<const char*>(from); bytes != 0;) {
    const ssize_t n = send(to, at, bytes, MSG_NOSIGNAL);
    if (n <= 0) _exit(0);
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void on_fault(int, siginfo_t* info, void*) {
  helper_reply reply;
  reply.result = helper_result::faulted;
  reply.value = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (serving >= 0) send(serving, &reply, sizeof reply, MSG_NOSIGNAL);
  _exit(86);
}

void catch_faults() {
  static constexpr std::size_t bytes = 64 << 10;
  stack_t stack{};
  stack.ss_sp = std::malloc(bytes);
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

module load(const std::vector<char>& image) {
  module m;
  m.file = memfd_create("pianola-sim", MFD_CLOEXEC);
  if (m.file < 0 || write(m.file, image.data(), image.size()) != static_cast<ssize_t>(image.size()))
    throw std::runtime_error("cannot write an image");
  m.object = dlopen(("/proc/self/fd/" + std::to_string(m.file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (m.object == nullptr) throw std::runtime_error(dlerror());
  const auto* version = static_cast<const std::uint32_t*>(dlsym(m.object, "pianola_sim_version"));
  if (version == nullptr || *version < PIANOLA_SIM_OLDEST_VERSION || *version > PIANOLA_SIM_VERSION)
    throw std::runtime_error("the image is of another version");
  m.version = *version;
  return m;
}

std::uint64_t find(std::uint64_t in, const std::string& symbol, pianola_sim_kernel_info& info) {
  const std::lock_guard lock(mutex);
  const auto m = modules.find(in);
  if (m == modules.end()) throw std::runtime_error("no such module");
  auto f = std::make_unique<function>();
  f->in = in;
  f->symbol = symbol;
  f->run = reinterpret_cast<pianola_sim_kernel>(dlsym(m->second.object, symbol.c_str()));
  const auto* i = static_cast<const pianola_sim_kernel_info*>(
      dlsym(m->second.object, (symbol + "_info").c_str()));
  if (f->run == nullptr || i == nullptr)
    throw std::runtime_error("the image has no kernel " + symbol);
  if (m->second.version < PIANOLA_SIM_FIRST_VERSION_WITH_LAUNCH_BYTES) {
    std::memcpy(&info, i, offsetof(pianola_sim_kernel_info, launch_bytes));
    info.launch_bytes = sizeof(pianola_launch);
  } else {
    info = *i;
  }
  if (info.launch_bytes != sizeof(pianola_launch) &&
      info.launch_bytes != sizeof(pianola_part_launch))
    throw std::runtime_error("no launch is as large as " + symbol + " wants it");
  f->info = info;
  functions.emplace(++functions_made, std::move(f));
  return functions_made;
}

// Images have no other variables than pointers.
constexpr std::uint64_t variable_bytes = sizeof(void*);

void* variable_in(const module& m, const std::string& symbol) {
  void* const found = dlsym(m.object, symbol.c_str());
  if (found == nullptr) throw std::runtime_error("the image has no variable " + symbol);
  return found;
}

helper_result launch(const std::vector<char>& bytes, std::uint64_t& printed, std::string& text) {
  helper_launch l;
  std::memcpy(&l, bytes.data(), sizeof l);
  function* f = nullptr;
  {
    const std::lock_guard lock(mutex);
    f = functions.at(l.function).get();
    for (const auto& [variable, value] : modules.at(f->in).shared)
      std::memcpy(variable, value, variable_bytes);
  }
  const std::size_t alignment = std::max<std::size_t>(f->info.argument_alignment, 16);
  const std::unique_ptr<void, void (*)(void*)> object(
      std::aligned_alloc(alignment, (f->info.argument_bytes + alignment) / alignment * alignment),
      std::free);
  std::memcpy(object.get(), bytes.data() + sizeof l, bytes.size() - sizeof l);
  pianola_kernel description{};
  description.symbol = description.name = f->symbol.c_str();
  description.argument_bytes = f->info.argument_bytes;
  description.argument_alignment = f->info.argument_alignment;
  simulated_launch s;
  s.launch = l.launch.whole;
  s.part = f->info.launch_bytes == sizeof(pianola_part_launch) ? &l.launch : nullptr;
  std::memcpy(s.groups, l.groups, sizeof s.groups);
  std::memcpy(s.local, l.local, sizeof s.local);
  s.local_memory_bytes = l.local_memory_bytes;
  s.group_object_bytes = f->info.group_object_bytes;
  s.sub_group_size = l.sub_group_size;
  s.seed = l.seed;
  s.textures = &textures;
  const simulated_report report = run_simulated({f->run, &description}, object.get(), s);
  text = report.printed;
  printed = text.size();
  if (!report.trapped) return helper_result::done;
  text += "a work-item of " + f->symbol + " gave up";
  return helper_result::trapped;
}

void answer(const helper_request& request, const std::vector<char>& bytes, helper_reply& reply,
            std::string& text) {
  switch (request.kind) {
    case request_kind::hello:
      return;
    case request_kind::protect: {
      const int protection = request.numbers[2] != 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
      if (mprotect(reinterpret_cast<void*>(request.numbers[0]), request.numbers[1], protection) !=
          0)
        throw std::runtime_error("mprotect failed");
      return;
    }
    case request_kind::map:
      if (mmap(reinterpret_cast<void*>(request.numbers[0]), request.numbers[1], PROT_NONE,
               MAP_SHARED | MAP_NORESERVE | MAP_FIXED, memory_file,
               static_cast<off_t>(request.numbers[2])) == MAP_FAILED)
        throw std::runtime_error("mmap failed");
      return;
    case request_kind::load: {
      const module m = load(bytes);
      const std::lock_guard lock(mutex);
      modules[request.numbers[0]] = m;
      return;
    }
    case request_kind::unload: {
      const std::lock_guard lock(mutex);
      const module m = modules[request.numbers[0]];
      modules.erase(request.numbers[0]);
      dlclose(m.object);
      close(m.file);
      return;
    }
    case request_kind::find:
      reply.value = find(request.numbers[0], std::string(bytes.data(), bytes.size()), reply.info);
      return;
    case request_kind::find_variable: {
      const std::lock_guard lock(mutex);
      variable_in(modules.at(request.numbers[0]), std::string(bytes.data(), bytes.size()));
      reply.value = variable_bytes;
      return;
    }
    case request_kind::share_variable: {
      const std::lock_guard lock(mutex);
      module& m = modules.at(request.numbers[0]);
      m.shared[variable_in(m, std::string(bytes.data(), bytes.size()))] =
          reinterpret_cast<void*>(request.numbers[1]);
      return;
    }
    case request_kind::launch:
      reply.result = launch(bytes, reply.value, text);
      return;
    case request_kind::add_texture: {
      helper_texture t;
      std::memcpy(&t, bytes.data(), sizeof t);
      textures.add(t);
      return;
    }
    case request_kind::remove_texture:
      textures.remove(request.numbers[0]);
      return;
  }
  throw std::runtime_error("unknown request");
}

void serve(int socket) {
  serving = socket;
  catch_faults();
  for (;;) {
    helper_request request;
    read_all(socket, &request, sizeof request);
    std::vector<char> bytes(request.bytes);
    read_all(socket, bytes.data(), bytes.size());
    helper_reply reply;
    std::string text;
    try {
      answer(request, bytes, reply, text);
    } catch (const std::exception& e) {
      reply.result = helper_result::failed;
      text = e.what();
    }
    reply.text_bytes = static_cast<std::uint32_t>(text.size());
    write_all(socket, &reply, sizeof reply);
    write_all(socket, text.data(), text.size());
  }
}

}  // namespace
}  // namespace pianola::test::drivers

int main(int count, char** arguments) {
  using namespace pianola::test::drivers;
  if (count < 5) {
    std::fprintf(stderr, "pianola-test-gpu: is started by the test drivers\n");
    return 2;
  }
  const int file = std::atoi(arguments[1]);
  memory_file = file;
  const auto address = std::strtoull(arguments[2], nullptr, 10);
  const auto bytes = std::strtoull(arguments[3], nullptr, 10);
  void* at = mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
                  MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  if (at != reinterpret_cast<void*>(address)) return helper_addresses_taken;
  std::vector<std::thread> threads;
  for (int i = 5; i < count; ++i) threads.emplace_back(serve, std::atoi(arguments[i]));
  serve(std::atoi(arguments[4]));
}
