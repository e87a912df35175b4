#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_licence.sh ROOT: every source and script names its licence in its first two lines.
set -u
# shellcheck source=tests/support/list_sources.sh
. "$(dirname "$0")/../../support/list_sources.sh"
cd "$1" || exit 1
# One process for all files: one for each takes minutes on a busy machine.
list_sources "$1" '*.hpp' '*.cpp' '*.h' '*.c' '*.sh' '*.cmake' '*CMakeLists.txt' |
  xargs -0 awk '
    function end_file() {
      if (file == "" || named) return
      print file ": its first lines lack \"SPDX-License-Identifier: Apache-2.0\"" >"/dev/stderr"
      bad = 1
    }
    FNR == 1 { end_file(); file = FILENAME; named = 0 }
    /SPDX-License-Identifier: Apache-2\.0/ { named = 1 }
    FNR == 2 { nextfile }
    END { end_file(); exit bad }'
