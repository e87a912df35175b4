// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "queues/host_work.hpp"
#include "queues/queue.hpp"

namespace pianola::runtime {

// The queues of the program by their ids, so that failures find them. Expects the runtime's lock to be held.
class queue_table {
 public:
  host_work unfinished_host_tasks;  // of whatever queue

  std::shared_ptr<queue> add(queue_description d) {
    const std::uint64_t id = next_++;
    auto made = std::make_shared<queue>(id, std::move(d));
    queues_[id] = {made, made.get()};
    return made;
  }
  void remove(std::uint64_t id) noexcept { queues_.erase(id); }
  // Null if it has ended.
  [[nodiscard]] std::shared_ptr<queue> find(std::uint64_t id) const {
    const auto found = queues_.find(id);
    return found == queues_.end() ? nullptr : found->second.owner.lock();
  }
  // To be looked at while the lock is held, which who ends waits for: nobody keeps it, and so nobody ends it under the lock.
  [[nodiscard]] const queue* look_at(std::uint64_t id) const {
    const auto found = queues_.find(id);
    return found == queues_.end() ? nullptr : found->second.one;
  }

 private:
  struct entry {
    std::weak_ptr<queue> owner;
    const queue* one = nullptr;
  };
  std::unordered_map<std::uint64_t, entry> queues_;
  std::uint64_t next_ = 1;
};

}  // namespace pianola::runtime
