"""What importing the package adds to importing PyTorch, each time in a new process.

The record has the median over several processes, and which modules besides PyTorch's own were
loaded.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

from coursebook import records

#: The imports, in sequence, as a reader of the lessons would make them.
IMPORTS = (
    "tfcourse", "tfcourse.attention", "tfcourse.models.gpt", "tfcourse.models.transformer",
    "tfcourse.generation", "tfcourse.training",
)  # fmt: skip

PROGRAM = """
import json, sys, time
began = time.perf_counter()
import torch
of_torch, before = time.perf_counter() - began, set(sys.modules)
seconds = {}
for name in sys.argv[1:]:
    began = time.perf_counter()
    __import__(name)
    seconds[name] = time.perf_counter() - began
more = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)
print(json.dumps({"torch": of_torch, "seconds": seconds, "modules": sorted(more)}))
"""


def imported(names: tuple[str, ...]) -> dict:
    """The output of one new process."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names], capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9, help="processes")
    parser.add_argument("--quick", action="store_true", help="one process; writes no record")
    choice = parser.parse_args()
    seen = [imported(IMPORTS) for _ in range(1 if choice.quick else choice.repeats)]
    results = {
        "seconds for torch": round(statistics.median(one["torch"] for one in seen), 3),
        "seconds beyond torch": {
            name: round(statistics.median(one["seconds"][name] for one in seen), 3)
            for name in IMPORTS
        },
        "seconds beyond torch, all of these": round(
            statistics.median(sum(one["seconds"].values()) for one in seen), 3
        ),
        "packages beyond torch's": seen[0]["modules"],
    }
    print(results if choice.quick else records.write("import-time", results, seed=0).name)


if __name__ == "__main__":
    main()
