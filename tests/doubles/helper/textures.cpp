// SPDX-License-Identifier: Apache-2.0
#include "textures.hpp"

#include <cmath>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

namespace pianola::test::drivers {
namespace {

constexpr std::int64_t outside = -1;

/// Of a coordinate in units of texels, rounded as the hardware does.
std::int64_t to_fixed(double u) {
  constexpr double most = 1 << 30;
  if (!(u > -most)) return u == u ? -(std::int64_t{1} << 38) : 0;
  return u < most ? std::llrint(u * 256) : std::int64_t{1} << 38;
}

std::int64_t floor_of(std::int64_t fixed) { return fixed >> 8; }

std::int64_t modulo(std::int64_t i, std::int64_t n) { return (i % n + n) % n; }

std::int64_t address(std::int64_t i, std::int64_t size, helper_addressing how) {
  switch (how) {
    case helper_addressing::wrap:
      return modulo(i, size);
    case helper_addressing::mirror: {
      const std::int64_t m = modulo(i, 2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    case helper_addressing::border:
      return i < 0 || i >= size ? outside : i;
    case helper_addressing::clamp:
      break;
  }
  return i < 0 ? 0 : i >= size ? size - 1 : i;
}

float of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? HUGE_VAL : NAN)
                                  : std::ldexp(fraction + 1024, exponent - 25);
  return static_cast<float>((bits >> 15) != 0 ? -value : value);
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// One channel, as any number that it can be.
struct number {
  double real = 0;
  std::int64_t whole = 0;
};

number decode(const std::byte* from, helper_channel channel) {
  switch (channel) {
    case helper_channel::uint8:
      return {load<std::uint8_t>(from) / 255.0, load<std::uint8_t>(from)};
    case helper_channel::uint16:
      return {load<std::uint16_t>(from) / 65535.0, load<std::uint16_t>(from)};
    case helper_channel::uint32:
      return {0, load<std::uint32_t>(from)};
    case helper_channel::sint8:
      return {std::fmax(load<std::int8_t>(from) / 127.0, -1.0), load<std::int8_t>(from)};
    case helper_channel::sint16:
      return {std::fmax(load<std::int16_t>(from) / 32767.0, -1.0), load<std::int16_t>(from)};
    case helper_channel::sint32:
      return {0, load<std::int32_t>(from)};
    case helper_channel::half:
      return {of_half(load<std::uint16_t>(from)), 0};
    case helper_channel::single:
      break;
  }
  return {load<float>(from), 0};
}

void fetch(const helper_texture& t, std::int64_t x, std::int64_t y, number (&out)[4]) {
  x = address(x, t.width, t.addressing[0]);
  y = address(y, t.height, t.addressing[1]);
  const bool border = x == outside || y == outside;
  const auto* texel = reinterpret_cast<const std::byte*>(t.address) +
                      static_cast<std::uint64_t>(y) * t.pitch +
                      static_cast<std::uint64_t>(x) * t.channels * t.channel_bytes;
  for (std::uint32_t c = 0; c < 4; ++c)
    out[c] = border           ? number{}
             : c < t.channels ? decode(texel + std::size_t{c} * t.channel_bytes, t.channel)
                              : number{};
}

std::uint32_t texels_of(const helper_texture& t) {
  const bool is_signed = t.channel == helper_channel::sint8 ||
                         t.channel == helper_channel::sint16 || t.channel == helper_channel::sint32;
  if (t.as_integer == 0) return PIANOLA_SIM_TEXELS_FLOAT;
  return is_signed ? PIANOLA_SIM_TEXELS_SIGNED : PIANOLA_SIM_TEXELS_UNSIGNED;
}

}  // namespace

void texture_table::add(const helper_texture& t) {
  const std::unique_lock lock(mutex_);
  known_[t.handle] = t;
}

void texture_table::remove(std::uint64_t handle) {
  const std::unique_lock lock(mutex_);
  known_.erase(handle);
}

void texture_table::read(std::uint64_t handle, float x, float y, std::uint32_t texels,
                         void* texel) const {
  helper_texture t;
  {
    const std::shared_lock lock(mutex_);
    const auto it = known_.find(handle);
    if (it == known_.end())
      throw std::runtime_error("a kernel samples a texture that does not exist");
    t = it->second;
  }
  if (texels != texels_of(t))
    throw std::runtime_error("a kernel reads a texture's texels as " + std::to_string(texels) +
                             ", and they are of kind " + std::to_string(texels_of(t)));
  const double size[2] = {double(t.width), double(t.height)};
  const float coordinates[2] = {x, y};
  std::int64_t u[2];
  for (int d = 0; d < 2; ++d)
    u[d] = to_fixed(t.normalized != 0 ? coordinates[d] * size[d] : double(coordinates[d]));

  double sum[4] = {};
  number found[4];
  if (t.linear == 0) {
    fetch(t, floor_of(u[0]), floor_of(u[1]), found);
    for (int c = 0; c < 4; ++c) sum[c] = found[c].real;
  } else {
    const std::int64_t left = u[0] - 128, up = u[1] - 128;  // xB and yB of the guide
    const double across = double(left & 255) / 256, down = double(up & 255) / 256;
    for (int corner = 0; corner < 4; ++corner) {
      const int right = corner & 1, below = corner >> 1;
      const double weight = (right != 0 ? across : 1 - across) * (below != 0 ? down : 1 - down);
      if (weight == 0) continue;
      fetch(t, floor_of(left) + right, floor_of(up) + below, found);
      for (int c = 0; c < 4; ++c) sum[c] += weight * found[c].real;
    }
  }
  for (int c = 0; c < 4; ++c) {
    auto* const to = static_cast<std::byte*>(texel) + 4 * c;
    const auto real = static_cast<float>(sum[c]);
    const auto whole = static_cast<std::uint32_t>(found[c].whole);
    if (texels == PIANOLA_SIM_TEXELS_FLOAT)
      std::memcpy(to, &real, sizeof real);
    else
      std::memcpy(to, &whole, sizeof whole);
  }
}

}  // namespace pianola::test::drivers
