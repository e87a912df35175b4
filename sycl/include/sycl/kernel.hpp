// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <pianola/model/aspects.hpp>

#include <sycl/detail/kernels/bundle_data.hpp>
#include <sycl/detail/kernels/function_kernels.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/info.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <bundle_state State>
class kernel_bundle;
class kernel;
class queue;

namespace info {

namespace kernel {
struct num_args : sycl::detail::info_descriptor<sycl::kernel, std::uint32_t> {};
struct attributes : sycl::detail::info_descriptor<sycl::kernel, std::string> {};
}  // namespace kernel

namespace kernel_device_specific {
#define PIANOLA_INFO(name, ...) \
  struct name : sycl::detail::info_descriptor<sycl::kernel, __VA_ARGS__> {};
PIANOLA_INFO(global_work_size, sycl::range<3>)
PIANOLA_INFO(work_group_size, std::size_t)
PIANOLA_INFO(compile_work_group_size, sycl::range<3>)
PIANOLA_INFO(preferred_work_group_size_multiple, std::size_t)
PIANOLA_INFO(private_mem_size, std::size_t)
PIANOLA_INFO(max_num_sub_groups, std::uint32_t)
PIANOLA_INFO(compile_num_sub_groups, std::uint32_t)
PIANOLA_INFO(max_sub_group_size, std::uint32_t)
PIANOLA_INFO(compile_sub_group_size, std::uint32_t)
#undef PIANOLA_INFO
}  // namespace kernel_device_specific

}  // namespace info

namespace detail {
class handler_arguments;

template <class Descriptor>
inline constexpr bool is_kernel_info = std::is_same<Descriptor, info::kernel::num_args>::value ||
                                       std::is_same<Descriptor, info::kernel::attributes>::value;

template <class Descriptor>
struct kernel_device_info;

/// See below.
template <class Param>
struct kernel_limit_info;

}  // namespace detail

/// A kernel of an executable kernel bundle (SYCL 2020, 4.11.12).
class kernel {
 public:
  kernel() = delete;

  backend get_backend() const noexcept { return data_->the_context.get_backend(); }
  context get_context() const { return data_->the_context; }
  kernel_bundle<bundle_state::executable> get_kernel_bundle() const;

  /// num_args throws exception (errc::invalid) unless the kernel is a function: the arguments of a kernel that is a C++
  /// function object have no numbers (SYCL 2020, 4.11.12.1).
  template <class Param, class = std::enable_if_t<detail::is_kernel_info<Param>>>
  typename Param::return_type get_info() const {
    if constexpr (std::is_same<Param, info::kernel::num_args>::value) {
      if (const detail::function_entry* const f = function()) return f->arguments();
      detail::throw_error(errc::invalid,
                          "info::kernel::num_args: the kernel is a function object of C++, whose "
                          "members are not numbered");
    } else {
      return attributes();
    }
  }

  /// Throws exception (errc::invalid) if the device is not one of the bundle's; global_work_size always, because there
  /// are neither custom devices nor built-in kernels.
  template <class Param, class = std::enable_if_t<!detail::is_kernel_info<Param>>>
  detail::info_result<Param, kernel> get_info(const device& d) const {
    if (!data_->has(d))
      detail::throw_error(errc::invalid,
                          "kernel::get_info: the device is not one of the kernel bundle's");
    using namespace info::kernel_device_specific;
    const pianola::model::kernel_descriptor& k = detail::kernel_id_access::descriptor(id_);
    if constexpr (std::is_same<Param, work_group_size>::value ||
                  std::is_same<Param, max_num_sub_groups>::value ||
                  std::is_same<Param, private_mem_size>::value) {
      if (data_->has(id_, d)) {
        const auto limits = detail::translate(
            [&] { return pianola::runtime::limits_of(k, detail::device_access::id(d), 0, 0); });
        return detail::kernel_limit_info<Param>::get(k, detail::device_access::properties(d),
                                                     limits);
      }
    }
    return detail::kernel_device_info<Param>::get(k, detail::device_access::properties(d));
  }

  /// What the kernel may be launched with on a queue (ext/oneapi/experimental/launch_queries.hpp). 0 for what cannot be
  /// launched; throws exception (errc::invalid) for work-groups without work-items.
  template <class Param, class... Arguments>
  auto ext_oneapi_get_info(const queue& q, const Arguments&... arguments) const;

  friend bool operator==(const kernel& a, const kernel& b) noexcept {
    return a.data_ == b.data_ && a.id_ == b.id_;
  }
  friend bool operator!=(const kernel& a, const kernel& b) noexcept { return !(a == b); }

 private:
  template <bundle_state>
  friend class kernel_bundle;
  friend struct std::hash<kernel>;
  friend class detail::handler_arguments;

  kernel(std::shared_ptr<detail::bundle_data> data, const kernel_id& id)
      : data_(std::move(data)), id_(id) {}

  /// Null for a function object.
  const detail::function_entry* function() const {
    return detail::function_entry::find(detail::kernel_id_access::entry(id_).name());
  }

  std::string attributes() const;

  detail::shared_state<detail::bundle_data> data_;
  kernel_id id_;
};

namespace detail {

/// The size of sub-groups that the kernel runs with on the device. The program knows which size it has chosen, and the
/// library does not.
std::uint32_t kernel_sub_group_size(
    const pianola::model::kernel_descriptor& k, const pianola::model::device_properties& p,
    std::uint32_t chosen = pianola::glue::chosen_sub_group_size) noexcept;

// `k` is the kernel's description, `p` the device's properties.
#define PIANOLA_KERNEL_INFO(name, ...)                                 \
  template <>                                                          \
  struct kernel_device_info<info::kernel_device_specific::name> {      \
    static info::kernel_device_specific::name::return_type get(        \
        [[maybe_unused]] const pianola::model::kernel_descriptor& k,   \
        [[maybe_unused]] const pianola::model::device_properties& p) { \
      __VA_ARGS__                                                      \
    }                                                                  \
  };
PIANOLA_KERNEL_INFO(global_work_size,
                    throw_error(errc::invalid, "info::kernel_device_specific::global_work_size: '" +
                                                   std::string(k.name) +
                                                   "' is no built-in kernel, and '" + p.name +
                                                   "' no custom device");)
PIANOLA_KERNEL_INFO(work_group_size, if (k.requirements.work_group_size.c[2] ==
                                         0) return static_cast<std::size_t>(p.max_work_group_size);
                    std::size_t items = 1;
                    for (const auto n : k.requirements.work_group_size.c) items *= n; return items;)
PIANOLA_KERNEL_INFO(compile_work_group_size, const auto& size = k.requirements.work_group_size;
                    return range<3>(size.c[0], size.c[1], size.c[2]);)
PIANOLA_KERNEL_INFO(preferred_work_group_size_multiple, return kernel_sub_group_size(k, p);)
// Nobody counts what a kernel's work-items keep in registers and on the stack.
PIANOLA_KERNEL_INFO(private_mem_size, return 0;)
PIANOLA_KERNEL_INFO(
    max_num_sub_groups, const std::uint32_t size = kernel_sub_group_size(k, p);
    return static_cast<std::uint32_t>(
        (kernel_device_info<info::kernel_device_specific::work_group_size>::get(k, p) + size - 1) /
        size);)
PIANOLA_KERNEL_INFO(compile_num_sub_groups, return 0;)
PIANOLA_KERNEL_INFO(max_sub_group_size, return kernel_sub_group_size(k, p);)
PIANOLA_KERNEL_INFO(compile_sub_group_size, return k.requirements.sub_group_size;)
#undef PIANOLA_KERNEL_INFO

/// The same where the device's driver knows what the kernel's work-items take.
template <>
struct kernel_limit_info<info::kernel_device_specific::work_group_size> {
  static std::size_t get(const pianola::model::kernel_descriptor& k,
                         const pianola::model::device_properties& p,
                         const pianola::runtime::kernel_limits& limits) {
    return k.requirements.work_group_size.c[2] == 0
               ? static_cast<std::size_t>(limits.max_group_size)
               : kernel_device_info<info::kernel_device_specific::work_group_size>::get(k, p);
  }
};
template <>
struct kernel_limit_info<info::kernel_device_specific::max_num_sub_groups> {
  static std::uint32_t get(const pianola::model::kernel_descriptor& k,
                           const pianola::model::device_properties& p,
                           const pianola::runtime::kernel_limits& limits) {
    const std::uint32_t size = kernel_sub_group_size(k, p);
    const std::size_t items =
        kernel_limit_info<info::kernel_device_specific::work_group_size>::get(k, p, limits);
    return static_cast<std::uint32_t>((items + size - 1) / size);
  }
};
template <>
struct kernel_limit_info<info::kernel_device_specific::private_mem_size> {
  static std::size_t get(const pianola::model::kernel_descriptor&,
                         const pianola::model::device_properties&,
                         const pianola::runtime::kernel_limits& limits) {
    return static_cast<std::size_t>(limits.private_bytes);
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::kernel> {
  std::size_t operator()(const sycl::kernel& k) const noexcept {
    return std::hash<const void*>()(k.data_.get()) * 31 + std::hash<sycl::kernel_id>()(k.id_);
  }
};
