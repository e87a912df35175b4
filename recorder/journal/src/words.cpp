// SPDX-License-Identifier: Apache-2.0
#include "pianola/journal/words.hpp"

#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include <pianola/model/error.hpp>

#include "malformed.hpp"
#include "sound.hpp"

namespace pianola::journal {

namespace {

class word_sink {
 public:
  explicit word_sink(std::uint64_t* to) noexcept : to_(to) {}
  template <class T>
  void operator()(const T& value) noexcept {
    *to_++ = static_cast<std::uint64_t>(value);
  }
  [[nodiscard]] std::uint64_t* end() const noexcept { return to_; }

 private:
  std::uint64_t* to_;
};

class word_source {
 public:
  explicit word_source(model::array_view<const std::uint64_t> words) noexcept : left_(words) {}
  std::uint64_t next() {
    if (left_.size() == 0) malformed("a command is cut off");
    const std::uint64_t word = left_[0];
    left_ = {left_.data() + 1, left_.size() - 1};
    return word;
  }
  template <class T>
  void operator()(T& value) {
    const std::uint64_t word = next();
    if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
      if (word > std::numeric_limits<T>::max()) malformed("a number is out of range");
    value = static_cast<T>(word);
  }
  [[nodiscard]] bool empty() const noexcept { return left_.size() == 0; }

 private:
  model::array_view<const std::uint64_t> left_;
};

template <class Words, class Point>
void each(Words& words, Point& p) {
  for (auto& c : p.c) words(c);
}

template <class Words, class Operand>
void operand(Words& words, Operand& o) {
  std::uint16_t memory = o.memory.value();
  words(o.requirement);
  words(memory);
  words(o.byte_offset);
  words(o.row_pitch);
  words(o.slice_pitch);
  if constexpr (!std::is_const_v<Operand>) o.memory = model::memory_id(memory);
}

template <class Words, class Copy>
void shape(Words& words, Copy& c) {
  words(c.width);
  words(c.height);
  words(c.depth);
}

// The members of each kind of command that files tell of, in the order of the words; written or read.
template <class Words>
struct members {
  Words& words;

  template <class Kernel>
  void kernel(Kernel& c) const {
    std::uint64_t id = c.id.value();
    words(id);
    const model::point3 nowhere;
    std::uint64_t flags = c.geometry.dimensions | std::uint64_t{c.geometry.grouped ? 1U : 0U} << 8 |
                          std::uint64_t{c.geometry.offset != nowhere ? 1U : 0U} << 9 |
                          std::uint64_t{c.local_memory_bytes} << 32;
    words(flags);
    if constexpr (!std::is_const_v<Kernel>) {
      c.id = model::kernel_id(id);
      c.geometry.dimensions = static_cast<std::uint8_t>(flags & 0xff);
      c.geometry.grouped = (flags >> 8 & 1) != 0;
      c.local_memory_bytes = static_cast<std::uint32_t>(flags >> 32);
      if (c.geometry.dimensions < 1 || c.geometry.dimensions > 3)
        malformed("a kernel has 1 to 3 dimensions");
    }
    for (unsigned d = 3U - c.geometry.dimensions; d < 3; ++d) {
      words(c.geometry.global.c[d]);
      if (c.geometry.grouped) words(c.geometry.local.c[d]);
      if ((flags >> 9 & 1) != 0) words(c.geometry.offset.c[d]);
    }
  }
  template <class Copy>
  void copy(Copy& c) const {
    shape(words, c);
    operand(words, c.source);
    operand(words, c.destination);
  }
  template <class Fill>
  void fill(Fill& c) const {
    shape(words, c);
    operand(words, c.destination);
    words(c.pattern_bytes);
    for (auto& byte : c.pattern) words(byte);
  }
  template <class Subgraph>
  void subgraph(Subgraph& c) const {
    words(c.nodes);
    words(c.control);
    words(c.count);
    words(c.bodies);
    words(c.condition);
  }
  template <class Allocate>
  void allocate(Allocate& c) const {
    words(c.allocation);
    words(c.bytes);
    words(c.place);
    words(c.zero);
  }

  void operator()(const model::kernel_command& c) const { kernel(c); }
  void operator()(model::kernel_command& c) const { kernel(c); }
  void operator()(const model::copy_command& c) const { copy(c); }
  void operator()(model::copy_command& c) const { copy(c); }
  void operator()(const model::fill_command& c) const { fill(c); }
  void operator()(model::fill_command& c) const { fill(c); }
  void operator()(const model::subgraph_command& c) const { subgraph(c); }
  void operator()(model::subgraph_command& c) const { subgraph(c); }
  void operator()(const model::allocate_command& c) const { allocate(c); }
  void operator()(model::allocate_command& c) const { allocate(c); }
  template <
      class Free,
      std::enable_if_t<std::is_same_v<std::remove_const_t<Free>, model::free_command>, int> = 0>
  void operator()(Free& c) const {
    words(c.allocation);
    words(c.bytes);
  }
  template <class Prefetch,
            std::enable_if_t<std::is_same_v<std::remove_const_t<Prefetch>, model::prefetch_command>,
                             int> = 0>
  void operator()(Prefetch& c) const {
    words(c.bytes);
  }
  template <
      class Advise,
      std::enable_if_t<std::is_same_v<std::remove_const_t<Advise>, model::advise_command>, int> = 0>
  void operator()(Advise& c) const {
    words(c.bytes);
    words(c.advice);
  }
  void operator()(const model::empty_command&) const {}
  void operator()(const model::host_task_command&) const {}
  void operator()(const model::barrier_command&) const {}
  void operator()(const model::host_access_command&) const {}
  void operator()(const model::acquire_command&) const {}
};

template <std::size_t... I>
model::command_payload payload_of(std::size_t index, std::index_sequence<I...>) {
  model::command_payload payload;
  static_cast<void>(((index == I && (payload.emplace<I>(), true)) || ...));
  return payload;
}

constexpr std::uint64_t no_memory = model::memory_id::invalid_value;

}  // namespace

std::uint64_t* write_command(std::uint64_t* to, const model::command& command, std::uint32_t label,
                             model::array_view<const model::requirement> requirements,
                             const named_buffer* names) noexcept {
  word_sink words(to);
  words(label | std::uint64_t{command.device.value()} << 32 |
        std::uint64_t{command.payload.index()} << 48);
  words(requirements.size());
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const model::requirement& r = requirements[i];
    words(names[i].key);
    words(static_cast<unsigned>(r.mode) | (r.no_init ? 4U : 0U) | (names[i].whole ? 8U : 0U) |
          std::uint64_t{r.memory.value()} << 8);
    if (names[i].whole) continue;
    each(words, r.elements.lo);
    each(words, r.elements.hi);
  }
  const members<word_sink> each_member{words};
  // Most are.
  if (const auto* kernel = std::get_if<model::kernel_command>(&command.payload))
    each_member(*kernel);
  else
    std::visit(each_member, command.payload);
  return words.end();
}

model::command& command_reader::read(model::array_view<const std::uint64_t> all,
                                     const find_buffer& find) {
  word_source words(all);
  const std::uint64_t head = words.next();
  label_ = static_cast<std::uint32_t>(head);
  command_ = {};
  command_.device = model::device_id(static_cast<std::uint16_t>(head >> 32));
  if (head >> 48 >= std::variant_size_v<model::command_payload>)
    malformed("there is no such kind of command");
  command_.payload = payload_of(
      head >> 48, std::make_index_sequence<std::variant_size_v<model::command_payload>>());
  requirements_.clear();
  for (std::uint64_t n = words.next(); n != 0; --n) {
    model::requirement& r = requirements_.emplace_back();
    const found_buffer buffer = find(words.next());
    r.buffer = buffer.id;
    const std::uint64_t how = words.next();
    if ((how & 3) > 2) malformed("there is no such access mode");
    r.mode = static_cast<model::access_mode>(how & 3);
    r.no_init = (how & 4) != 0;
    if (how >> 8 != no_memory) r.memory = model::memory_id(static_cast<std::uint16_t>(how >> 8));
    r.elements = model::box::of(buffer.range);
    if ((how & 8) == 0) {
      each(words, r.elements.lo);
      each(words, r.elements.hi);
    }
    require_sound(r, buffer.range);
  }
  command_.requirements = requirements_;
  std::visit(members<word_source>{words}, command_.payload);
  if (!words.empty()) malformed("a command has more words than its kind");
  return command_;
}

}  // namespace pianola::journal
