#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_format.sh ROOT: every C++ source is as clang-format leaves it.
set -u -o pipefail
# shellcheck source=tests/support/list_sources.sh
. "$(dirname "$0")/../../support/list_sources.sh"
cd "$1" || exit 1
list_sources "$1" '*.hpp' '*.cpp' '*.h' '*.c' |
  xargs -0 -r -n 16 -P 2 "${CLANG_FORMAT:-clang-format-19}" --dry-run -Werror --style=file
