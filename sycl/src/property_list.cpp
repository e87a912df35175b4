// SPDX-License-Identifier: Apache-2.0
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

const void* property_list::find(std::uint64_t key) const noexcept {
  for (const entry& e : *entries_)
    if (e.key == key) return e.value.get();
  return nullptr;
}

void property_list::add(std::uint64_t key, std::shared_ptr<const void> value) {
  if (entries_ == nullptr) entries_ = std::make_shared<std::vector<entry>>();
  entries_->push_back(entry{key, std::move(value)});
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
