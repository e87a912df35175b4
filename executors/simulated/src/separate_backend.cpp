// SPDX-License-Identifier: Apache-2.0
// Simulated devices in a domain of their own: everything that the runtime does differently for devices that are
// no threads of the team (graphics processors) can be tried with them anywhere.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>
#include <pianola/host/team.hpp>

#include "separate_lane.hpp"
#include "simulated_backend.hpp"

namespace pianola::simulated {

namespace {

using executors::status;

// How long a device's thread sleeps while the next steps wait for somebody else.
constexpr std::chrono::microseconds blocked_sleep{100};
// How often steps are found to be finished without anybody's asking. Rarely: whoever needs it is to ask.
constexpr std::chrono::milliseconds unasked{2};

class separate_backend final : public executors::backend {
 public:
  separate_backend(std::vector<model::device_properties> devices, device_memory& memory,
                   const executors::step_observer& observer)
      : devices_(std::move(devices)),
        machine_(memory, observer),
        threads_(devices_.size()),
        lanes_(devices_.size()) {
    memory.let_devices_be_lost();
  }
  separate_backend(const separate_backend&) = delete;
  separate_backend& operator=(const separate_backend&) = delete;
  // Only where the process could not start: nothing has been submitted. Otherwise the threads end with the process.
  ~separate_backend() override {
    stopping_ = true;
    for (device_thread& t : threads_) {
      const std::lock_guard<std::mutex> lock(t.mutex);
      ++t.submissions;
      t.news.notify_all();
    }
    {
      const std::lock_guard<std::mutex> lock(machine_.mutex);
      machine_.any_outstanding.notify_all();
    }
    for (host::started_thread& t : helpers_) t.join();
  }
  // Throws model::user_error (platform) if a thread cannot be started.
  void start() {
    const host::team& team = host::team::instance();
    helpers_.reserve(devices_.size() + 1);
    for (std::uint32_t d = 0; d < devices_.size(); ++d)
      helpers_.push_back(team.start_helper("pianola-device", [this, d] { run_device(d); }));
    helpers_.push_back(team.start_helper("pianola-look", [this] { look_now_and_then(); }));
  }

  [[nodiscard]] std::string_view name() const noexcept override { return "simulated"; }
  [[nodiscard]] const std::vector<model::device_properties>& devices() const noexcept override {
    return devices_;
  }
  [[nodiscard]] std::string_view domain() const noexcept override { return "simulated"; }
  void describe_links(model::array_view<const model::memory_id> memories,
                      std::vector<model::link_description>& links) const override {
    device_memory::describe_links(memories, links);
  }
  void set_memories(model::array_view<const model::memory_id> memories) override {
    for (std::size_t i = 0; i < devices_.size() && i < memories.size(); ++i) {
      devices_[i].memory = memories[i];
      machine_.reachable |= std::uint64_t{1} << memories[i].value();
    }
  }
  status allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                  std::size_t alignment, void*& out) noexcept override {
    return machine_.memory.allocate(device, kind, bytes, alignment, out);
  }
  void deallocate(std::uint32_t device, executors::memory_kind, void* pointer) noexcept override {
    machine_.memory.deallocate(device, pointer);
  }
  std::unique_ptr<executors::page_store> open_pages(std::uint32_t device,
                                                    executors::memory_kind kind) noexcept override {
    return machine_.memory.open_pages(device, kind);
  }

  status make_lane(std::uint32_t device, executors::lane*& out) noexcept override {
    try {
      auto made = std::make_unique<separate_lane>(machine_, threads_[device], device);
      std::lock_guard<std::mutex> lock(lanes_mutex_);
      {
        std::lock_guard<std::mutex> of_device(threads_[device].mutex);
        threads_[device].lanes.reserve(lanes_[device].size() + 1);
      }
      lanes_[device].push_back(std::move(made));
      out = lanes_[device].back().get();
      return {};
    } catch (...) {
      return host::current_exception_status();
    }
  }
  status submit(executors::lane& where, const executors::step_submission& step) noexcept override {
    return submit(static_cast<separate_lane&>(where), step, nullptr);
  }
  status instantiate(executors::graph_steps& steps,
                     std::unique_ptr<executors::native_graph>& out) noexcept override {
    try {
      auto made = std::make_unique<separate_graph>(machine_);
      for (auto some = steps.next(); !some.empty(); some = steps.next())
        for (const executors::graph_step& s : some) {
          if (s.owner != nullptr && s.owner != this)
            return {model::error_code::runtime, "a step of another domain is in the graph"};
          made->add(s);
        }
      machine_.memory.note_most_urgent(made->most_urgent());
      out = std::move(made);
      return {};
    } catch (...) {
      return host::current_exception_status();
    }
  }
  status launch(executors::lane& where, executors::native_graph& graph,
                const executors::step_submission& step) noexcept override {
    return submit(static_cast<separate_lane&>(where), step, &static_cast<separate_graph&>(graph));
  }
  status update(executors::native_graph& graph, model::array_view<const std::uint32_t> indices,
                model::array_view<const executors::graph_step> steps) noexcept override {
    for (std::size_t i = 0; i < indices.size(); ++i)
      static_cast<separate_graph&>(graph).replace(indices[i], steps[i].action, steps[i].context);
    return {};
  }

 private:
  status submit(separate_lane& where, const executors::step_submission& step,
                separate_graph* graph) noexcept {
    if (machine_.memory.is_lost(where.device()))
      return {model::error_code::runtime,
              fmt::format("simulated device {} is lost", where.device())};
    try {
      where.submit(step, graph);
      return {};
    } catch (...) {
      return host::current_exception_status();
    }
  }

  [[nodiscard]] separate_lane* lane_at(std::uint32_t device, std::size_t index) {
    std::lock_guard<std::mutex> lock(lanes_mutex_);
    return index < lanes_[device].size() ? lanes_[device][index].get() : nullptr;
  }

  void run_device(std::uint32_t device) noexcept {
    device_thread& mine = threads_[device];
    std::vector<separate_lane*> lanes, empty;
    while (!stopping_) {
      std::unique_lock<std::mutex> lock(mine.mutex);
      const std::uint64_t seen = mine.submissions;
      lanes = mine.lanes;
      lock.unlock();
      bool ran = false, blocked = false;
      empty.clear();
      for (separate_lane* l : lanes) {
        const auto o = l->run_one();
        ran = ran || o == separate_lane::outcome::ran;
        blocked = blocked || o == separate_lane::outcome::blocked;
        if (o == separate_lane::outcome::empty) empty.push_back(l);
      }
      lock.lock();
      // Whoever submits meanwhile finds the lane listed.
      if (mine.submissions == seen)
        for (separate_lane* l : empty) {
          l->listed = false;
          mine.lanes.erase(std::find(mine.lanes.begin(), mine.lanes.end(), l));
        }
      if (ran) continue;
      const auto news = [&] { return stopping_ || mine.submissions != seen; };
      if (blocked)
        mine.news.wait_for(lock, blocked_sleep, news);
      else
        mine.news.wait(lock, news);
    }
  }

  void look_now_and_then() noexcept {
    while (!stopping_) {
      {
        std::unique_lock<std::mutex> lock(machine_.mutex);
        machine_.any_outstanding.wait(
            lock, [&] { return stopping_ || machine_.outstanding.load() != 0; });
      }
      std::this_thread::sleep_for(unasked);
      for (std::uint32_t d = 0; d < devices_.size(); ++d)
        for (std::size_t i = 0; separate_lane* l = lane_at(d, i); ++i) l->look(l->completion());
    }
  }

  std::vector<model::device_properties> devices_;
  separate_machine machine_;
  std::vector<device_thread> threads_;
  std::vector<host::started_thread> helpers_;
  std::atomic<bool> stopping_{false};
  std::mutex lanes_mutex_;
  std::vector<std::vector<std::unique_ptr<separate_lane>>> lanes_;  // index: device
};

}  // namespace

executors::backend* make_separate_backend(std::vector<model::device_properties> devices,
                                          device_memory& memory,
                                          const executors::step_observer& observer) {
  auto made = std::make_unique<separate_backend>(std::move(devices), memory, observer);
  made->start();
  return made.release();
}

}  // namespace pianola::simulated
