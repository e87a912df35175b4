// SPDX-License-Identifier: Apache-2.0
// What all copies, sub-buffers and reinterpretations of one buffer share. Its end is the buffer's
// end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <pianola/model/requirement.hpp>
#include <pianola/runtime/buffers.hpp>

#include <sycl/detail/buffer/async_write_back.hpp>
#include <sycl/detail/buffer/settings.hpp>
#include <sycl/detail/buffer/view_table.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/owned.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// What a buffer is made of, whatever its element type.
struct buffer_source {
  pianola::model::extent3 range;
  std::uint8_t dimensions = 1;
  std::uint32_t element_size = 1;
  std::size_t element_alignment = 1;

  void* data = nullptr;    // host data; null: none
  bool read_only = false;  // const host data: never written
  bool outlives = true;    // whether the host data may be used after the constructor
  std::shared_ptr<void> keep_alive;

  // Memory of the user's allocator to be the host storage; null: the runtime's own. `data` was
  // copied into it already.
  std::shared_ptr<void> storage;

  // USM interoperation.
  const pianola::runtime::external_allocation* external = nullptr;
  std::size_t external_count = 0;
};

/// Of a buffer's views, by where they begin.
struct view_numbers;
void destroy(view_numbers*) noexcept;

class buffer_state {
 public:
  using deliver_function = std::function<void(const void* contents, std::uint64_t bytes)>;

  buffer_state(const buffer_source& source, const property_list& properties,
               buffer_settings settings);

  buffer_state(const buffer_state&) = delete;
  buffer_state& operator=(const buffer_state&) = delete;

  ~buffer_state();

  pianola::runtime::buffer_key key() const noexcept { return key_; }
  const storage_shape& storage() const noexcept { return storage_; }
  const property_list& properties() const noexcept { return properties_; }
  std::uint64_t bytes() const noexcept { return volume(storage_.range) * storage_.element_size; }

  /// Every access passes here before it is requested: final data is delivered only if something
  /// may have been written (SYCL 2020, 4.7.2.3).
  void note_access(pianola::model::access_mode mode) {
    if (!pianola::model::writes(mode)) return;
    if (read_only_)
      throw_error(
          errc::invalid,
          "accessor: this buffer uses const host data as its storage (use_host_ptr), so it can "
          "only be read; use access_mode::read or pass non-const data");
    if (!written_.load(std::memory_order_relaxed)) written_.store(true, std::memory_order_relaxed);
  }

  /// Whether an access has been asked for that may write.
  bool may_be_written() const noexcept { return written_.load(std::memory_order_relaxed); }

  /// The program got hold of an address and may write without an accessor.
  void note_possible_write() noexcept { written_.store(true, std::memory_order_relaxed); }

  void write_back_nowhere();
  void write_back_to(void* pointer);
  void write_back_by(deliver_function f);
  void enable_write_back(bool enabled);

  /// The number by which placeholders name a view; the same for equal views.
  std::uint32_t index_of(std::uint64_t byte_offset, bool direct);

 private:
  enum class final_kind : unsigned char { none, host_data, pointer, deliver };

  static std::uint64_t volume(const pianola::model::extent3& e) noexcept {
    return pianola::model::volume(e);
  }

  bool decide_in_place(const buffer_source& source) const;

  void create(const buffer_source& source, bool has_data);

  // Where the contents go in the end.
  pianola::runtime::write_back decide_write_back();

  void finish();

  pianola::runtime::buffer_key key_;
  storage_shape storage_;
  bool in_place_ = false;
  bool read_only_ = false;
  bool has_user_memory_ = false;
  std::atomic<bool> written_{false};

  std::mutex mutex_;  // guards what follows up to views_
  final_kind final_ = final_kind::none;
  bool write_back_enabled_ = true;
  void* host_data_ = nullptr;
  deliver_function deliver_;
  owned<view_numbers> views_;

  property_list properties_;
  buffer_settings settings_;
  std::shared_ptr<void> keep_alive_;
  std::shared_ptr<void> allocated_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
