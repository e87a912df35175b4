// SPDX-License-Identifier: Apache-2.0
// Where commands of eager mode get memory from and bring it back to.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/runtime/async_memory.hpp>
#include <pianola/runtime/events.hpp>

namespace pianola::runtime {

class queue;

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
  // ---- under the pools' lock -------------------------------------------------------------------
  pool_figures figures;
  std::vector<pool_block> free;
};

// What a submission has set aside. Undone at the end unless the command was taken.
struct memory_step {
  virtual ~memory_step() = default;
  memory_step() = default;
  memory_step(const memory_step&) = delete;
  memory_step& operator=(const memory_step&) = delete;

  // The command has been submitted.
  virtual void take(const event& /*done*/) { taken = true; }

  bool taken = false;
  std::uint64_t allocation = 0;
};

// Of a pool, or on the way back to it.
struct pool_step final : memory_step {
  enum class kind : unsigned char { allocation, freeing };
  explicit pool_step(kind k) : what(k) {}
  ~pool_step() override;
  void take(const event& done) override;

  kind what;
  void* base = nullptr;
  std::shared_ptr<memory_pool> pool;
};

class memory_pools {
 public:
  static memory_pools& instance();

  // See allocate_asynchronously. Adds to what the submission comes after.
  std::shared_ptr<pool_step> allocate(submission& s, queue& q,
                                      const std::shared_ptr<memory_pool>& pool,
                                      std::uint64_t bytes);
  std::shared_ptr<pool_step> start_to_free(const void* context, void* pointer,
                                           std::uint64_t& bytes);
  // The step's command has been submitted.
  void take(pool_step& step, const event& done);
  void undo(pool_step& step) noexcept;

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

}  // namespace pianola::runtime
