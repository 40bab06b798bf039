"""Odd notebooks and odd messages for the grader, by the thousand: nothing may crash or hang.

The record says how many of each there were, how they ended, and how long the slowest took.
"""

from __future__ import annotations

import argparse
import sys

import torch

from coursebook import course, records

sys.path.insert(0, str(course.root() / "nbjudge" / "tests"))
import fuzzing

SEED = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notebooks", type=int, default=20_000)
    parser.add_argument("--messages", type=int, default=100_000)
    notebooks, messages = vars(parser.parse_args()).values()
    torch.set_num_threads(1)
    results = {}
    for name, fuzz, count in (
        ("notebooks", fuzzing.NotebookFuzz(SEED), notebooks),
        ("messages", fuzzing.MessageFuzz(SEED), messages),
    ):
        for _ in range(count):
            fuzz.one()
        results[name] = {
            "count": count,
            "came of them": dict(fuzz.came.most_common()),
            "slowest, seconds": round(fuzz.slowest, 3),
        }
        print(name, results[name])
    print(records.write("grading-fuzz", results, seed=SEED).name)


if __name__ == "__main__":
    main()
