"""Kill a run repeatedly, at random moments, and check what is left of it.

A separate process, which forks: each run starts in milliseconds, with torch already loaded.
"""

import json
import os
import random
import signal
import sys
import time
import warnings
from pathlib import Path

import torch
from safetensors.torch import load_file
from small_run import same_bits, small_fit, small_model

from tfcourse.training import checkpoints

STEPS = 80


def run(folder):
    """In a process of its own, to its end."""
    small_fit(folder, steps=STEPS, lr=1e-2, checkpoint_every=1, validate_every=7)


def child(folder):
    process = os.fork()
    if not process:
        run(folder)
        os._exit(0)
    return process


def main(into, kills):
    torch.set_num_threads(1)
    warnings.simplefilter("error")  # a damaged checkpoint would be told as a warning
    small_fit(into / "first", steps=8)  # what is imported late is there before the clock starts
    began = time.perf_counter()
    os.waitpid(child(into / "whole"), 0)
    whole_takes = time.perf_counter() - began
    draw, killed, done, steps = random.Random(0), 0, 0, []
    folder = into / "killed"
    while killed < kills:
        process = child(folder)
        time.sleep(draw.uniform(0, 2.5 * whole_takes / kills))
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        killed += os.WIFSIGNALED(status)
        path = checkpoints.newest(folder) if folder.is_dir() else None
        steps.append(0 if path is None else int(path.name.removeprefix("step-")))
        if path is not None:
            checkpoints.read(path)
        if (folder / checkpoints.BEST).is_file():
            load_file(folder / checkpoints.BEST)
        if steps[-1] == STEPS:
            done, folder = done + 1, into / f"killed-{done}"
    os.waitpid(child(folder), 0)
    left = [p.name for p in folder.iterdir() if p.name.startswith(".")]
    models = [small_model(), small_model()]
    ends = [small_fit(f, steps=STEPS, lr=1e-2, checkpoint_every=1, validate_every=7, model=m)[1]
            for f, m in zip([into / "whole", folder], models, strict=True)]  # fmt: skip
    print(json.dumps({
        "killed": killed, "steps": steps, "left": left, "histories": same_bits(*ends),
        "models": same_bits(*models), "lengths": [len(h) for h in ends],
        "best": [(f / checkpoints.BEST).read_bytes().hex() for f in (into / "whole", folder)],
    }))  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
