// SPDX-License-Identifier: Apache-2.0
// SYCL's attributes (5.8) in the program that includes this. pianolacc knows them; other compilers leave them out and say
// so, which is no news to a program that is compiled library-only.
#pragma once

#if defined(__PIANOLACC__)
// Known.
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-attributes"
#elif defined(__GNUC__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored_attributes "sycl::,intel::"
#endif
