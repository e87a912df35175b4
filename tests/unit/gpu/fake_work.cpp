// SPDX-License-Identifier: Apache-2.0
// What the operations of the fake driver do.
#include <algorithm>
#include <cstring>
#include <utility>

#include "fake_driver.hpp"

namespace pianola::test {

std::function<void()> fake_driver::work_of(const gpu::kernel_launch& l) {
  const auto& k = *static_cast<const fake_kernel*>(l.function.native);
  std::vector<std::byte> functor(k.functor_bytes);
  if (k.functor_bytes != 0) std::memcpy(functor.data(), l.parameters[0], k.functor_bytes);
  pianola_part_launch shape{};
  std::memcpy(&shape, l.parameters[1], k.part ? sizeof shape : sizeof shape.whole);
  return [&k, l, shape, functor = std::move(functor)] {
    fake_item item;
    std::copy(l.group_size, l.group_size + 3, item.local_size);
    std::uint64_t all[3];
    for (int d = 0; d < 3; ++d) all[d] = std::uint64_t{l.groups[d]} * l.group_size[d];
    for (item.id[0] = 0; item.id[0] < all[0]; ++item.id[0])
      for (item.id[1] = 0; item.id[1] < all[1]; ++item.id[1])
        for (item.id[2] = 0; item.id[2] < all[2]; ++item.id[2]) {
          for (int d = 0; d < 3; ++d)
            item.local[d] = static_cast<std::uint32_t>(item.id[d] % l.group_size[d]);
          if (k.part)
            k.part(functor.data(), shape, item);
          else
            k.body(functor.data(), shape.whole, item);
        }
  };
}

std::function<void()> fake_driver::work_of(const gpu::copy_operation& o) {
  return [b = o.box] {
    for (std::uint64_t z = 0; z < b.depth; ++z)
      for (std::uint64_t y = 0; y < b.height; ++y)
        std::memcpy(static_cast<unsigned char*>(b.destination) + z * b.destination_slice_pitch +
                        y * b.destination_row_pitch,
                    static_cast<const unsigned char*>(b.source) + z * b.source_slice_pitch +
                        y * b.source_row_pitch,
                    b.width);
  };
}

std::function<void()> fake_driver::work_of(const gpu::fill_operation& o) {
  return [o] {
    for (std::uint64_t y = 0; y < o.rows; ++y)
      for (std::uint64_t x = 0; x < o.width; ++x)
        std::memcpy(static_cast<unsigned char*>(o.destination) + y * o.pitch + x * o.element_bytes,
                    &o.value, o.element_bytes);
  };
}

}  // namespace pianola::test
