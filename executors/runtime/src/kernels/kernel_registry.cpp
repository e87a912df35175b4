// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>

#include <pianola/runtime/kernels.hpp>

namespace pianola::runtime {

namespace {

// Never destroyed: object files unregister when everything else has ended.
struct registry {
  std::mutex mutex;
  std::vector<const kernel_registration*> kernels;

  static registry& instance() noexcept {
    alignas(registry) static unsigned char storage[sizeof(registry)];
    static registry* const made = new (storage) registry;
    return *made;
  }
};

}  // namespace

kernel_registration::kernel_registration(const void* name, describe_function describe)
    : name_(name), describe_(describe) {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  r.kernels.push_back(this);
}

kernel_registration::~kernel_registration() {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  // What was registered last mostly goes first.
  const auto at = std::find(r.kernels.rbegin(), r.kernels.rend(), this);
  if (at != r.kernels.rend()) r.kernels.erase(std::next(at).base());
}

const kernel_registration* find_kernel(const void* name) noexcept {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  for (const kernel_registration* k : r.kernels)
    if (k->name() == name) return k;
  return nullptr;
}

std::vector<const kernel_registration*> registered_kernels() {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  std::vector<const kernel_registration*> named;
  for (const kernel_registration* k : r.kernels)
    if (k->name() != nullptr) named.push_back(k);
  return named;
}

std::vector<const model::kernel_descriptor*> all_kernels() {
  std::vector<const kernel_registration*> registered;
  {
    registry& r = registry::instance();
    std::lock_guard<std::mutex> lock(r.mutex);
    registered = r.kernels;
  }
  // Descriptions are made when they are asked for, by code of the object files.
  std::vector<const model::kernel_descriptor*> all;
  all.reserve(registered.size());
  for (const kernel_registration* k : registered) all.push_back(&k->describe());
  return all;
}

}  // namespace pianola::runtime
