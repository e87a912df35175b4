// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "pianola/planning/types.hpp"

namespace pianola::planning::detail {

[[noreturn]] inline void refuse(const std::string& what) { throw error(formats::one_line(what)); }

// Errors of the components become those of the interface.
template <class F>
auto guarded(F&& f) -> decltype(std::forward<F>(f)()) {
  try {
    return std::forward<F>(f)();
  } catch (const model::user_error& e) {
    refuse(e.what());
  } catch (const model::internal_error& e) {
    throw std::logic_error(e.what());
  }
}

}  // namespace pianola::planning::detail
