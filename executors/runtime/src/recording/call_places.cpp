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
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
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

// How many have been loaded and unloaded.
struct library_counts {
  unsigned long long loaded = 0, unloaded = 0;
};
library_counts count_libraries() {
  library_counts counts;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        *static_cast<library_counts*>(found) = {object->dlpi_adds, object->dlpi_subs};
        return 1;
      },
      &counts);
  return counts;
}

#if defined(__x86_64__)
// A word of a frame that sanitizers did not lay out.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uintptr_t word_at(
    std::uintptr_t address) noexcept {
  return *reinterpret_cast<const std::uintptr_t*>(address);
}
#endif

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

  std::uint32_t here() {
    if (ask_ == nullptr) return 0;
    const std::lock_guard hold(mutex_);
    const library_counts now = count_libraries();
    if (now.unloaded != libraries_.unloaded || known_.size() >= most_places) {
      last_.clear();
      known_.clear();
      ask_->forget();
    }
    if (now.unloaded != libraries_.unloaded || now.loaded != libraries_.loaded) {
      libraries_ = now;
      any_ = ask_->any();
    }
    if (!any_) return 0;
    const std::optional<std::uint32_t> place = place_by_rules();
    return place ? *place : place_by_unwinding();
  }

  // "main.cpp:57"
  std::string text(std::uint32_t place) {
    const std::lock_guard hold(mutex_);
    return texts_[place - 1];
  }

 private:
  struct call {
    std::uint32_t place = 0;  // 0: in the library, in a header, or without debug information
    source_lines::frame_rule frame;
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
        const std::size_t length = ask_->line(in, text.data(), text.size());
        if (length != 0) at->second.place = number_of({text.data(), length});
      }
    }
    return at->second;
  }

  std::uint32_t number_of(std::string_view text) {
    const auto [at, fresh] = numbers_.try_emplace(std::string(text), 0);
    if (fresh) {
      texts_.emplace_back(text);
      at->second = static_cast<std::uint32_t>(texts_.size());
    }
    return at->second;
  }

  // The same, on the `depth`th place of a walk: mostly what was there in the last one.
  call& call_at(std::uintptr_t address, std::size_t depth) {
    if (depth < last_.size()) {
      if (last_[depth].first == address) return *last_[depth].second;
      last_.resize(depth);
    }
    call& found = call_at(address);
    last_.emplace_back(address, &found);
    return found;
  }

  // Goes outwards until a call has a place, by what is known of each function's frame. Nothing where that is not enough.
  [[gnu::noinline]] std::optional<std::uint32_t> place_by_rules() {
#if defined(__x86_64__)
    std::uintptr_t address = 0, stack = 0, frame_pointer = 0;
    // The byte before `address` is of this function, too, and its frame is the same there.
    __asm__ volatile("nop\n\tleaq 0f(%%rip), %0\n0:\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                     : "=&r"(address), "=&r"(stack), "=&r"(frame_pointer));
    for (std::size_t depth = 0; depth < most_depth; ++depth) {
      const call& c = call_at(address, depth);
      if (c.place != 0 || c.frame.last) return c.place;
      if (!c.frame.known) break;
      const std::uintptr_t frame =
          (c.frame.by_frame_pointer ? frame_pointer : stack) +
          static_cast<std::uintptr_t>(static_cast<std::intptr_t>(c.frame.offset));
      if (c.frame.saved != 0)
        frame_pointer =
            word_at(frame + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(c.frame.saved)));
      address = word_at(frame - sizeof frame);
      stack = frame;
    }
#endif
    return std::nullopt;
  }

  // The same, which takes some microseconds.
  std::uint32_t place_by_unwinding() {
    struct walk {
      call_places& self;
      std::uint32_t place = 0;
    } here{*this};
    const auto look = [](_Unwind_Context* frame, void* at) {
      walk& w = *static_cast<walk*>(at);
      const std::uintptr_t address = _Unwind_GetIP(frame);
      if (address == 0) return _URC_END_OF_STACK;
      if (!w.self.own_.holds(address)) w.place = w.self.call_at(address).place;
      return w.place == 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
    };
    _Unwind_Backtrace(look, &here);
    return here.place;
  }

  static constexpr std::size_t most_depth = 4096;
  const code_range own_;
  const source_lines::functions* ask_ = nullptr;
  library_counts libraries_;  // when it was asked whether there is
  bool any_ = false;          // debug information anywhere
  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, call> known_;      // by where calls return to
  std::vector<std::pair<std::uintptr_t, call*>> last_;  // where the last walk went
  std::vector<std::string> texts_;                      // index: place less 1
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Never destroyed: objects of the program may end behind those of the library.
call_places& all() {
  static auto* const only = new call_places;
  return *only;
}

}  // namespace

void prepare_call_places() { static_cast<void>(all()); }

std::uint32_t call_place() { return all().here(); }

std::string at_place(std::string_view what, std::uint32_t place) {
  std::string text(what);
  if (place == 0 || !formats::source_place(what).empty()) return text;
  return fmt::format("{} at {}", text, all().text(place));
}

}  // namespace pianola::runtime
