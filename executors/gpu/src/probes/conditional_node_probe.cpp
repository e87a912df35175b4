// SPDX-License-Identifier: Apache-2.0
#include "probes/conditional_node_probe.hpp"

#include <cstddef>
#include <vector>

namespace pianola::gpu {

namespace {

// What is left of the loop, what the second node goes by, and what that has written.
struct probed_numbers {
  std::uint64_t left;
  std::uint64_t chosen;
  std::uint32_t written;
};

constexpr std::uint64_t probed_iterations = 3;
constexpr std::uint32_t probed_mark = 0x5a5a5a5a;

// What the question takes; goes away with it.
class conditional_probe {
 public:
  conditional_probe(driver& d, std::uint32_t device) noexcept : d_(d), device_(device) {}
  ~conditional_probe() {
    if (executable_.native != nullptr) d_.destroy(executable_);
    if (graph_.native != nullptr) d_.destroy(graph_);
    if (done_.native != nullptr) d_.destroy(device_, done_);
    if (stream_.native != nullptr) d_.destroy(device_, stream_);
    if (numbers_ != nullptr) d_.free_host(device_, numbers_);
  }
  conditional_probe(const conditional_probe&) = delete;
  conditional_probe& operator=(const conditional_probe&) = delete;

  [[nodiscard]] bool ask() {
    void* at = nullptr;
    if (!did(d_.make_stream(device_, stream_)) || !did(d_.make_event(device_, false, done_)) ||
        !did(d_.allocate_host(device_, sizeof(probed_numbers), at)))
      return false;
    numbers_ = static_cast<probed_numbers*>(at);
    *numbers_ = {};
    if (!build() || !did(d_.instantiate(graph_, device_, executable_)) ||
        !did(d_.launch(executable_, device_, stream_)) ||
        !did(d_.record(device_, stream_, done_)) || !did(d_.synchronize(done_)))
      return false;
    return numbers_->left == 0 && numbers_->chosen == 1 && numbers_->written == probed_mark;
  }
  [[nodiscard]] code why() const noexcept { return why_; }

 private:
  using source = condition_setting::source;

  // A loop that counts down; then a branch, or a choice of the second of two graphs, which writes the mark.
  [[nodiscard]] bool build() {
    if (!did(d_.make_graph(graph_))) return false;
    condition_setting set;
    set.device = device_;
    set.from = source::beginning;
    set.number = &numbers_->left;
    set.begin = probed_iterations;
    std::vector<graph> looped(1);
    node last, inner;
    if (!add(set, conditional::loop, looped, last)) return false;
    set.from = source::countdown;
    if (!did(d_.add_setting(looped[0], {}, set, inner))) return false;

    std::vector<graph> chosen(d_.can().choices ? 2 : 1);
    set.from = source::beginning;
    set.number = &numbers_->chosen;
    set.begin = 1;
    set.limit = static_cast<std::uint32_t>(chosen.size());
    if (!add(set, chosen.size() == 1 ? conditional::branch : conditional::choice, chosen, last))
      return false;
    fill_operation f;
    f.destination = &numbers_->written;
    f.value = probed_mark;
    f.element_bytes = 4;
    f.width = 1;
    f.device = device_;
    return did(d_.add_fill(chosen.back(), {}, f, inner));
  }

  // Behind `last`, if that is a node, which becomes the new one.
  [[nodiscard]] bool add(condition_setting& set, conditional kind, std::vector<graph>& bodies,
                         node& last) {
    node setting;
    const model::array_view<const node> after(&last, last.native == nullptr ? 0 : 1);
    return did(d_.make_condition(graph_, device_, set.what)) &&
           did(d_.add_setting(graph_, after, set, setting)) &&
           did(d_.add_conditional(graph_, {&setting, 1}, device_, set.what, kind, bodies, last));
  }
  // Keeps the first error.
  bool did(code c) noexcept {
    if (c != success && why_ == success) why_ = c;
    return c == success;
  }

  driver& d_;
  std::uint32_t device_;
  code why_ = success;
  stream stream_;
  event done_;
  graph graph_;
  executable executable_;
  probed_numbers* numbers_ = nullptr;
};

}  // namespace

bool conditional_nodes_decide(driver& d, std::uint32_t device, code& why) noexcept {
  try {
    if (!d.sets_conditions(device)) return false;
    conditional_probe p(d, device);
    const bool decided = p.ask();
    why = p.why();
    return decided;
  } catch (...) {
    return false;
  }
}

}  // namespace pianola::gpu
