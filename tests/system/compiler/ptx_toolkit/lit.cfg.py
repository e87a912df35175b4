# SPDX-License-Identifier: Apache-2.0
# As ../ptx, for tests that read files of the CUDA toolkit; run by toolkit.py where there is one.
import os

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "lit.cfg.py"))
lit_config.load_config(config, os.path.join(here, "..", "ptx", "lit.local.cfg"))
config.name = "pianolacc-toolkit"
config.excludes = ["broken"]
config.test_source_root = here
config.substitutions.append(("%ptxas", lit_config.params["ptxas"]))
