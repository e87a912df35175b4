// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/buffer/state.hpp>

#include <map>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

struct view_numbers {
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> by_place;  // offset in bytes, direct
};
void destroy(view_numbers* views) noexcept { delete views; }

buffer_state::buffer_state(const buffer_source& source, const property_list& properties,
                           buffer_settings settings)
    : properties_(properties),
      settings_(std::move(settings)),
      keep_alive_(source.keep_alive),
      allocated_(source.storage) {
  storage_.range = source.range;
  storage_.element_size = source.element_size;
  const bool has_data = source.data != nullptr && volume(source.range) != 0;
  in_place_ = has_data && decide_in_place(source);
  if (settings_.uses_external_storage == true && !has_data && source.external_count == 0 &&
      volume(source.range) != 0)
    throw_error(errc::invalid,
                "buffer: uses_external_storage(true) needs host data or USM allocations to use");
  read_only_ = in_place_ && source.read_only;
  const bool can_write_back = has_data && !source.read_only && source.outlives;
  if (settings_.writes_back == true && has_data && !can_write_back)
    throw_error(errc::invalid,
                source.read_only
                    ? "buffer: writes_back(true) with const host data; pass a pointer to non-const"
                    : "buffer: writes_back(true) with iterators; call set_final_data");
  if (can_write_back && settings_.writes_back.value_or(true)) {
    final_ = final_kind::host_data;
    host_data_ = source.data;
  }
  has_user_memory_ = (has_data && source.outlives) || source.external_count != 0;
  create(source, has_data);
}

buffer_state::~buffer_state() {
  if (views_)
    for (const auto& v : views_->by_place) buffer_view_table::instance().remove(v.second);
  // Nothing may leave a destructor; what fails here (memory for the write-back's description)
  // leaves the host data as it is.
  try {
    finish();
  } catch (...) {
    pianola::runtime::destroy_buffer(key_, true);
  }
}

void buffer_state::write_back_nowhere() {
  const std::lock_guard<std::mutex> lock(mutex_);
  final_ = final_kind::none;
  deliver_ = nullptr;
}

void buffer_state::write_back_to(void* pointer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  final_ = final_kind::pointer;
  host_data_ = pointer;
  deliver_ = nullptr;
}

void buffer_state::write_back_by(deliver_function f) {
  const std::lock_guard<std::mutex> lock(mutex_);
  final_ = final_kind::deliver;
  deliver_ = std::move(f);
}

void buffer_state::enable_write_back(bool enabled) {
  const std::lock_guard<std::mutex> lock(mutex_);
  write_back_enabled_ = enabled;
}

std::uint32_t buffer_state::index_of(std::uint64_t byte_offset, bool direct) {
  if (direct && byte_offset == 0) return 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!views_) views_.set(new view_numbers);
  const auto at = views_->by_place.emplace(std::make_pair(byte_offset, direct), 0U);
  if (at.second) {
    try {
      at.first->second = buffer_view_table::instance().add({{byte_offset, direct, 0}, storage_});
    } catch (...) {
      views_->by_place.erase(at.first);
      throw;
    }
  }
  return at.first->second;
}

bool buffer_state::decide_in_place(const buffer_source& source) const {
  const bool asked = settings_.use_host_ptr || settings_.uses_external_storage == true;
  const bool wanted = settings_.uses_external_storage.value_or(
      settings_.use_host_ptr ||
      (source.outlives && !source.read_only && settings_.mutex == nullptr && !source.storage));
  if (!wanted) return false;
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(source.data) % source.element_alignment == 0;
  if (aligned && source.outlives) return true;
  if (asked)
    throw_error(errc::invalid,
                source.outlives
                    ? fmt::format("buffer: the host data is to be the buffer's storage, but is not "
                                  "aligned to {} bytes",
                                  source.element_alignment)
                    : std::string("buffer: data given by iterators cannot be the buffer's storage; "
                                  "pass a pointer or a container"));
  return false;
}

void buffer_state::create(const buffer_source& source, bool has_data) {
  pianola::runtime::buffer_description d;
  // The runtime knows no empty buffers; ours never asks for an element of it.
  pianola::model::extent3 range = source.range;
  if (volume(range) == 0) range = {{1, 1, 1}};
  d.info.grid = pianola::model::page_grid(range, settings_.page);
  d.info.element_size = source.element_size;
  d.info.dimensions = source.dimensions;
  if (settings_.temporary && (has_data || source.external_count != 0))
    throw_error(
        errc::invalid,
        "buffer: a temporary buffer holds nothing when a graph begins, so it cannot be made "
        "of data; construct it from a range, or leave property::buffer::temporary out");
  d.info.temporary = settings_.temporary;
  d.info.evictable = settings_.evictable;
  d.external = source.external;
  d.external_count = source.external_count;
  if (allocated_ != nullptr && !in_place_) {
    d.host_data = allocated_.get();
    d.use = pianola::runtime::host_data_use::in_place;
  } else if (has_data) {
    d.host_data = source.data;
    d.use = in_place_ ? pianola::runtime::host_data_use::in_place
                      : pianola::runtime::host_data_use::copied;
  }
  if (final_ == final_kind::host_data && !in_place_ && settings_.uses_external_storage != false)
    d.mirror = {host_data_, settings_.mutex};
  std::unique_lock<std::mutex> user_lock;
  if (settings_.mutex != nullptr && has_data)
    user_lock = std::unique_lock<std::mutex>(*settings_.mutex);
  key_ = translate([&] { return pianola::runtime::create_buffer(d); });
}

pianola::runtime::write_back buffer_state::decide_write_back() {
  using kind = pianola::runtime::write_back::kind;
  pianola::runtime::write_back result;
  if (volume(storage_.range) == 0) return result;
  if (!write_back_enabled_ || !written_.load(std::memory_order_relaxed)) return result;
  switch (final_) {
    case final_kind::none:
      return result;
    case final_kind::host_data:
      // Only we still hold it: nobody can look at it.
      if (keep_alive_ != nullptr && keep_alive_.use_count() == 1) return result;
      if (in_place_) {
        result.what = kind::in_place;
        return result;
      }
      break;
    case final_kind::pointer:
      break;
    case final_kind::deliver:
      result.what = kind::deliver;
      result.deliver = std::move(deliver_);
      break;
  }
  if (result.what == kind::none) {
    result.what = kind::pointer;
    result.pointer = host_data_;
  }
  if (settings_.mutex != nullptr) {
    deliver_function write = std::move(result.deliver);
    if (result.what == kind::pointer)
      write = [to = result.pointer](const void* from, std::uint64_t bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
      };
    result.what = kind::deliver;
    result.deliver = [write = std::move(write), mutex = settings_.mutex](const void* from,
                                                                         std::uint64_t bytes) {
      const std::lock_guard<std::mutex> lock(*mutex);
      write(from, bytes);
    };
  }
  return result;
}

void buffer_state::finish() {
  using kind = pianola::runtime::write_back::kind;
  pianola::runtime::write_back last = decide_write_back();
  const bool user_memory = allocated_ != nullptr && !in_place_;
  // Waits where the program may rely on it: for host data (also const data, which is only
  // copied), for USM allocations of the program and for final data.
  const bool blocks = user_memory || settings_.destructor_blocks.value_or(
                                         has_user_memory_ || in_place_ || last.what != kind::none);
  if (!blocks && last.what != kind::none) {
    write_back_asynchronously(settings_.write_back_queue, key_, storage_.range, bytes(),
                              std::move(last));
    last = {};
  }
  if (last.what != kind::none) pianola::runtime::set_write_back(key_, std::move(last));
  std::unique_lock<std::mutex> user_lock;
  if (settings_.mutex != nullptr && in_place_)
    user_lock = std::unique_lock<std::mutex>(*settings_.mutex);
  pianola::runtime::destroy_buffer(key_, blocks);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
