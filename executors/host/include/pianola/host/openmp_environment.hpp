// SPDX-License-Identifier: Apache-2.0
// What OpenMP's environment variables say about threads. The team follows them without an OpenMP library.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "processors.hpp"

namespace pianola::host {

enum class binding : unsigned char { none, close, spread, primary };

struct team_request {
  unsigned threads = 0;         // 0: one per processor
  unsigned at_most = 0;         // OMP_THREAD_LIMIT; 0: none
  std::size_t stack_bytes = 0;  // 0: the system's default
  binding how = binding::none;
  std::vector<processor_list> places;  // if bound; not empty then
};

// The groups of processors that OMP_PLACES names by a word.
enum class place_kind : unsigned char { threads, cores, last_level_caches, sockets, numa_domains };
using places_of_kind = std::vector<processor_list> (*)(place_kind);

// `variable`: the value of an environment variable, null or empty if it is not set. Throws model::user_error
// (error_code::platform), which says what it takes, for a value that OpenMP does not know, or whose places have none of
// the processors.
[[nodiscard]] team_request read_openmp_environment(const char* (*variable)(const char* name),
                                                   const processor_list& processors,
                                                   places_of_kind of_kind);
// Of this process, by hwloc.
[[nodiscard]] team_request read_openmp_environment(const processor_list& processors);

// The place of each of so many threads; the first is the one that waits, which is at place `first` already.
[[nodiscard]] std::vector<std::size_t> distribute(binding how, std::size_t threads,
                                                  std::size_t places, std::size_t first);

}  // namespace pianola::host
