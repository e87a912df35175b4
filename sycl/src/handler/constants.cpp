// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/handler/constants.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

void destroy(handler_constants* constants) noexcept { delete constants; }

void handler_with_constants::use_kernel_bundle(
    const kernel_bundle<bundle_state::executable>& bundle) {
  handler_constants& mine = constants();
  check_not_fixed(mine);
  if (mine.accessed)
    throw_error(errc::invalid,
                "handler::use_kernel_bundle: this command group has set or read "
                "specialization constants, "
                "and the bundle has values of its own; set them in the bundle");
  if (context_ != nullptr && bundle.get_context() != *context_)
    throw_error(errc::invalid,
                "handler::use_kernel_bundle: the bundle is of another context than the queue or "
                "the graph");
  mine.bundle = bundle_access::share(bundle);
  mine.values = mine.bundle->constants;
  if (mine.kernel_name != nullptr) check_bundle(mine.kernel_name);
  mine.copy_to_kernel();
}

handler_constants& handler_with_constants::constants() {
  if (!constants_) constants_.set(new handler_constants);
  return *constants_;
}

handler_constants& handler_with_constants::own_constants(const char* function) {
  handler_constants& mine = constants();
  if (mine.bundle != nullptr)
    throw_error(errc::invalid, std::string(function) +
                                   ": this command group uses a kernel bundle; set the "
                                   "value in the bundle of state input "
                                   "that it is built of");
  mine.accessed = true;
  return mine;
}

void handler_with_constants::check_not_fixed(const handler_constants& c) {
  if (c.fixed)
    throw_error(errc::invalid,
                "specialization constants of a kernel with reductions must be set, or "
                "its kernel bundle be "
                "named, before the kernel is launched");
}

void handler_with_constants::check_bundle(const void* kernel_name) const {
  for (const kernel_id& id : constants_->bundle->kernels)
    if (kernel_id_access::entry(id).name() == kernel_name) return;
  throw_error(errc::kernel_not_supported,
              "the kernel is not in the kernel bundle that its command group uses");
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
