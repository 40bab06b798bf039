"""The scripts with a size for a GPU leave no tensor on the CPU: their quick runs on another device.

The device is simulated (``second_device.py``). A missing GPU is the subject of
``test_record_scripts.py``.
"""

import importlib
import re

import pytest
import torch
from second_device import DEVICE, SecondDevice


def numbers(found):
    """All numbers of nested results, in order."""
    if isinstance(found, dict | list | tuple):
        values = found.values() if isinstance(found, dict) else found
        return [number for value in values for number in numbers(value)]
    return [found] if isinstance(found, int | float) else []


@pytest.mark.parametrize("script", ["rotary_longer", "block_training", "vision_arrows"])
def test_a_quick_run_on_another_device_finds_the_same(script, course, monkeypatch):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    AdamW = torch.optim.AdamW  # the fused one is for real devices
    monkeypatch.setattr(torch.optim, "AdamW", lambda *a, fused=None, **k: AdamW(*a, **k))
    module = importlib.import_module(script)

    def measured(device):
        return numbers(module.measured(True, lambda _, work: work(), module.SIZES["quick"], device))

    here = measured("cpu")
    with SecondDevice():
        there = measured(DEVICE)
    assert there == pytest.approx(here, abs=1e-3) and len(here) > 20


def test_every_such_script_is_a_part_of_make_gpu(course, monkeypatch):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    parts = importlib.import_module("on_gpu").parts()
    names = {
        name
        for path in (course / "benchmarks").glob("*.py")
        for name in re.findall(r'keep_record\(\s*"([\w-]+)"[^$]*\bsizes=SIZES', path.read_text())
    }
    assert len(names) >= 5 and {f"{name}-gpu" for name in names} <= set(parts)
