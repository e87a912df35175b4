#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# keep_names_free.sh ROOT...: no public header has a name that a common macro has: I of <complex.h>, major and minor of
# <sys/sysmacros.h>, K and pi of programs; nor calls or declares min and max without parentheses around the name, which
# keep function-like macros away. Comments and the two headers that put macros away do not count.
set -u
found=$(find "$@" -type f \( -name '*.hpp' -o -name '*.h' \) ! -name '*_macros.hpp' -print0 |
        xargs -0 perl -ne '
          s|//.*||; s|/\*.*?\*/||g; s|^\s*\*.*||; s|/\*.*||; s|"[^"]*"||g;
          print "$ARGV:$.: $_" if /\b(I|K|major|minor|pi)\b/ || /\b(min|max)\s*\(/;
          close ARGV if eof')
[ -z "$found" ] || { echo "names that are macros elsewhere:" >&2; echo "$found" >&2; exit 1; }
