// SPDX-License-Identifier: Apache-2.0
#include "replay/graphs/parameters.hpp"

#include <cstddef>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <pianola/runtime/graphs.hpp>

namespace pianola::runtime {

namespace {

// The graphs that parameters were made for. Few programs have any.
class parameter_owners {
 public:
  static parameter_owners& instance() {
    static parameter_owners& owners = *new parameter_owners;
    return owners;
  }
  void add(std::uint64_t cookie, const std::shared_ptr<graph>& owner) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (owners_.size() >= purge_at_) {
      for (auto it = owners_.begin(); it != owners_.end();)
        it = it->second.expired() ? owners_.erase(it) : std::next(it);
      purge_at_ = 2 * owners_.size() + 64;
    }
    owners_.emplace(cookie, owner);
  }
  std::shared_ptr<graph> find(std::uint64_t cookie) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = owners_.find(cookie);
    return found == owners_.end() ? nullptr : found->second.lock();
  }

 private:
  std::mutex mutex_;
  std::size_t purge_at_ = 64;
  std::unordered_map<std::uint64_t, std::weak_ptr<graph>> owners_;
};

// The latest values of the parameters that were changed. Thread-safe.
class changed_parameters {
 public:
  static changed_parameters& instance() {
    static changed_parameters& all = *new changed_parameters;
    return all;
  }
  void note(std::uint64_t cookie, const void* value, std::uint32_t size, std::uint64_t bytes) {
    const auto* const first = static_cast<const unsigned char*>(value);
    const std::lock_guard<std::mutex> lock(mutex_);
    latest& l = values_[cookie];
    l.value.assign(first, first + size);
    l.bytes = bytes;
    any_parameter_changed.store(true, std::memory_order_release);
  }
  void forget(std::uint64_t cookie) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.erase(cookie);
  }
  // `room`: bytes from the cookie to the end of the arguments.
  void write(std::uint64_t cookie, unsigned char* at, std::size_t room) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(cookie);
    if (found == values_.end()) return;
    const latest& l = found->second;
    const bool is_memory = is_cookie(dynamic_memory_cookie_prefix, cookie);
    const std::size_t offset = is_memory ? sizeof(dynamic_memory) : parameter_value_offset;
    // Bytes that only look like one.
    if (room < offset + l.value.size()) return;
    if (is_memory) std::memcpy(at + offsetof(dynamic_memory, bytes), &l.bytes, sizeof l.bytes);
    std::memcpy(at + offset, l.value.data(), l.value.size());
  }

 private:
  struct latest {
    std::vector<unsigned char> value;
    std::uint64_t bytes = 0;  // of a dynamic_memory
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, latest> values_;
};

}  // namespace

void note_parameter(std::uint64_t cookie, const void* value, std::uint32_t size,
                    std::uint64_t bytes) {
  changed_parameters::instance().note(cookie, value, size, bytes);
}

void forget_parameter(std::uint64_t cookie) noexcept {
  changed_parameters::instance().forget(cookie);
}

void write_changed_parameters(const model::argument_block& block) {
  const changed_parameters& values = changed_parameters::instance();
  for_each_parameter(block, [&](std::uint32_t at, std::uint64_t cookie) {
    values.write(cookie, static_cast<unsigned char*>(block.bytes) + at, block.size - at);
  });
}

std::shared_ptr<graph> owner_of_parameter(std::uint64_t cookie) {
  return parameter_owners::instance().find(cookie);
}

std::uint64_t create_parameter(const std::shared_ptr<graph>& of, bool is_memory) {
  const std::uint64_t cookie = is_memory ? next_dynamic_memory_cookie() : next_parameter_cookie();
  if (of != nullptr) parameter_owners::instance().add(cookie, of);
  return cookie;
}

}  // namespace pianola::runtime
