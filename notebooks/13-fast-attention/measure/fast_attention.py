"""What attention costs in time and memory, naive, fused and tiled; chapter 13 shows the record.

One head of width 64 in float32, on one thread. A time is what the thread spent on the processor, so
that other work on the machine does not count; it is a median over alternating runs, so that a busy
moment affects all equally. The runs at each length are kept too, for intervals. Memory is the rise
of the peak of a process that does nothing else. The roofline is measured too: the fastest of many
matrix products and the fastest of many copies.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import torch
from torch import Tensor

from coursebook import records
from coursebook.measuring.passes import alternating, medians
from tfcourse.attention import KeyValueCache, scaled_dot_product_attention
from tfcourse.generation import greedy
from tfcourse.kernels.flash import flash_attention
from tfcourse.models.gpt import GPT, GPTConfig

SEED = 0
WIDTH = 64
TILE = 256
WAYS = ("naive", "fused", "tiled")


def attend(way: str, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """One head's output, by each method."""
    if way == "tiled":
        return flash_attention(q, k, v, block_q=TILE, block_k=TILE)
    return scaled_dot_product_attention(q, k, v, fused=way == "fused")[0]


def head(n: int) -> tuple[Tensor, ...]:
    """Random queries, keys and values; the fused kernel needs batch and head axes."""
    generator = torch.Generator().manual_seed(SEED)
    return torch.randn(3, 1, 1, n, WIDTH, generator=generator).unbind()


@torch.no_grad()
def by_length(lengths: Iterable[int], repeats: int) -> dict[int, dict[str, list[float]]]:
    """Milliseconds of every run, forward only, in passes over all lengths and ways."""
    given = {n: head(n) for n in lengths}
    runs = {(n, way): (lambda n=n, way=way: attend(way, *given[n])) for n in given for way in WAYS}
    seen = alternating(runs, repeats)
    return {n: {way: seen[n, way] for way in WAYS} for n in given}


@torch.no_grad()
def roof(repeats: int, side: int, numbers: int) -> dict[str, float]:
    """The peak operations and bytes per second that a product and a copy reach here."""
    a, b, c = torch.randn(3, side, side).unbind()
    x, y = torch.randn(2, numbers).unbind()
    seen = alternating(
        {"product": lambda: torch.mm(a, b, out=c), "copy": lambda: y.copy_(x)}, repeats
    )
    return {
        "GFLOP / s": round(2 * side**3 / min(seen["product"]) / 1e6, 1),
        "GB / s": round(2 * 4 * numbers / min(seen["copy"]) / 1e6, 1),  # read and written
    }


@torch.no_grad()
def parts(n: int, keys: int, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds of the parts, with their operations and the bytes they must move.

    ``n`` queries and keys; and one query against ``keys`` keys, as in generation.
    """
    q, k, v = (x[0, 0] for x in head(n))
    one, many_k, many_v = torch.randn(1, WIDTH), torch.randn(keys, WIDTH), torch.randn(keys, WIDTH)
    scores, weights, output = torch.empty(n, n), torch.empty(n, n), torch.empty(n, WIDTH)
    seen = alternating(
        {
            "scores": lambda: torch.mm(q, k.T, out=scores),
            "softmax": lambda: torch.softmax(scores, dim=-1, out=weights),
            "average": lambda: torch.mm(weights, v, out=output),
            "naive": lambda: attend("naive", q, k, v),
            "fused": lambda: attend("fused", q[None, None], k[None, None], v[None, None]),
            "one query": lambda: attend("naive", one, many_k, many_v),
        },
        repeats,
    )
    narrow, wide = 4 * n * WIDTH, 4 * n * n  # bytes of Q, K, V or O, and of the scores
    product = 2 * n * n * WIDTH
    counted = {
        "scores": (product, 2 * narrow + wide),
        "softmax": (5 * n * n, 2 * wide),  # largest, subtract, exp, sum, divide
        "average": (product, wide + 2 * narrow),
        "naive": (2 * product + 5 * n * n, 4 * narrow + 4 * wide),
        "fused": (2 * product + 5 * n * n, 4 * narrow),
        "one query": (4 * keys * WIDTH + 5 * keys, 2 * 4 * keys * WIDTH),
    }
    return {
        name: {"ms": ms, "operations": counted[name][0], "bytes": counted[name][1]}
        for name, ms in medians(seen).items()
    }


def _peak() -> float:
    """The peak memory of this process since it began, in 1,000 KiB (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1000


def memory_here(way: str, n: int) -> dict[str, float]:
    """The rise of the peak by one forward pass, and then by one with its backward pass, in MB."""
    for x in head(64):
        attend(way, x, x, x)  # a first call's own overhead
    inputs = [x.clone().requires_grad_() for x in head(n)]
    before = _peak()
    with torch.no_grad():
        attend(way, *inputs)
    forward = _peak()
    attend(way, *inputs).sum().backward()
    return {"forward": round(forward - before, 1), "with backward": round(_peak() - before, 1)}


def memory(way: str, n: int) -> dict[str, float]:
    """The same in a separate process."""
    command = [sys.executable, __file__, "--memory", way, str(n)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


@torch.no_grad()
def writing(new_tokens: Iterable[int], repeats: int) -> dict[int, dict[str, float]]:
    """Milliseconds to generate these numbers of tokens, with and without a cache; same texts."""
    torch.manual_seed(SEED)
    model = GPT(GPTConfig(65, 513, 4, 4, 128)).eval()
    prompt = torch.randint(65, (1, 1))
    found = {}
    for many in new_tokens:
        ways = {
            name: lambda cached=cached, many=many: (
                greedy(model, prompt, max_new_tokens=many, cached=cached).tokens
            )
            for name, cached in (("with a cache", True), ("without", False))
        }
        texts = [way() for way in ways.values()]
        found[many] = medians(alternating(ways, repeats), 1)
        found[many]["same text"] = torch.equal(*texts)
    return found


@torch.no_grad()
def one_step(held: int, most: int, repeats: int, backend: str) -> dict[str, float]:
    """Milliseconds to attend to a cache of ``held`` tokens and one more, 8 heads of width 64.

    The growing cache concatenates the new key and value with the old ones in new memory. The two
    static ones write them into memory for ``most`` tokens: one attends to the filled positions, the
    other to all of them under a mask, so that its shapes never change; that one is also compiled.
    """
    k, v = torch.randn(2, 1, 8, held, WIDTH).unbind()
    q, new_k, new_v = torch.randn(3, 1, 8, 1, WIDTH).unbind()
    cache = KeyValueCache(most)
    cache.append(k, v)
    all_k, all_v = torch.zeros(2, 1, 8, most, WIDTH).unbind()
    all_k[:, :, :held], all_v[:, :, :held] = k, v
    places = torch.arange(most)[None]

    def growing() -> Tensor:
        joined = torch.cat([k, new_k], dim=-2), torch.cat([v, new_v], dim=-2)
        return scaled_dot_product_attention(q, *joined, fused=True)[0]

    def static() -> Tensor:
        cache.length = held
        return scaled_dot_product_attention(q, *cache.append(new_k, new_v), fused=True)[0]

    def masked(at: Tensor) -> Tensor:
        all_k.index_copy_(-2, at, new_k)
        all_v.index_copy_(-2, at, new_v)
        seen = places <= at
        return torch.nn.functional.scaled_dot_product_attention(q, all_k, all_v, attn_mask=seen)

    compiled, at = torch.compile(masked, backend=backend), torch.tensor([held])
    ways = {
        "growing": growing,
        "static": static,
        "static, masked": lambda: masked(at),
        "static, masked, compiled": lambda: compiled(at),
    }
    outputs = [way() for way in ways.values()]
    assert all(torch.allclose(outputs[0], one, atol=1e-5) for one in outputs)
    return medians(alternating(ways, repeats))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few short runs; writes no record")
    parser.add_argument("--memory", nargs=2, metavar=("WAY", "N"), help=argparse.SUPPRESS)
    choice = parser.parse_args()
    torch.set_num_threads(1)
    if choice.memory:
        print(json.dumps(memory_here(choice.memory[0], int(choice.memory[1]))))
        return
    if choice.quick:
        print(roof(1, 64, 1000), parts(64, 64, 1), by_length((64, 128), 1), memory("tiled", 64))
        print(writing((4,), 1), one_step(8, 16, 1, "eager"))
        return
    lengths = (256, 512, 1024, 2048, 4096, 8192)
    results = {
        "width": WIDTH, "heads": 1, "dtype": "float32", "tile of the tiled way": TILE,
        "machine": "a virtual machine with two cores, on which other work ran at the same time; "
        "one thread, its time on the processor, medians over alternating runs",
        "load average at the beginning": round(os.getloadavg()[0], 1),
        "roof": roof(21, 2048, 2**26),
        "parts": {"n": 4096, "keys for one query": 2**18, **parts(4096, 2**18, 21)},
        "ms of each run": by_length(lengths, 21),
        "peak MB": {
            n: {way: memory(way, n) for way in WAYS} for n in (1024, 2048, 4096, 8192)
        },
        "ms to write so many tokens": writing((64, 128, 256, 512), 5),
        "ms of one step": {
            "room": 4096, **{n: one_step(n, 4096, 201, "inductor") for n in (512, 2048, 4000)}
        },
    }  # fmt: skip
    print(records.write("fast-attention", results, seed=SEED).name)


if __name__ == "__main__":
    main()
