# SPDX-License-Identifier: Apache-2.0
# Tests of the compiler that read what it prints: lit runs the RUN lines of files in folders that have a
# lit.local.cfg. Parameters (see CMakeLists.txt): plugin, opt_plugin, includes, tools, clang, output.
import os

import lit.formats

config.name = "pianolacc"
config.test_format = lit.formats.ShTest(True)
config.suffixes = []
config.excludes = ["CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["output"]

tools = lit_config.params["tools"]
plugin = lit_config.params["plugin"]
clang = lit_config.params["clang"]
includes = " ".join("-I" + folder for folder in lit_config.params["includes"].split(":"))

config.environment["PATH"] = tools + os.pathsep + os.environ.get("PATH", "")
for name in ("HOME", "TMPDIR", "PIANOLA_CUDA_PATH", "CUDA_PATH", "PRECOMPILED_HEADERS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# What the driver passes to clang; targets are chosen by -mllvm -pianola-targets=...
config.substitutions.append(
    (
        "%{clang}",
        f"{clang} -std=c++17 -D__PIANOLACC__=1 -fplugin={plugin} -fpass-plugin={plugin} "
        f"-Rpass=__pianola_none {includes}",
    )
)
opt_plugin = lit_config.params["opt_plugin"]
config.substitutions.append(("%{opt}", f"{tools}/opt -load-pass-plugin={opt_plugin} -load={opt_plugin}"))
config.substitutions.append(("%{plugin}", plugin))
