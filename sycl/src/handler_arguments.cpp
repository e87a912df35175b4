// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/handler_arguments.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

[[noreturn]] void handler_arguments::refuse_kernel_object(const char* function) {
  throw_error(
      errc::invalid,
      std::string("handler::") + function +
          ": only functions are launched by a kernel object, over an nd_range or as a single "
          "task; give the kernel's function object");
}

kernel_argument& handler_arguments::argument(int index) {
  // No kernel has so many: its parameters have 4 KiB on a GPU.
  if (index < 0 || index > 4096)
    throw_error(errc::kernel_argument,
                "handler::set_arg: there is no argument " + std::to_string(index));
  if (arguments_ == nullptr) arguments_ = std::make_unique<std::vector<kernel_argument>>();
  const auto i = static_cast<std::size_t>(index);
  if (arguments_->size() <= i) arguments_->resize(i + 1);
  return (*arguments_)[i];
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
