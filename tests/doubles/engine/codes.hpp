// SPDX-License-Identifier: Apache-2.0
// Results of calls. The numbers are CUDA's; HIP has the same ones for what both know.
#pragma once

#include <string>
#include <utility>

namespace pianola::test::drivers {

namespace codes {
enum : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  symbol_not_found = 302,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  out_of_resources = 701,
  peer_access_already_enabled = 704,
  peer_access_not_enabled = 705,
  context_is_destroyed = 709,
  already_registered = 712,
  not_registered = 713,
  launch_failed = 719,
  not_supported = 801,
  illegal_state = 401,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_merge = 902,
  capture_unmatched = 903,
  capture_unjoined = 904,
  capture_isolation = 905,
  capture_implicit = 906,
  captured_event = 907,
  capture_wrong_thread = 908,
  update_failed = 910,
  unknown = 999
};
}  // namespace codes

/// Thrown inside a call, never through the C interface.
struct failure {
  int code;
  std::string text;
  /// The program broke a rule (it is reported and counted), rather than asked for something that it could not
  /// know not to be had.
  bool violation;
};

[[noreturn]] inline void violate(int code, std::string text) {
  throw failure{code, std::move(text), true};
}
[[noreturn]] inline void refuse(int code, std::string text) {
  throw failure{code, std::move(text), false};
}

}  // namespace pianola::test::drivers
