#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_book.sh ROOT WORK MKDOCS: the documents make a book without a warning, and small books with one mistake each make none.
set -u
root=$1 work=$2 mkdocs=$3
rm -rf "$work"
mkdir -p "$work"
outcome=0

build() { # ROOT SITE
  PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore "$mkdocs" build --quiet --strict -f "$1/docs/book/mkdocs.yml" -d "$2" 2>&1
}

if ! build "$root" "$work/site"; then
  echo "the book of the documents has mistakes" >&2
  outcome=1
fi
for page in index first-steps from-40-transfers-to-2 recorded-graphs hacking; do
  [ -s "$work/site/$page.html" ] || { echo "the book has no page $page" >&2; outcome=1; }
done

# book NAME PAGE: a book of a README and one page, which ends in PAGE.
book() {
  mkdir -p "$work/$1/docs/book"
  cp "$root/docs/book/hooks.py" "$work/$1/docs/book"
  printf '# Readme\n\n[page](docs/page.md), [code](here.c)\n' >"$work/$1/README.md"
  printf '# Changes\n' >"$work/$1/CHANGELOG.md"
  : >"$work/$1/here.c"
  printf '# Page\n\n## A heading - of `words`\n\n[above](../README.md), [code](../here.c), [heading](#a-heading---of-words)\n%s\n' "$2" \
    >"$work/$1/docs/page.md"
  printf 'site_name: small\ndocs_dir: ..\nuse_directory_urls: false\nhooks: [hooks.py]\nplugins: []\nnav: [{a: index.md}, {b: page.md}, {c: changelog.md}]\n' \
    >"$work/$1/docs/book/mkdocs.yml"
}
refuses() { # NAME PAGE WORDS
  local said
  book "$1" "$2"
  [ "$1" != unlisted ] || : >"$work/$1/docs/other.md"
  if said=$(build "$work/$1" "$work/$1-site"); then
    echo "a book with a mistake ($1) was made" >&2
    outcome=1
  elif [[ $said != *"$3"* ]]; then
    echo "a book with a mistake ($1) was refused for another reason: $said" >&2
    outcome=1
  fi
}

book good '`[no link](nowhere.md)`'
if ! build "$work/good" "$work/good-site"; then
  echo "a small book without a mistake was refused" >&2
  outcome=1
fi
refuses page '[gone](gone.md)' 'there is no gone.md'
refuses file '[gone](../gone.c)' 'there is no ../gone.c'
refuses anchor '[gone](#gone)' 'no heading for #gone'
refuses far_anchor '[gone](../README.md#gone)' 'no heading for index.html#gone'
refuses unlisted 'text' 'nav does not name other.md'
exit $outcome
