// SPDX-License-Identifier: Apache-2.0
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

void handler::single_task(const kernel& k) {
  refuse_local_memory("single_task");
  launch_object(*this, context_, k, 0, detail::geometry_of(nd_range<1>(range<1>(1), range<1>(1))),
                "single_task");
}
void handler::parallel_for(const nd_range<1>& r, const kernel& k) {
  launch_object(*this, context_, k, 1, detail::geometry_of(r), "parallel_for");
}
void handler::parallel_for(const nd_range<2>& r, const kernel& k) {
  launch_object(*this, context_, k, 2, detail::geometry_of(r), "parallel_for");
}
void handler::parallel_for(const nd_range<3>& r, const kernel& k) {
  launch_object(*this, context_, k, 3, detail::geometry_of(r), "parallel_for");
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
