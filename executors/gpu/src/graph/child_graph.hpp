// SPDX-License-Identifier: Apache-2.0
// What a function of the program adds to a graph: what it puts into a stream is captured, until it asks for a graph that it
// can add nodes to.
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/gpu/driver.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/native_access.hpp>

#include "engine/engine.hpp"

namespace pianola::gpu {

// Where the driver can, what is captured becomes nodes of the graph itself: a graph inside must not allocate memory, and
// libraries do so while they are captured. Otherwise, and for functions that ask for a graph, it is a graph inside.
class child_graph final : public model::native_graph {
 public:
  // Behind the nodes `after` of `whole`; without handle it has been lost.
  child_graph(engine& e, std::uint32_t device, stream s, graph& whole,
              std::vector<node>& after) noexcept
      : engine_(e), device_(device), stream_(s), whole_(whole), after_(after) {}
  child_graph(const child_graph&) = delete;
  child_graph& operator=(const child_graph&) = delete;
  ~child_graph() {
    end();
    if (own_.native != nullptr) engine_.drv.destroy(own_);
  }

  executors::status begin() {
    const capabilities& can = engine_.drv.can();
    if (!can.captures) return make_own();
    in_place_ = can.captures_into_graphs;
    const code c = in_place_ ? engine_.drv.begin_capture_into(device_, stream_, whole_, after_)
                             : engine_.drv.begin_capture(device_, stream_);
    capturing_ = c == success;
    return c == success ? executors::status{} : engine_.failure(c, "beginning to capture a stream");
  }

  // For the function: from now on nothing is captured.
  void* take() override {
    executors::status s = ended();
    if (s.ok() && own_.native == nullptr) s = make_own();
    if (!s.ok()) throw model::user_error(s.code, s.reason);
    return own_.native;
  }

  // The function has returned. `after` becomes what those who come behind wait for.
  executors::status finish() {
    if (executors::status s = ended(); !s.ok() || own_.native == nullptr) return s;
    node made;
    const code c = engine_.drv.add_child(whole_, after_, own_, made);
    if (c != success) return engine_.failure(c, "adding native commands to a graph");
    after_.assign(1, made);
    return {};
  }

 private:
  executors::status make_own() {
    const code c = engine_.drv.make_graph(own_);
    return c == success ? executors::status{} : engine_.failure(c, "making a graph");
  }
  void end() noexcept {
    if (!capturing_) return;
    capturing_ = false;
    if (!in_place_) {
      ended_with_ = engine_.drv.end_capture(device_, stream_, own_);
      return;
    }
    std::vector<node> ends;
    ended_with_ = engine_.drv.end_capture_into(device_, stream_, ends);
    if (ended_with_ == success)
      after_.swap(ends);
    else
      whole_ = {};
  }
  // A failure is told each time.
  executors::status ended() {
    end();
    return ended_with_ == success
               ? executors::status{}
               : engine_.failure(ended_with_,
                                 "capturing what a native command puts into its stream");
  }

  engine& engine_;
  std::uint32_t device_;
  stream stream_;
  graph& whole_;
  std::vector<node>& after_;
  graph own_;
  bool capturing_ = false;
  bool in_place_ = false;
  code ended_with_ = success;
};

}  // namespace pianola::gpu
