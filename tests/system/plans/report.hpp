// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>

inline std::uint64_t hash_of(const void* data, std::size_t bytes,
                             std::uint64_t h = 0xcbf29ce484222325U) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) h = (h ^ p[i]) * 0x100000001b3U;
  return h;
}

inline void report(std::uint64_t hash) {
  const sycl::ext::pianola::statistics s = sycl::ext::pianola::get_statistics();
  std::printf("result %016llx\nplanned %llu stored %llu\n", static_cast<unsigned long long>(hash),
              static_cast<unsigned long long>(s.planned_commands),
              static_cast<unsigned long long>(s.stored_plans));
}

// constants_and_images.cpp
int with_constants(const std::string& what, const std::string& path, const std::string& how);
int with_images(const std::string& what, const std::string& path, const std::string& how);
// loops.cpp
int with_loops(const std::string& what, const std::string& path, const std::string& how);
