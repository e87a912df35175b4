# SPDX-License-Identifier: Apache-2.0
"""Runs a command where ptxas and libdevice of a CUDA toolkit are found; exits with 77 where not.

Looks where the compiler looks. "@PTXAS@" in the command becomes the path of ptxas."""
import os
import shutil
import subprocess
import sys

SKIPPED = 77


def roots():
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(variable):
            yield os.environ[variable]
            return
    yield "/usr/local/cuda"
    found = shutil.which("ptxas")
    if found:
        yield os.path.dirname(os.path.dirname(os.path.realpath(found)))
    yield "/usr/lib/nvidia-cuda-toolkit"


def first(names):
    for root in roots():
        for name in names:
            path = os.path.join(root, name)
            if os.path.isfile(path):
                return path
    return None


def main():
    ptxas = first(["bin/ptxas"])
    libdevice = first(["nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"])
    if ptxas is None or libdevice is None:
        print(f"not run: no CUDA toolkit (searched {', '.join(roots())})")
        return SKIPPED
    return subprocess.call([argument.replace("@PTXAS@", ptxas) for argument in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
