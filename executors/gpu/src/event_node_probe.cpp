// SPDX-License-Identifier: Apache-2.0
#include "event_node_probe.hpp"

namespace pianola::gpu {

namespace {

constexpr std::size_t bytes = std::size_t{8} << 20;

// What the question takes; goes away with it.
class probe {
 public:
  probe(driver& d, std::uint32_t device) noexcept : d_(d), device_(device) {}
  ~probe() {
    if (executable_.native != nullptr) d_.destroy(executable_);
    if (graph_.native != nullptr) d_.destroy(graph_);
    if (recorded_.native != nullptr) d_.destroy(device_, recorded_);
    if (gate_.native != nullptr) d_.destroy(device_, gate_);
    if (memory_ != nullptr) d_.free_device(device_, memory_);
    if (stream_.native != nullptr) d_.destroy(device_, stream_);
  }
  probe(const probe&) = delete;
  probe& operator=(const probe&) = delete;

  [[nodiscard]] bool make() noexcept {
    node n;
    return d_.make_stream(device_, stream_) == success &&
           d_.allocate_device(device_, bytes, memory_) == success &&
           d_.make_event(device_, false, recorded_) == success &&
           d_.make_event(device_, false, gate_) == success && d_.make_graph(graph_) == success &&
           d_.add_record(graph_, {}, device_, recorded_, n) == success &&
           d_.instantiate(graph_, device_, executable_) == success;
  }

  enum class answer { yes, no, too_quick, failed };
  [[nodiscard]] answer ask(int fills) noexcept {
    fill_operation f;
    f.destination = memory_;
    f.width = bytes;
    f.device = device_;
    bool sent = true;
    for (int i = 0; i < fills && sent; ++i) sent = d_.fill(stream_, f) == success;
    sent = sent && d_.record(device_, stream_, gate_) == success &&
           d_.launch(executable_, device_, stream_) == success;
    code why = success;
    const event_state node = sent ? d_.query(recorded_, why) : event_state::broken;
    const event_state gate = sent ? d_.query(gate_, why) : event_state::broken;
    // The stream has to be idle before anything goes away.
    if (d_.record(device_, stream_, gate_) != success || d_.synchronize(gate_) != success)
      return answer::failed;
    if (node == event_state::not_reached) return answer::yes;
    if (node == event_state::broken || gate == event_state::broken) return answer::failed;
    return gate == event_state::not_reached ? answer::no : answer::too_quick;
  }

 private:
  driver& d_;
  std::uint32_t device_;
  stream stream_;
  void* memory_ = nullptr;
  event recorded_, gate_;
  graph graph_;
  executable executable_;
};

}  // namespace

bool launches_renew_events(driver& d, std::uint32_t device) noexcept {
  probe p(d, device);
  if (!p.make()) return false;
  for (const int fills : {4, 16, 64, 256, 1024}) {
    const probe::answer a = p.ask(fills);
    if (a != probe::answer::too_quick) return a == probe::answer::yes;
  }
  return false;
}

}  // namespace pianola::gpu
