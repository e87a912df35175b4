// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pianola::driver {

/// Whether it is an option of DPC++ that clang does not have, or has with another meaning.
bool is_of_dpcpp(std::string_view option);

/// Options of DPC++, which build files of SYCL projects have. They must not reach clang: its own -fsycl compiles for a
/// device of another kind, without exceptions. What they say of devices that Pianola has code for is followed.
class dpcpp_options {
 public:
  /// Whether `option` is one of them; notes what it says.
  /// @throws usage_error for one that asks for what pianolacc cannot do.
  bool read(std::string_view option);
  /// Whether the next argument is the value of the one that was read last.
  bool takes_next_argument() const { return !waiting_.empty(); }
  void read_value(std::string_view value);

  /// What -fsycl-targets asks for besides the processor, with the architectures that were named; as --pianola-targets.
  /// @throws usage_error
  void add_targets_to(std::vector<std::string>& targets) const;

  /// The last of -fsycl and -fno-sycl was the former.
  bool asks_for_sycl() const { return sycl_; }

 private:
  void read_backend(std::string_view value);

  bool sycl_ = false;
  std::string waiting_;  // the option whose value comes next
  std::vector<std::string> targets_;
  std::vector<std::string> cuda_, hip_;  // architectures, as in sm_90 and gfx90a
};

}  // namespace pianola::driver
