// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <string>

#include <sycl/sycl.hpp>

inline int failures = 0;

/// What `f(queue&)` and the kernels that it submits are told; "" if nothing. "other: " before errors that are not of accessors.
template <class F>
std::string told(const F& f) {
  std::string text;
  const auto note = [&](const sycl::exception& e) {
    if (!text.empty()) return;
    text = (e.code() == sycl::errc::accessor ? "" : "other: ") + std::string(e.what());
  };
  sycl::queue q([&](sycl::exception_list all) {
    for (const std::exception_ptr& one : all) try {
        std::rethrow_exception(one);
      } catch (const sycl::exception& e) {
        note(e);
      }
  });
  try {
    f(q);
    q.wait_and_throw();
  } catch (const sycl::exception& e) {
    note(e);
  }
  return text;
}

inline void expect(const char* what, bool holds, const std::string& text) {
  if (holds) return;
  std::printf("%s: it was told '%s'\n", what, text.c_str());
  ++failures;
}

template <class F>
void expect_nothing(const char* what, const F& f) {
  const std::string text = told(f);
  expect(what, text.empty(), text);
}

/// Told of what ends so, and of a place in this line where pianolacc has compiled the kernel.
template <class F>
void expect_told(const char* what, int line, const char* end, const F& f) {
  const std::string text = told(f), tail = end;
  bool holds =
      text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
#if defined(__PIANOLACC__)
  holds =
      holds && (line == 0 || text.find(".cpp:" + std::to_string(line) + ":") != std::string::npos);
#else
  static_cast<void>(line);
#endif
  expect(what, holds, text);
}
