// SPDX-License-Identifier: Apache-2.0
// The data members of an accessor, by variant and dimensions: no more than the variant's interface
// needs. The sizes are published in docs/accessor-variants.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/ids.hpp>

#include <sycl/detail/accessor/traits.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// No shape: raw accessors, and accessors to a single element.
template <int Dimensions>
struct shape_none {
  constexpr shape_none() = default;
  template <class... Ignored>
  constexpr explicit shape_none(const Ignored&...) {}
  // Only asked of one dimension.
  template <class Index>
  constexpr std::size_t linear(const Index& index) const {
    return index.get(0);
  }
  constexpr std::size_t first() const { return 0; }
};

/// The buffer's range, which is also the access range.
template <int Dimensions>
struct shape_whole {
  constexpr shape_whole() = default;
  constexpr shape_whole(const range<Dimensions>& whole, const range<Dimensions>&,
                        const id<Dimensions>&)
      : whole_(whole) {}
  constexpr const range<Dimensions>& access_range() const { return whole_; }
  constexpr id<Dimensions> offset() const { return {}; }
  constexpr std::size_t offset(int) const { return 0; }
  // Extent of the buffer in a dimension other than 0.
  constexpr std::size_t extent(int dimension) const { return whole_.get(dimension); }
  constexpr std::size_t linear(const id<Dimensions>& index) const {
    return linear_index(whole_, index);
  }
  constexpr std::size_t first() const { return 0; }

 private:
  range<Dimensions> whole_;
};

/// Access range and offset, and of the buffer's range what positions depend on: all but dimension
/// 0.
template <int Dimensions>
struct shape_part {
  constexpr shape_part() = default;
  constexpr shape_part(const range<Dimensions>& whole, const range<Dimensions>& part,
                       const id<Dimensions>& offset)
      : part_(part), offset_(offset) {
    for (int d = 1; d < Dimensions; ++d) inner_[d - 1] = whole.get(d);
  }
  constexpr const range<Dimensions>& access_range() const { return part_; }
  constexpr const id<Dimensions>& offset() const { return offset_; }
  constexpr std::size_t offset(int dimension) const { return offset_.get(dimension); }
  constexpr std::size_t extent(int dimension) const { return inner_[dimension - 1]; }
  constexpr std::size_t linear(const id<Dimensions>& index) const {
    std::size_t at = index.get(0) + offset_.get(0);
    for (int d = 1; d < Dimensions; ++d) at = at * inner_[d - 1] + (index.get(d) + offset_.get(d));
    return at;
  }
  constexpr std::size_t first() const { return linear(id<Dimensions>()); }

 private:
  range<Dimensions> part_;
  id<Dimensions> offset_;
  std::size_t inner_[static_cast<std::size_t>(Dimensions - 1)]{};
};

template <>
struct shape_part<1> {
  constexpr shape_part() = default;
  constexpr shape_part(const range<1>&, const range<1>& part, const id<1>& offset)
      : part_(part), offset_(offset) {}
  constexpr const range<1>& access_range() const { return part_; }
  constexpr const id<1>& offset() const { return offset_; }
  constexpr std::size_t offset(int) const { return offset_.get(0); }
  constexpr std::size_t linear(const id<1>& index) const { return index.get(0) + offset_.get(0); }
  constexpr std::size_t first() const { return offset_.get(0); }

 private:
  range<1> part_;
  id<1> offset_;
};

/// What accessors know that can outlive a command group's construction: which buffer, which view
/// of it.
struct accessor_identity {
  pianola::runtime::buffer_key key;
  std::uint32_t view = 0;
  bool no_init = false;
  bool placeholder = false;
  // Instead of padding, which would carry stray bytes into the function objects of kernels: by this the runtime knows a
  // whole accessor in one.
  std::uint16_t mark = pianola::runtime::accessor_mark;
};
struct no_identity {};

template <accessor_variant Variant, int Dimensions>
using accessor_shape = std::conditional_t<
    Dimensions == 0 || Variant == accessor_variant::raw, shape_none<Dimensions>,
    std::conditional_t<stores_access_range(Variant), shape_part<(Dimensions > 0 ? Dimensions : 1)>,
                       shape_whole<(Dimensions > 0 ? Dimensions : 1)>>>;

/// The pointer comes first: it is a cookie until the command group's command is instantiated.
struct accessor_pointer {
  void* pointer = nullptr;
};

template <accessor_variant Variant, int Dimensions>
struct accessor_storage
    : accessor_pointer,
      accessor_shape<Variant, Dimensions>,
      std::conditional_t<names_buffer(Variant), accessor_identity, no_identity> {
  using shape = accessor_shape<Variant, Dimensions>;
  using identity = std::conditional_t<names_buffer(Variant), accessor_identity, no_identity>;

  constexpr accessor_storage() = default;
  constexpr accessor_storage(void* p, const shape& s, const identity& i)
      : accessor_pointer{p}, shape(s), identity(i) {}
};

/// The shape of one variant as that of another. Both know as much as their conversion needs.
template <class To, class From, int Dimensions>
constexpr To convert_shape(const From& from) {
  if constexpr (std::is_same<To, From>::value) {
    return from;
  } else if constexpr (Dimensions == 0 || std::is_same<To, shape_none<Dimensions>>::value) {
    return To();
  } else {
    range<Dimensions> whole = from.access_range();
    for (int d = 1; d < Dimensions; ++d) whole[d] = from.extent(d);
    return To(whole, from.access_range(), from.offset());
  }
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
