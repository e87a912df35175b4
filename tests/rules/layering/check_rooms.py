#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_rooms.py ROOT DOCUMENT COMPONENT...: files of these include only what the document's table of their rooms allows.

Each has a table, and nothing else has one. A table begins with "| room of COMPONENT | is in | may include |". Each row is a
layer: a name and what it is, links to the folders and files that it is in, and the names of rooms above it. Every source
file of the component is in one room (of two that hold it, the longer path says which), and includes only from its own and
from those named; each of those is included by somebody.
"""
import os
import re
import sys

root, document, *components = sys.argv[1:]
base = os.path.dirname(document)
errors = []


def source_files(component):
    for folder in ("include", "src"):
        for where, _, names in os.walk(os.path.join(root, component, folder)):
            for name in sorted(names):
                if name.endswith((".hpp", ".cpp", ".h")):
                    yield os.path.relpath(os.path.join(where, name), root)


def read_tables():
    tables, rows = {}, None
    with open(os.path.join(root, document), encoding="utf-8") as text:
        for line in text:
            cells = [c.strip() for c in line.strip().strip("|").split("|")] if line.startswith("|") else []
            if len(cells) != 3:
                rows = None
            elif match := re.fullmatch(r"room of (\S+)", cells[0]):
                rows = tables.setdefault(match[1], [])
            elif rows is not None and not cells[0].startswith("---"):
                paths = [os.path.normpath(os.path.join(base, p)) for p in re.findall(r"\]\(([^)]+)\)", cells[1])]
                others = [o.strip() for o in cells[2].split(",") if o.strip() not in ("", "nothing")]
                rows.append((cells[0].split(":")[0], paths, others))
    return tables


def check(component, rows):
    place = {}
    for at, (name, paths, others) in enumerate(rows):
        for path in paths:
            place[path] = name
            if not os.path.exists(os.path.join(root, path)):
                errors.append(f"{document}: room '{name}' of {component} is in {path}, which is not there")
        for other in others:
            if other not in [row[0] for row in rows[:at]]:
                errors.append(f"{document}: room '{name}' of {component} may include '{other}', which is no room above it")
    allowed = {name: {name, *others} for name, _, others in rows}

    def room_of(path):
        while path and path not in place:
            path = os.path.dirname(path)
        return place.get(path)

    used = {name: {name} for name in allowed}
    files = list(source_files(component))
    known = set(files)
    for path in files:
        here = room_of(path)
        if here is None:
            errors.append(f"{path}: is in no room of {component} (the table is in {document})")
            continue
        with open(os.path.join(root, path), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
                if match is None:
                    continue
                folders = [f"{component}/src", f"{component}/include"]
                if match[1] == '"':
                    folders.insert(0, os.path.dirname(path))
                found = [p for f in folders if (p := os.path.normpath(os.path.join(f, match[2]))) in known]
                there = room_of(found[0]) if found else here
                used[here].add(there)
                if there is not None and there not in allowed[here]:
                    errors.append(f"{path}:{number}: '{here}' may not include '{there}': {match[2]}")
    for name, others in allowed.items():
        for other in sorted(others - used[name]):
            errors.append(f"{document}: room '{name}' of {component} includes nothing of '{other}' any more")
    return len(files)


tables = read_tables()
for component in components:
    if not tables.get(component):
        errors.append(f"{document}: there is no table of rooms of {component}")
for component in tables:
    if component not in components:
        errors.append(f"{document}: the table of rooms of {component} is not checked: name it in "
                      "tests/rules/layering/CMakeLists.txt")
for component, rows in tables.items():
    print(f"{component}: {check(component, rows)} files in {len(rows)} rooms")
for error in errors:
    print(error, file=sys.stderr)
sys.exit(1 if errors else 0)
