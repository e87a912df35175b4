// SPDX-License-Identifier: Apache-2.0
#include "clang_options.hpp"

#include <algorithm>
#include <array>

namespace pianola::driver {

namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

template <std::size_t N>
constexpr std::array<std::string_view, N> in_order(std::array<std::string_view, N> words) {
  std::sort(words.begin(), words.end());
  return words;
}

// Of those that can also be written together with their value (-DX), here is only the form without one.
constexpr auto with_value =
    in_order(std::to_array<std::string_view>({"-A",
                                              "-B",
                                              "-D",
                                              "-F",
                                              "-G",
                                              "-I",
                                              "-L",
                                              "-MF",
                                              "-MJ",
                                              "-MQ",
                                              "-MT",
                                              "-T",
                                              "-Tbss",
                                              "-Tdata",
                                              "-Ttext",
                                              "-U",
                                              "-Xanalyzer",
                                              "-Xassembler",
                                              "-Xclang",
                                              "-Xcuda-fatbinary",
                                              "-Xcuda-ptxas",
                                              "-Xlinker",
                                              "-Xoffload-linker",
                                              "-Xopenmp-target",
                                              "-Xpreprocessor",
                                              "-arch",
                                              "-b",
                                              "-cxx-isystem",
                                              "-dependency-file",
                                              "-dependency-dot",
                                              "-dsym-dir",
                                              "-dumpdir",
                                              "-e",
                                              "-framework",
                                              "-fmodules-user-build-path",
                                              "-gcc-toolchain",
                                              "-idirafter",
                                              "-iframework",
                                              "-imacros",
                                              "-include",
                                              "-include-pch",
                                              "-init",
                                              "-iprefix",
                                              "-iquote",
                                              "-isysroot",
                                              "-isystem",
                                              "-isystem-after",
                                              "-ivfsoverlay",
                                              "-iwithprefix",
                                              "-iwithprefixbefore",
                                              "-iwithsysroot",
                                              "-l",
                                              "-meabi",
                                              "-mllvm",
                                              "-mmlir",
                                              "-module-dependency-dir",
                                              "-mthread-model",
                                              "-o",
                                              "-resource-dir",
                                              "-rpath",
                                              "-serialize-diagnostics",
                                              "-stdlib++-isystem",
                                              "-target",
                                              "-u",
                                              "-vfsoverlay",
                                              "-working-directory",
                                              "-x",
                                              "-z",
                                              "--analyzer-output",
                                              "--assert",
                                              "--config",
                                              "--config-system-dir",
                                              "--config-user-dir",
                                              "--define-macro",
                                              "--for-linker",
                                              "--imacros",
                                              "--include",
                                              "--include-directory",
                                              "--include-directory-after",
                                              "--include-prefix",
                                              "--include-with-prefix",
                                              "--include-with-prefix-after",
                                              "--include-with-prefix-before",
                                              "--language",
                                              "--library-directory",
                                              "--output",
                                              "--param",
                                              "--prefix",
                                              "--resource",
                                              "--serialize-diagnostics",
                                              "--std",
                                              "--stdlib",
                                              "--sysroot",
                                              "--undefine-macro"}));

constexpr auto before_linking = in_order(std::to_array<std::string_view>({"-c",
                                                                          "-S",
                                                                          "-E",
                                                                          "-M",
                                                                          "-MM",
                                                                          "-fsyntax-only",
                                                                          "-emit-ast",
                                                                          "-emit-interface-stubs",
                                                                          "-extract-api",
                                                                          "-module-file-info",
                                                                          "-rewrite-legacy-objc",
                                                                          "-rewrite-objc",
                                                                          "-verify-pch",
                                                                          "--analyze",
                                                                          "--assemble",
                                                                          "--compile",
                                                                          "--dependencies",
                                                                          "--precompile",
                                                                          "--preprocess",
                                                                          "--syntax-only",
                                                                          "--user-dependencies"}));

constexpr auto without_libraries = in_order(
    std::to_array<std::string_view>({"-r", "-static", "--static", "-static-pie", "-nostdlib",
                                     "--no-standard-libraries", "-nodefaultlibs"}));

constexpr auto header_extensions =
    in_order(std::to_array<std::string_view>({"h", "H", "hh", "hp", "hpp", "hxx", "h++"}));

}  // namespace

bool takes_next_argument(std::string_view option) {
  return contains(with_value, option) || option.starts_with("-Xarch_") ||
         option.starts_with("-Xopenmp-target=");
}

bool stops_before_linking(std::string_view option) { return contains(before_linking, option); }

bool links_without_libraries(std::string_view option) {
  return contains(without_libraries, option);
}

bool is_header_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash))
    return false;
  return contains(header_extensions, path.substr(dot + 1));
}

}  // namespace pianola::driver
