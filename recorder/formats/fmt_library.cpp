// SPDX-License-Identifier: Apache-2.0
// What <fmt/format.h> only declares, compiled once: header-only, every file that formats a text compiles all of it, which
// is 2.4 s of 7 with clang 19. Linking libfmt.so instead would let its names meet those of the program's own copy.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                         locale_ref);
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
}  // namespace detail
FMT_END_NAMESPACE
