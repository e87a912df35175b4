// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/kernels/function_kernels.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
namespace {

// Of the process, whatever names its object files hide.
function_entry* first_function = nullptr;
bool functions_taken = false;

// Held for a few instructions, when object files are loaded and kernel objects launched.
struct function_lock {
  function_lock() noexcept {
    while (__atomic_exchange_n(&functions_taken, true, __ATOMIC_ACQUIRE)) {
    }
  }
  function_lock(const function_lock&) = delete;
  function_lock& operator=(const function_lock&) = delete;
  ~function_lock() { __atomic_store_n(&functions_taken, false, __ATOMIC_RELEASE); }
};

}  // namespace

function_entry::function_entry(const void* name, int dimensions, std::uint32_t arguments,
                               launch_function launched_by) noexcept
    : name_(name), dimensions_(dimensions), arguments_(arguments), launch_(launched_by) {
  const function_lock held;
  next_ = first_function;
  first_function = this;
}

function_entry::~function_entry() {
  const function_lock held;
  for (function_entry** at = &first_function; *at != nullptr; at = &(*at)->next_)
    if (*at == this) {
      *at = next_;
      break;
    }
}

const function_entry* function_entry::find(const void* name) noexcept {
  const function_lock held;
  const function_entry* found = first_function;
  while (found != nullptr && found->name_ != name) found = found->next_;
  return found;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
