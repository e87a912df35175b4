# SPDX-License-Identifier: Apache-2.0
"""check_wheel.py FOLDER WORK: the wheel in FOLDER lists what is in it and can be installed, by pip if it is there."""
import base64
import csv
import hashlib
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import zipfile

folder, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
wheels = list(folder.glob("pianola-*.whl"))
assert len(wheels) == 1, f"expected one wheel: {wheels}"
shutil.rmtree(work, ignore_errors=True)
with zipfile.ZipFile(wheels[0]) as wheel:
    names = set(wheel.namelist())
    record = next(name for name in names if name.endswith(".dist-info/RECORD"))
    listed = {row[0]: row for row in csv.reader(wheel.read(record).decode().splitlines())}
    assert set(listed) == names, set(listed) ^ names
    for name in names - {record}:
        contents = wheel.read(name)
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        assert listed[name][1:] == [f"sha256={digest}", str(len(contents))], name
    for needed in ("__init__.py", "__init__.pyi", "py.typed", "plots.py", "tables.py"):
        assert f"pianola/{needed}" in names, needed
    if importlib.util.find_spec("pip") is None:
        wheel.extractall(work)
if importlib.util.find_spec("pip") is not None:
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile",
                    "--disable-pip-version-check", "--root-user-action=ignore", "--target", str(work), str(wheels[0])], check=True)
code = "import pianola; print(pianola.__file__); pianola.make_plan(pianola.Graph(pianola.Machine.read(pianola.Machine().to_json())))"
run = subprocess.run([sys.executable, "-I", "-B", "-c", f"import sys; sys.path.insert(0, {str(work)!r}); {code}"], check=True,
                     capture_output=True, text=True)
assert run.stdout.startswith(str(work)), run.stdout
