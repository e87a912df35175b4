// SPDX-License-Identifier: Apache-2.0
// Kernels and device code of the object files that are loaded now.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/abi/image.h>
#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/kernel_facts.hpp>

namespace pianola::runtime {

// Object files come and go on any thread, the first of them before main. What is found stays valid until its
// object file is unloaded: whoever unloads it has ended the use of its kernels first, as with all its code.
class image_registry {
 public:
  // Made on first use and never destroyed: object files unregister when everything else has ended.
  [[nodiscard]] static image_registry& instance() noexcept;

  image_registry();
  ~image_registry();
  image_registry(const image_registry&) = delete;
  image_registry& operator=(const image_registry&) = delete;

  // A set of an unknown version is reported and ignored. Of several kernels with one id the first registered
  // is found, until it goes.
  void add(const pianola_image_set* set);
  // False, and nothing happens, for a set that is not registered.
  bool remove(const pianola_image_set* set) noexcept;

  [[nodiscard]] const pianola_kernel* find_kernel(model::kernel_id) const noexcept;
  // Images of the set that find_kernel finds the kernel in; empty if it finds none.
  [[nodiscard]] model::array_view<const pianola_image> find_images(model::kernel_id) const noexcept;
  // Of the same set.
  [[nodiscard]] model::array_view<const pianola_variable> find_variables(
      model::kernel_id) const noexcept;
  // Null if there is no such kernel or if nothing is known of its accesses.
  [[nodiscard]] const model::kernel_facts* find_facts(model::kernel_id) const noexcept;
  // Changes whenever a set comes or goes.
  [[nodiscard]] std::uint64_t generation() const noexcept {
    return generation_.load(std::memory_order_acquire);
  }
  // Whether f(set) is true for one of the sets. It must not use the registry.
  template <class F>
  [[nodiscard]] bool any_of(F&& f) const {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const pianola_image_set* set : sets_)
      if (f(*set)) return true;
    return false;
  }
  // Sets registered now.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct entry;
  [[nodiscard]] const entry* find(model::kernel_id) const noexcept;

  mutable std::mutex mutex_;
  std::atomic<std::uint64_t> generation_{0};
  std::vector<const pianola_image_set*> sets_;
  // In order of registration.
  std::map<std::uint64_t, std::vector<std::unique_ptr<entry>>> kernels_;
};

}  // namespace pianola::runtime
