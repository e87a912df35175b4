// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// A sub-group (SYCL 2020, 4.9.1.8): pianola::glue::sub_group_size consecutive work-items of a
/// work-group, in linearised order. Only the last one of a work-group may be smaller.
class sub_group {
 public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group() = delete;

  constexpr id_type get_group_id() const { return id_type(get_group_linear_id()); }
  constexpr id_type get_local_id() const { return id_type(get_local_linear_id()); }
  constexpr range_type get_local_range() const { return range_type(get_local_linear_range()); }
  constexpr range_type get_group_range() const { return range_type(get_group_linear_range()); }
  constexpr range_type get_max_local_range() const {
    return range_type(range_ < pianola::glue::sub_group_size ? range_
                                                             : pianola::glue::sub_group_size);
  }

  constexpr linear_id_type get_group_linear_id() const {
    return id_ / pianola::glue::sub_group_size;
  }
  constexpr linear_id_type get_local_linear_id() const {
    return id_ % pianola::glue::sub_group_size;
  }
  constexpr linear_id_type get_group_linear_range() const {
    return (range_ + pianola::glue::sub_group_size - 1) / pianola::glue::sub_group_size;
  }
  constexpr linear_id_type get_local_linear_range() const {
    const linear_id_type first = get_group_linear_id() * pianola::glue::sub_group_size;
    const linear_id_type rest = range_ - first;
    return rest < pianola::glue::sub_group_size ? rest : pianola::glue::sub_group_size;
  }

  constexpr bool leader() const { return get_local_linear_id() == 0; }

  /// Equal if they are the same sub-group of the same work-group, whichever work-item asks.
  friend constexpr bool operator==(const sub_group& a, const sub_group& b) {
    return a.get_group_linear_id() == b.get_group_linear_id() && a.range_ == b.range_ &&
           a.context_ == b.context_;
  }
  friend constexpr bool operator!=(const sub_group& a, const sub_group& b) { return !(a == b); }

 private:
  friend struct detail::index_factory;

  constexpr sub_group(std::uint32_t local_linear_id, std::uint32_t local_linear_range,
                      const pianola::glue::group_context* context)
      : id_(local_linear_id), range_(local_linear_range), context_(context) {}

  std::uint32_t id_;
  std::uint32_t range_;
  const pianola::glue::group_context* context_;
};

namespace detail {

constexpr sub_group index_factory::make_sub_group(std::size_t local_linear_id,
                                                  std::size_t local_linear_range,
                                                  const pianola::glue::group_context* context) {
  return sub_group(static_cast<std::uint32_t>(local_linear_id),
                   static_cast<std::uint32_t>(local_linear_range), context);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
