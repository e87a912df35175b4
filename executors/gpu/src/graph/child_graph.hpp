// SPDX-License-Identifier: Apache-2.0
// A graph that a function of the program fills: what it puts into a stream is captured, until it asks for the graph.
#pragma once
#include <cstdint>

#include <pianola/gpu/driver.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/native_access.hpp>

#include "engine/engine.hpp"

namespace pianola::gpu {

class child_graph final : public model::native_graph {
 public:
  child_graph(engine& e, std::uint32_t device, stream s) noexcept
      : engine_(e), device_(device), stream_(s) {}
  child_graph(const child_graph&) = delete;
  child_graph& operator=(const child_graph&) = delete;
  ~child_graph() {
    (void)end();
    if (graph_.native != nullptr) engine_.drv.destroy(graph_);
  }

  executors::status begin() {
    if (!engine_.drv.can().captures) {
      const code c = engine_.drv.make_graph(graph_);
      return c == success ? executors::status{} : engine_.failure(c, "making a graph");
    }
    const code c = engine_.drv.begin_capture(device_, stream_);
    capturing_ = c == success;
    return c == success ? executors::status{} : engine_.failure(c, "beginning to capture a stream");
  }

  void* take() override {
    if (const code c = end(); c != success) ended_with_ = c;
    if (ended_with_ != success) {
      const executors::status s =
          engine_.failure(ended_with_, "capturing what a native command puts into its stream");
      throw model::user_error(s.code, s.reason);
    }
    return graph_.native;
  }

 private:
  code end() noexcept {
    if (!capturing_) return success;
    capturing_ = false;
    return engine_.drv.end_capture(device_, stream_, graph_);
  }

  engine& engine_;
  std::uint32_t device_;
  stream stream_;
  graph graph_;
  bool capturing_ = false;
  code ended_with_ = success;
};

}  // namespace pianola::gpu
