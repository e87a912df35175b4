// SPDX-License-Identifier: Apache-2.0
// Textures over memory of a device. What samples them is the process that runs kernels.
#include <string_view>

#include "engine.hpp"

namespace pianola::test::drivers {

std::shared_ptr<texture> engine::make_texture(const std::shared_ptr<context>& c,
                                              helper_texture how) {
  check(*c);
  const std::size_t row = std::size_t{how.width} * how.channels * how.channel_bytes;
  const side memory = resolve(reinterpret_cast<const void*>(how.address), place::device,
                              (how.height - 1) * how.pitch + row, "the texture's memory", false);
  if (memory.memory->owner != c.get() || memory.memory->type != memory_type::device)
    violate(codes::invalid_value, "the texture's memory is not the context's own");
  auto t = std::make_shared<texture>();
  t->owner = c;
  how.handle = reinterpret_cast<std::uint64_t>(handles.add(t));
  helper_request r;
  r.kind = request_kind::add_texture;
  const auto answer = gpu_of(c).ask(r, {reinterpret_cast<const char*>(&how), sizeof how});
  if (answer.lost) {
    handles.remove(*t);
    refuse(codes::unknown, "the process of the device has ended");
  }
  return t;
}

// At once, also where kernels are under way: those that still sample it fail.
void engine::destroy(texture& t) {
  const auto owner = t.owner;
  check(*owner);
  helper_request r;
  r.kind = request_kind::remove_texture;
  r.numbers[0] = reinterpret_cast<std::uint64_t>(t.handle);
  handles.remove(t);
  if (owner->gpu) owner->gpu->ask(r);
}

}  // namespace pianola::test::drivers
