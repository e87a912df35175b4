// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <sycl/detail/kernels/specialization_constants.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/owned.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/exception.hpp>
#include <sycl/kernel_bundle.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// What a command group knows of its kernel's specialization constants and bundle; few have any.
struct handler_constants {
  constant_values values;
  bool accessed = false;  // by the command group
  bool fixed = false;     // the kernel has its values
  std::shared_ptr<const bundle_data> bundle;
  const void* kernel_name = nullptr;
  constant_block* block = nullptr;  // where the kernel reads them; null: there is none yet
  pianola::runtime::submission* submission = nullptr;  // the kernel's

  void copy_to_kernel() const {
    if (block != nullptr) values.copy_to(*block, *submission);
  }
};

void destroy(handler_constants*) noexcept;

/// Functions of the handler that concern specialization constants and kernel bundles (SYCL 2020, 4.9.5 and 4.11).
class handler_with_constants {
 public:
  /// Kernels of this command group come from the bundle, with the values that its specialization constants had when it
  /// was built. A kernel that the bundle lacks throws exception (errc::kernel_not_supported) where it is launched.
  /// Throws exception (errc::invalid) if the bundle is of another context than the queue or the graph, or after
  /// set_specialization_constant or get_specialization_constant.
  void use_kernel_bundle(const kernel_bundle<bundle_state::executable>& bundle);

  /// For the kernel of this command group. Throw exception (errc::invalid) after use_kernel_bundle.
  template <auto& SpecName>
  void set_specialization_constant(specialization_type<SpecName> value) {
    handler_constants& mine = own_constants("handler::set_specialization_constant");
    check_not_fixed(mine);
    mine.values.template set<SpecName>(value);
    mine.copy_to_kernel();
  }
  template <auto& SpecName>
  specialization_type<SpecName> get_specialization_constant() {
    return own_constants("handler::get_specialization_constant").values.template get<SpecName>();
  }

 protected:
  handler_with_constants(const queue_state* queue, const context* of_context) noexcept
      : queue_(queue), context_(of_context) {}

  handler_constants& constants();
  handler_constants& own_constants(const char* function);
  static void check_not_fixed(const handler_constants& c);
  void check_bundle(const void* kernel_name) const;

  const queue_state* queue_;  // null: a graph's node
  const context* context_;    // of the queue or the graph; null: the group is for neither
  owned<handler_constants> constants_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
