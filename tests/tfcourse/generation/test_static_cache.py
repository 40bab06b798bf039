"""Steps of fixed shapes: the same text, one compiled graph, and no wait for the device."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from second_device import DEVICE, SecondDevice, There
from writers import END, MODELS, ask, make

from tfcourse.generation import beam_search, greedy, one_by_one, sample, static_cache
from tfcourse.generation.decoders import decoder_of

FIT = ["gpt learned", "gpt sinusoidal", "gpt rotary_interleaved", "gpt rotary_halves", "gpt none",
       "llama"]  # fmt: skip
N = 9


@pytest.mark.parametrize("block", [4, 32])  # several blocks for each text, and one
@pytest.mark.parametrize("name", FIT)
def test_the_text_is_the_same_with_every_way_to_write(name, block, monkeypatch):
    monkeypatch.setitem(static_cache.BLOCKS, "cpu", block)
    model, asked = make(name).eval(), ask(name, T=3)
    lengths = torch.tensor([2, 3, 1])
    ways = {
        "greedy": lambda how: greedy(model, **asked, max_new_tokens=N, cached=how),
        "ended": lambda how: greedy(model, **asked, max_new_tokens=N, eos_id=END, cached=how),
        "prompts": lambda how: greedy(
            model, **asked, max_new_tokens=N, prompt_lengths=lengths, cached=how
        ),
        "drawn": lambda how: sample(
            model, **asked, max_new_tokens=N, cached=how, top_k=5, top_p=0.9,
            generator=torch.Generator().manual_seed(4),
        ),
        "beams": lambda how: beam_search(
            model, **asked, max_new_tokens=N, num_beams=3, eos_id=END, cached=how
        ),
        "sliding": lambda how: greedy(
            model, **asked, max_new_tokens=30, beyond="slide", cached=how
        ),
    }  # fmt: skip
    for way, write in ways.items():
        static, growing = write("static"), write(True)
        assert torch.equal(static.tokens, growing.tokens), way
        torch.testing.assert_close(static.scores, growing.scores, msg=way)


def test_a_step_attends_only_to_the_block_in_which_it_is(monkeypatch):
    monkeypatch.setitem(static_cache.BLOCKS, "cpu", 4)
    model, text = make("llama").eval(), ask("llama", T=9)["prompt"]
    widths = []
    with torch.no_grad():
        decoder = decoder_of(model, max_length=9, cached="static")
        decoder.read(text[:, :1])
        model.register_forward_pre_hook(
            lambda module, args, given: widths.append(given["mask"].shape[-1]), with_kwargs=True
        )
        for t in range(1, 9):
            decoder.read(text[:, t : t + 1])
    assert widths == [4, 4, 4, 8, 8, 8, 8, 9]


def test_several_tokens_can_be_read_between_steps():
    model, text = make("llama").eval(), ask("llama", T=9)["prompt"]
    with torch.no_grad():
        decoders = [decoder_of(model, max_length=9, cached=how) for how in ("static", True)]
        for start, stop in ((0, 2), (2, 3), (3, 4), (4, 7), (7, 8), (8, 9)):
            static, growing = (d.read(text[:, start:stop]) for d in decoders)
            torch.testing.assert_close(static, growing)
        with pytest.raises(ValueError, match="the caches are full, with 9 tokens"):
            decoders[0].read(text[:, :1])


@pytest.mark.parametrize("name", sorted(set(MODELS) - set(FIT)))
def test_a_model_whose_step_changes_its_shapes_is_refused(name):
    with pytest.raises(ValueError, match='cached must not be "static" for a'):
        greedy(make(name), **ask(name), max_new_tokens=2, cached="static")


@pytest.mark.thorough("test of torch.compile")
def test_a_compiled_step_is_one_graph_for_every_token():
    script = Path(__file__).with_name("static_graphs.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["static"] == [2, 2]  # one for the prompt, and one for every step of a block
    assert found["two blocks"] == [3, 3]
    assert found["blocks of any size"] == [3, 3]  # one for the first block, one for all others
    assert found["growing"][0] > 4, "the test's graphs differ by length with a growing cache"


class Waits(SecondDevice):
    """Counts how often the host reads a number from the device."""

    waited = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten._local_scalar_dense.default and isinstance(args[0], There):
            self.waited += 1
        return super().__torch_dispatch__(func, types, args, kwargs)


class NeverEnds:
    """A decoder for which the last id is the least likely by far."""

    def read(self, tokens):
        return torch.tensor([[0.0, 1.0, 0.5, -1e4]] * len(tokens), device=DEVICE)

    def reorder(self, rows):
        raise AssertionError("only a search does this")


@pytest.mark.parametrize("write", [greedy, sample])
def test_the_host_does_not_wait_for_each_token(write, monkeypatch):
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)  # as in the models' test
    choices = {"top_k": 2, "top_p": 0.9} if write is sample else {}

    def waits(every):
        monkeypatch.setattr(one_by_one, "ASKED_EVERY", every)
        with Waits() as device:
            prompt = torch.ones(2, 1, dtype=torch.long).to(DEVICE)
            written = write(NeverEnds(), prompt, max_new_tokens=14, eos_id=3, **choices)
        assert written.tokens.shape == (2, 14)
        return device.waited

    assert waits(8) <= 2 < 14 <= waits(1)  # once in the loop, and for the longest row at its end


def test_a_token_is_drawn_as_torch_draws_it():
    torch.manual_seed(0)
    p = torch.randn(64, 9).softmax(-1)
    wanted = torch.multinomial(p, 1, generator=torch.Generator().manual_seed(3))[:, 0]
    assert torch.equal(one_by_one.race(p, torch.Generator().manual_seed(3)), wanted)
    assert len(wanted.unique()) > 3
