// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/oneapi/experimental/async_alloc.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

memory_pool::memory_pool(const context& c, const device& d, usm::alloc kind)
    : memory_pool(c, d, kind, settings(), nullptr) {}

memory_pool::memory_pool(const queue& q, usm::alloc kind)
    : memory_pool(q.get_context(), q.get_device(), kind) {}

context memory_pool::get_context() const { return state_->the_context; }

device memory_pool::get_device() const { return state_->the_device; }

usm::alloc memory_pool::get_alloc_kind() const { return state_->kind; }

std::size_t memory_pool::get_threshold() const { return figures().threshold; }

std::size_t memory_pool::get_reserved_size_current() const { return figures().reserved; }

std::size_t memory_pool::get_reserved_size_high() const { return figures().reserved_high; }

std::size_t memory_pool::get_used_size_current() const { return figures().used; }

std::size_t memory_pool::get_used_size_high() const { return figures().used_high; }

void memory_pool::increase_threshold_to(std::size_t bytes) {
  ::pianola::runtime::raise_threshold(*state_->pool, bytes);
}

void memory_pool::set_new_threshold(std::size_t bytes) {
  if (bytes < get_threshold())
    sycl::detail::throw_error(errc::invalid,
                              "memory_pool::set_new_threshold: a threshold cannot be lowered");
  increase_threshold_to(bytes);
}

void memory_pool::reset_reserved_size_high() {
  ::pianola::runtime::reset_high_mark(*state_->pool, true);
}

void memory_pool::reset_used_size_high() {
  ::pianola::runtime::reset_high_mark(*state_->pool, false);
}

memory_pool::memory_pool(const context& c, const device& d, usm::alloc kind, const settings& given,
                         std::shared_ptr<::pianola::runtime::memory_pool> shared) {
  if (shared == nullptr) {
    ::pianola::runtime::pool_description wanted;
    wanted.device = sycl::detail::device_access::id(d);
    wanted.kind = sycl::detail::checked_usm_kind(kind, d, c);
    wanted.threshold = given.threshold;
    wanted.maximum = given.maximum;
    wanted.zero = given.zero;
    wanted.context = sycl::detail::context_access::identity(c);
    if (given.has_maximum && given.maximum == 0)
      sycl::detail::throw_error(errc::invalid, "memory_pool: a maximum_size of 0 bytes");
    shared = sycl::detail::translate([&] { return ::pianola::runtime::create_pool(wanted); });
  }
  state_ = std::make_shared<const state>(state{c, d, kind, given, std::move(shared)});
}

memory_pool memory_pool::shared_pool(const context& c, const device& d, usm::alloc kind) {
  const auto what = sycl::detail::checked_usm_kind(kind, d, c);
  return memory_pool(c, d, kind, settings(), sycl::detail::translate([&] {
                       return ::pianola::runtime::default_pool(
                           sycl::detail::device_access::id(d), what,
                           sycl::detail::context_access::identity(c));
                     }));
}

::pianola::runtime::pool_figures memory_pool::figures() const {
  return ::pianola::runtime::figures_of(*state_->pool);
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
