#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by checks of sources and of documents: list_sources ROOT PATTERN... prints the project's files, NUL-separated;
# those that git tracks or would track, or all of them where the tree came without git.
list_sources() {
  local root=$1
  shift
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    # A file deleted but not yet committed is still listed, hence the test for existence.
    git -C "$root" ls-files -z --cached --others --exclude-standard -- "$@" |
      while IFS= read -r -d '' file; do [ -f "$root/$file" ] && printf '%s\0' "$file"; done
  else
    local names=()
    for pattern in "$@"; do names+=(-o -name "$pattern"); done
    (cd "$root" && find . -path ./build -prune -o -type f \( "${names[@]:1}" \) -print0)
  fi
}
