// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include <sycl/kernel.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

std::string kernel::attributes() const {
  const pianola::model::kernel_requirements& r =
      detail::kernel_id_access::descriptor(id_).requirements;
  std::string text;
  const auto add = [&text](const std::string& attribute) {
    text += (text.empty() ? "" : " ") + attribute;
  };
  if (r.work_group_size.c[2] != 0)
    add(fmt::format("reqd_work_group_size({},{},{})", r.work_group_size.c[0],
                    r.work_group_size.c[1], r.work_group_size.c[2]));
  if (r.sub_group_size != 0) add(fmt::format("reqd_sub_group_size({})", r.sub_group_size));
  std::string aspects;
  for (unsigned i = 0; i < pianola::model::aspect_count; ++i)
    if ((r.aspects >> i & 1) != 0)
      aspects += (aspects.empty() ? "" : ",") +
                 std::string(pianola::model::name_of(static_cast<pianola::model::aspect>(i)));
  if (!aspects.empty()) add(fmt::format("device_has({})", aspects));
  return text;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

std::uint32_t kernel_sub_group_size(const pianola::model::kernel_descriptor& k,
                                    const pianola::model::device_properties& p,
                                    std::uint32_t chosen) noexcept {
  if (k.requirements.sub_group_size != 0) return k.requirements.sub_group_size;
  const auto& sizes = p.sub_group_sizes;
  if (std::find(sizes.begin(), sizes.end(), chosen) != sizes.end()) return chosen;
  return sizes.empty() ? 1 : static_cast<std::uint32_t>(sizes.front());
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
