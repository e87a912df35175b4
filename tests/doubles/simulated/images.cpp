// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/test/simulated_driver.hpp>

namespace pianola::test {
namespace {

class shared_object {
 public:
  explicit shared_object(const pianola_image& image) {
    if (file_ < 0) throw std::runtime_error("memfd_create failed");
    const auto* bytes = static_cast<const char*>(image.bytes);
    for (std::uint64_t written = 0; written < image.size;) {
      const ssize_t n = write(file_, bytes + written, image.size - written);
      if (n <= 0) {
        close(file_);
        throw std::runtime_error("cannot write an image of " + std::to_string(image.size) +
                                 " bytes");
      }
      written += static_cast<std::uint64_t>(n);
    }
    handle_ = dlopen(("/proc/self/fd/" + std::to_string(file_)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
      close(file_);
      throw std::runtime_error(std::string("cannot load an image: ") + dlerror());
    }
    const auto* version = static_cast<const std::uint32_t*>(find("pianola_sim_version"));
    if (*version < PIANOLA_SIM_OLDEST_VERSION || *version > PIANOLA_SIM_VERSION)
      throw std::runtime_error("an image is for version " + std::to_string(*version) +
                               " of the driver");
  }
  shared_object(const shared_object&) = delete;
  shared_object& operator=(const shared_object&) = delete;
  ~shared_object() {
    dlclose(handle_);
    close(file_);
  }

  [[nodiscard]] void* find(const char* symbol) const {
    void* address = dlsym(handle_, symbol);
    if (!address) throw std::runtime_error(std::string("an image lacks the symbol ") + symbol);
    return address;
  }

 private:
  // Open as long as the object is loaded: the loader knows objects by name, and the next one would get the
  // same number.
  int file_ = memfd_create("pianola-sim", MFD_CLOEXEC);
  void* handle_ = nullptr;
};

struct registry {
  std::mutex mutex;
  std::vector<const pianola_image_set*> sets;
  std::map<const pianola_image*, shared_object> loaded;
};

// Used before main and after it.
registry& all_images() {
  static auto* all = new registry;
  return *all;
}

// The runtime's own function of the same name.
template <class Function>
void forward(const char* name, const pianola_image_set* set) {
  if (auto* next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))) next(set);
}

}  // namespace

simulated_kernel find_simulated_kernel(std::uint64_t id) {
  registry& all = all_images();
  const std::lock_guard lock(all.mutex);
  for (const pianola_image_set* set : all.sets)
    for (std::uint64_t k = 0; k < set->kernel_count; ++k) {
      if (set->kernels[k].id != id) continue;
      for (std::uint32_t i = 0; i < set->image_count; ++i) {
        const pianola_image* image = &set->images[i];
        if (std::string_view(image->architecture) != "pianola-sim") continue;
        const shared_object& object = all.loaded.try_emplace(image, *image).first->second;
        const std::string symbol = set->kernels[k].symbol;
        const auto* info =
            static_cast<const pianola_sim_kernel_info*>(object.find((symbol + "_info").c_str()));
        return {reinterpret_cast<pianola_sim_kernel>(object.find(symbol.c_str())), &set->kernels[k],
                info->group_object_bytes};
      }
      throw std::runtime_error(std::string("no image for pianola-sim has the kernel ") +
                               set->kernels[k].name);
    }
  throw std::runtime_error("no object file has a kernel with the id " + std::to_string(id));
}

}  // namespace pianola::test

// In place of the runtime's, which is told, too.
extern "C" void pianola_register_images_v1(const pianola_image_set* set) {
  {
    auto& all = pianola::test::all_images();
    const std::lock_guard lock(all.mutex);
    all.sets.push_back(set);
  }
  pianola::test::forward<decltype(pianola_register_images_v1)>("pianola_register_images_v1", set);
}

extern "C" void pianola_unregister_images_v1(const pianola_image_set* set) {
  {
    auto& all = pianola::test::all_images();
    const std::lock_guard lock(all.mutex);
    for (std::uint32_t i = 0; i < set->image_count; ++i) all.loaded.erase(&set->images[i]);
    std::erase(all.sets, set);
  }
  pianola::test::forward<decltype(pianola_unregister_images_v1)>("pianola_unregister_images_v1",
                                                                 set);
}
