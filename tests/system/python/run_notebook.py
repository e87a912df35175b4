# SPDX-License-Identifier: Apache-2.0
"""run_notebook.py FILE: runs the cells with code of a notebook, in order, as Jupyter would, which need not be installed."""
import json
import sys
import tempfile
import os

with open(sys.argv[1], encoding="utf-8") as file:
    notebook = json.load(file)
os.chdir(tempfile.mkdtemp())
names = {"__name__": "__main__"}
cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
assert cells, "there is no cell with code"
for number, cell in enumerate(cells, 1):
    exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert cell["outputs"] == [] and cell["execution_count"] is None, f"cell {number} holds output; clear it"
print(len(cells), "cells")
