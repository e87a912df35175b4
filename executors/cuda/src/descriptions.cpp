// SPDX-License-Identifier: Apache-2.0
#include "descriptions.hpp"

namespace pianola::cuda {

memcpy_3d description_of(const gpu::copy_operation& copy) noexcept {
  const executors::resolved_copy& box = copy.box;
  const bool from_device = copy.from >= 0;
  const bool to_device = copy.to >= 0;
  memcpy_3d d{};
  d.srcMemoryType = from_device ? memory_device : memory_host;
  if (from_device)
    d.srcDevice = address_of(box.source);
  else
    d.srcHost = box.source;
  d.dstMemoryType = to_device ? memory_device : memory_host;
  if (to_device)
    d.dstDevice = address_of(box.destination);
  else
    d.dstHost = box.destination;
  d.WidthInBytes = box.width;
  d.Height = box.height;
  d.Depth = box.depth;
  // Copies of one row leave these out: a pitch must not be over 2 GiB, the length of a row may.
  if (box.height == 1 && box.depth == 1) return d;
  d.srcPitch = box.source_row_pitch;
  d.srcHeight = box.depth > 1 ? box.source_slice_pitch / box.source_row_pitch : box.height;
  d.dstPitch = box.destination_row_pitch;
  d.dstHeight =
      box.depth > 1 ? box.destination_slice_pitch / box.destination_row_pitch : box.height;
  return d;
}

kernel_node_parameters description_of(const gpu::kernel_launch& k) noexcept {
  kernel_node_parameters d{};
  d.func = k.function.native;
  d.gridDimX = k.groups[2];
  d.gridDimY = k.groups[1];
  d.gridDimZ = k.groups[0];
  d.blockDimX = k.group_size[2];
  d.blockDimY = k.group_size[1];
  d.blockDimZ = k.group_size[0];
  d.sharedMemBytes = k.dynamic_local_bytes;
  d.kernelParams = k.parameters;
  return d;
}

memset_node_parameters description_of(const gpu::fill_operation& f) noexcept {
  memset_node_parameters d{};
  d.dst = address_of(f.destination);
  d.pitch = f.rows > 1 ? f.pitch : 0;
  d.value = f.value;
  d.elementSize = f.element_bytes;
  d.width = f.width;
  d.height = f.rows;
  return d;
}

}  // namespace pianola::cuda
