// SPDX-License-Identifier: Apache-2.0
#include "descriptions.hpp"

#include <algorithm>
#include <cstring>

namespace pianola::hip {

memcpy_3d description_of(const gpu::copy_operation& copy) noexcept {
  const executors::resolved_copy& box = copy.box;
  memcpy_3d d{};
  d.srcPtr.ptr = const_cast<void*>(box.source);
  d.srcPtr.pitch = box.source_row_pitch;
  d.srcPtr.xsize = box.width;
  d.srcPtr.ysize = box.depth > 1 ? box.source_slice_pitch / box.source_row_pitch : box.height;
  d.dstPtr.ptr = box.destination;
  d.dstPtr.pitch = box.destination_row_pitch;
  d.dstPtr.xsize = box.width;
  d.dstPtr.ysize =
      box.depth > 1 ? box.destination_slice_pitch / box.destination_row_pitch : box.height;
  d.size = {box.width, box.height, box.depth};
  d.kind = memcpy_default;
  return d;
}

kernel_node_parameters description_of(const gpu::kernel_launch& k) noexcept {
  kernel_node_parameters d{};
  d.func = k.function.native;
  d.gridDim = {k.groups[2], k.groups[1], k.groups[0]};
  d.blockDim = {k.group_size[2], k.group_size[1], k.group_size[0]};
  d.sharedMemBytes = k.dynamic_local_bytes;
  d.kernelParams = k.parameters;
  return d;
}

memset_node_parameters description_of(const gpu::fill_operation& f) noexcept {
  memset_node_parameters d{};
  d.dst = f.destination;
  d.elementSize = f.element_bytes;
  d.height = 1;
  d.pitch = f.width * f.element_bytes;
  d.value = f.value;
  d.width = f.width;
  return d;
}

memset_description::memset_description(const gpu::fill_operation& fill, int version) noexcept {
  const memset_node_parameters d = description_of(fill);
  if (version < memset_layout_7_runtime) {
    std::memcpy(bytes_, &d, sizeof d);
    return;
  }
  const memset_node_parameters_7 now{d.dst, d.pitch, d.value, d.elementSize, d.width, d.height};
  std::memcpy(bytes_, &now, sizeof now);
}

std::vector<gpu::copy_operation> further_rows(const gpu::fill_operation& f) {
  std::vector<gpu::copy_operation> copies;
  for (std::uint64_t done = 1; done < f.rows; done *= 2) {
    gpu::copy_operation c;
    c.device = f.device;
    c.from = c.to = static_cast<std::int32_t>(f.device);
    c.box.source = f.destination;
    c.box.destination = static_cast<unsigned char*>(f.destination) + done * f.pitch;
    c.box.width = f.width * f.element_bytes;
    c.box.height = std::min(done, f.rows - done);
    c.box.source_row_pitch = c.box.destination_row_pitch = f.pitch;
    c.box.source_slice_pitch = c.box.destination_slice_pitch = c.box.height * f.pitch;
    copies.push_back(c);
  }
  return copies;
}

}  // namespace pianola::hip
