// SPDX-License-Identifier: Apache-2.0
// Variables that devices have, of the object files that are loaded now.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/abi/image.h>
#include <pianola/executors/backend.hpp>

namespace pianola::runtime {

// Object files come and go on any thread. What is found stays valid until its object file is unloaded.
class variable_registry {
 public:
  // Made on first use and never destroyed, as image_registry.
  [[nodiscard]] static variable_registry& instance() noexcept;

  // A set of an unknown version is reported and ignored. Variables that several sets share are one; of several with one
  // name the first is found. What a variable begins with on devices is what it holds when the process starts, or when the
  // first one is looked for after its set was added: constructors of the program that copy another variable have run then.
  void add(const pianola_variable_set* set);
  // The addresses of those that are gone now.
  [[nodiscard]] std::vector<const void*> remove(const pianola_variable_set* set);

  // The process starts: no kernel has run.
  void keep_values();

  [[nodiscard]] const executors::device_variable* find(std::string_view symbol);
  [[nodiscard]] const executors::device_variable* find_at(const void* address);

 private:
  struct entry {
    executors::device_variable variable;
    std::vector<std::byte> initial;
    std::size_t users = 0;  // sets
    bool kept = false;      // its value
  };
  void keep_new_values();

  std::mutex mutex_;
  bool any_new_ = false;
  std::vector<const pianola_variable_set*> sets_;
  std::map<const void*, entry> variables_;  // by address
  std::multimap<std::string, const void*, std::less<>> addresses_;
};

}  // namespace pianola::runtime
