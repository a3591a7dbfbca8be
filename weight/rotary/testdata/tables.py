"""Writes the peer's rotary tables for cases.json: tables.py CASES OUT [ROWS].

With ROWS only that many rows from the start and from the end of each table are kept. Run with
NPY_DISABLE_CPU_FEATURES=AVX512_SKX: numpy's power function of AVX-512 machines gives other bits, which are not those of
the golden files.
"""
import json
import sys

import numpy as np
from tpu_mlir.python.llm.transformers_compat import Config, text_rotary_cos_sin

cases, out = sys.argv[1:3]
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 0
tables = {}
for name, case in json.load(open(cases)).items():
    for kind, table in zip(("cos", "sin"), text_rotary_cos_sin(Config(case["config"]), case["length"])):
        if rows:
            table = np.concatenate([table[:rows], table[-rows:]])
        tables[f"{name}.{kind}"] = table
np.savez(out, **tables)
