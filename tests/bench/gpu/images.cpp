// SPDX-License-Identifier: Apache-2.0
#include "images.hpp"

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::gpu {

namespace {

// Filled before main().
std::vector<const pianola_image_set*>& sets() {
  static auto* all = new std::vector<const pianola_image_set*>;
  return *all;
}

using registration = void (*)(const pianola_image_set*);
void forward(const char* symbol, const pianola_image_set* set) {
  const auto next = reinterpret_cast<registration>(dlsym(RTLD_NEXT, symbol));
  if (next != nullptr) next(set);
}

const pianola_kernel* find(pianola::model::kernel_id id, const pianola_image_set*& of) {
  for (const pianola_image_set* s : sets())
    for (std::uint64_t i = 0; i < s->kernel_count; ++i)
      if (s->kernels[i].id == id.value()) {
        of = s;
        return &s->kernels[i];
      }
  return nullptr;
}

}  // namespace

const pianola_kernel& kernel_named(const char* part) {
  for (const pianola_image_set* s : sets())
    for (std::uint64_t i = 0; i < s->kernel_count; ++i)
      if (std::strstr(s->kernels[i].name, part) != nullptr) return s->kernels[i];
  throw std::runtime_error("no kernel of this program is called " + std::string(part) +
                           "; it must be compiled by pianolacc with device targets");
}

const pianola_kernel* find_kernel(pianola::model::kernel_id id) {
  const pianola_image_set* of = nullptr;
  return find(id, of);
}

pianola::model::array_view<const pianola_image> find_images(pianola::model::kernel_id id) {
  const pianola_image_set* of = nullptr;
  if (find(id, of) == nullptr) return {};
  return {of->images, of->image_count};
}

}  // namespace bench::gpu

// In front of the library's functions of these names, which are called as well.
extern "C" __attribute__((visibility("default"))) void pianola_register_images_v1(
    const pianola_image_set* set) {
  bench::gpu::sets().push_back(set);
  bench::gpu::forward("pianola_register_images_v1", set);
}
extern "C" __attribute__((visibility("default"))) void pianola_unregister_images_v1(
    const pianola_image_set* set) {
  bench::gpu::forward("pianola_unregister_images_v1", set);
}
