// SPDX-License-Identifier: Apache-2.0
#include "machine/image_checks.hpp"

#include <atomic>

#include <boost/container_hash/hash.hpp>

#include <pianola/model/error.hpp>

#include "kernels/image_registry.hpp"

namespace pianola::runtime {

namespace {

// Kernels that were found to have an image. A hash of all that the answer depends on stands for it. Every submission
// looks here, and no container of the library can be read while it changes: a std::unordered_set with a std::shared_mutex
// takes 8.8 ns on a thread alone, this 2.4, and threads do not meet.
std::atomic<std::uint64_t> known[256];

std::uint64_t hash_of(model::kernel_id kernel, model::device_id device, std::uint64_t generation) {
  std::size_t h = 0;
  boost::hash_combine(h, kernel.value());
  boost::hash_combine(h, device.value());
  boost::hash_combine(h, generation);
  return h == 0 ? 1 : h;
}

}  // namespace

bool has_image(const machine& m, const model::kernel_command& k, model::device_id device) {
  const device_entry& d = m.device(device);
  if (!d.needs_images) return true;
  const image_registry& images = image_registry::instance();
  const model::kernel_id id = k.kernel->id;
  const std::uint64_t hash = hash_of(id, device, images.generation());
  auto& place = known[hash % 256];
  if (place.load(std::memory_order_relaxed) == hash) return true;
  if (d.owner->choose_image(d.index, images.find_images(id)) < 0) return false;
  place.store(hash, std::memory_order_relaxed);
  return true;
}

void check_image(const machine& m, const model::kernel_command& k, model::device_id device) {
  if (has_image(m, k, device)) return;
  const device_entry& d = m.device(device);
  const executors::status s =
      d.owner->no_image(d.index, *k.kernel, image_registry::instance().find_images(k.kernel->id));
  throw model::user_error(s.code, s.reason);
}

bool can_run_kernels(const machine& m, model::device_id device) {
  const device_entry& d = m.device(device);
  return !d.needs_images || image_registry::instance().any_of([&](const pianola_image_set& set) {
    return d.owner->choose_image(d.index, {set.images, set.image_count}) >= 0;
  });
}

}  // namespace pianola::runtime
