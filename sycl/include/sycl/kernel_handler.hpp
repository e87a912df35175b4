// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <sycl/detail/kernels/specialization_constants.hpp>
#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
struct kernel_handler_access;
}

/// What a kernel may take as its last parameter, to read specialization constants (SYCL 2020, 4.9.5).
class kernel_handler {
 public:
  /// Constants have their default values.
  kernel_handler() noexcept = default;

  /// The value that the kernel was launched with, else the default.
  template <auto& SpecName>
  detail::specialization_type<SpecName> get_specialization_constant() const {
    // Makes the constant known to the program, and puts no code here.
    static_assert(sizeof(detail::referred_to<&detail::constant_use<SpecName>::registered>) > 0);
    return detail::value_of_constant<SpecName>(block_);
  }

 private:
  friend struct detail::kernel_handler_access;
  explicit kernel_handler(const detail::constant_block* block) noexcept : block_(block) {}

  const detail::constant_block* block_ = nullptr;
};

namespace detail {

/// For the launchers. Null: every constant has its default value.
struct kernel_handler_access {
  static kernel_handler make(const constant_block* block) noexcept { return kernel_handler(block); }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
