// SPDX-License-Identifier: Apache-2.0
// A graph run step by step: while something has failed, each of its steps may have to be left out.
#include <pianola/host/host_backend.hpp>

#include "engine/engine.hpp"
#include "graph/gpu_graph.hpp"
#include "issue/lane.hpp"

namespace pianola::gpu {

using executors::status;

namespace {

// The stream that steps go to, one device after the other. Each goes on where the one before ended.
class traveller {
 public:
  traveller(engine& e, gpu_graph& g, std::uint32_t home, stream home_stream) noexcept
      : engine_(e),
        graph_(g),
        home_(home),
        home_stream_(home_stream),
        device_(home),
        stream_(home_stream) {}
  [[nodiscard]] stream here() const noexcept { return stream_; }

  code go_to(std::uint32_t device) {
    if (device == device_) return success;
    stream next = home_stream_;
    if (device != home_)
      if (const code c = graph_.side_stream(device, next); c != success) return c;
    event e;
    event_pool& pool = engine_.resources(device_).events;
    code c = pool.take(false, e);
    if (c != success) return c;
    c = engine_.drv.record(device_, stream_, e);
    if (c == success) c = engine_.drv.wait(device, next, e);
    pool.give(false, e);
    if (c != success) return c;
    device_ = device;
    stream_ = next;
    return success;
  }
  code go_home() { return go_to(home_); }

 private:
  engine& engine_;
  gpu_graph& graph_;
  std::uint32_t home_;
  stream home_stream_;
  std::uint32_t device_;
  stream stream_;
};

}  // namespace

std::exception_ptr lane::run_task(guard& lock, executors::resolved_host_task& task,
                                  std::uint32_t device, stream where) {
  task.access.stream = where.native;
  lock.unlock();
  std::exception_ptr thrown = engine_.call(device, task);
  lock.lock();
  return thrown;
}

void lane::run_steps(guard& lock, gpu_graph& graph) {
  const executors::step_observer& o = engine_.observer;
  engine_.counters.stepwise.fetch_add(1, std::memory_order_relaxed);
  traveller at(engine_, graph, device_, stream_);
  step_operations operations;
  outside_links& links = graph.links();
  links.begin_steps();
  const auto run = [&](std::uint32_t index, code ordered) -> std::exception_ptr {
    const gpu_graph::kept_step& s = graph.steps()[index];
    if (o.attention->load(std::memory_order_relaxed) && o.admit != nullptr) {
      lock.unlock();
      const bool run = o.admit(s.context.data());
      lock.lock();
      if (!run) return {};
    }
    try {
      if (!engine_.state.usable()) return exception_of(engine_.state.why());
      if (status made = engine_.prepare(s.device, s.action, s.kernel.get(), operations); !made.ok())
        return exception_of(made);
      if (operations.reads_its_range() != nullptr) operations.set_range_word(s.range_word);
      code c = ordered;
      if (c == success) c = at.go_to(s.device);
      if (c == success && engine_.blocks(s.action)) {
        in_call_ = true;
        lock.unlock();
        c = engine_.issue(at.here(), operations);
        lock.lock();
        in_call_ = false;
        changed_.notify_all();
      } else if (c == success) {
        c = engine_.issue(at.here(), operations);
      }
      if (c != success) return exception_of(engine_.failure(c, gpu::describe(s.action)));
      if (const auto* t = std::get_if<executors::resolved_host_task>(&s.action)) {
        executors::resolved_host_task task = *t;
        return run_task(lock, task, s.device, at.here());
      }
      if (std::holds_alternative<executors::resolved_control>(s.action))
        if (status ran = graph.run_control(index, at.here()); !ran.ok()) return exception_of(ran);
      return {};
    } catch (...) {
      return exception_of(host::current_exception_status());
    }
  };
  for (std::uint32_t i = 0; i < graph.steps().size(); ++i) {
    const gpu_graph::kept_step& s = graph.steps()[i];
    // Also where the step is left out: those behind it rely on the order.
    const bool linked = links.has(i) && engine_.state.usable();
    code ordered = linked ? at.go_to(s.device) : success;
    if (linked && ordered == success) ordered = links.wait_at(i, at.here());
    const std::exception_ptr error = run(i, ordered);
    if (linked && links.record_at(i, at.here()) != success) links.not_recorded();
    if (error == nullptr || o.failed == nullptr || engine_.state.closing()) continue;
    lock.unlock();
    o.failed(s.context.data(), error);
    lock.lock();
  }
  const code c = at.go_home();
  if (c != success) fail(c);
}

}  // namespace pianola::gpu
