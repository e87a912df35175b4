#!/usr/bin/env zsh
# SPDX-License-Identifier: Apache-2.0
# What zsh offers at the end of command lines: zsh -f zsh_offers.zsh FOLDER LINE...
# FOLDER holds _pianola. Prints a line for each: what is offered, with blanks between, in the order of the alphabet.
# Completion needs a terminal, so a second shell has one, and leaves what it would offer in a file.
zmodload zsh/zpty
folder=${1:A}
shift
cat >$folder/offers <<'SETUP'
PROMPT='' RPROMPT=''
fpath=($folder $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  # -O, -A and -D ask what would match and offer nothing.
  if (( ${argv[(I)-[OAD]]} && ${argv[(I)-[OAD]]} < ${argv[(i)--]} )); then
    builtin compadd "$@"
    return
  fi
  local -a found
  builtin compadd -A found "$@"
  print -rl -- $found >>$folder/found
  builtin compadd "$@"
}
tell() {
  : >$folder/found
  _main_complete
  print -r -- OFFERED
}
zle -C tell list-choices tell
bindkey '^I' tell '^U' kill-whole-line
SETUP
: >$folder/found
zpty -b shell "folder=${(q)folder} zsh -f -i"
zpty -w shell "source $folder/offers; print REA''DY"
zpty -r -m shell said '*READY*'
for line in "$@"; do
  zpty -w -n shell "$line"$'\t'
  zpty -r -m shell said '*OFFERED*'
  print -r -- ${(ou)$(<$folder/found)}
  zpty -w -n shell $'\x15'
done
zpty -d shell
