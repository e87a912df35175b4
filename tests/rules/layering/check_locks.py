#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_locks.py ROOT DOCUMENT FOLDER...: the document's table of locks and the sources have the same locks.

The table begins with "| lock | protects | taken while holding |". The first cell of a row names locks in `code`: a member
as CLASS::MEMBER, or as CLASS where that is its only one, with as much of what is around it as makes it the only one; what is
no member as NAME, with a link to its file in the same cell. Mutexes of the standard library and the runtime's are locks.
"""
import collections
import os
import re
import sys

root, document, *folders = sys.argv[1:]
base = os.path.dirname(document)
errors = []

MUTEX = r"\b(?:std::(?:recursive_|shared_|timed_|recursive_timed_|shared_timed_)?mutex|(?:\w+::)*runtime_mutex)\b"
DECLARED = re.compile(MUTEX + r"\s+(\w+)\s*[;{=\[,]")
# Uses that make no lock: what holds one for a while, refers to one, or names the type.
USED = re.compile(r"(?:\b(?:\w*_(?:guard|lock)|\w+_lock)\s*<\s*" + MUTEX + r"[^;]*?>|(?:class|struct)\s+runtime_mutex\b|"
                  + MUTEX + r"\s*(?:const\s*)?[*&)])")
WORDS = re.compile(r"R\"\((?:.|\n)*?\)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*(?:.|\n)*?\*/")
SCOPE = re.compile(r"\b(namespace|class|struct|union)\s+((?:\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*)([\w:]+)(?![\w:]*\s*[>,*&])")

Lock = collections.namedtuple("Lock", "path line around name member")


def locks_of(path):
    """The locks that a file declares, each with the names that are around it."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    if "mutex" not in text:
        return
    # Comments and literals become blanks, so that places stay.
    text = WORDS.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    text = re.sub(r"(?m)^[ \t]*#.*$", lambda m: " " * len(m[0]), text)
    line = lambda at: text.count("\n", 0, at) + 1
    scopes, begin = [], 0  # (names, is a class) of each open brace; where the statement begins
    inside = {}            # at each ';', '{' and '}': the scopes there
    for found in re.finditer(r"[;{}]", text):
        at = found.start()
        inside[at] = list(scopes)
        if found[0] == "{":
            head = SCOPE.search(text, begin, at)
            is_function = head is not None and "(" in text[head.end():at].split(" : ")[0]
            if head is None or is_function:
                scopes.append(([], False))
            else:
                scopes.append((head[3].split("::"), head[1] != "namespace"))
        elif found[0] == "}" and scopes:
            scopes.pop()
        begin = at + 1
    spans = [(m.start(), m.end()) for m in USED.finditer(text)]
    for m in re.finditer(MUTEX, text):
        if any(a <= m.start() < b for a, b in spans):
            continue
        declared = DECLARED.match(text, m.start())
        if declared is None:
            errors.append(f"{path}:{line(m.start())}: a mutex in a form that tests/rules/layering/check_locks.py does not know")
            continue
        around = inside[min(at for at in inside if at >= declared.end() - 1)]
        names = tuple(name for part, _ in around for name in part)
        yield Lock(path, line(m.start()), names, declared[1], bool(around) and around[-1][1])


def table():
    """Of each row the names that it gives to locks, and the files that it links to."""
    rows, inside = [], False
    with open(os.path.join(root, document), encoding="utf-8") as text:
        for line in text:
            cells = [c.strip() for c in line.strip().strip("|").split("|")] if line.startswith("|") else []
            if cells[:1] == ["lock"]:
                inside = True
            elif not cells:
                inside = False
            elif inside and not cells[0].startswith("---"):
                linked = [os.path.normpath(os.path.join(base, p)) for p in re.findall(r"\]\(([^)]+)\)", cells[0])]
                rows.append((re.findall(r"`([^`]+)`", cells[0]), linked))
    return rows


def is_named(lock, name, linked):
    names = tuple(name.split("::"))
    if not lock.member:
        return names == (lock.name,) and lock.path in linked
    whole = (*lock.around, lock.name)
    return whole[-len(names):] == names or lock.around[-len(names):] == names


locks = []
for folder in folders:
    for where, _, files in sorted(os.walk(os.path.join(root, folder))):
        for file in sorted(files):
            if file.endswith((".hpp", ".cpp", ".h")):
                locks += locks_of(os.path.relpath(os.path.join(where, file), root))
rows = table()
if not rows:
    errors.append(f"{document}: there is no table of locks")
named = collections.Counter()
for names, linked in rows:
    of_row = set()
    for name in names:
        meant = [lock for lock in locks if is_named(lock, name, linked)]
        of_row.update(meant)
        if not meant:
            errors.append(f"{document}: the table of locks names '{name}', which is no lock")
        if len(meant) > 1:
            places = ", ".join(f"{lock.path}:{lock.line}" for lock in meant)
            errors.append(f"{document}: '{name}' in the table of locks may be any of {places}")
    named.update(of_row)
for lock in locks:
    name = "::".join([*(lock.around[-1:] if lock.member else []), lock.name])
    if named[lock] == 0:
        errors.append(f"{lock.path}:{lock.line}: the lock '{name}' is not in the table of locks in {document}: "
                      "say there what it protects and what is held when it is taken")
    elif named[lock] > 1:
        errors.append(f"{document}: the table of locks has '{name}' in {named[lock]} rows")
print(f"{len(locks)} locks")
for error in errors:
    print(error, file=sys.stderr)
sys.exit(1 if errors else 0)
