# SPDX-License-Identifier: Apache-2.0
"""make_wheel.py FOLDER VERSION OUTPUT: writes the wheel of the package pianola, which is in FOLDER, into folder OUTPUT.

A wheel is a zip file with a list of what is in it; tools for that would have to come from a network.
"""
import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

METADATA = """Metadata-Version: 2.1
Name: pianola
Version: {version}
Summary: Planning of command graphs: build or read, plan, simulate, explain, plot
License: Apache-2.0
Requires-Python: =={python}.*
Provides-Extra: tables
Requires-Dist: pandas; extra == "tables"
Provides-Extra: plots
Requires-Dist: matplotlib; extra == "plots"
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: pianola\nRoot-Is-Purelib: false\nTag: {tag}\n"


def main(folder, version, output):
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    short = "cp" + python.replace(".", "")
    tag = f"{short}-{short}-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = f"pianola-{version}.dist-info"
    package = pathlib.Path(folder)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    files = {}
    for path in sorted(package.iterdir()):
        if path.suffix in (".py", ".pyi", ".typed") or path.name.endswith(suffix):
            files[f"pianola/{path.name}"] = path.read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version=version, python=python).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = ""
    for name, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(contents)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(pathlib.Path(output) / f"pianola-{version}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, contents in files.items():
            entry = zipfile.ZipInfo(name)  # the same bytes each time: no times of files
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, contents)


if __name__ == "__main__":
    main(*sys.argv[1:])
