// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/ids.hpp>
#include <pianola/runtime/replay_options.hpp>

#include "replay/values/bound_values.hpp"
#include "support/runtime_mutex.hpp"

namespace pianola::runtime {

struct submission;
class graph_instance;
class process;
class rebindable;

// The instances of an executable graph whose launches differ in what they work on, or run at the same time: of the same
// commands and plan, each with native graphs, a lane, and the values that these hold. A launch takes one that works on its
// values already; else one that nothing runs in, whose native graphs get other addresses at the places of what differs; else
// a new one. Guarded by the runtime's lock, which is let go of in between.
class generations {
 public:
  // Without several launches in flight there is no use for more.
  static constexpr std::size_t most = 4;

  // The first instance always works on what was recorded.
  generations(process& rt, std::shared_ptr<graph_instance> first, const replay_options& options);

  // For a launch on the buffers and memory that the submission names. Null: look again, perhaps in other generations, as
  // `lock`, the runtime's, was let go of meanwhile. Throws user_error: invalid for values that do not fit.
  [[nodiscard]] static graph_instance* choose(const std::shared_ptr<generations>& g, process& rt,
                                              const submission& s,
                                              std::unique_lock<runtime_mutex>& lock);
  // No launch chooses from them any more.
  void end() noexcept { ended_ = true; }
  // Calls see(instance) for each but the first, which gives it away.
  template <class F>
  void for_each_other(const F& see) {
    for (generation& made : all_)
      if (made.graph != first_) see(made.graph);
  }

 private:
  struct generation {
    std::shared_ptr<graph_instance> graph;
    std::uint64_t taken_for = 0;  // the launch that it was taken for last
  };
  [[nodiscard]] const rebindable& uses() const noexcept;
  [[nodiscard]] graph_instance* take(generation& made) noexcept;
  std::uint32_t bindable_number(process& rt, buffer_key recorded);
  [[nodiscard]] bound_values values_of(process& rt, const submission& s);
  void check_buffer(process& rt, const bindable_buffer& b, buffer_key live) const;
  void check_memory(const process& rt, std::size_t number, const void* pointer) const;
  void check_values(process& rt, const bound_values& values) const;
  void check_living(process& rt, const bound_values& values) const;
  [[nodiscard]] std::string name_of(const bindable_buffer& b) const;

  std::shared_ptr<graph_instance> first_;
  replay_options options_;
  std::vector<bindable_buffer> buffers_;
  std::unordered_map<std::uint64_t, std::uint32_t> number_of_;  // by the recorded key
  // Those that no launch exchanges, by their place in the live state.
  std::unordered_map<std::uint32_t, std::uint32_t> fixed_;
  std::vector<generation> all_;
  std::uint64_t launches_ = 0;
  bool ended_ = false;
};

}  // namespace pianola::runtime
