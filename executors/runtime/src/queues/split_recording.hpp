// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::runtime {

// A recording that is cut where the program waits for what it has recorded. Waits stand above graphs and see no more of
// them than this.
class split_recording {
 public:
  // What was recorded so far runs, and has run when this returns. Recording goes on in a next leg.
  virtual void cut() = 0;

 protected:
  ~split_recording() = default;
};

}  // namespace pianola::runtime
