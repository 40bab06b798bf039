"""How much must be read to follow a token through a GPT."""

import inspect
import sys
from pathlib import Path

import torch

import tfcourse
from tfcourse.models.gpt import GPT, GPTConfig

#: The most files, and the most lines of the functions that run, docstrings and comments included.
FILES, LINES = 5, 800
PACKAGE = Path(tfcourse.__file__).parent
#: Its functions only raise errors, and say in their names which: nobody has to open it.
CHECKS = "arguments.py"


def run_by(call):
    """The lines of the package's functions that ``call`` runs, by file; empty ones left out."""
    ran, before = set(), sys.getprofile()
    sys.setprofile(lambda frame, event, _: ran.add(frame.f_code) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(before)
    found = {}
    for code in ran:
        path = Path(code.co_filename)
        if path.is_relative_to(PACKAGE):
            lines, first = inspect.getsourcelines(code)
            numbers = {first + n for n, line in enumerate(lines) if line.strip()}
            found.setdefault(path.relative_to(PACKAGE).as_posix(), set()).update(numbers)
    return found


def test_a_cached_forward_pass_reads_in_a_few_files(plainly):
    """Of a prompt, then of one token: eager, on the fused path, with the default choices."""
    model = GPT(GPTConfig(11, context_length=8, num_layers=2, num_heads=2, d_model=8)).eval()
    caches, tokens = model.new_caches(), torch.tensor([[1, 2, 3]])

    @torch.no_grad()
    def two_steps():
        model(tokens, caches=caches)
        model(tokens[:, :1], caches=caches)

    found = run_by(two_steps)
    assert {"models/gpt.py", "attention.py", "layers.py", CHECKS} <= found.keys()
    files = found.keys() - {CHECKS}
    assert len(files) <= FILES, f"{len(files)} files: {sorted(files)}"
    lines = {name: len(numbers) for name, numbers in found.items()}
    assert sum(lines.values()) <= LINES, f"{sum(lines.values())} lines: {lines}"
