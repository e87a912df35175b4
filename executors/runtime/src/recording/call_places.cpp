// SPDX-License-Identifier: Apache-2.0
#include "recording/call_places.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include <pianola/source_lines/plugin.hpp>

#include "support/log.hpp"
#include "support/plugin_path.hpp"

namespace pianola::runtime {

namespace {

constexpr std::size_t most_places = std::size_t{1} << 16;

// Where the code of this library is.
struct code_range {
  std::uintptr_t begin = 0, end = 0;
  [[nodiscard]] bool holds(std::uintptr_t address) const noexcept {
    return begin <= address && address < end;
  }
};

code_range own_code() {
  code_range own;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        code_range all{UINTPTR_MAX, 0};
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          all.begin = std::min<std::uintptr_t>(all.begin, object->dlpi_addr + part.p_vaddr);
          all.end =
              std::max<std::uintptr_t>(all.end, object->dlpi_addr + part.p_vaddr + part.p_memsz);
        }
        if (!all.holds(reinterpret_cast<std::uintptr_t>(&own_code))) return 0;
        *static_cast<code_range*>(found) = all;
        return 1;
      },
      &own);
  return own;
}

class call_places {
 public:
  call_places() : own_(own_code()) {
    void* const library =
        ::dlopen(plugin_path(source_lines::plugin_name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr)
      ask_ =
          static_cast<const source_lines::functions*>(::dlsym(library, source_lines::symbol_name));
    else if (const char* const why = ::dlerror())
      log_info("recordings tell no lines of sources: {}", why);
  }

  // "main.cpp:57", or empty.
  std::string here() {
    if (ask_ == nullptr) return {};
    const std::lock_guard hold(mutex_);
    if (known_.size() >= most_places) known_.clear();
    std::string place;
    if (!find_by_rules(place)) {
      place.clear();
      looked_for_ = &place;
      _Unwind_Backtrace(&call_places::look, this);
    }
    return place;
  }

 private:
  struct call {
    std::string place;  // empty: in the library, in a header, or without debug information
    source_lines::frame_rule frame;
    bool hopeless = false;  // it led into the library, and no place was found around it
  };

  // Of the call that returns to `address`.
  call& call_at(std::uintptr_t address) {
    const auto [at, fresh] = known_.try_emplace(address);
    if (fresh) {
      // The call ends where it returns to.
      const auto* const in = reinterpret_cast<const void*>(address - 1);
      at->second.frame = ask_->frame(in);
      if (!own_.holds(address)) {
        std::array<char, 4096> text;
        at->second.place.assign(text.data(), ask_->line(in, text.data(), text.size()));
      }
    }
    return at->second;
  }

  // Goes outwards until a call has a place, by what is known of each function's frame. False where that is not enough.
  [[gnu::noinline]] bool find_by_rules(std::string& place) {
#if defined(__x86_64__)
    std::uintptr_t address = 0, stack = 0, frame_pointer = 0;
    // The byte before `address` is of this function, too, and its frame is the same there.
    __asm__ volatile("nop\n\tleaq 0f(%%rip), %0\n0:\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                     : "=&r"(address), "=&r"(stack), "=&r"(frame_pointer));
    call* first = nullptr;  // that is not the library's
    for (int depth = 0; depth < most_depth; ++depth) {
      call& c = call_at(address);
      if (first == nullptr && !own_.holds(address)) first = &c;
      if (!c.place.empty() || c.hopeless) {
        place = c.place;
        return true;
      }
      if (!c.frame.known) return false;
      if (c.frame.last) {
        if (first != nullptr) first->hopeless = true;
        return true;
      }
      const std::uintptr_t frame =
          (c.frame.by_frame_pointer ? frame_pointer : stack) +
          static_cast<std::uintptr_t>(static_cast<std::intptr_t>(c.frame.offset));
      const auto word = [&](std::intptr_t offset) {
        return *reinterpret_cast<const std::uintptr_t*>(frame +
                                                        static_cast<std::uintptr_t>(offset));
      };
      if (c.frame.saved != 0) frame_pointer = word(c.frame.saved);
      address = word(-static_cast<std::intptr_t>(sizeof frame));
      stack = frame;
    }
#else
    (void)place;
#endif
    return false;
  }

  // The same by unwinding, which takes some microseconds.
  static _Unwind_Reason_Code look(_Unwind_Context* frame, void* all) {
    call_places& self = *static_cast<call_places*>(all);
    const std::uintptr_t address = _Unwind_GetIP(frame);
    if (address == 0) return _URC_END_OF_STACK;
    if (self.own_.holds(address)) return _URC_NO_REASON;
    *self.looked_for_ = self.call_at(address).place;
    return self.looked_for_->empty() ? _URC_NO_REASON : _URC_END_OF_STACK;
  }

  static constexpr int most_depth = 4096;
  const code_range own_;
  const source_lines::functions* ask_ = nullptr;
  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, call> known_;  // by where calls return to
  std::string* looked_for_ = nullptr;
};

}  // namespace

std::string with_call_place(std::string_view what) {
  static call_places all;
  std::string text(what);
  if (what.find(" at ") != std::string_view::npos) return text;
  const std::string place = all.here();
  return place.empty() ? text : text + " at " + place;
}

}  // namespace pianola::runtime
