# SPDX-License-Identifier: Apache-2.0
"""check_schemas.py FOLDER: checks values against the JSON schemas in FOLDER (*.schema.json).

Standard input has one JSON array a line: [name of a schema, value]. For each a line is printed: the first
violation, or nothing. Schemas that are not well formed end it with an error.
"""
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # newer versions have a successor of RefResolver
import jsonschema

schemas = {p.name: json.loads(p.read_text()) for p in sorted(pathlib.Path(sys.argv[1]).glob("*.schema.json"))}
checks = {}
for name, schema in schemas.items():
    kind = jsonschema.validators.validator_for(schema, default=None)
    kind.check_schema(schema)
    checks[name] = kind(schema, resolver=jsonschema.RefResolver(name, schema, store=schemas))

for line in sys.stdin:
    name, value = json.loads(line)
    error = next(checks[name].iter_errors(value), None)
    print("" if error is None else
          f"/{'/'.join(map(str, error.absolute_path))}: {error.validator}: {error.message}".replace("\n", " ")[:300])
