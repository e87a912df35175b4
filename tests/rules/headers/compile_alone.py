#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile_alone.py COMPILER STANDARD USES FOLDER ROOT...

Compiles each header below the ROOTs without what another one has included, with no warning allowed and nothing but the ROOTs on
the include path. All of them, and the headers of the standard library that they include, are submodules for clang, which
sees in each what that one includes: seconds, where a translation unit for each takes minutes.

USES tells what each header in FOLDER of a ROOT has to declare: a line [header], and lines of C++ that have no other header.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# What they do depends on where they are included.
TEXTUAL = {"cassert", "sycl/detail/hide_macros.hpp", "sycl/detail/show_macros.hpp"}


def system_folders(compiler):
    told = subprocess.run([compiler, "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True)
    listed = told.stderr.partition("search starts here:\n#include <")[2].partition("End of search list")[0]
    return [pathlib.Path(line.strip()) for line in listed.splitlines()[1:]]


def module(name, headers):
    """headers: (name, path)"""
    lines = [
        f'  module "{h}" {{ {"textual " * (h in TEXTUAL)}header "{path}" export * }}\n' for h, path in headers
    ]
    return f"module {name} {{\n" + "".join(lines) + "}\n"


def uses_of(path):
    """(header, lines of C++) in the file's order"""
    found = []
    for line in path.read_text().splitlines():
        if name := re.fullmatch(r"\[([a-z0-9_]+)\]", line):
            found.append((name[1], []))
        elif line and not line.startswith("#"):
            found[-1][1].append(line)
    return found


def check_uses(compile_text, path, folder, roots):
    """Whether every header of the folder declares what the file says."""
    uses = uses_of(path)
    there = {p.stem for root in roots for p in pathlib.Path(root, folder).glob("*.hpp")}
    told = {name for name, _ in uses}
    for name in sorted(there - told):
        print(f"FAILED: {path.name} does not say what <{folder}/{name}.hpp> declares")
    for name in sorted(told - there):
        print(f"FAILED: there is no <{folder}/{name}.hpp>")
    status = int(there != told)
    for name, lines in uses:
        # Alone in a module's view: what other headers declare is not visible, though it has been compiled.
        result = compile_text("".join(line + "\n" for line in [f"#include <{folder}/{name}.hpp>", *lines]))
        if result.returncode != 0:
            print(f"FAILED: <{folder}/{name}.hpp>\n{result.stderr}")
            status = 1
    return status


def main(compiler, standard, uses, folder, roots):
    headers = []
    for root in (pathlib.Path(r).resolve() for r in roots):
        found = sorted(p for p in root.rglob("*") if p.suffix in (".hpp", ".h"))
        headers += [(str(p.relative_to(root)), p) for p in found]
    if not headers:
        sys.exit(f"no headers below {' '.join(roots)}")
    status = 0
    included = set()
    for name, path in headers:
        text = path.read_text()
        included |= set(re.findall(r"^ *# *include <([a-z_]+)>", text, re.MULTILINE))
        if name not in TEXTUAL and not re.search(r"^#pragma once$", text, re.MULTILINE):
            print(f"FAILED: {name} can be included twice: it has no #pragma once")
            status = 1
    standard_headers = []
    folders = system_folders(compiler)
    for name in sorted(included - TEXTUAL):
        path = next((f / name for f in folders if (f / name).exists()), None)
        if path is not None:
            standard_headers.append((name, path))
    with tempfile.TemporaryDirectory() as work:
        modules = pathlib.Path(work, "all.modulemap")
        modules.write_text(module("standard_library [system]", standard_headers) + module("headers", headers))
        flags = [f"-std=c++{standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-ferror-limit=100"]
        flags += ["-fmodules", "-Xclang", "-fmodules-local-submodule-visibility", "-fno-implicit-module-maps"]
        flags += [f"-fmodules-cache-path={work}/built", f"-fmodule-map-file={modules}"]
        for root in roots:
            flags += ["-I", root]

        def compile_text(text, *more):
            command = [compiler, *flags, *more, "-x", "c++", "-"]
            return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

        told = compile_text(f"#include <{headers[0][0]}>\n", "-Rmodule-build")
        if told.returncode != 0 or "finished building module 'headers'" not in told.stderr:
            print(told.stderr)
            status = 1
        else:
            status |= check_uses(compile_text, pathlib.Path(uses), folder, roots)
    print(f"{len(headers)} headers, alone, C++{standard}, {compiler}")
    return status


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:5], sys.argv[5:]))
