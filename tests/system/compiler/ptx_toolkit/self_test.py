# SPDX-License-Identifier: Apache-2.0
"""That the tests of this folder are skipped where there is no CUDA toolkit, and fail where kernels are broken."""
import argparse
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


def run(command, **environment):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def skipped(chosen, _):
    """Without a toolkit the command is not run, and ctest knows what that means."""
    nowhere = os.path.join(chosen.output, "nowhere")
    code, text = run([sys.executable, os.path.join(here, "toolkit.py"), "false"], CUDA_PATH=nowhere)
    expect(code == SKIPPED, f"toolkit.py ends with {code} where there is no toolkit")
    expect("not run: no CUDA toolkit" in text and nowhere in text, "toolkit.py does not say why: " + text)
    code, text = run([chosen.ctest, "--test-dir", chosen.build, "--show-only=json-v1", "-R", "^compiler/ptx_"])
    expect(code == 0, text)
    tests = 0
    for test in json.loads(text)["tests"]:
        if not any(argument.endswith("toolkit.py") for argument in test["command"]):
            continue
        tests += 1
        properties = {p["name"]: p["value"] for p in test["properties"]}
        expect(str(properties.get("SKIP_RETURN_CODE")) == str(SKIPPED), f"ctest would take {test['name']} for failed")
    expect(tests >= 2, "ctest knows no tests that need the toolkit")


def broken(chosen, rest):
    """Each folder in broken/ makes the test of all kernels fail, for its own reason."""
    reasons = {
        "spills": "bytes stack frame",
        "not_ptx": "ptxas failed for sm_75",
        "no_kernel": "no kernel was found",
        "nothing_at_all": "there are no kernels",
    }
    for name, reason in reasons.items():
        code, text = run(
            [sys.executable, os.path.join(here, "assemble_kernels.py"), *rest]
            + ["--output", os.path.join(chosen.output, name), os.path.join(here, "broken", name)]
        )
        expect(code == 1, f"kernels of broken/{name} pass ({code}):\n{text}")
        expect("FAILED" in text and reason in text, f"broken/{name} fails for another reason:\n{text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("which", choices=["skipped", "broken"])
    parser.add_argument("--output", required=True)
    parser.add_argument("--ctest")
    parser.add_argument("--build")
    chosen, rest = parser.parse_known_args()
    globals()[chosen.which](chosen, rest)


if __name__ == "__main__":
    main()
