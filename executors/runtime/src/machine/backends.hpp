// SPDX-License-Identifier: Apache-2.0
// Which backends there are, and which of them PIANOLA_DEVICES chooses.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <pianola/executors/backend.hpp>

namespace pianola::runtime {

struct backend_choice {
  std::string name;
  std::string options;      // for the backend
  bool explicitly = false;  // the user has asked for it: it must be there
};

// In the order of PIANOLA_DEVICES, or what is looked for without it. Throws model::user_error (platform) if the variable
// cannot be followed.
[[nodiscard]] std::vector<backend_choice> chosen_backends();

struct loaded_backend {
  std::unique_ptr<executors::backend> made;  // null: not usable here
  std::string why_not;
};

// Throws model::user_error (platform) where a backend that was asked for cannot be used, or its options are wrong.
[[nodiscard]] loaded_backend load_backend(const backend_choice&,
                                          const executors::runtime_services&);

// Throws model::user_error (platform): what PIANOLA_DEVICES asks for cannot be used.
[[noreturn]] void refuse_selection(const std::string& why);

}  // namespace pianola::runtime
