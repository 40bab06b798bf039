"""What recurrence costs in time as the sequence grows; chapter 02 shows the record.

A recurrent network step by step and in PyTorch's kernel, an LSTM in its kernel, and self-attention
explicit and fused: forward, and forward with backward, in alternating passes. On a CPU: processor
time of one thread, with the memory allocator set to keep freed memory. ``--device cuda`` writes a
record of its own, in wall-clock time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from coursebook import records
from coursebook.measuring.passes import keep_memory, with_medians
from tfcourse.attention import SelfAttention
from tfcourse.recurrent import LSTMCell, Recurrent, RNNCell

SEED = 0
WIDTH = 64
BATCH = 8
LENGTHS = (16, 32, 64, 128, 256, 512, 1024)


def ways(device: str) -> dict[str, tuple[nn.Module, Callable[[Tensor], Tensor]]]:
    """For each name, the module and a function that runs it."""
    torch.manual_seed(SEED)
    rnn = Recurrent(RNNCell, WIDTH, WIDTH).to(device)
    lstm = Recurrent(LSTMCell, WIDTH, WIDTH).to(device)
    attention = SelfAttention(WIDTH).to(device)
    return {
        "RNN, step by step": (rnn, lambda x: rnn(x)[0]),
        "RNN, kernel": (rnn, lambda x: rnn(x, fused=True)[0]),
        "LSTM, kernel": (lstm, lambda x: lstm(x, fused=True)[0]),
        "self-attention": (attention, lambda x: attention(x)[0]),
        "self-attention, kernel": (attention, lambda x: attention(x, fused=True)[0]),
    }


def passes_of(device: str, n: int, backward: bool, repeats: int) -> dict[str, list[float]]:
    """Milliseconds of each pass of each way at length ``n``."""
    clock = time.perf_counter if device == "cuda" else time.process_time
    generator = torch.Generator().manual_seed(SEED)
    x = torch.randn(BATCH, n, WIDTH, generator=generator).to(device).requires_grad_(backward)
    built = ways(device)
    seen: dict[str, list[float]] = {name: [] for name in built}
    for turn in range(repeats + 1):
        for name, (module, run) in built.items():
            module.zero_grad()
            _wait(device)
            start = clock()
            with torch.set_grad_enabled(backward):
                output = run(x)
            if backward:
                output.sum().backward()
            _wait(device)
            if turn:  # the first turn warms up
                seen[name].append(round(1000 * (clock() - start), 4))
    return seen


def _wait(device: str) -> None:
    """A GPU works asynchronously: wait until it is done."""
    if device == "cuda":
        torch.cuda.synchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=31, help="passes, alternating")
    options = parser.parse_args()
    device, repeats = options.device, options.repeats
    if device == "cpu":
        keep_memory()
    torch.set_num_threads(1)
    results = {"width": WIDTH, "batch": BATCH, "unit": "milliseconds"}
    for part, backward in (("forward", False), ("forward and backward", True)):
        passes = {n: passes_of(device, n, backward, repeats) for n in LENGTHS}
        results |= with_medians(part, passes)
    name = "serial-time" if device == "cpu" else "serial-time-gpu"
    print(records.write(name, results, seed=SEED, device=device).name)


if __name__ == "__main__":
    main()
