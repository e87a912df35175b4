// SPDX-License-Identifier: Apache-2.0
#include "replay/values/parameters.hpp"

#include <cstddef>
#include <iterator>
#include <mutex>
#include <unordered_map>

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

}  // namespace

std::shared_ptr<graph> owner_of_parameter(std::uint64_t cookie) {
  return parameter_owners::instance().find(cookie);
}

std::uint64_t create_parameter(const std::shared_ptr<graph>& of, bool is_memory) {
  const std::uint64_t cookie = is_memory ? next_dynamic_memory_cookie() : next_parameter_cookie();
  if (of != nullptr) parameter_owners::instance().add(cookie, of);
  return cookie;
}

}  // namespace pianola::runtime
