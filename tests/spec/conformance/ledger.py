#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ledger of conformance in docs/conformance.md: a table of the specification's sections, the programs that test
them, and how many of their tests passed and failed. A program tests the section that it is named by, and those of its
line `// also tests: SECTION...`. A section that no program can show says why in sections.txt.

    ledger.py update RESULTS    writes what the results in the folder RESULTS say; columns without results stay
    ledger.py check RESULTS     exits with 1 where the document says something else, with 77 where there are no results

RESULTS holds the JSON reports of GoogleTest, <stem>.<column>.json, as ctest's label `conformance` leaves them in
tests/spec/conformance/results of a build folder. A test that was skipped has not passed: it is counted by itself, and a
check fails where the document does not say so.
"""
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[2] / "docs" / "conformance.md"
BEGIN = "<!-- ledger: written by tests/spec/conformance/ledger.py update -->"
END = "<!-- ledger: end -->"
COLUMNS = {"library": "Library only", "openmp": "Compiled: CPU", "cuda": "Compiled: CUDA", "hip": "Compiled: HIP"}
NOT_RUN = "–"


def number_of(section):
    return tuple(int(part) for part in section.split("."))


def read_sections():
    """Titles by section, and why no program tests it, of sections where that is so."""
    sections, reasons, number = {}, {}, None
    for line in (HERE / "sections.txt").read_text().splitlines():
        if line.startswith("- ") and number:
            reasons[number] = line[2:]
        elif line and not line.startswith("#"):
            number, title = line.split(" ", 1)
            if number in sections:
                sys.exit(f"sections.txt: {number} is there twice")
            sections[number] = title
    return sections, reasons


def read_programs():
    """Stems by section, in order: those that the section names, and those that test it besides their own."""
    programs, besides = {}, {}
    for source in sorted(HERE.glob("*.cpp")):
        match = re.fullmatch(r"(\d+(?:_\d+)*)_([a-z][a-z0-9_]*)", source.stem)
        if not match:
            sys.exit(f"{source}: the name must be the section's number, then words")
        programs.setdefault(match[1].replace("_", "."), []).append(source.stem)
        for line in re.findall(r"^// also tests: (.*)$", source.read_text(), re.MULTILINE):
            for section in line.split():
                besides.setdefault(section, []).append(source.stem)
    return programs, besides


def read_result(path):
    try:
        report = json.loads(path.read_text())
    except ValueError:
        return "crashed"  # a program that ended in the middle of its report
    passed = failed = skipped = 0
    for suite in report["testsuites"]:
        for test in suite["testsuite"]:
            if "failures" in test:
                failed += 1
            elif test["result"] == "SKIPPED":
                skipped += 1
            elif test["result"] == "COMPLETED":
                passed += 1
    return f"{passed}, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def read_results(folder, programs):
    """Cells by stem and column, of columns of which there is any result."""
    stems = [stem for group in programs.values() for stem in group]
    cells = {}
    for column in COLUMNS:
        found = {stem: read_result(folder / f"{stem}.{column}.json")
                 for stem in stems if (folder / f"{stem}.{column}.json").exists()}
        if found:
            for stem in stems:
                cells[stem, column] = found.get(stem, NOT_RUN)
    return cells


def read_document():
    """The text before the table, the cells in it, and the text after it."""
    text = DOCUMENT.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"{DOCUMENT}: needs the lines\n{BEGIN}\n{END}\nonce each")
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    cells = {}
    for line in table.splitlines():
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        program = re.match(r"\[`(\w+)`\]", parts[2]) if len(parts) == 3 + len(COLUMNS) else None
        if program:
            for column, part in zip(COLUMNS, parts[3:]):
                cells[program[1], column] = part
    return before, table, cells, after


def link_to(stem):
    return f"[`{stem}`](../tests/spec/conformance/{stem}.cpp)"


def covering(section, programs, besides, reasons):
    """What stands for the program of a section that has none of its own."""
    if section in besides:
        return "in " + ", ".join(link_to(stem) for stem in besides[section])
    if section in reasons:
        return f"none: {reasons[section]}"
    parts = section.split(".")
    for length in range(len(parts) - 1, 1, -1):
        parent = ".".join(parts[:length])
        if parent in programs:
            return f"in {parent}"
    below = sorted((other for other in programs if other.startswith(section + ".")), key=number_of)
    if below:
        return "see " + ", ".join(below)
    return "no program yet"


def write_table(sections, reasons, programs, besides, cells):
    lines = ["| Section | Title | Program | " + " | ".join(COLUMNS.values()) + " |",
             "|---" * (3 + len(COLUMNS)) + "|"]
    for section in sorted(set(sections) | set(programs), key=number_of):
        title = sections.get(section, "")
        if section not in programs:
            found = covering(section, programs, besides, reasons)
            lines.append(f"| {section} | {title} | {found} |" + " |" * len(COLUMNS))
            continue
        for stem in programs[section]:
            results = [cells.get((stem, column), NOT_RUN) for column in COLUMNS]
            lines.append(f"| {section} | {title} | {link_to(stem)} | " + " | ".join(results) + " |")
    without = sum(section not in programs and
                  covering(section, programs, besides, reasons).startswith(("none", "no program"))
                  for section in sections)
    lines += ["", f"{len(sections) - without} of {len(sections)} sections have a program" +
              (f"; of {len(reasons)} the table says why they have none." if reasons else ".")]
    return "\n" + "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("update", "check"):
        sys.exit(__doc__)
    (sections, reasons), (programs, besides) = read_sections(), read_programs()
    unknown = sorted((set(programs) | set(besides)) - set(sections), key=number_of)
    if unknown:
        sys.exit(f"no such section in sections.txt: {', '.join(unknown)}")
    tested = sorted(set(reasons) & (set(programs) | set(besides)), key=number_of)
    if tested:
        sys.exit(f"sections.txt says why no program tests {', '.join(tested)}, but one does")
    results = read_results(Path(sys.argv[2]), programs)
    before, old, cells, after = read_document()
    cells.update(results)
    new = write_table(sections, reasons, programs, besides, cells)
    if sys.argv[1] == "update":
        DOCUMENT.write_text(before + BEGIN + new + END + after)
    elif not results:
        print(f"no results in {sys.argv[2]}")
        sys.exit(77)
    elif old != new:
        for line in sorted(set(new.splitlines()) - set(old.splitlines())):
            print(f"not in {DOCUMENT.name}: {line}")
        sys.exit(f"{DOCUMENT} does not agree with the programs and their results: run\n"
                 f"  {sys.argv[0]} update {sys.argv[2]}")


main()
