// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include <pianola/model/geometry.hpp>

#include <sycl/detail/buffer/policies.hpp>
#include <sycl/detail/buffer/view.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/properties.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// The properties of a buffer, read once. What is unset follows from the constructor.
struct buffer_settings {
  bool use_host_ptr = false;
  std::mutex* mutex = nullptr;
  std::optional<bool> uses_external_storage;
  std::optional<bool> writes_back;
  std::optional<bool> destructor_blocks;
  std::shared_ptr<pianola::runtime::queue> write_back_queue;
  pianola::model::extent3 page{};  // zero: the whole range
  bool temporary = false;
  bool evictable = false;
};

template <int Dimensions, int Given>
void read_page_size(buffer_settings& settings, const property_list& properties) {
  using page_size = ext::pianola::property::buffer::page_size<Given>;
  if (!properties.has_property<page_size>()) return;
  if constexpr (Given != Dimensions) {
    throw_error(errc::invalid, "buffer: page_size<" + std::to_string(Given) +
                                   "> given for a buffer of " + std::to_string(Dimensions) +
                                   " dimensions; give a page_size of as many dimensions");
  } else {
    const range<Dimensions> page = properties.get_property<page_size>().get_range();
    if (page.size() == 0)
      throw_error(errc::invalid, "buffer: page_size " + to_text(page) +
                                     " has an extent of zero; every extent must be positive");
    settings.page = to_extent3(page);
  }
}

template <int Dimensions>
buffer_settings read_settings(const property_list& properties) {
  namespace policy = ext::pianola::property::buffer;
  buffer_settings s;
  if (properties.empty()) return s;
  s.use_host_ptr = properties.has_property<property::buffer::use_host_ptr>();
  if (properties.has_property<property::buffer::use_mutex>())
    s.mutex = properties.get_property<property::buffer::use_mutex>().get_mutex_ptr();
  if (properties.has_property<policy::uses_external_storage>())
    s.uses_external_storage = properties.get_property<policy::uses_external_storage>().is_enabled();
  if (properties.has_property<policy::writes_back>())
    s.writes_back = properties.get_property<policy::writes_back>().is_enabled();
  if (properties.has_property<policy::destructor_blocks>())
    s.destructor_blocks = properties.get_property<policy::destructor_blocks>().is_enabled();
  if (properties.has_property<write_back_queue_property>())
    s.write_back_queue = properties.get_property<write_back_queue_property>().queue;
  s.temporary = properties.has_property<policy::temporary>();
  s.evictable = properties.has_property<policy::evictable>();
  if (s.use_host_ptr && s.uses_external_storage == false)
    throw_error(errc::invalid,
                "buffer: use_host_ptr and uses_external_storage(false) contradict each other");
  read_page_size<Dimensions, 1>(s, properties);
  read_page_size<Dimensions, 2>(s, properties);
  read_page_size<Dimensions, 3>(s, properties);
  return s;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
