// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::model {

// What a driver has handles of, for interoperation. Each is what the vendor's header declares, as a pointer or as an
// integer made a pointer.
enum class native_kind : unsigned char {
  device,
  context,
  queue,  // a stream
  event,
  graph,      // of which an executable graph was made
  executable  // an executable graph
};

}  // namespace pianola::model
