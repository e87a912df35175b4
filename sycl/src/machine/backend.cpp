// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <string>

#include <sycl/backend.hpp>
#include <sycl/print_enums.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

namespace {

struct word {
  backend value;
  const char* name;     // of the runtime
  const char* printed;  // as DPC++ does, for programs that look it up by these words
};
constexpr word words[] = {{backend::openmp, "openmp", "openmp"},
                          {backend::simulated, "simulated", "simulated"},
                          {backend::cuda, "cuda", "ext_oneapi_cuda"},
                          {backend::hip, "hip", "ext_oneapi_hip"},
                          {backend::opencl, "opencl", "opencl"},
                          {backend::level_zero, "level_zero", "ext_oneapi_level_zero"},
                          {backend::all, "all", "all"},
                          {backend::other, "", "other"}};

const word& word_of(backend b) noexcept {
  for (const word& w : words)
    if (w.value == b) return w;
  return words[std::size(words) - 1];
}

}  // namespace

backend to_backend(const std::string& name) noexcept {
  for (const word& w : words)
    if (name == w.name) return w.value;
  return backend::other;
}

const char* backend_name(backend b) noexcept { return word_of(b).name; }

const char* enumerator_name(backend b) noexcept { return word_of(b).printed; }

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
