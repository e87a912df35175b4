// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// How an accessor was constructed, as part of its type, so that it stores no more than it needs.
/// See docs/accessor-variants.md.
enum class accessor_variant : int {
  false_t,  // the standard's accessor
  true_t,   // the standard's accessor, spelled as SYCL 1.2.1 spelled a placeholder
  ranged_placeholder,
  ranged,
  unranged_placeholder,
  unranged,
  raw
};

namespace access {
/// Deprecated in SYCL 2020; carries the accessor variants.
using placeholder = sycl::accessor_variant;
}  // namespace access

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
