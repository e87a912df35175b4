// SPDX-License-Identifier: Apache-2.0
// Where commands get memory from and bring it back to: pools of eager mode, and the memory that graphs own.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/planner/share_storage.hpp>
#include <pianola/runtime/async_memory.hpp>
#include <pianola/runtime/events.hpp>

namespace pianola::runtime {

class graph;

// Memory that a pool holds.
struct pool_block {
  void* base = nullptr;
  std::uint64_t bytes = 0;
  event freed;  // the command that brought it back; whoever gets it next comes after that
};

class memory_pool {
 public:
  explicit memory_pool(const pool_description& d) : description(d), context(d.context.get()) {
    description.context.reset();
    figures.threshold = d.threshold;
  }
  ~memory_pool();
  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;

  pool_description description;
  const void* context;
  // ---- under the desk's lock -------------------------------------------------------------------
  pool_figures figures;
  std::vector<pool_block> free;
};

// What a submission has set aside. Undone at the end unless the command was taken.
struct memory_step {
  enum class kind : unsigned char { allocation, freeing, graph_allocation };
  explicit memory_step(kind k) : what(k) {}
  ~memory_step();
  memory_step(const memory_step&) = delete;
  memory_step& operator=(const memory_step&) = delete;

  kind what;
  bool taken = false;
  void* base = nullptr;
  std::uint64_t allocation = 0;
  std::shared_ptr<memory_pool> pool;
  std::weak_ptr<graph> planned_in;
};

class memory_desk {
 public:
  static memory_desk& instance();

  // See allocate_asynchronously. Adds to what the submission comes after.
  std::shared_ptr<memory_step> allocate(submission& s, queue& q,
                                        const std::shared_ptr<memory_pool>& pool,
                                        std::uint64_t bytes);
  std::shared_ptr<memory_step> start_to_free(const void* context, void* pointer,
                                             std::uint64_t& bytes);
  // The step's command has been submitted.
  void take(memory_step& step, const event& done);
  void undo(memory_step& step) noexcept;

  // Gives back what pools hold beyond their thresholds and nobody uses any more.
  void trim() noexcept {
    if (in_use_.load(std::memory_order_acquire)) trim_pools();
  }
  void forget(memory_pool& pool) noexcept;

  std::shared_ptr<memory_pool> default_pool(const pool_description& d);
  void add(memory_pool& pool);
  [[nodiscard]] std::uint64_t next_name();

  // So many bytes that are told from all others in files, wherever they are.
  [[nodiscard]] std::uint64_t number_bytes(std::uint64_t bytes) noexcept {
    return numbered_.fetch_add((bytes + 255) / 256 * 256, std::memory_order_relaxed);
  }

  std::mutex& mutex() noexcept { return mutex_; }

 private:
  void trim_pools() noexcept;
  struct allocation {
    std::shared_ptr<memory_pool> pool;
    pool_block block;
    std::uint64_t bytes = 0;
    std::uint64_t name = 0;
    bool leaving = false;  // a command that frees it is being put together
  };
  bool try_reserve(memory_pool& pool, std::uint64_t bytes, pool_block& out,
                   executors::status& why) noexcept;
  void give_back(memory_pool& pool, const pool_block& block) noexcept;
  void release_finished(memory_pool& pool, std::uint64_t keep) noexcept;

  std::mutex mutex_;
  std::atomic<bool> in_use_{false};  // there has been a pool
  std::map<const void*, allocation> taken_;
  std::vector<memory_pool*> pools_;
  struct default_entry {
    std::weak_ptr<const void> context;
    std::shared_ptr<memory_pool> pool;
  };
  std::vector<default_entry> defaults_;
  std::uint64_t names_ = 0;
  std::atomic<std::uint64_t> numbered_{0};
};

// What one graph owns, shared by everything that was made of it. Its addresses are those that the commands were recorded
// with, so replays of several executable graphs follow each other.
class graph_memory {
 public:
  explicit graph_memory(model::device_id device) : device_(device) {}
  ~graph_memory();
  graph_memory(const graph_memory&) = delete;
  graph_memory& operator=(const graph_memory&) = delete;

  struct place {
    void* pointer;
    std::uint64_t number;  // as allocate_command::place
  };
  // `gone`: see growing_storage, by the requests of this kind. Throws user_error (memory_allocation).
  place add(usm_kind kind, std::uint64_t bytes, const std::vector<char>& gone);
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  model::step_id last_replay;  // under the runtime's lock

 private:
  struct region {
    planner::growing_storage storage;
    std::vector<void*> blocks;
    std::vector<std::uint64_t> numbers;  // of their first bytes
  };
  model::device_id device_;
  mutable std::mutex mutex_;
  region regions_[3];  // by usm_kind
};

}  // namespace pianola::runtime
