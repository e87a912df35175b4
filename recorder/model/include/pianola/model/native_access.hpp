// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ids.hpp"

namespace pianola::model {

// A graph of a driver's that is being built while a function of the program runs.
class native_graph {
 public:
  // The graph, for who adds nodes itself. Until then what is put into the stream is captured into it; from then on the
  // stream is as any other. Throws model::user_error.
  virtual void* take() = 0;

 protected:
  ~native_graph() = default;
};

// What a function of the program that works with the driver itself is given. Null: the device has no such thing.
struct native_access {
  device_id device;
  void* stream = nullptr;         // work put there is ordered with the queue's commands
  native_graph* graph = nullptr;  // being built: the work becomes part of it instead
};

}  // namespace pianola::model
