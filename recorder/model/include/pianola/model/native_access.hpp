// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ids.hpp"

namespace pianola::model {

// What a function of the program that works with the driver itself is given. Null: the device has no such thing.
struct native_access {
  device_id device;
  void* stream = nullptr;  // work put there is ordered with the queue's commands
  void* graph = nullptr;   // being built: nodes go there instead
};

}  // namespace pianola::model
