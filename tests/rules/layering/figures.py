#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figures.py ROOT [DOCUMENT]: how the sources of the product are laid out, in figures, as a table.

With a document (a path from ROOT) the figures are held against the column "at most" of its table
"| figure | before | at most |", which has a row for each.
"""
import collections
import os
import re
import sys

root = sys.argv[1]
PRODUCT = ("recorder", "planner", "executors", "compiler", "sycl/src", "tools/pianola")
BLANK = re.compile(r"R\"\w*\((?:.|\n)*?\)\w*\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*(?:.|\n)*?\*/")


def product_files():
    for folder in PRODUCT:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".hpp", ".cpp", ".h")):
                    yield os.path.relpath(os.path.join(where, name), root)


def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as text:
        return text.read()


def place(path):
    """The folder of a file; what is in a component's src itself is a place of its own, as it begins and ends the walk."""
    folder, name = os.path.split(path)
    return path if os.path.basename(folder) == "src" else folder


def root_of(path):
    """What has an include root of its own."""
    return re.split(r"/(?:src|include)/", path)[0]


def includes(sources, place):
    """Which place includes which, by the ends of paths: an include names its file from some include root."""
    by_end = collections.defaultdict(set)
    for path in sources:
        parts = path.split("/")
        for at in range(len(parts)):
            by_end["/".join(parts[at:])].add(path)
    edges = collections.defaultdict(set)
    for path, text in sources.items():
        here = os.path.dirname(path)
        component = root_of(path)
        for quote, name in re.findall(r'^\s*#\s*include\s*(["<])([^">]+)[">]', text, re.M):
            found = by_end.get(name, set())
            beside = os.path.normpath(os.path.join(here, name))
            own = [f for f in found if f.startswith(component + "/")]
            if quote == '"' and beside in sources:
                found = [beside]
            elif own:
                found = own
            if len(found) == 1:
                there = place(next(iter(found)))
                if there != place(path):
                    edges[place(path)].add(there)
    return edges


def in_circles(edges):
    """Those that reach themselves."""
    def reached(start):
        seen, stack = set(), list(edges[start])
        while stack:
            at = stack.pop()
            if at not in seen:
                seen.add(at)
                stack += edges.get(at, ())
        return seen

    return [at for at in sorted(edges) if at in reached(at)]


SCOPE = re.compile(r"\b(namespace|class|struct|union|extern)\b")
BODY = re.compile(r"\)\s*(const|noexcept|override|final|->[^{]*|:[^:].*)*\s*$", re.S)  # the head of a function ends so


def functions(text):
    """(lines, class or nothing, name) of each function that is defined outside of others."""
    text = BLANK.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    begin, opened, last = 0, None, None
    scopes = []  # of each open brace: whether functions can be defined in it
    for found in re.finditer(r"[;{}]", text):
        at = found.start()
        if found[0] == "{":
            head = text[begin:at]
            outer = all(scopes)
            is_scope = SCOPE.search(head) and not BODY.search(head)
            if outer and not is_scope and opened is None:
                if last is not None and re.match(r"\s*(,|$)", head):
                    opened = last  # what ended was the initializer of a member
                elif "(" in head:
                    name = re.search(r"(?:(\w+)::)?(~?\w+|operator[^\s(]+)\s*\(", head)
                    opened = (len(scopes), text.count("\n", 0, at), (name[1], name[2]) if name else (None, ""))
            scopes.append(bool(is_scope))
        elif found[0] == "}" and scopes:
            scopes.pop()
            if opened is not None and len(scopes) == opened[0]:
                yield text.count("\n", 0, at) - opened[1] + 1, *opened[2]
                last, opened = opened, None
        if found[0] == ";":
            last = None
        begin = at + 1


def scattered(defined, declared):
    """Classes of which functions are defined in several files that are in no folder of its name."""
    found = []
    for (component, name), files in defined.items():
        if len(files) > 1 and name in declared[component] and not all(name in f.split("/")[:-1] for f in files):
            found.append((len(files), name, component))
    return sorted(found, reverse=True)


sources = {path: read(path) for path in product_files()}
in_folder = collections.Counter(os.path.dirname(path) for path in sources)
fullest, files = max(in_folder.items(), key=lambda f: (f[1], f[0]))
longest = (0, "", "")
defined, declared = collections.defaultdict(set), collections.defaultdict(set)
for path, text in sources.items():
    component = "/".join(path.split("/")[:2])
    for name in re.findall(r"^(?:  )?(?:class|struct)\s+(\w+)[^;\n]*\{", text, re.M):
        declared[component].add(name)
    for lines, of, name in functions(text):
        longest = max(longest, (lines, f"{of}::{name}" if of else name, path))
        if of and path.endswith(".cpp"):
            defined[component, of].add(path)
apart = scattered(defined, declared)
machine = [path for path, text in sources.items()
           if path.startswith("executors/runtime/") and '#include "machine/machine.hpp"' in text]
in_runtime = max((n for folder, n in in_folder.items() if folder.startswith("executors/runtime/src")), default=0)


def named(found):
    return len(found), " ".join(found)


figures = {
    "files in one folder": (files, fullest),
    "files in one folder of the runtime": (in_runtime, ""),
    "components that are in a circle of includes": named(in_circles(includes(sources, root_of))),
    "folders that are in a circle of includes": named(in_circles(includes(sources, place))),
    "lines of one function": (longest[0], f"{longest[1]} in {longest[2]}"),
    "files that include the runtime's machine": (len(machine), ""),
    "classes in several files and in no folder of their name":
        (len(apart), ", ".join(f"{name} ({n})" for n, name, _ in apart)),
}
print("| figure | today | |\n| --- | --- | --- |")
for name, (value, remark) in figures.items():
    print(f"| {name} | {value} | {remark} |")

if len(sys.argv) > 2:
    bounds, inside, errors = {}, False, []
    for line in read(sys.argv[2]).splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("|") else []
        inside = cells == ["figure", "before", "at most"] or (inside and bool(cells))
        if inside and len(cells) == 3 and cells[2].isdigit():
            bounds[cells[0]] = int(cells[2])
    for name in figures:
        if name not in bounds:
            errors.append(f"{sys.argv[2]}: the table of figures has no bound for '{name}'")
        elif figures[name][0] > bounds[name]:
            errors.append(f"{name}: {figures[name][0]}, and {sys.argv[2]} says {bounds[name]} at most: {figures[name][1]}")
    for name in bounds:
        if name not in figures:
            errors.append(f"{sys.argv[2]}: there is no figure '{name}'")
    for error in errors:
        print(error, file=sys.stderr)
    sys.exit(1 if errors else 0)
