"""What is measured on a GPU: the large presets, each into a record of its own.

tinyshakespeare at nanoGPT's size; Multi30k in both directions with three seeds; CIFAR-10. Without a
GPU it stops and says so. ``--only`` runs some of them; a corpus that is not here stops the run that
needs it, not the others.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from multi30k import several  # noqa: E402

from tfcourse import presets, records  # noqa: E402
from tfcourse.runs.measuring import measure, need_cuda  # noqa: E402

#: For each preset the seeds that it is run with; its own where there are none.
RUNS = {
    "tinyshakespeare-gpu": (),
    "multi30k-de-en": (1, 2, 3),
    "multi30k-en-de": (1, 2, 3),
    "cifar10-vit": (),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(RUNS), help="these alone")
    chosen = parser.parse_args().only or list(RUNS)
    need_cuda()
    missing = []
    for name in chosen:
        seeds = list(RUNS[name])
        try:
            results = several(name, seeds, "cuda", {}) if seeds else measure(name, device="cuda")
        except FileNotFoundError as error:
            missing.append(f"{name}: {error}")
            continue
        seed = seeds[0] if seeds else presets.load(name).training.seed
        print(records.write(name, results, seed=seed, device="cuda").name, flush=True)
    if missing:
        raise SystemExit("Not run, as their corpora are not here:\n" + "\n".join(missing))


if __name__ == "__main__":
    main()
