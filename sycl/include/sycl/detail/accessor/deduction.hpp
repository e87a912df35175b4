// SPDX-License-Identifier: Apache-2.0
// Deduction guides of accessor. Included at the end of accessor.hpp.
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
template <class T, int D, class A>
accessor(buffer<T, D, A>&, const property_list& = {})
    -> accessor<T, D, detail::default_access_mode<T>, target::device,
                PIANOLA_DEDUCED_VARIANT(unranged_placeholder)>;
template <class T, int D, class A>
accessor(buffer<T, D, A>&, handler&, const property_list& = {})
    -> accessor<T, D, detail::default_access_mode<T>, target::device,
                PIANOLA_DEDUCED_VARIANT(unranged)>;
template <class T, int D, class A>
accessor(buffer<T, D, A>&, range<D>, const property_list& = {})
    -> accessor<T, D, detail::default_access_mode<T>, target::device,
                PIANOLA_DEDUCED_VARIANT(ranged_placeholder)>;
template <class T, int D, class A>
accessor(buffer<T, D, A>&, range<D>, id<D>, const property_list& = {})
    -> accessor<T, D, detail::default_access_mode<T>, target::device,
                PIANOLA_DEDUCED_VARIANT(ranged_placeholder)>;
template <class T, int D, class A>
accessor(buffer<T, D, A>&, handler&, range<D>, const property_list& = {})
    -> accessor<T, D, detail::default_access_mode<T>, target::device,
                PIANOLA_DEDUCED_VARIANT(ranged)>;
template <class T, int D, class A>
accessor(buffer<T, D, A>&, handler&, range<D>, id<D>, const property_list& = {})
    -> accessor<T, D, detail::default_access_mode<T>, target::device,
                PIANOLA_DEDUCED_VARIANT(ranged)>;

template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, detail::mode_tag<M, G>, const property_list& = {})
    -> accessor<T, D, M, G, PIANOLA_DEDUCED_VARIANT(unranged_placeholder)>;
template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, handler&, detail::mode_tag<M, G>, const property_list& = {})
    -> accessor<T, D, M, G, PIANOLA_DEDUCED_VARIANT(unranged)>;
template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, range<D>, detail::mode_tag<M, G>, const property_list& = {})
    -> accessor<T, D, M, G, PIANOLA_DEDUCED_VARIANT(ranged_placeholder)>;
template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, range<D>, id<D>, detail::mode_tag<M, G>, const property_list& = {})
    -> accessor<T, D, M, G, PIANOLA_DEDUCED_VARIANT(ranged_placeholder)>;
template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, handler&, range<D>, detail::mode_tag<M, G>, const property_list& = {})
    -> accessor<T, D, M, G, PIANOLA_DEDUCED_VARIANT(ranged)>;
template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, handler&, range<D>, id<D>, detail::mode_tag<M, G>,
         const property_list& = {}) -> accessor<T, D, M, G, PIANOLA_DEDUCED_VARIANT(ranged)>;

template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, handler&, detail::raw_mode_tag<M, G>, const property_list& = {})
    -> accessor<T, D, M, G, accessor_variant::raw>;
template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, handler&, range<D>, detail::raw_mode_tag<M, G>,
         const property_list& = {}) -> accessor<T, D, M, G, accessor_variant::raw>;
template <class T, int D, class A, access_mode M, target G>
accessor(buffer<T, D, A>&, handler&, range<D>, id<D>, detail::raw_mode_tag<M, G>,
         const property_list& = {}) -> accessor<T, D, M, G, accessor_variant::raw>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
