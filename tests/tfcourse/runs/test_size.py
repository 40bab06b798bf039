"""A page's two sizes, and the parts of `make gpu`."""

import subprocess
import sys

import pytest
import torch

from tfcourse.runs.size import full, size, sized


def test_a_page_has_the_laptops_size_unless_told(monkeypatch):
    monkeypatch.delenv("TFCOURSE_SIZE", raising=False)
    assert size() == "laptop" and not full() and sized(laptop=3, full=9) == 3
    monkeypatch.setenv("TFCOURSE_SIZE", "full")
    assert size() == "full" and full() and sized(laptop=3, full=9) == 9


def test_another_size_is_refused(monkeypatch):
    monkeypatch.setenv("TFCOURSE_SIZE", "Full")
    with pytest.raises(ValueError, match=r"TFCOURSE_SIZE must be one of \['laptop', 'full'\]"):
        sized(laptop=1, full=2)


def on_gpu(course, *flags):
    return subprocess.run(
        [sys.executable, "benchmarks/on_gpu.py", *flags], cwd=course, text=True,
        capture_output=True, timeout=300,
    )  # fmt: skip


def test_make_gpu_lists_its_parts_with_their_minutes(course):
    listed = on_gpu(course, "--list")
    assert listed.returncode == 0, listed.stderr
    lines = listed.stdout.splitlines()
    assert lines[0].startswith("cuda-tests"), "what is worth most for a minute comes first"
    assert {line.split()[0] for line in lines} >= {"tinyshakespeare-gpu", "multi30k-de-en"}
    assert all("min" in line or "done" in line for line in lines)


def test_make_gpu_refuses_without_cuda_in_one_line(course):
    if torch.cuda.is_available():
        pytest.skip("needs a machine without a GPU")
    refused = on_gpu(course)
    assert refused.returncode and not refused.stdout
    assert len(refused.stderr.splitlines()) == 1 and "PyTorch finds none here" in refused.stderr
