#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_links.sh ROOT: every link of a document to a file of the project leads somewhere, and so does its #anchor if it
# goes to a document.
set -u -o pipefail
cd "$1" || exit 1
# shellcheck source=tests/support/list_sources.sh
. tests/support/list_sources.sh
outcome=0
count=0

# The anchors that a page of headings gets: lower case, without punctuation, blanks as hyphens.
anchors_of() {
  awk '/^```/ { fenced = !fenced } !fenced && /^#+ / { sub(/^#+ +/, ""); print }' "$1" |
    tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'
}

while IFS= read -r -d '' document; do
  folder=$(dirname "$document")
  while IFS= read -r target; do
    case $target in
      http://* | https://* | mailto:*) continue ;;
    esac
    count=$((count + 1))
    path=${target%%#*}
    file=$document
    [ -z "$path" ] || file=$folder/$path
    if [ ! -e "$file" ]; then
      echo "$document: there is no $target" >&2
      outcome=1
    elif [[ $target == *'#'* && $file == *.md ]] && ! anchors_of "$file" | grep -qxF "${target#*#}"; then
      echo "$document: $file has no heading for #${target#*#}" >&2
      outcome=1
    fi
  done < <(awk '/^```/ { fenced = !fenced } !fenced' "$document" |
    grep -oE '\]\([^() ]+\)|(src|href)="[^"]+"' | sed -E 's/^\]\((.*)\)$/\1/; s/^[a-z]+="(.*)"$/\1/')
done < <(list_sources . '*.md')
[ $count -gt 0 ] || { echo "no links were found" >&2; exit 1; }
echo "$count links"
exit $outcome
