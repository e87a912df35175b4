// SPDX-License-Identifier: Apache-2.0
// What all items of a sub-group have found out together in a loop, used behind it; nothing shows the compiler that all of
// them go round equally often.
#include <cstdint>
#include <cstdio>

#include <sycl/sycl.hpp>

namespace {

using number = std::uint32_t;

number last_vote(const sycl::nd_item<3>& item, number group, const number& mine) {
  number result = mine + 5;
  number left = (number(item.get_local_range(1)) + (group ^ 3u)) & 3u;
  while (left-- != 0u) result = sycl::all_of_group(item.get_sub_group(), (mine & 3u) != 0u);
  return result;
}

void votes(sycl::queue& q) {
  constexpr number items = 24;
  number* const in = sycl::malloc_shared<number>(items, q);
  number* const out = sycl::malloc_shared<number>(items, q);
  for (number i = 0; i < items; ++i) in[i] = i < 8 ? 7 : i < 16 ? i : 8 * i;
  q.parallel_for(sycl::nd_range<3>({6, 2, 2}, {6, 2, 2}), [=](sycl::nd_item<3> item) {
     const number own = number(item.get_local_linear_id());
     const number mine = in[own];
     out[own] = last_vote(item, number(item.get_group_linear_id()), mine);
   }).wait_and_throw();
  for (number i = 0; i < items; ++i) std::printf("%u ", out[i]);
  std::printf("\n");
  sycl::free(in, q);
  sycl::free(out, q);
}

}  // namespace

int main() {
  sycl::queue q;
  votes(q);
  votes(q);
}
