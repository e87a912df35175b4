// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::journal {

// First byte of each entry of a journal.
struct entry {
  enum kind : unsigned char {
    text = 1,
    machine,
    buffer,
    allocation,
    freed,
    shape,
    shapes_forgotten,
    command,
    host_waited,
    queue_waited,
    buffer_ended,
    measured,
    measured_from
  };
};

}  // namespace pianola::journal
