// SPDX-License-Identifier: Apache-2.0
// What tests can ask of the test drivers (tests/doubles), besides what real drivers offer. Look
// `pianola_test_driver_control` up with dlsym in the loaded library, or call driver_control_of().
//
// The environment, read when the library is first called:
//   PIANOLA_TEST_DRIVER_DEVICES=n       devices, 1 if not set
//   PIANOLA_TEST_DRIVER_MEMORY=n        MiB of each, 8192 if not set
//   PIANOLA_TEST_DRIVER_PEERS=0         no device reaches another one's memory
//   PIANOLA_TEST_DRIVER_SEED=n          of the order and the delays of work; 0: none; 1 if not set
//   PIANOLA_TEST_DRIVER_STRICT=1        a violation of the driver's rules aborts the program
//   PIANOLA_TEST_DRIVER_LATE_RECORDS=1  see set_late_records()
//   PIANOLA_TEST_DRIVER_LATE_WAITS=1    see set_late_waits()
//   PIANOLA_TEST_DRIVER_PATIENT_COPIES=1  see set_patient_copies()
//   PIANOLA_TEST_DRIVER_FAIL=list       see fail(): "cuLaunchKernel:3=700,cuMemAlloc_v2:every=2"
//   PIANOLA_TEST_DRIVER_ARCHITECTURE=x  of the devices, "pianola-sim" if not set
//   PIANOLA_TEST_DRIVER_CUDA_VERSION=n  as cuDriverGetVersion counts, 12080 if not set
//   PIANOLA_TEST_DRIVER_HIP_VERSION=n   of HIP's runtime, as hipRuntimeGetVersion counts, 50700000 if not set; may change
//   PIANOLA_TEST_DRIVER_REPORT=1        at exit, what is still there is written to the standard error stream; so
//                                       is which function "any" was
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace pianola::test {

enum class copied : std::uint32_t {
  host_to_device,
  device_to_host,
  within_device,
  between_devices,
  host_to_host
};

constexpr std::uint64_t every_call = ~std::uint64_t{0};

struct driver_control {
  std::uint32_t version;  // 1

  /// The n-th call of the function from now on (1: the next one; every_call: each) does nothing and returns
  /// `code`. Names that are no functions: "any": a call of any function; "kernel", "copy", "fill": the n-th that
  /// is run; it is not, and its context is lost with the code. False: the name is not known.
  bool (*fail)(const char* name, std::uint64_t n, int code);
  /// Calls of the function since the last reset.
  std::uint64_t (*calls)(const char* name);
  std::uint64_t (*all_calls)();
  /// Finished copies: bytes, and how many.
  std::uint64_t (*copied_bytes)(copied direction);
  std::uint64_t (*copies)(copied direction);
  std::uint64_t (*kernels)();  // that were run
  /// Objects that have not been destroyed: "context", "stream", "event", "module", "texture", "graph",
  /// "executable graph", "allocation", "locked memory" of the program's own.
  std::size_t (*live)(const char* kind);
  /// Rules broken since the last reset, and what the last one was (valid until the next).
  std::uint64_t (*violations)();
  const char* (*last_violation)();
  /// Counters to 0, failures forgotten.
  void (*reset)();
  void (*set_strict)(bool);
  void (*set_seed)(std::uint64_t);
  /// true: no work is begun until it is set to false again.
  void (*hold)(bool);
  /// Everything that has been submitted has finished.
  bool (*idle)();
  /// true: a graph's node records its event only when it is run; until then the event stands for what was recorded
  /// before. Otherwise the event stands for the node from the graph's launch on, as real drivers document it.
  void (*set_late_records)(bool);
  /// true: a graph's node waits for what its event stands for when it is run; otherwise for what it stood for when the
  /// graph was launched.
  void (*set_late_waits)(bool);
  /// true: copies from and to memory that the driver does not know return when they are done, as real drivers' mostly do;
  /// otherwise some do. With HIP launches of graphs with such copies do, too.
  void (*set_patient_copies)(bool);
  /// The next call of the function that succeeds returns so many milliseconds later.
  void (*linger)(const char* name, unsigned milliseconds);
  /// Whether a call is late because of that just now.
  bool (*lingers)();
};

/// Null if `library` (of dlopen) is no test driver.
inline const driver_control* driver_control_of(void* library) {
  using function = const driver_control* (*)();
  const auto f = reinterpret_cast<function>(dlsym(library, "pianola_test_driver_control"));
  return f == nullptr ? nullptr : f();
}

}  // namespace pianola::test
