// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <shared_mutex>

#include <pianola/executors/backend.hpp>
#include <pianola/model/command.hpp>
#include <pianola/runtime/usm.hpp>

namespace pianola::runtime {

// Whose an allocation is: the program's (USM), storage of a buffer, or neither.
enum class allocation_use : std::uint8_t { program, buffer, other };

// An allocation of the program. No other one of the process has its serial number, 0 stands for none.
struct user_allocation {
  usm_kind kind = usm_kind::unknown;
  model::device_id device;
  const void* base = nullptr;
  std::size_t bytes = 0;
  std::uint64_t serial = 0;
};

// Is told of allocations of the program as they begin, and before they end. Must not ask the registry.
class allocation_observer {
 public:
  virtual void allocated(const user_allocation&) = 0;
  virtual void freed(std::uint64_t serial) noexcept = 0;
  // Uses of what is freed are looked for: it is to stay for a while.
  [[nodiscard]] virtual bool wants_freed_memory_kept() const noexcept = 0;

 protected:
  ~allocation_observer() = default;
};

// Every allocation that pointer queries know: USM allocations and storage of buffers. Thread-safe.
class pointer_registry {
 public:
  static pointer_registry& instance();

  // Null: nobody. Those that are there already are not told of.
  void tell(allocation_observer* observer) noexcept;
  [[nodiscard]] bool keeps_freed_memory() noexcept;

  // `padding`: bytes behind it that are allocated with it and that nobody may touch.
  void add(void* base, std::size_t bytes, usm_kind, model::device_id, allocation_use,
           std::size_t padding = 0);
  // Memory of the program that a buffer works on in place; a USM allocation there stays what it is. False: another buffer
  // has some of it.
  [[nodiscard]] bool add_borrowed(void* base, std::size_t bytes, model::device_id host);
  void remove_borrowed(void* base) noexcept;
  // What was there; kind unknown if nothing.
  pointer_query remove(void* base) noexcept;
  [[nodiscard]] pointer_query find(const void* pointer) const noexcept;
  [[nodiscard]] bool is_user_allocation(void* base) const noexcept;
  // Where the storage of a buffer begins that the pointer is in, or in whose padding it is (then not inside); null if neither.
  struct buffer_storage {
    const void* begin = nullptr;
    bool inside = false;
    // If neither: what is around the pointer and belongs to no buffer either.
    std::uintptr_t other_begin = 0;
    std::uintptr_t other_end = 0;
  };
  [[nodiscard]] buffer_storage find_buffer_storage(const void* pointer) const noexcept;
  [[nodiscard]] user_allocation find_user(const void* pointer) const noexcept;
  // Calls f(user_allocation) for each aligned word of the arguments that points into an allocation of the program.
  template <class F>
  void find_words(const model::argument_block& arguments, F&& f) const {
    const auto* bytes = static_cast<const unsigned char*>(arguments.bytes);
    for (std::size_t at = 0; bytes != nullptr && at + sizeof(void*) <= arguments.size;
         at += sizeof(void*)) {
      std::uintptr_t word = 0;
      std::memcpy(&word, bytes + at, sizeof word);
      // Numbers and cookies are none.
      if (word < 4096 || word >> 47 != 0) continue;
      const user_allocation found = find_user(reinterpret_cast<const void*>(word));
      if (found.serial != 0) f(found);
    }
  }

 private:
  struct entry {
    std::size_t bytes;
    usm_kind kind;
    model::device_id device;
    allocation_use use;
    std::uint64_t serial;
    std::size_t padding;
  };
  // The entry whose bytes the pointer is in; the end if there is none. The lock is held.
  [[nodiscard]] std::map<const void*, entry>::const_iterator containing(
      const void* pointer) const noexcept;

  mutable std::shared_mutex mutex_;
  std::map<const void*, entry> entries_;
  std::uint64_t serials_ = 0;
  allocation_observer* observer_ = nullptr;
};

[[nodiscard]] executors::memory_kind memory_kind_of(usm_kind) noexcept;

// For allocations made by usm_allocate. Must be known.
void free_usm_allocation(void* base) noexcept;

}  // namespace pianola::runtime
