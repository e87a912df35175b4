// SPDX-License-Identifier: Apache-2.0
// What a driver and the process that runs a device's kernels say to each other, over sockets: a request and
// the bytes that belong to it, then a reply and its text.
#pragma once

#include <cstdint>

#include <pianola/abi/simulated.h>

namespace pianola::test::drivers {

enum class request_kind : std::uint32_t {
  hello,
  /// numbers: address, bytes, whether it is accessible.
  protect,
  /// numbers: address, bytes, where in the file. Nothing may be accessed there until it is told.
  map,
  /// numbers: of the module. Bytes: the image.
  load,
  unload,
  /// numbers: of the module. Bytes: the symbol. The reply's value is the function's.
  find,
  /// The same of a variable. The reply's value is its size in bytes.
  find_variable,
  /// numbers: of the module, the address of memory that holds the variable's value. Bytes: the symbol.
  share_variable,
  /// Bytes: helper_launch and the function object.
  launch,
  /// Bytes: helper_texture.
  add_texture,
  /// numbers: its handle.
  remove_texture
};

struct helper_request {
  request_kind kind = request_kind::hello;
  std::uint32_t reserved = 0;
  std::uint64_t numbers[3] = {};
  std::uint64_t bytes = 0;
};

// The values of CUaddress_mode.
enum class helper_addressing : std::uint32_t { wrap, clamp, mirror, border };
enum class helper_channel : std::uint32_t {
  uint8,
  uint16,
  uint32,
  sint8,
  sint16,
  sint32,
  half,
  single
};

struct helper_texture {
  std::uint64_t handle = 0;
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;  // bytes
  std::uint32_t width = 0;  // texels
  std::uint32_t height = 0;
  std::uint32_t channels = 4;
  std::uint32_t channel_bytes = 1;
  helper_channel channel = helper_channel::uint8;
  helper_addressing addressing[2] = {};
  std::uint32_t as_integer = 0;
  std::uint32_t linear = 0;
  std::uint32_t normalized = 0;
};

struct helper_launch {
  std::uint64_t function = 0;
  std::uint64_t groups[3] = {};  // [0] slowest
  std::uint32_t local[3] = {};
  std::uint32_t sub_group_size = 32;
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t seed = 0;
  pianola_part_launch launch = {};  // of a kernel that takes a pianola_launch its beginning
};

enum class helper_result : std::uint32_t {
  done,
  failed,  // text says why
  trapped,  // a work-item gave up; as after `done` the text begins with `value` bytes that were printed
  faulted  // value: the address; the process has ended
};

struct helper_reply {
  helper_result result = helper_result::done;
  std::uint32_t text_bytes = 0;
  std::uint64_t value = 0;
  pianola_sim_kernel_info info = {};
};

/// Exit status: the addresses are taken here, another process may have more luck.
inline constexpr int helper_addresses_taken = 17;

}  // namespace pianola::test::drivers
