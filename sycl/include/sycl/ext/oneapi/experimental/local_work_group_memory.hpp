// SPDX-License-Identifier: Apache-2.0
// Local memory as an argument of kernels, by a shorter name than local_accessor (sycl_ext_oneapi_work_group_memory).
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/local_accessor.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

/// For an object that another one is assigned to.
struct indeterminate_t {};
inline constexpr indeterminate_t indeterminate{};

template <class DataT, class PropertyListT>
class dynamic_work_group_memory;

/// A DataT for each work-group, uninitialised; DataT may be an array, also one of unknown bound. Made in the command group, for
/// kernels over an nd_range.
template <class DataT, class PropertyListT = empty_properties_t>
class work_group_memory {
  static_assert(std::is_trivially_destructible_v<std::remove_all_extents_t<DataT>>,
                "work_group_memory: nobody would call the destructor of the type");
  static constexpr bool is_unbounded = std::is_array_v<DataT> && std::extent_v<DataT> == 0;

 public:
  using value_type = std::remove_all_extents_t<DataT>;

  work_group_memory(const indeterminate_t&) {}
  template <class D = DataT, std::enable_if_t<!work_group_memory<D>::is_unbounded, int> = 0>
  work_group_memory(handler& h) : memory_(range<1>(sizeof(D) / sizeof(value_type)), h) {}
  /// `count` elements of the array.
  template <class D = DataT, std::enable_if_t<work_group_memory<D>::is_unbounded, int> = 0>
  work_group_memory(std::size_t count, handler& h)
      : memory_(range<1>(sycl::detail::local_elements(count, sizeof(std::remove_extent_t<D>),
                                                      sizeof(value_type))),
                h) {}

  // Of kernels.
  operator DataT&() const { return *&*this; }
  template <class D = DataT, std::enable_if_t<!std::is_array_v<D>, int> = 0>
  const work_group_memory& operator=(const D& value) const {
    *&*this = value;
    return *this;
  }
  DataT* operator&() const { return reinterpret_cast<DataT*>(pointer()); }
  template <access::decorated IsDecorated>
  multi_ptr<value_type, access::address_space::local_space, IsDecorated> get_multi_ptr() const {
    return multi_ptr<value_type, access::address_space::local_space, IsDecorated>(pointer());
  }

 private:
  template <class D, class P>
  friend class work_group_memory;
  template <class D, class P>
  friend class dynamic_work_group_memory;

  explicit work_group_memory(const local_accessor<value_type, 1>& memory) noexcept
      : memory_(memory) {}

  value_type* pointer() const {
    return memory_.template get_multi_ptr<access::decorated::no>().get();
  }

  local_accessor<value_type, 1> memory_;
};

}  // namespace ext::oneapi::experimental

namespace detail {
template <class T, class Properties>
inline constexpr bool
    is_local_memory<ext::oneapi::experimental::work_group_memory<T[], Properties>> = true;
}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
