# SPDX-License-Identifier: Apache-2.0
# What bash offers at the end of command lines: bash bash_offers.bash LINE...
# The current folder holds the script of `pianola completion bash`. Prints a line for each: what is offered, with blanks between.
source ./completion
for line in "$@"; do
  # Words as bash cuts them by itself: at "=", too.
  COMP_WORDS=()
  for word in ${line//=/ = }; do COMP_WORDS+=("$word"); done
  [[ $line != *[' ='] ]] || [[ $line == *= ]] || COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _pianola
  mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | sort -u)
  echo "${COMPREPLY[@]}"
done
