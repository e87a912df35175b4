// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/ids.hpp>

namespace pianola::runtime {

class executable_graph;

// The generations of an executable graph whose launches differ in what they work on, or run at the same time: executable
// graphs of the same commands and plan, each with native graphs, a lane, and the values that these hold. A launch takes one
// that works on its values already; else one that nothing runs in, whose native graphs get other addresses at the places
// of what differs; else a new one. Guarded by the runtime's lock.
struct generations {
  // Without several launches in flight there is no use for more.
  static constexpr std::size_t most = 4;

  struct bindable {
    model::buffer_id plan;
    buffer_key recorded;
    bool parameter = false;  // each launch has to name another buffer
  };
  std::vector<bindable> buffers;
  std::unordered_map<std::uint64_t, std::uint32_t> number_of;  // by the recorded key
  // Those that no launch exchanges, by their place in the live state.
  std::unordered_map<std::uint32_t, std::uint32_t> fixed;

  // The first one may be the executable graph itself, not owned.
  std::vector<std::shared_ptr<executable_graph>> all;
  std::uint64_t launches = 0;
};

}  // namespace pianola::runtime
