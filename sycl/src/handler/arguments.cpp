// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sycl/detail/handler/arguments.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

struct kernel_arguments {
  std::vector<kernel_argument> all;
};
void destroy(kernel_arguments* arguments) noexcept { delete arguments; }

[[noreturn]] void handler_arguments::refuse_kernel_object(const char* function) {
  throw_error(errc::invalid,
              fmt::format("handler::{}: only functions are launched by a kernel object, over an "
                          "nd_range or as a single task; give the kernel's function object",
                          function));
}

kernel_argument& handler_arguments::argument(int index) {
  // No kernel has so many: its parameters have 4 KiB on a GPU.
  if (index < 0 || index > 4096)
    throw_error(errc::kernel_argument,
                fmt::format("handler::set_arg: there is no argument {}", index));
  if (!arguments_) arguments_.set(new kernel_arguments);
  const auto i = static_cast<std::size_t>(index);
  if (arguments_->all.size() <= i) arguments_->all.resize(i + 1);
  return arguments_->all[i];
}

kernel_argument handler_arguments::raw_argument(const void* bytes, std::size_t count) {
  std::shared_ptr<void> copy(::operator new(count), [](void* p) { ::operator delete(p); });
  std::memcpy(copy.get(), bytes, count);
  return {std::move(copy), nullptr, count};
}

void handler_arguments::launch_object(handler& group, const context* of_context, const kernel& k,
                                      int dimensions, const pianola::model::launch_geometry& extent,
                                      const char* function) {
  const function_entry* const f = k.function();
  if (f == nullptr) refuse_kernel_object(function);
  if (of_context != nullptr && k.get_context() != *of_context)
    throw_error(
        errc::invalid,
        fmt::format("handler::{}: the kernel is of another context than the queue or the graph",
                    function));
  if (!f->may_be_launched_over(dimensions))
    throw_error(errc::invalid,
                fmt::format("handler::{}: the function is decorated {}", function,
                            f->dimensions() == 0
                                ? std::string("as a single_task_kernel")
                                : fmt::format("with nd_range_kernel<{}>", f->dimensions())));
  const std::size_t given = arguments_ ? arguments_->all.size() : 0;
  if (given != f->arguments())
    throw_error(
        errc::kernel_argument,
        fmt::format("handler::{}: the function has {} parameters, and {} arguments were set",
                    function, f->arguments(), given));
  std::vector<kernel_argument> arguments;
  if (arguments_) arguments.swap(arguments_->all);
  arguments_.set(nullptr);
  for (const kernel_argument& a : arguments)
    if (a.cookie != 0) handler_access::submission_of(group).uses_parameters = true;
  f->launch(group, extent, given == 0 ? nullptr : arguments.data());
}

void handler_arguments::refuse_parameters() const {
  for (const kernel_argument& a : arguments_->all)
    if (a.cookie != 0)
      throw_error(errc::invalid,
                  "handler::set_arg: only a kernel that is a function takes a dynamic_parameter "
                  "as an argument; let the kernel's function object capture a "
                  "sycl::ext::pianola::dynamic_argument of it");
}

}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
