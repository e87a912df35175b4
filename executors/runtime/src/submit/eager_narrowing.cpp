// SPDX-License-Identifier: Apache-2.0
#include "submit/eager_narrowing.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include <pianola/model/arena.hpp>

#include "data/buffer_table.hpp"
#include "replay/recorded/kernel_footprints.hpp"

namespace pianola::runtime {

namespace {

// More than this is copied and compared for longer than it can save.
constexpr std::uint32_t most_argument_bytes = 512;
constexpr std::size_t most_accessors = 16;
constexpr std::size_t most_launches = 64;

// What decides about what a kernel touches, and what comes of it.
struct narrowed_launch {
  const model::kernel_descriptor* kernel = nullptr;
  model::launch_geometry geometry;
  std::vector<std::uint64_t> arguments;  // addresses left out
  std::vector<model::argument_slot> slots;
  std::vector<model::requirement> named;
  std::vector<model::buffer_info> buffers;  // of each requirement
  std::vector<model::requirement> needed;   // empty: no others
};

bool same_pages(const model::buffer_info& a, const model::buffer_info& b) {
  return a.element_size == b.element_size && a.grid.range() == b.grid.range() &&
         a.grid.page() == b.grid.page();
}

bool same_buffer_slots(model::array_view<const model::argument_slot> a,
                       model::array_view<const model::argument_slot> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.offset == y.offset && x.requirement == y.requirement && x.byte_offset == y.byte_offset;
  });
}

class narrowed_launches {
 public:
  void narrow(const buffer_table& buffers, const model::kernel_command& kernel,
              const model::argument_block& arguments, const found_slots& slots,
              std::vector<model::requirement>& requirements) {
    take_words(arguments, slots);
    std::unique_ptr<narrowed_launch>& at = all_[place_of(kernel)];
    if (at == nullptr) at = std::make_unique<narrowed_launch>();
    if (!is(*at, kernel, slots, buffers, requirements)) {
      at->kernel = nullptr;  // if there is no memory for the rest
      find_out(*at, buffers, kernel, arguments, slots, requirements);
      at->kernel = kernel.kernel;
    }
    const std::size_t accessors = requirements.size();
    for (std::size_t i = 0; i < at->needed.size(); ++i) {
      model::requirement r = at->needed[i];
      r.buffer = requirements[r.buffer.value()].buffer;
      if (i < accessors)
        requirements[i] = r;
      else
        requirements.push_back(r);
    }
  }

 private:
  // The bytes of the arguments without addresses, which differ from submission to submission.
  void take_words(const model::argument_block& arguments, const found_slots& slots) {
    constexpr std::size_t word = sizeof(std::uint64_t);
    words_.assign((arguments.size + word - 1) / word, 0);
    std::memcpy(words_.data(), arguments.bytes, arguments.size);
    for (const model::argument_slot& s : slots.buffers)
      std::memset(reinterpret_cast<unsigned char*>(words_.data()) + s.offset, 0, word);
  }

  [[nodiscard]] std::size_t place_of(const model::kernel_command& kernel) const noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    std::uint64_t h = reinterpret_cast<std::uintptr_t>(kernel.kernel);
    const auto add = [&](std::uint64_t n) { h = (h ^ n) * odd; };
    for (const std::uint64_t w : words_) add(w);
    for (const std::uint64_t n : kernel.geometry.global.c) add(n);
    return static_cast<std::size_t>(h >> 58);
  }
  static_assert(std::uint64_t{1} << (64 - 58) == most_launches);

  [[nodiscard]] bool is(const narrowed_launch& known, const model::kernel_command& kernel,
                        const found_slots& slots, const buffer_table& buffers,
                        const std::vector<model::requirement>& requirements) const {
    const model::launch_geometry &a = known.geometry, &b = kernel.geometry;
    return known.kernel == kernel.kernel && a.global == b.global && a.local == b.local &&
           a.offset == b.offset && a.grouped == b.grouped && known.arguments == words_ &&
           same_buffer_slots(known.slots, slots.buffers) &&
           known.named.size() == requirements.size() &&
           std::equal(known.named.begin(), known.named.end(), requirements.begin(),
                      [](const auto& x, const auto& y) {
                        return x.mode == y.mode && x.no_init == y.no_init && x.memory == y.memory &&
                               x.elements == y.elements;
                      }) &&
           std::equal(known.buffers.begin(), known.buffers.end(), requirements.begin(),
                      [&](const model::buffer_info& info, const model::requirement& r) {
                        return same_pages(info, buffers[r.buffer].info);
                      });
  }

  void find_out(narrowed_launch& to, const buffer_table& buffers,
                const model::kernel_command& kernel, const model::argument_block& arguments,
                const found_slots& slots,
                const std::vector<model::requirement>& requirements) const {
    to.geometry = kernel.geometry;
    to.arguments = words_;
    to.slots.assign(slots.buffers.begin(), slots.buffers.end());
    to.named = requirements;
    to.buffers.clear();
    to.needed.clear();
    // Each accessor has a buffer of its own here, which is the number of its requirement.
    std::vector<model::requirement> own = requirements;
    for (std::size_t i = 0; i < own.size(); ++i) {
      to.buffers.push_back(buffers[own[i].buffer].info);
      own[i].buffer = model::buffer_id(static_cast<std::uint32_t>(i));
    }
    model::command command;
    auto& whole = command.payload.emplace<model::kernel_command>(kernel);
    whole.arguments = arguments;
    whole.slots = slots.buffers;
    command.requirements = own;
    model::arena storage(4096);
    if (describe_footprints(command, to.buffers, true, storage))
      to.needed.assign(command.requirements.begin(), command.requirements.end());
  }

  std::array<std::unique_ptr<narrowed_launch>, most_launches> all_;
  std::vector<std::uint64_t> words_;  // of the arguments at hand
};

// The runtime's: what is submitted while the program ends finds it still there.
narrowed_launches& all_known() {
  static auto* const known = new narrowed_launches;
  return *known;
}

}  // namespace

void narrow_eagerly(const buffer_table& buffers, const model::kernel_command& kernel,
                    const model::argument_block& arguments, const found_slots& slots,
                    std::vector<model::requirement>& requirements) {
  if (kernel.kernel == nullptr || kernel.kernel->facts == nullptr ||
      kernel.kernel->checks_accesses || !kernel.kernel->facts->only_uses || requirements.empty() ||
      requirements.size() > most_accessors || arguments.size > most_argument_bytes)
    return;
  static const bool wanted = narrowing_of_environment() == narrowing::everywhere;
  if (!wanted) return;
  all_known().narrow(buffers, kernel, arguments, slots, requirements);
}

}  // namespace pianola::runtime
