// SPDX-License-Identifier: Apache-2.0
#include "fake_driver.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fake_objects.hpp"

namespace pianola::test {

using gpu::code;
using gpu::success;

fake_driver::fake_driver(const fake_setup& setup) : setup_(setup), random_(setup.seed) {
  for (std::uint32_t i = 0; i < setup.devices; ++i) {
    gpu::device_description d;
    d.properties.name = "Fake device " + std::to_string(i);
    d.properties.backend = "fake";
    d.properties.type = model::device_type::gpu;
    d.properties.max_work_item_sizes[0] = 64;
    d.properties.free_memory_known = true;
    d.architecture = "fake_1";
    d.max_parameter_bytes = 4096;
    d.max_dynamic_local_bytes = setup.max_local_bytes;
    d.peers.assign(setup.devices, true);
    devices_.push_back(std::move(d));
  }
  if (setup_.pace == fake_pace::by_thread) go();
}

void fake_driver::go() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

fake_driver::~fake_driver() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (fake_stream* s : streams_) delete s;
  for (void* e : events_) delete static_cast<fake_event*>(e);
  for (const auto& [object, destroy] : others_) destroy(object);
  for (void* m : memory_) std::free(m);
}

void fake_driver::end(void* object) {
  const auto it = others_.find(object);
  if (it == others_.end()) {
    complain("something is destroyed twice");
    return;
  }
  it->second(object);
  others_.erase(it);
}

void fake_driver::made(const char* what, long n) {
  std::lock_guard<std::mutex> lock(tally->mutex);
  tally->live[what] += n;
  if (tally->live[what] < 0) tally->violations.push_back(std::string("too few: ") + what);
}

void fake_driver::complain(const std::string& what) {
  std::lock_guard<std::mutex> lock(tally->mutex);
  tally->violations.push_back(what);
}

// With the lock held.
code fake_driver::enter(const char* entry, std::int64_t device) {
  ++calls_[entry];
  if (const auto it = faults_.find(entry); it != faults_.end() && --it->second.countdown == 0) {
    const code c = it->second.what;
    faults_.erase(it);
    if (is_fatal(c)) broken_[device < 0 ? 0 : static_cast<std::uint32_t>(device)] = c;
    return c;
  }
  if (device >= 0)
    if (const auto it = broken_.find(static_cast<std::uint32_t>(device)); it != broken_.end())
      return it->second;
  return success;
}

void fake_driver::fail(const std::string& entry, unsigned nth, code c) {
  std::lock_guard<std::mutex> lock(mutex_);
  faults_[entry] = {nth, c};
}

void fake_driver::break_device(std::uint32_t device, code c) {
  std::lock_guard<std::mutex> lock(mutex_);
  broken_[device] = c;
  changed_.notify_all();
}

std::uint64_t fake_driver::calls(const std::string& entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  return calls_[entry];
}

std::size_t fake_driver::queued() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::size_t n = 0;
  for (const fake_stream* s : streams_) n += s->operations.size();
  return n;
}

executors::status fake_driver::explain(code c, std::string_view doing) const {
  return {c == out_of_memory ? model::error_code::memory_allocation : model::error_code::runtime,
          std::string(doing) + ": fake failure " + std::to_string(c) +
              (is_fatal(c) ? "; start a new one" : "")};
}

int fake_driver::suitability(std::uint32_t, std::string_view architecture) const noexcept {
  return architecture == "fake_1" ? 10 : architecture == "fake_0" ? 5 : 0;
}

// Execution.

bool fake_driver::run_one() {
  if (held_ || streams_.empty()) return false;
  const std::size_t first = random_() % streams_.size();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    fake_stream& s = *streams_[(first + i) % streams_.size()];
    if (s.operations.empty() || s.held || broken_.count(s.device) != 0) continue;
    operation& o = s.operations.front();
    if (o.what == operation::kind::wait && o.on->completed < o.ticket) continue;
    if (o.what == operation::kind::record) {
      o.on->completed = std::max(o.on->completed, o.ticket);
      o.on->time = std::chrono::steady_clock::now();
    } else if (o.what == operation::kind::work) {
      try {
        o.work();
      } catch (...) {
        broken_[s.device] = illegal_address;
      }
    }
    s.operations.pop_front();
    changed_.notify_all();
    return true;
  }
  return false;
}

bool fake_driver::advance(std::size_t n) {
  std::lock_guard<std::mutex> lock(mutex_);
  bool any = false;
  for (std::size_t i = 0; i < n && run_one(); ++i) any = true;
  return any;
}

void fake_driver::hold(bool on) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    held_ = on;
  }
  changed_.notify_all();
}

void fake_driver::hold(gpu::stream s, bool on) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    static_cast<fake_stream*>(s.native)->held = on;
  }
  changed_.notify_all();
}

void fake_driver::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    if (!run_one()) {
      changed_.wait_for(lock, std::chrono::milliseconds(5));
      continue;
    }
    // Others get their turn in between, now and then for longer.
    const bool rest = random_() % 8 == 0;
    lock.unlock();
    if (rest) std::this_thread::yield();
    lock.lock();
  }
}

// Memory.

code fake_driver::allocate(const char* entry, std::size_t bytes, void*& out) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter(entry, -1); c != success) return c;
  out = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (out == nullptr) return out_of_memory;
  std::memset(out, 0xcd, bytes);
  memory_.insert(out);
  made("memory", 1);
  return success;
}
code fake_driver::free_memory(std::uint32_t, std::size_t& bytes) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  bytes = 12345;
  return enter("free_memory", -1);
}
code fake_driver::free_it(const char* entry, void* p) {
  std::lock_guard<std::mutex> lock(mutex_);
  enter(entry, -1);
  memory_.erase(p);
  std::free(p);
  made("memory", -1);
  return success;
}
code fake_driver::allocate_device(std::uint32_t, std::size_t bytes, void*& out) noexcept {
  return allocate("allocate_device", bytes, out);
}
code fake_driver::free_device(std::uint32_t, void* p) noexcept { return free_it("free_device", p); }
code fake_driver::allocate_host(std::uint32_t, std::size_t bytes, void*& out) noexcept {
  return allocate("allocate_host", bytes, out);
}
code fake_driver::free_host(std::uint32_t, void* p) noexcept { return free_it("free_host", p); }
code fake_driver::allocate_managed(std::uint32_t, std::size_t bytes, void*& out) noexcept {
  return allocate("allocate_managed", bytes, out);
}
code fake_driver::free_managed(std::uint32_t, void* p) noexcept {
  return free_it("free_managed", p);
}

// Streams and events.

code fake_driver::make_texture(std::uint32_t device, void*, const model::texture_description&,
                               std::uint64_t& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("make_texture", device); c != success) return c;
  out = textures_made_++;  // 0 is one, too
  textures_.insert(out);
  made("texture", 1);
  return success;
}

void fake_driver::destroy_texture(std::uint32_t, std::uint64_t t) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  ++calls_["destroy_texture"];
  if (textures_.erase(t) == 0) {
    complain("destroys a texture that is none");
    return;
  }
  made("texture", -1);
}

code fake_driver::make_stream(std::uint32_t device, gpu::stream& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("make_stream", device); c != success) return c;
  streams_.push_back(new fake_stream{device, {}});
  out.native = streams_.back();
  made("stream", 1);
  return success;
}

void fake_driver::destroy(std::uint32_t, gpu::stream s) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  auto* const f = static_cast<fake_stream*>(s.native);
  const auto it = std::find(streams_.begin(), streams_.end(), f);
  if (it == streams_.end()) {
    complain("a stream is destroyed twice");
    return;
  }
  if (!f->operations.empty() && broken_.count(f->device) == 0)
    complain("a stream is destroyed with work in it");
  streams_.erase(it);
  delete f;
  made("stream", -1);
}

code fake_driver::make_event(std::uint32_t device, bool with_time, gpu::event& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("make_event", device); c != success) return c;
  auto* e = new fake_event();
  e->device = device;
  e->with_time = with_time;
  events_.insert(e);
  out.native = e;
  made("event", 1);
  return success;
}

void fake_driver::destroy(std::uint32_t, gpu::event e) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (events_.erase(e.native) == 0) {
    complain("an event is destroyed twice");
    return;
  }
  delete static_cast<fake_event*>(e.native);
  made("event", -1);
}

code fake_driver::record(std::uint32_t device, gpu::stream s, gpu::event e) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("record", device); c != success) return c;
  auto& f = *static_cast<fake_event*>(e.native);
  auto& on = *static_cast<fake_stream*>(s.native);
  if (f.device != on.device) {
    complain("an event is recorded on a stream of another device");
    return invalid;
  }
  on.operations.push_back({operation::kind::record, {}, &f, ++f.recorded});
  changed_.notify_all();
  return success;
}

code fake_driver::wait(std::uint32_t device, gpu::stream s, gpu::event e) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("wait", device); c != success) return c;
  auto& f = *static_cast<fake_event*>(e.native);
  static_cast<fake_stream*>(s.native)->operations.push_back(
      {operation::kind::wait, {}, &f, f.recorded});
  changed_.notify_all();
  return success;
}

gpu::event_state fake_driver::query(gpu::event e, code& why) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto& f = *static_cast<fake_event*>(e.native);
  why = enter("query", f.device);
  if (why != success) return gpu::event_state::broken;
  return f.completed == f.recorded ? gpu::event_state::reached : gpu::event_state::not_reached;
}

code fake_driver::synchronize(gpu::event e) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  auto& f = *static_cast<fake_event*>(e.native);
  if (const code c = enter("synchronize", f.device); c != success) return c;
  const std::uint64_t ticket = f.recorded;
  changed_.wait(lock, [&] { return f.completed >= ticket || broken_.count(f.device) != 0; });
  return f.completed >= ticket ? success : broken_[f.device];
}

code fake_driver::elapsed(gpu::event from, gpu::event to, float& milliseconds) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto& a = *static_cast<fake_event*>(from.native);
  const auto& b = *static_cast<fake_event*>(to.native);
  if (const code c = enter("elapsed", b.device); c != success) return c;
  if (!a.with_time || !b.with_time || a.completed != a.recorded || b.completed != b.recorded) {
    complain("times of events without times, or not reached");
    return invalid;
  }
  milliseconds = std::chrono::duration<float, std::milli>(b.time - a.time).count();
  return success;
}

void fake_driver::print_output(gpu::event e) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  ++calls_["print_output"];
  const auto& f = *static_cast<fake_event*>(e.native);
  if (f.completed != f.recorded) complain("output is asked for that may still be to come");
}

// Work.

bool fake_driver::pageable(const gpu::copy_operation& o) const {
  const auto side = [this](std::int32_t where, const void* start) {
    return where < 0 && memory_.count(const_cast<void*>(start)) == 0;
  };
  return side(o.from, o.box.source) || side(o.to, o.box.destination);
}

bool fake_driver::lock_pages(std::uint32_t, void* start, std::size_t bytes) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (locks_pages) locked_.emplace(reinterpret_cast<std::uintptr_t>(start), bytes);
  return locks_pages;
}

void fake_driver::unlock_pages(std::uint32_t, void* start) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (locked_.erase(reinterpret_cast<std::uintptr_t>(start)) == 0)
    complain("pages are unlocked that are not locked");
}

// Drivers refuse copies of what is locked in part. They lock whole pages.
void fake_driver::check_pages(const gpu::copy_operation& o) {
  constexpr std::uintptr_t page = 4096;
  const auto check = [&](std::int32_t where, const void* start, std::uint64_t row,
                         std::uint64_t slice) {
    if (where >= 0) return;
    const auto at = reinterpret_cast<std::uintptr_t>(start);
    const std::uintptr_t first = at / page,
                         end = (at + (o.box.depth - 1) * slice + (o.box.height - 1) * row +
                                o.box.width + page - 1) /
                               page;
    std::size_t inside = 0;
    for (std::uintptr_t p = first; p < end; ++p)
      for (const auto& [begin, bytes] : locked_)
        if (p >= begin / page && p * page < begin + bytes) ++inside;
    if (inside != 0 && inside != end - first) complain("a copy of memory that is locked in part");
  };
  check(o.from, o.box.source, o.box.source_row_pitch, o.box.source_slice_pitch);
  check(o.to, o.box.destination, o.box.destination_row_pitch, o.box.destination_slice_pitch);
}

code fake_driver::copy(gpu::stream s, const gpu::copy_operation& o) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  auto& on = *static_cast<fake_stream*>(s.native);
  if (const code c = enter("copy", on.device); c != success) return c;
  const auto done = std::make_shared<bool>(false);
  on.operations.push_back({operation::kind::work,
                           [work = work_of(o), done] {
                             work();
                             *done = true;
                           },
                           nullptr, 0});
  changed_.notify_all();
  check_pages(o);
  if (patient_copies && pageable(o))
    changed_.wait(lock, [&] { return *done || stopping_ || broken_.count(on.device) != 0; });
  return success;
}

code fake_driver::fill(gpu::stream s, const gpu::fill_operation& o) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  auto& on = *static_cast<fake_stream*>(s.native);
  if (const code c = enter("fill", on.device); c != success) return c;
  if (reinterpret_cast<std::uintptr_t>(o.destination) % o.element_bytes != 0 ||
      (o.rows > 1 && o.pitch % o.element_bytes != 0)) {
    complain("a fill is not aligned");
    return invalid;
  }
  on.operations.push_back({operation::kind::work, work_of(o), nullptr, 0});
  changed_.notify_all();
  return success;
}

code fake_driver::launch(gpu::stream s, const gpu::kernel_launch& l) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  auto& on = *static_cast<fake_stream*>(s.native);
  if (const code c = enter("launch", on.device); c != success) return c;
  if (l.device != on.device) {
    complain("a kernel is launched on a stream of another device");
    return invalid;
  }
  if (!takes(l)) return invalid;
  if (l.overlapping) ++calls_["launch_overlapping"];
  on.operations.push_back({operation::kind::work, work_of(l), nullptr, 0});
  changed_.notify_all();
  return success;
}

// Images.

code fake_driver::load(std::uint32_t device, const void* bytes, std::size_t size, gpu::module& out,
                       std::string& log) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("load", device); c != success) {
    log = "the fake compiler is not amused";
    return c;
  }
  auto* image = new std::string(static_cast<const char*>(bytes), size);
  keep(image);
  out.native = image;
  made("module", 1);
  return success;
}

void fake_driver::unload(std::uint32_t, gpu::module m) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  ++calls_["unload"];
  end(m.native);
  made("module", -1);
}

code fake_driver::find(std::uint32_t device, gpu::module, const char* symbol, gpu::kernel& out,
                       gpu::kernel_limits& limits) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("find", device); c != success) return c;
  const auto it = kernels.find(symbol);
  if (it == kernels.end()) return not_found;
  out.native = &it->second;
  limits = it->second.limits;
  constexpr std::uint32_t always = 48U << 10;
  it->second.allowed_local_bytes =
      always > limits.static_local_bytes ? always - limits.static_local_bytes : 0;
  return success;
}

// As real drivers do, it takes the last call's value.
code fake_driver::allow_local_memory(std::uint32_t device, gpu::kernel k,
                                     std::uint32_t bytes) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("allow_local_memory", device); c != success) return c;
  auto& it = *static_cast<fake_kernel*>(k.native);
  if (std::uint64_t{bytes} + it.limits.static_local_bytes > setup_.max_local_bytes) return invalid;
  it.allowed_local_bytes = bytes;
  return success;
}

bool fake_driver::takes(const gpu::kernel_launch& l) {
  if (l.dynamic_local_bytes <= static_cast<fake_kernel*>(l.function.native)->allowed_local_bytes)
    return true;
  complain("a kernel is launched with more local memory than it was allowed");
  return false;
}

}  // namespace pianola::test
