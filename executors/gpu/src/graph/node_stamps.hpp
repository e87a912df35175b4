// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "completion/device_resources.hpp"
#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

class engine;

// Events with times around single steps of a graph, which each launch records anew. One launch at a time.
class node_stamps {
 public:
  explicit node_stamps(engine& e) noexcept : engine_(e) {}
  ~node_stamps();
  node_stamps(const node_stamps&) = delete;
  node_stamps& operator=(const node_stamps&) = delete;

  // Nothing where the driver's graphs cannot record events.
  // `first`: the number of the first of them.
  void collect(std::uint32_t first, model::array_view<const executors::graph_step> steps);
  [[nodiscard]] bool empty() const noexcept { return stamps_.empty(); }

  // Building: records the step's event behind `after`, which becomes that record.
  code begin(graph g, std::uint32_t step, std::uint32_t device, std::vector<node>& after);
  code end(graph g, std::uint32_t step, std::vector<node>& after);

  // The launch, in a lane of the device, has finished. Calls told(step, from, to), in nanoseconds.
  template <class F>
  void tell(const clock_base& base, std::uint32_t device, const F& told) noexcept {
    for (const stamp& s : stamps_) {
      std::uint64_t from = 0, to = 0;
      if (s.recorded && s.device == device && times(s, base, from, to)) told(s.step, from, to);
    }
  }

 private:
  struct stamp {
    std::uint32_t step;
    std::uint32_t device = 0;
    bool recorded = false;  // the graph has nodes for it
    event started, ended;
  };
  [[nodiscard]] stamp* find(std::uint32_t step) noexcept;
  [[nodiscard]] bool times(const stamp& s, const clock_base& base, std::uint64_t& from,
                           std::uint64_t& to) noexcept;
  code record(graph g, std::uint32_t device, event e, std::vector<node>& after);

  engine& engine_;
  std::vector<stamp> stamps_;  // ascending by step
};

}  // namespace pianola::gpu
