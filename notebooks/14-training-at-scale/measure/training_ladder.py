"""What each rung of chapter 14's ladder saves: time and memory of a training step.

A small GPT in one process, on one thread: attention by the formula; fused; compiled; products in
bfloat16; the batch in four parts. Each rung keeps those below it. Then two processes with half a
batch each, data-parallel and fully sharded, compared with one process with the whole batch. These
three are not compiled and are in float32.

A time is what the process spent on the processor, so that other work on the machine does not count;
for two processes the wall-clock time is kept too. Times are medians over alternating runs. Peak
memory is the most that PyTorch had allocated at one time, from the creation of the model to the end
of its second step, by its own log of requests. Bytes held are counted: the weights, gradients and
Adam's two means that a process has.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from coursebook import records
from coursebook.measuring.passes import alternating
from tfcourse.flops import count_parameters
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.training import adamw, clip_gradients
from tfcourse.training.distributed import Shared, Team
from tfcourse.wrapped import is_part

SEED, RATE, PARTS = 0, 1e-3, 4
SIZES = {"vocab_size": 256, "context_length": 256, "num_layers": 4, "num_heads": 4, "d_model": 256}
BATCH = 8
#: Which of fused attention, compilation, bfloat16 and accumulation a rung has.
RUNGS = {
    "formula": (False, False, False, False),
    "fused": (True, False, False, False),
    "compiled": (True, True, False, False),
    "bfloat16": (True, True, True, False),
    "four parts": (True, True, True, True),
}
WAYS = ("ddp", "fsdp")
ALONE = Team(0, 1, torch.device("cpu"))


def model_and_batch(quick: bool) -> tuple[GPT, Tensor]:
    """The same weights and tokens in every rung and every process."""
    sizes = SIZES | ({"context_length": 8, "num_layers": 1, "d_model": 16} if quick else {})
    torch.manual_seed(SEED)
    model = GPT(GPTConfig(**sizes))
    return model, torch.randint(sizes["vocab_size"], (BATCH, sizes["context_length"] + 1))


class Step:
    """One rung: its own model, and its training step."""

    def __init__(self, rung: str, quick: bool, way: str = "ddp", team: Team = ALONE) -> None:
        self.fused, compiled, self.bfloat16, parts = RUNGS[rung]
        model, tokens = model_and_batch(quick)
        self.shared = Shared(model, team, way, compile=False)
        self.run: nn.Module = self.shared.run
        if compiled:
            self.run = torch.compile(self.run, backend="eager" if quick else "inductor")
        self.optimiser = adamw()(self.shared.model)
        self.parts = tokens.chunk(team.world)[team.rank].chunk(PARTS if parts else 1)

    def __call__(self) -> float:
        """Take a step; return the loss before it, on this process's share."""
        total = 0.0
        for i, part in enumerate(self.parts, 1):
            with self.shared.no_sync(i < len(self.parts)):
                with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
                    output = self.run(part[:, :-1], return_weights=not self.fused)
                    logits = output.logits.flatten(0, 1)
                    loss = F.cross_entropy(logits.float(), part[:, 1:].flatten())
                (loss / len(self.parts)).backward()
            total += loss.item() / len(self.parts)
        if self.shared.fsdp:
            nn.utils.clip_grad_norm_(self.shared.model.parameters(), 1.0)
        else:
            clip_gradients(self.shared.model.parameters(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = RATE
        self.optimiser.step()
        return total

    def end(self) -> None:
        """Discard the gradients."""
        self.optimiser.zero_grad()

    def held(self) -> dict[str, float]:
        """MB that this process holds of weights, gradients and the optimiser's state; counted."""
        parameters = list(self.shared.model.parameters())
        states = [self.optimiser.state[p] for p in parameters]
        kinds = {
            "weights": parameters,
            "gradients": [p.grad for p in parameters],
            "optimiser": [t for s in states for t in s.values() if t.dim()],
        }
        return {name: round(sum(map(_bytes, kind)) / 1e6, 2) for name, kind in kinds.items()}


def _bytes(tensor: Tensor) -> int:
    own = tensor.to_local() if is_part(tensor) else tensor
    return own.numel() * own.element_size()


def timed(steps: dict[str, Step], repeats: int) -> dict[str, float]:
    """Median processor time of each step in ms, over runs that alternate."""

    def once(step: Step) -> Callable[[], None]:
        return lambda: (step(), step.end())

    seen = alternating({name: once(step) for name, step in steps.items()}, repeats)
    return {name: round(statistics.median(times), 1) for name, times in seen.items()}


def rungs_here(repeats: int, quick: bool) -> dict[str, dict[str, float]]:
    """The losses and times of the rungs in one process."""
    steps = {name: Step(name, quick) for name in RUNGS}
    losses = {}
    for name, step in steps.items():
        step()  # two steps, so that the second loss shows what the first one learned
        step.end()
        losses[name] = step()
        step.end()
    times = timed(steps, repeats)
    return {name: {"ms": times[name], "second loss": round(losses[name], 4)} for name in steps}


def memory_here(make: Callable[[], Step]) -> dict[str, object]:
    """The peak MB allocated during two steps, and what is held after them."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        step = make()
        step.shared.original = None  # a copy of the whole model, for `fit` to hand back
        step()
        step.end()
        step()
    requests = [e for e in seen.profiler.kineto_results.events() if e.name() == "[memory]"]
    now = most = 0
    for request in sorted(requests, key=lambda e: e.start_ns()):
        now += request.nbytes()
        most = max(most, now)
    return {"peak MB": round(most / 1e6, 1), "held MB": step.held()}


def team_here(wanted: list[str], into: Path, repeats: int, quick: bool) -> None:
    """One of two processes: the peak of each wanted way, or the times of all of them."""
    team, found = Team.found("cpu"), {}
    for what in wanted:
        if what in WAYS:
            found[what] = memory_here(lambda way=what: Step("fused", quick, way, team))
        else:
            found[what] = team_times(team, repeats, quick)
    if team.leads:
        into.write_text(json.dumps(found))
    dist.barrier()


def team_times(team: Team, repeats: int, quick: bool) -> dict[str, dict[str, float]]:
    """Times of a step, alternating: one process with the whole batch, and two with half each."""
    steps = {"one process": Step("fused", quick) if team.leads else None}
    steps |= {way: Step("fused", quick, way, team) for way in WAYS}
    seen: dict[str, list] = {name: [] for name in steps}
    for run in range(repeats + 1):
        for name, step in steps.items():
            dist.barrier()
            clock, own = time.perf_counter(), time.process_time()
            if step is not None:
                step()
                step.end()
            took = time.perf_counter() - clock, time.process_time() - own
            if run:
                seen[name].append([1000 * one for one in took])
    return {
        name: dict(
            zip(
                ("clock ms", "ms"),
                (round(statistics.median(one), 1) for one in zip(*times, strict=True)),
                strict=True,
            )
        )
        for name, times in seen.items()
    }


def elsewhere(*words: object) -> dict:
    """The output of this script in another process."""
    command = [sys.executable, __file__, *map(str, words)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def in_two(wanted: Iterable[str], quick: bool, repeats: int) -> dict:
    """The output of this script in two processes started by torchrun, for each wanted way."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "found.json"
        subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
             __file__, "--team", into, *wanted, "--repeats", str(repeats),
             *(["--quick"] if quick else [])],
            check=True, capture_output=True, env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        )  # fmt: skip
        return json.loads(into.read_text())


def measured(quick: bool, repeats: int, names: Iterable[str]) -> dict[str, object]:
    """Every rung: processor time, peak memory, bytes held."""
    ladder = rungs_here(repeats, quick)
    flag = ["--quick"] if quick else []
    for name in names:
        ladder[name] |= elsewhere("--memory", name, *flag)
    # Memory held before would count in a peak, so each has its own processes.
    wanted = ("times", *WAYS)
    found: dict[str, dict] = {}
    for some in [wanted] if quick else zip(wanted, strict=True):
        found |= in_two(some, quick, repeats)
    times = found["times"]
    for way in WAYS:
        ladder[way] = times[way] | found[way]
    ladder["fused"]["clock ms beside two processes"] = times["one process"]["clock ms"]
    ladder["fused"]["ms beside two processes"] = times["one process"]["ms"]
    return ladder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few short runs; writes no record")
    parser.add_argument("--memory", metavar="RUNG", help=argparse.SUPPRESS)
    parser.add_argument("--team", nargs="+", metavar=("INTO", "WHAT"), help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=9, help="runs of each rung (9)")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    repeats = 1 if choice.quick else choice.repeats
    if choice.memory:
        print(json.dumps(memory_here(lambda: Step(choice.memory, choice.quick))))
    elif choice.team:
        team_here(choice.team[1:], Path(choice.team[0]), repeats, choice.quick)
    elif choice.quick:
        print(measured(True, 1, ["formula"]))
    else:
        results = {
            "model": SIZES, "batch": BATCH, "optimiser": "AdamW", "clip": 1.0,
            "parameters": count_parameters(model_and_batch(False)[0]),
            "machine": "a virtual machine with two cores, on which other work ran at the same "
            "time; one thread a process, its time on the processor, medians over alternating runs",
            "runs": repeats,
            "load average at the beginning": round(os.getloadavg()[0], 1),
            "ladder": measured(False, repeats, RUNGS),
        }  # fmt: skip
        print(records.write("training-ladder", results, seed=SEED).name)


if __name__ == "__main__":
    main()
