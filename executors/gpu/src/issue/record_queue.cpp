// SPDX-License-Identifier: Apache-2.0
#include "issue/record_queue.hpp"

#include <cstring>
#include <new>

namespace pianola::gpu {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;
constexpr std::size_t alignment = 64;
constexpr unsigned kept_blocks = 16;

constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept {
  return (n + to - 1) / to * to;
}

}  // namespace

record* record_queue::record_at(block* b, std::size_t offset) noexcept {
  auto* data = reinterpret_cast<unsigned char*>(b) + round_up(sizeof(block), alignment);
  return std::launder(reinterpret_cast<record*>(data + offset));
}

record_queue::block* record_queue::take(std::size_t bytes) {
  if (bytes <= block_bytes && spare_ != nullptr) {
    block* b = spare_;
    spare_ = b->next;
    --spare_count_;
    b->next = nullptr;
    b->used = 0;
    return b;
  }
  const std::size_t capacity = bytes > block_bytes ? bytes : block_bytes;
  auto* b = new (::operator new(round_up(sizeof(block), alignment) + capacity,
                                std::align_val_t(alignment))) block();
  b->capacity = capacity;
  return b;
}

void record_queue::give(block* b) noexcept {
  if (spare_count_ < kept_blocks && b->capacity == block_bytes) {
    b->next = spare_;
    spare_ = b;
    ++spare_count_;
  } else {
    ::operator delete(b, std::align_val_t(alignment));
  }
}

record_queue::~record_queue() {
  while (!empty()) pop();
  for (block* list : {first_, spare_})
    while (list != nullptr) {
      block* next = list->next;
      ::operator delete(list, std::align_val_t(alignment));
      list = next;
    }
}

record& record_queue::push(model::array_view<const std::byte> context) {
  const std::size_t bytes = round_up(sizeof(record) + context.size(), alignof(std::max_align_t));
  if (last_ == nullptr || last_->used + bytes > last_->capacity) {
    block* b = take(bytes);
    if (last_ == nullptr)
      first_ = b;
    else
      last_->next = b;
    last_ = b;
  }
  auto* r = new (record_at(last_, last_->used)) record();
  r->bytes = static_cast<std::uint32_t>(bytes);
  r->context_bytes = static_cast<std::uint32_t>(context.size());
  if (!context.empty()) std::memcpy(static_cast<void*>(r + 1), context.data(), context.size());
  last_->used += bytes;
  ++count_;
  return *r;
}

void record_queue::unpush(record& r) noexcept {
  last_->used -= r.bytes;
  r.~record();
  --count_;
}

void record_queue::skip_read_block() noexcept {
  while (read_ == first_->used && first_->next != nullptr) {
    block* done = first_;
    first_ = done->next;
    read_ = 0;
    give(done);
  }
}

record& record_queue::front() noexcept {
  skip_read_block();
  return *record_at(first_, read_);
}

void record_queue::pop() noexcept {
  skip_read_block();
  record* r = record_at(first_, read_);
  read_ += r->bytes;
  r->~record();
  if (--count_ == 0 && first_ == last_) {
    // The next record starts the block anew.
    first_->used = 0;
    read_ = 0;
  }
}

}  // namespace pianola::gpu
