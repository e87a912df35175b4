// SPDX-License-Identifier: Apache-2.0
// std::cout and its kin, for programs that use them without including <iostream>, which has every source that includes
// it start them. Here the library does.
#pragma once

#include <istream>
#include <ostream>

#ifdef __GLIBCXX__
#pragma GCC visibility push(default)
namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
extern istream cin;
extern ostream cout;
extern ostream cerr;
extern ostream clog;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
#pragma GCC visibility pop
#else
#include <iostream>
#endif
