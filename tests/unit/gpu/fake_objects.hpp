// SPDX-License-Identifier: Apache-2.0
// What the handles of the fake driver point to.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "fake_driver.hpp"

namespace pianola::test {

struct fake_driver::fake_event {
  std::uint32_t device = 0;
  bool with_time = false;
  std::uint64_t recorded = 0;  // how often
  std::uint64_t completed = 0;
  std::chrono::steady_clock::time_point time;
};

struct fake_driver::operation {
  enum class kind { work, record, wait } what = kind::work;
  std::function<void()> work;
  fake_event* on = nullptr;
  std::uint64_t ticket = 0;
};

struct fake_driver::fake_stream {
  std::uint32_t device = 0;
  std::deque<operation> operations;
  bool held = false;
};

struct fake_driver::placed_node {
  fake_graph* in = nullptr;
  std::size_t index = 0;
};

struct fake_driver::fake_graph {
  fake_nodes nodes;
  std::vector<std::unique_ptr<placed_node>> handles;
};

struct fake_driver::fake_executable {
  std::shared_ptr<fake_nodes> nodes;  // replaced, never changed: launches under way keep theirs
  fake_graph* of = nullptr;
};

}  // namespace pianola::test
