#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ledger_test.py: the ledger agrees with results as the document has them, and with no others."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def write_report(path, results):
    tests = [{"name": str(i), "result": result, **({"failures": [{}]} if result == "FAILED" else {})}
             for i, result in enumerate(results)]
    path.write_text(json.dumps({"testsuites": [{"testsuite": tests}]}))


def main():
    with tempfile.TemporaryDirectory() as work:
        root = Path(work)
        (root / "docs").mkdir()
        shutil.copytree(HERE, root / "tests" / "spec" / "conformance")
        text = (HERE.parents[2] / "docs" / "conformance.md").read_text()
        (root / "docs" / "conformance.md").write_text(text)
        results = root / "results"
        results.mkdir()
        rows = re.findall(r"^\|[^|]*\|[^|]*\| \[`(\w+)`\][^|]*\| (\d+), (\d+) failed(?:, (\d+) skipped)? \|", text,
                          re.MULTILINE)
        assert rows, "the document's table is not as this test reads it"
        for stem, passed, failed, skipped in rows:
            write_report(results / f"{stem}.library.json", ["COMPLETED"] * int(passed) + ["FAILED"] * int(failed) +
                         ["SKIPPED"] * int(skipped or 0))

        def check():
            command = [sys.executable, root / "tests" / "spec" / "conformance" / "ledger.py", "check", results]
            return subprocess.run(command, capture_output=True, text=True)

        stem, passed = rows[0][0], int(rows[0][1])
        assert check().returncode == 0, "the results of the document: " + check().stderr
        for what, wrong in [("one test is skipped", ["COMPLETED"] * (passed - 1) + ["SKIPPED"]),
                            ("one test fails", ["COMPLETED"] * (passed - 1) + ["FAILED"]),
                            ("one test is missing", ["COMPLETED"] * (passed - 1))]:
            write_report(results / f"{stem}.library.json", wrong)
            answer = check()
            assert answer.returncode == 1 and stem in answer.stdout, f"{what}: {answer.returncode} {answer.stdout}"


main()
