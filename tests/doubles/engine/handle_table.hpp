// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "objects.hpp"

namespace pianola::test::drivers {

/// Handles that nobody can look behind: they are no addresses, and none is given twice.
class handle_table {
 public:
  template <class T>
  void* add(const std::shared_ptr<T>& o) {
    o->handle = reinterpret_cast<void*>(next_);
    next_ += 64;
    live_.emplace(o->handle, entry{o, T::kind});
    ++counts_[T::kind];
    return o->handle;
  }

  /// The object behind a handle that the program gave, which must be of this kind.
  template <class T>
  std::shared_ptr<T> get(const void* handle, int code = codes::invalid_handle) const {
    const auto it = live_.find(handle);
    if (it != live_.end())
      if (auto o = std::dynamic_pointer_cast<T>(it->second.what)) return o;
    const auto one = [](const std::string& kind) {
      return (kind[0] == 'e' ? "an " : "a ") + kind;  // an event, an executable graph
    };
    std::string text = "expected " + one(T::kind) + ", got ";
    const auto gone = dead_.find(handle);
    if (handle == nullptr)
      text += "null";
    else if (it != live_.end())
      text += one(it->second.kind);
    else if (gone != dead_.end())
      text += one(gone->second) + " that has been destroyed";
    else
      text += "something that is no handle";
    violate(code, text);
  }

  [[nodiscard]] bool is_live(const void* handle) const { return live_.count(handle) != 0; }

  void remove(const object& o) {
    const auto it = live_.find(o.handle);
    if (it == live_.end()) return;
    --counts_[it->second.kind];
    dead_.emplace(o.handle, it->second.kind);
    live_.erase(it);
  }

  template <class T, class F>
  void for_each(F&& f) const {
    for (const auto& [handle, e] : live_)
      if (auto o = std::dynamic_pointer_cast<T>(e.what)) f(o);
  }

  [[nodiscard]] std::size_t count(const std::string& kind) const {
    const auto it = counts_.find(kind);
    return it == counts_.end() ? 0 : it->second;
  }

 private:
  struct entry {
    std::shared_ptr<object> what;
    const char* kind;
  };
  // Not an address that a processor accepts.
  std::uint64_t next_ = 0x0dd0'0000'0000'0000;
  std::unordered_map<const void*, entry> live_;
  std::unordered_map<const void*, const char*> dead_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace pianola::test::drivers
