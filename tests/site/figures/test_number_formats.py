"""Numbers of 16 and 32 bits, and gradients too small for them."""

import json
from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers

from coursebook.course import figure_numbers
from coursebook.live.catalogue import FIGURES


@browser
def test_number_formats(shown, course: Path) -> None:
    keys, data = Keys(shown, "number-formats"), FIGURES["number-formats"].data
    stored = json.loads(figure_numbers(course, "underflow").read_text("utf-8"))
    generator = torch.Generator().manual_seed(0)
    some = 10 ** (torch.rand(200, generator=generator, dtype=torch.float64) * 18 - 12)
    edges = [1.0, 256.0, 257.0, 259.0, 65504.0, 65519.0, 65520.0, 2.0**-14, 2.0**-25, 3 * 2.0**-25]
    for name, exponent, mantissa in data["formats"]:
        dtype = getattr(torch, name)
        for x in [*some.tolist(), *edges, 0.0]:
            found = shown.evaluate("a => Live.rounded(...a)", [x, exponent, mantissa])
            expected = torch.tensor(x, dtype=torch.float64).to(dtype)
            assert found["value"] == expected.item(), (name, x)
            whole = expected.view(torch.int32 if dtype == torch.float32 else torch.int16).item()
            assert found["exponent"] * 2**mantissa + found["mantissa"] == whole, (name, x)

    powers = torch.arange(len(stored["counts"])) + stored["lowest"]
    counts = torch.tensor(stored["counts"], dtype=torch.float64)
    middle = 1.5 * 2.0 ** powers.double()  # stands for all of its power of two

    def agrees(value: float, tokens: int, factor: int) -> None:
        texts = keys.drawn()
        for name, _, _ in data["formats"]:
            rounded = torch.tensor(value, dtype=torch.float64).to(getattr(torch, name)).item()
            said = texts.partition(f" {name}: ")[2].partition(", exponent")[0]
            assert float(said.replace("infinite", "inf")) == pytest.approx(rounded, rel=NEAR)
        seen = middle * stored["tokens"] / 2**tokens * 2**factor
        half = seen.half().double()
        lost, over = half == 0, half.isinf()
        coarse = (seen < torch.finfo(torch.half).smallest_normal) & ~lost
        shares = [100 * (counts[one].sum() / counts.sum()).item() for one in (lost, coarse, over)]
        drawn = numbers(keys.drawn(1).partition(":")[2])
        assert drawn == pytest.approx(shares, abs=NEAR)

    size = data["start"]
    tokens, factor = data["tokens"], data["scale"]
    agrees(10**size, tokens, factor)
    keys.reach("Value")
    for press, size in (("ArrowRight", -0.95), ("Home", -9), ("End", 6)):
        keys.press(press)
        agrees(10**size, tokens, factor)
    assert "float16 overflows" in keys.said
    keys.reach("Tokens in a batch")
    for press, tokens in (("ArrowRight", 21), ("End", 22), ("Home", 12)):
        keys.press(press)
        agrees(10**size, tokens, factor)
    keys.press("End")
    keys.reach("Loss multiplied by")
    for press, factor in (("ArrowRight", 1), ("End", 24)):
        keys.press(press)
        agrees(10**size, 22, factor)
