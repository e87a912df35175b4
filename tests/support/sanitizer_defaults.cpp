// SPDX-License-Identifier: Apache-2.0
// Options of the sanitizers for every test program, however it is started. The environment's come on top.

// Tests ask for more memory than there is and expect null, as without a sanitizer. ThreadSanitizer waits a second at
// every exit for races of threads that are still running, with a process for each test the most part of all time.
#define PIANOLA_SANITIZER_OPTIONS "allocator_may_return_null=1:" PIANOLA_SYMBOLIZER_OPTION

extern "C" {
const char* __asan_default_options() { return PIANOLA_SANITIZER_OPTIONS; }
const char* __ubsan_default_options() { return "print_stacktrace=1:" PIANOLA_SYMBOLIZER_OPTION; }
const char* __tsan_default_options() {
  return "halt_on_error=1:atexit_sleep_ms=20:" PIANOLA_SANITIZER_OPTIONS;
}
}
