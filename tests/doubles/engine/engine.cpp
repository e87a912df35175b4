// SPDX-License-Identifier: Apache-2.0
// Calls, devices and contexts.
#include "engine.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <utility>

namespace pianola::test::drivers {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == 0 ? otherwise : std::strtoull(text, nullptr, 10);
}

// How many of the devices a variable such as CUDA_VISIBLE_DEVICES leaves: those that it lists, up to the first that is
// none. The devices are all alike, so which ones they are makes no difference.
unsigned visible(const char* variable, unsigned devices) {
  const char* list = std::getenv(variable);
  if (list == nullptr) return devices;
  std::vector<unsigned long> seen;
  for (const char* at = list; *at >= '0' && *at <= '9';) {
    char* end = nullptr;
    const unsigned long number = std::strtoul(at, &end, 10);
    if (number >= devices) break;
    for (const unsigned long s : seen)
      if (s == number) return 0;  // a device is named twice: none is left
    seen.push_back(number);
    at = *end == ',' ? end + 1 : end;
  }
  return static_cast<unsigned>(seen.size());
}

pid_t started_in = 0;

}  // namespace

engine::engine(const traits& t) : traits_(t) {
  started_in = getpid();
  devices_ = static_cast<unsigned>(from_environment("PIANOLA_TEST_DRIVER_DEVICES", 1));
  for (const char* const* variable = t.hide_devices; *variable != nullptr; ++variable)
    devices_ = visible(*variable, devices_);
  memory_bytes_ = from_environment("PIANOLA_TEST_DRIVER_MEMORY", 8192) << 20;
  peers_ = from_environment("PIANOLA_TEST_DRIVER_PEERS", 1) != 0;
  strict_ = from_environment("PIANOLA_TEST_DRIVER_STRICT", 0) != 0;
  late_records_ = from_environment("PIANOLA_TEST_DRIVER_LATE_RECORDS", 0) != 0;
  late_waits_ = from_environment("PIANOLA_TEST_DRIVER_LATE_WAITS", 0) != 0;
  patient_copies_ = from_environment("PIANOLA_TEST_DRIVER_PATIENT_COPIES", 0) != 0;
  report_ = from_environment("PIANOLA_TEST_DRIVER_REPORT", 0) != 0;
  scheduler_.set_seed(from_environment("PIANOLA_TEST_DRIVER_SEED", 1));
  scheduler_.on_error = &engine::lose;
  scheduler_.on_end = &engine::ended;
  if (const char* a = std::getenv("PIANOLA_TEST_DRIVER_ARCHITECTURE"); a != nullptr && *a != 0)
    architecture_ = a;
  if (const char* list = std::getenv("PIANOLA_TEST_DRIVER_FAIL")) {
    std::istringstream items(list);
    for (std::string item; std::getline(items, item, ',');) {
      const auto colon = item.find(':'), equals = item.find('=');
      if (colon == std::string::npos || equals == std::string::npos || equals < colon) {
        std::fprintf(stderr,
                     "PIANOLA_TEST_DRIVER_FAIL: '%s' is not of the form name:number=code or "
                     "name:every=code\n",
                     item.c_str());
        std::abort();
      }
      const std::string name = item.substr(0, colon);
      entry& e = name == "any" ? any_ : entries_[name];
      const bool every = item.compare(colon + 1, equals - colon - 1, "every") == 0;
      e.fail_at = every ? every_call : std::strtoull(item.c_str() + colon + 1, nullptr, 10);
      e.code = std::atoi(item.c_str() + equals + 1);
    }
  }
  primary_.resize(devices_);
}

int engine::injected(entry& e) {
  ++e.calls;
  if (e.fail_at == every_call) return e.code;
  if (e.fail_at == 0 || --e.fail_at != 0) return 0;
  return e.code;
}

int engine::begin(lock& held, const char* name, bool needs_initialisation) {
  if (deinitialised_) return codes::deinitialized;
  const int of_any = injected(any_);
  if (const int code = injected(entries_[name]); code != 0) return code;
  if (of_any != 0) {
    if (report_)
      std::fprintf(stderr, "test driver (%s): %s fails with %d\n", traits_.name, name, of_any);
    // Codes of which the drivers say that the process must be restarted.
    if (of_any >= 700 && of_any < 720)
      for (const auto& c : all_contexts_)
        if (c->error == 0) lose(*c, of_any, "a call failed as told");
    // Nothing that the device did goes on after the program has been told.
    if (of_any >= 700 && of_any < 720)
      scheduler_.wait(held, [this] { return scheduler_.running() == 0; });
    return of_any;
  }
  if (needs_initialisation && !initialised_)
    return end(name, {codes::not_initialized, "the driver has not been initialised", true});
  return 0;
}

int engine::end(const char* name, const failure& x) {
  if (x.violation)
    note_violation(std::string(name) + ": " + x.text + " (" + std::to_string(x.code) + ")");
  if (x.code == codes::unknown)  // its reason is nowhere else
    std::fprintf(stderr, "test driver (%s): %s: %s\n", traits_.name, name, x.text.c_str());
  return x.code;
}

void engine::linger(lock& held, const char* name) {
  const unsigned milliseconds = std::exchange(entries_[name].linger, 0);
  if (milliseconds == 0) return;
  ++lingering_;
  held.unlock();
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  held.lock();
  --lingering_;
}

int engine::begin_work(const char* name) {
  const lock held(mutex_);
  return injected(entries_[name]);
}

void engine::note_violation(const std::string& text) {
  ++violations_;
  last_violation_ = text;
  std::fprintf(stderr, "test driver (%s): violation: %s\n", traits_.name, text.c_str());
  std::fflush(stderr);
  if (strict_) std::abort();
}

void engine::initialise() {
  if (devices_ == 0) refuse(codes::no_device, "no devices");
  if (initialised_) return;
  memory_ = std::make_unique<address_space>(memory_bytes_);
  initialised_ = true;
  std::atexit(&engine::at_exit);
}

void engine::at_exit() {
  if (getpid() != started_in) return;  // a copy of the process, without its threads
  engine& e = instance();
  lock held(e.mutex_);
  if (e.report_)
    for (const char* kind : {"context", "stream", "event", "module", "texture", "graph",
                             "executable graph", "allocation"})
      std::fprintf(stderr, "test driver (%s): at exit %zu of kind %s\n", e.traits_.name,
                   kind == std::string("allocation") ? e.allocations_ : e.handles.count(kind),
                   kind);
  e.deinitialised_ = true;
  for (const auto& c : e.all_contexts_)
    if (c->gpu) c->gpu->end();
  e.scheduler_.stop(held);
  for (const auto& c : e.all_contexts_) c->gpu.reset();
}

void engine::check_device(int ordinal) const {
  if (ordinal < 0 || static_cast<unsigned>(ordinal) >= devices_)
    violate(codes::invalid_device, "there is no device " + std::to_string(ordinal));
}

std::shared_ptr<context> engine::retain(unsigned device) {
  auto& c = primary_[device];
  if (c == nullptr) {
    c = std::make_shared<context>();
    c->device = device;
    handles.add(c);
    all_contexts_.push_back(c);
    c->default_stream = std::make_shared<stream>();
    c->default_stream->owner = c;
    c->default_stream->legacy = true;
  }
  ++c->retained;
  return c;
}

void engine::release(lock& held, unsigned device) {
  const auto c = primary_[device];
  if (c == nullptr || c->retained == 0)
    violate(codes::invalid_context, "the primary context is not retained");
  if (--c->retained == 0) tear_down(held, c);
}

void engine::reset(lock& held, unsigned device) {
  if (const auto c = primary_[device]) tear_down(held, c);
}

void engine::tear_down(lock& held, const std::shared_ptr<context>& c) {
  scheduler_.wait(held, [&] { return c->outstanding == 0; });
  print(*c);
  std::vector<std::shared_ptr<object>> gone;
  const auto collect = [&](const auto& o) {
    if (o->owner == c) gone.push_back(o);
  };
  handles.for_each<stream>(collect);
  handles.for_each<event>(collect);
  handles.for_each<module>(collect);
  handles.for_each<function>(collect);
  handles.for_each<texture>(collect);
  for (const auto& o : gone) handles.remove(*o);
  std::vector<allocation> memory;
  for (const auto& [page, a] : memory_->all())
    if (a.owner == c.get()) memory.push_back(a);
  for (const allocation& a : memory) {
    protect(a, false);
    memory_->release(a);
    --allocations_;
  }
  memory_->disown_all_of(c.get());
  c->gpu.reset();
  c->default_stream->owner = nullptr;
  handles.remove(*c);
  if (primary_[c->device] == c) primary_[c->device] = nullptr;
}

void engine::check(const context& c) {
  if (c.error != 0) refuse(c.error, c.error_text);
}

void engine::lose(context& where, int code, const std::string& text) {
  where.error = code;
  where.error_text = text;
  std::fprintf(stderr, "test driver: the context of device %u is lost: %s (%d)\n", where.device,
               text.c_str(), code);
}

void engine::enable_peer(context& from, context& to) {
  if (!are_peers(from.device, to.device))
    violate(217, "the devices do not reach each other's memory");
  if (!from.peers.insert(to.device).second)
    refuse(codes::peer_access_already_enabled, "peer access is enabled already");
  if (!from.gpu) return;
  for (const auto& [page, a] : memory_->all())
    if (a.type == memory_type::device && !a.apart && a.device == to.device)
      from.gpu->protect(a.first_page, a.end_page - a.first_page, true);
}

void engine::synchronize(lock& held, context& c) {
  check(c);
  scheduler_.wait(held, [&] { return c.outstanding == 0; });
  print(c);
  check(c);
}

void engine::free_memory_of(unsigned device, std::size_t& free, std::size_t& total) const {
  total = memory_->bytes_per_device();
  free = total - memory_->used(device);
}

}  // namespace pianola::test::drivers
