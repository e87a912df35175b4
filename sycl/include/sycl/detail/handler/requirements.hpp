// SPDX-License-Identifier: Apache-2.0
// What a program must be compiled with. Where it is not, one error says what to do: without the include of a file that is
// not there compilers would go on and print hundreds.
#pragma once

#if !defined(__LP64__)
#error "Pianola is for 64-bit targets: compile with -m64"
#include <compile with -m64>
#endif

#if __cplusplus < 201703L
#error "Pianola needs C++17: compile with -std=c++17 or newer"
#include <compile with -std=c++17 or newer>
#endif

#if !defined(__cpp_exceptions)
#error "SYCL reports errors by exceptions: compile without -fno-exceptions"
#include <compile without -fno-exceptions>
#endif

#include <cstddef>

// libpianola.so takes and gives strings and vectors: these must be laid out alike on both sides.
#if !defined(__GLIBCXX__)
#error "libpianola.so is built with libstdc++: compile with -stdlib=libstdc++"
#include <compile with -stdlib=libstdc++>
#endif
#if defined(_GLIBCXX_DEBUG)
#error \
    "Containers in debug mode do not fit libpianola.so: compile without -D_GLIBCXX_DEBUG; -D_GLIBCXX_ASSERTIONS may stay"
#include <compile without -D_GLIBCXX_DEBUG>
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#error "Strings of the old ABI do not fit libpianola.so: compile without -D_GLIBCXX_USE_CXX11_ABI=0"
#include <compile without -D_GLIBCXX_USE_CXX11_ABI=0>
#endif
