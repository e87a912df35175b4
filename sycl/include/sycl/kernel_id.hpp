// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <pianola/runtime/kernels.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/exception.hpp>
#include <sycl/glue/kernel_registrar.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
struct kernel_id_access;
}

/// Names a kernel of the program (SYCL 2020, 4.11.3).
class kernel_id {
 public:
  kernel_id() = delete;

  /// For people; lives as long as the object file that holds the kernel.
  const char* get_name() const noexcept { return entry_->describe().name; }

  friend bool operator==(const kernel_id& a, const kernel_id& b) noexcept {
    return a.entry_ == b.entry_;
  }
  friend bool operator!=(const kernel_id& a, const kernel_id& b) noexcept { return !(a == b); }

 private:
  friend struct detail::kernel_id_access;
  explicit kernel_id(const pianola::runtime::kernel_registration& entry) noexcept
      : entry_(&entry) {}

  const pianola::runtime::kernel_registration* entry_;
};

namespace detail {

/// For the other classes of the interface.
struct kernel_id_access {
  static kernel_id make(const pianola::runtime::kernel_registration& entry) noexcept {
    return kernel_id(entry);
  }
  static const pianola::runtime::kernel_registration& entry(const kernel_id& id) noexcept {
    return *id.entry_;
  }
  static const pianola::model::kernel_descriptor& descriptor(const kernel_id& id) {
    return id.entry_->describe();
  }
  static std::size_t hash(const kernel_id& id) noexcept {
    return std::hash<const void*>()(id.entry_);
  }
};

kernel_id find_kernel_id(const void* name, const char* readable);

}  // namespace detail

/// Throws exception (errc::invalid) if the program launches no kernel of this name. Function objects name
/// themselves.
template <class KernelName>
kernel_id get_kernel_id() {
  return detail::find_kernel_id(&pianola::glue::kernel_name_tag<KernelName>,
                                pianola::glue::readable_type_name<KernelName>());
}

/// Of all kernels of the program.
std::vector<kernel_id> get_kernel_ids();

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::kernel_id> {
  std::size_t operator()(const sycl::kernel_id& id) const noexcept {
    return sycl::detail::kernel_id_access::hash(id);
  }
};
