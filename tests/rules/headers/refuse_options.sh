#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# refuse_options.sh COMPILER ROOT...: what a program cannot be compiled with is one error that says what to do.
set -u
compiler=$1
shift
flags=(-x c++)
for root in "$@"; do flags+=(-I "$root"); done

status=0
# clang reads all headers to their end after the fatal error, and says nothing more: one case shows that, and for the others
# preprocessing is enough.
action=-fsyntax-only
# check MESSAGE OPTION...
check() {
  local message=$1 header text
  shift
  for header in sycl/sycl.hpp CL/sycl.hpp; do
    if text=$(printf '#include <%s>\nint main() { sycl::queue q; q.wait(); }\n' $header |
              "$compiler" $action "${flags[@]}" "$@" - 2>&1 >/dev/null); then
      echo "FAILED: $* is accepted" >&2
      status=1
    fi
    # The error, and the fatal one that ends compilation.
    if [[ $text != *"$message"* ]] || [ "$(grep -c 'error:' <<<"$text")" -ne 2 ]; then
      echo "FAILED: $* <$header>: $text" >&2
      status=1
    fi
  done
}
check "compile with -std=c++17 or newer" -std=c++14
action=-E
check "compile with -std=c++17 or newer" -std=gnu++11
check "compile without -D_GLIBCXX_DEBUG" -std=c++17 -D_GLIBCXX_DEBUG
check "compile without -D_GLIBCXX_USE_CXX11_ABI=0" -std=c++20 -D_GLIBCXX_USE_CXX11_ABI=0
check "compile without -fno-exceptions" -std=c++17 -fno-exceptions
check "compile with -m64" -std=c++17 -m32
exit $status
