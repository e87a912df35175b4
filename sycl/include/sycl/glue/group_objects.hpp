// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

#include <pianola/model/error.hpp>
#include <pianola/model/kernel.hpp>

namespace pianola::glue {

/// Library-only mode: memory that the work-items of a group share and that nobody reserved at the launch. A thread runs
/// groups one after the other; each finds the memory of the one before it.
class group_objects {
 public:
  group_objects() = default;
  group_objects(const group_objects&) = delete;
  group_objects& operator=(const group_objects&) = delete;
  ~group_objects() {
    while (first_ != nullptr) {
      entry* const next = first_->next;
      ::operator delete(first_->memory, std::align_val_t{first_->alignment});
      delete first_;
      first_ = next;
    }
  }

  /// What the launch reserved already.
  void set_reserved(std::size_t bytes) noexcept { taken_ = bytes; }

  /// From here on all objects are new.
  void start_group() noexcept { ++group_; }

  /// Whether it points into one of them.
  bool hold(const void* p) const noexcept {
    for (const entry* e = first_; e != nullptr; e = e->next)
      if (e->group == group_ && is_in(p, e->memory, e->bytes)) return true;
    return false;
  }

  /// The object of these names. fresh: nobody of this group asked for it before; all its bytes are 0 then.
  void* get(const void* key, const char* file, std::uint64_t place, std::size_t bytes,
            std::size_t alignment, bool& fresh) {
    entry* found = first_;
    while (found != nullptr && !found->is(key, file, place)) found = found->next;
    if (found == nullptr) {
      taken_ += bytes;
      if (taken_ > model::host_local_memory_bytes) refuse_bytes(taken_);
      void* const memory = ::operator new(bytes, std::align_val_t{alignment});
      found = first_ = new entry{key, file, place, memory, bytes, alignment, group_ - 1, first_};
    }
    fresh = found->group != group_;
    if (fresh) {
      std::memset(found->memory, 0, bytes);
      found->group = group_;
    }
    return found->memory;
  }

 private:
  struct entry {
    const void* key;
    const char* file;
    std::uint64_t place;
    void* memory;
    std::size_t bytes;
    std::size_t alignment;
    std::uint64_t group;
    entry* next;

    bool is(const void* k, const char* f, std::uint64_t p) const noexcept {
      return key == k && place == p &&
             (file == f || (file != nullptr && f != nullptr && std::strcmp(file, f) == 0));
    }
  };

  [[noreturn]] static void refuse_bytes(std::size_t bytes) {
    throw model::user_error(model::error_code::memory_allocation,
                            "a work-group needs at least " + std::to_string(bytes) +
                                " bytes of local memory, the device has " +
                                std::to_string(model::host_local_memory_bytes));
  }

  static bool is_in(const void* p, const void* start, std::size_t bytes) noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(start) < bytes;
  }

  entry* first_ = nullptr;
  std::size_t taken_ = 0;
  std::uint64_t group_ = 0;
};

/// Of the group that the thread runs; null outside of kernels over an nd_range.
inline group_objects*& current_group_objects() noexcept {
  static thread_local group_objects* objects = nullptr;
  return objects;
}

inline void* current_group_object(const void* key, const char* file, std::uint64_t place,
                                  std::size_t bytes, std::size_t alignment, bool& fresh) {
  group_objects* const objects = current_group_objects();
  if (objects == nullptr)
    throw model::user_error(
        model::error_code::kernel,
        "memory of a work-group was asked for outside of a kernel over an nd_range: "
        "group_local_memory, work_group_static and get_work_group_scratch_memory need a "
        "work-group");
  return objects->get(key, file, place, bytes, alignment, fresh);
}

}  // namespace pianola::glue
