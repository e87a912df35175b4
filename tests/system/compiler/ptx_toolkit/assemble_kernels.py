# SPDX-License-Identifier: Apache-2.0
"""Compiles every test kernel for sm_75 and sm_90 and assembles it: the oldest, and what has all that is asked for.

Fails on any error, and on stack memory or spills in the kernels of the benchmarks."""
import argparse
import concurrent.futures
import glob
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHITECTURES = ["sm_75", "sm_90"]
# Folder of tests/: files that hold kernels.
BENCHMARKS = "bench/kernels/*.cpp"
NO_KERNELS = re.compile(r"/main\.cpp$|_(openmp|reference)\.cpp$")
# libdevice reduces large arguments of sine and cosine in stack memory.
MAY_USE_THE_STACK = re.compile(r"/built_ins\.cpp$")
TESTS = [
    "system/compiler/programs/*.cpp",
    "system/compiler/programs/units/*.cpp",
    "system/compiler/ptx/*.cpp",
    "unit/compiler/kernels.cpp",
]
# Its error is what it tests.
EXPECTED_ERRORS = ["system/compiler/ptx/errors.cpp"]


def front_end(chosen):
    """Command that all units are compiled with."""
    return (
        [os.path.join(chosen.tools, "clang++"), "-std=c++20", "-D__PIANOLACC__=1", "-O2", "-Xclang"]
        + ["-disable-llvm-passes", "-fplugin=" + chosen.plugin]
        + ["-I" + include for include in chosen.includes.split(":")]
    )


def precompiled_header(command):
    """Options that take <sycl/sycl.hpp> from a precompiled header, where such are kept; see tests/support."""
    script = os.path.join(HERE, "..", "..", "..", "support", "precompiled.sh")
    text = subprocess.run(
        ["bash", "-c", f". {shlex.quote(script)} && precompiled {shlex.join(command)}"],
        stdout=subprocess.PIPE,
        check=True,
    )
    return text.stdout.decode().splitlines()


def compile_unit(chosen, path, unit):
    """Folder with the results, or the text of the error."""
    folder = os.path.join(chosen.output, unit)
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*")):
        os.remove(old)
    text = subprocess.run(
        front_end(chosen)
        + chosen.header
        + ["-DPIANOLA_BENCH_SIDE=compiled", "-I" + os.path.join(HERE, "..", "ptx")]
        + ["-S", "-emit-llvm", "-o", "-", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if text.returncode:
        return None, text.stderr.decode()
    images = subprocess.run(
        [os.path.join(chosen.tools, "opt"), "-load-pass-plugin=" + chosen.opt_plugin, "-load=" + chosen.opt_plugin]
        + ["-disable-output", "-passes=pianola-ptx-image<" + ";".join(ARCHITECTURES) + ">"]
        + ["-pianola-unit=" + unit, "-pianola-save-temps=" + folder],
        input=text.stdout,
        stderr=subprocess.PIPE,
    )
    if images.returncode:
        return None, images.stderr.decode()
    return folder, ""


def spills(report):
    """Symbols of the kernels that keep registers or variables in memory."""
    found = []
    kernel = None
    for line in report.splitlines():
        entry = re.search(r"Compiling entry function '(\w+)'", line)
        if entry:
            kernel = entry.group(1)
        sizes = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if sizes and any(int(size) for size in sizes.groups()):
            found.append(f"{kernel}: {line.strip()}")
    return found


def main():
    parser = argparse.ArgumentParser()
    for name in ("plugin", "opt-plugin", "includes", "tools", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("tests")
    chosen = parser.parse_args()

    found = sorted(glob.glob(os.path.join(chosen.tests, BENCHMARKS)))
    files = [(path, True) for path in found if not NO_KERNELS.search(path)]
    for pattern in TESTS:
        files += [(path, False) for path in sorted(glob.glob(os.path.join(chosen.tests, pattern)))]
    problems = 0 if files else 1
    if not files:
        print(f"FAILED: there are no kernels in {chosen.tests}")
    chosen.header = precompiled_header(front_end(chosen))
    named = [(os.path.relpath(path, chosen.tests), path, strict) for path, strict in files]
    named = [one for one in named if one[0] not in EXPECTED_ERRORS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiled = pool.map(
            lambda one: compile_unit(chosen, one[1], one[0].replace("/", "_").removesuffix(".cpp")), named
        )
    for (name, path, strict), (folder, error) in zip(named, compiled):
        bad = [error] if folder is None else []
        kernels = 0
        for architecture in ARCHITECTURES if folder else []:
            reports = glob.glob(os.path.join(folder, f"*-{architecture}.txt"))
            for report in reports:
                with open(report) as text:
                    output = text.read()
                kernels += output.count("Compiling entry function")
                if strict and not MAY_USE_THE_STACK.search(path):
                    bad += [f"{architecture}: {spill}" for spill in spills(output)]
        if strict and folder and kernels == 0:
            bad.append("no kernel was found")
        print(f"{'FAILED' if bad else 'ok'}  {name}  {kernels} kernels")
        for problem in bad:
            print(problem)
        problems += len(bad)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
