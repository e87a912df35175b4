#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_licence.sh ROOT: every source and script names its licence in its first two lines.
set -u
# shellcheck source=tests/support/list_sources.sh
. "$(dirname "$0")/../../support/list_sources.sh"
cd "$1" || exit 1
status=0
while IFS= read -r -d '' file; do
  if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0'; then
    echo "$file: its first lines lack 'SPDX-License-Identifier: Apache-2.0'" >&2
    status=1
  fi
done < <(list_sources "$1" '*.hpp' '*.cpp' '*.h' '*.c' '*.sh' '*.cmake' '*CMakeLists.txt')
exit $status
