// SPDX-License-Identifier: Apache-2.0
// Kernels with images of their own, without a compiler that registers them: what tests of backends give a
// backend as its runtime.
#pragma once

#include <fstream>
#include <iterator>
#include <list>
#include <map>
#include <stdexcept>
#include <string>

#include <pianola/executors/backend.hpp>

namespace pianola::test {

class kernel_images {
 public:
  static kernel_images& all() {
    // Backends use it until the process ends.
    static auto* only = new kernel_images;
    return *only;
  }

  // The kernel `symbol` of the image that this file holds: "pianola-sim", or PTX by a name that ends in .ptx.
  model::kernel_id add(const std::string& file, const std::string& symbol,
                       std::uint32_t argument_bytes, std::uint32_t argument_alignment) {
    loaded& l = load(file);
    const std::uint64_t id = 0x5017e000 + kernels_.size();
    names_.push_back(symbol);
    pianola_kernel k{};
    k.id = id;
    k.symbol = k.name = names_.back().c_str();
    k.argument_bytes = argument_bytes;
    k.argument_alignment = argument_alignment;
    k.flags = PIANOLA_KERNEL_PARTS;
    kernels_.emplace(id, entry{k, &l.image});
    return model::kernel_id(id);
  }

  static const pianola_kernel* find_kernel(model::kernel_id id) {
    const auto it = all().kernels_.find(id.value());
    return it == all().kernels_.end() ? nullptr : &it->second.kernel;
  }
  static model::array_view<const pianola_image> find_images(model::kernel_id id) {
    const auto it = all().kernels_.find(id.value());
    if (it == all().kernels_.end()) return {};
    return {it->second.image, 1};
  }

 private:
  struct loaded {
    std::string bytes;
    pianola_image image{};
  };
  struct entry {
    pianola_kernel kernel;
    const pianola_image* image;
  };
  loaded& load(const std::string& file) {
    loaded& l = files_[file];
    if (!l.bytes.empty()) return l;
    std::ifstream in(file, std::ios::binary);
    l.bytes.assign(std::istreambuf_iterator<char>(in), {});
    if (l.bytes.empty()) throw std::runtime_error("cannot read " + file);
    if (file.size() > 4 && file.compare(file.size() - 4, 4, ".ptx") == 0)
      l.image = {"ptx:sm_70", l.bytes.c_str(), l.bytes.size() + 1};
    else
      l.image = {"pianola-sim", l.bytes.data(), l.bytes.size()};
    return l;
  }

  std::map<std::string, loaded> files_;
  std::list<std::string> names_;
  std::map<std::uint64_t, entry> kernels_;
};

}  // namespace pianola::test
