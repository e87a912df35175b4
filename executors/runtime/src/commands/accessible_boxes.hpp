// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <pianola/model/accessible_box.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/kernel.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/texture.hpp>

namespace pianola::runtime {

// What a kernel may touch through the slots of buffers and textures among its arguments. `info_of`: buffer_info of a
// buffer_id.
template <class InfoOf>
void find_accessible_boxes(model::array_view<const model::argument_slot> slots,
                           model::array_view<const model::requirement> requirements,
                           const InfoOf& info_of, std::vector<model::accessible_box>& out) {
  for (const model::argument_slot& slot : slots) {
    if (slot.what == model::argument_slot::kind::local_memory) continue;
    const bool texture = slot.what == model::argument_slot::kind::texture;
    const model::requirement& r = requirements[slot.requirement];
    const model::buffer_info& info = info_of(r.buffer);
    const auto texels = static_cast<std::uint32_t>(offsetof(model::texture_argument, texels));
    out.push_back({slot.offset + (texture ? texels : 0), slot.requirement, slot.byte_offset,
                   info.element_size, r.mode, info.grid.range(), r.elements});
  }
}

}  // namespace pianola::runtime
