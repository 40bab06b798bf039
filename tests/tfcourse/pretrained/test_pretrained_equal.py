"""Checkpoints written by transformers, read by ours: logits, gradients, maps, and back again."""

import json

import pytest
import torch
from pretrained_peers import batch, in_double, logits, make, our_logits
from rounding import assert_same
from safetensors.torch import load_file

from tfcourse.attention import KeyValueCache
from tfcourse.flops import count_parameters
from tfcourse.pretrained import load, save


def rounded_in(name, dtype):
    """The dtype of what is rounded most: transformers computes parts of Llama in float32 always."""
    return torch.float32 if name.startswith("llama") else dtype


def parts(model):
    return dict(model.named_parameters())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_logits(peer, dtype, saved):
    theirs, folder = saved(peer, dtype)
    theirs = in_double(theirs) if dtype == torch.float64 else theirs
    ours = load(folder)
    assert next(ours.parameters()).dtype == dtype
    assert not ours.training
    their_batch, our_batch = batch(peer, dtype=dtype)
    with torch.no_grad():
        expected = logits(peer, theirs(**their_batch))
        for maps in (False, True):
            got = our_logits(peer, ours, our_batch, expected, return_weights=maps)
            for head, x in expected.items():
                assert x.std() > 0.1, "the logits must be large enough for a mistake to show"
                what = f"{head or 'logits'}, maps={maps}"
                assert_same(got[head], x, ours, what, dtype=rounded_in(peer, dtype))


def test_every_gradient(peer, saved, tmp_path):
    """The peer's gradients are saved as if they were its weights, so that the same map reads them.

    ``final_logits_bias`` is no parameter of theirs: its gradient is the sum of the logits' own.
    """
    theirs, folder = saved(peer, torch.float64)
    theirs, ours = in_double(theirs), load(folder)
    their_batch, our_batch = batch(peer, dtype=torch.float64)
    expected = logits(peer, theirs(**their_batch))
    got = our_logits(peer, ours, our_batch, expected)
    cotangents = {head: torch.randn_like(x) for head, x in expected.items()}
    for outputs in (expected, got):
        sum((outputs[head] * c).sum() for head, c in cotangents.items()).backward()
    with torch.no_grad():
        for p in theirs.parameters():
            if p.requires_grad:
                p.copy_(torch.zeros_like(p) if p.grad is None else p.grad)
        if hasattr(theirs, "final_logits_bias"):
            theirs.final_logits_bias.copy_(cotangents[None].sum((0, 1)))
    theirs.save_pretrained(tmp_path / "gradients")
    mapped = parts(load(tmp_path / "gradients"))
    for name, p in parts(ours).items():
        assert p.grad is not None, name
        what, dtype = f"gradient of {name}", rounded_in(peer, torch.float64)
        assert_same(p.grad, mapped[name], ours, what, dtype=dtype)


def test_out_and_back_is_exact(peer, saved, tmp_path):
    theirs, folder = saved(peer)
    ours = load(folder)
    save(ours, tmp_path / "again", settings=json.loads((folder / "config.json").read_text()))
    stored, again = (load_file(f / "model.safetensors") for f in (folder, tmp_path / "again"))
    assert stored.keys() == again.keys()
    assert all(torch.equal(t, again[name]) for name, t in stored.items())
    back, told = type(theirs).from_pretrained(tmp_path / "again", output_loading_info=True)
    assert not any(told[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    inputs = batch(peer)[0]
    with torch.no_grad():
        expected, got = (logits(peer, m.eval()(**inputs)) for m in (theirs, back))
    assert all(torch.equal(got[head], x) for head, x in expected.items())
    twice = load(tmp_path / "again")
    assert twice.config == ours.config
    assert all(torch.equal(p, parts(twice)[name]) for name, p in parts(ours).items())


def test_what_we_save_needs_no_further_settings(peer, saved, tmp_path):
    theirs, folder = saved(peer)
    save(load(folder), tmp_path / "again")
    back = type(theirs).from_pretrained(tmp_path / "again").eval()
    inputs = batch(peer)[0]
    with torch.no_grad():
        expected, got = (logits(peer, m(**inputs)) for m in (theirs, back))
    assert all(torch.equal(got[head], x) for head, x in expected.items())


def test_maps(peer, saved):
    theirs, folder = saved(peer, attention="eager")
    their_batch, our_batch = batch(peer)
    with torch.no_grad():
        output = theirs(**their_batch, output_attentions=True)
        ours = load(folder)
        got = ours(**our_batch, return_weights=True).maps
    if peer.startswith("marian"):
        expected = {
            "encoder": output.encoder_attentions, "decoder": output.decoder_attentions,
            "cross": output.cross_attentions,
        }  # fmt: skip
    else:
        expected = {"self": output.attentions}
    assert got.keys() == expected.keys()
    for kind, layers in expected.items():
        assert len(got[kind]) == len(layers)
        for i, (a, b) in enumerate(zip(got[kind], layers, strict=True)):
            if peer.startswith(("gpt2", "llama")):
                # Theirs masks padding; ours needs no mask for it, as no real token sees it.
                a, b = a[:1], b[:1]
            assert_same(a, b, ours, f"{kind} {i}")


def test_as_many_parameters(peer, saved):
    theirs, folder = saved(peer)
    learned = {p for p in theirs.parameters() if p.requires_grad}
    bias = theirs.final_logits_bias.numel() if hasattr(theirs, "final_logits_bias") else 0
    assert count_parameters(load(folder)) == sum(p.numel() for p in learned) + bias


@pytest.mark.parametrize("name", ["gpt2", "llama", "llama-qwen3", "llama-stablelm", "marian"])
def test_token_by_token_equals_theirs(name, saved):
    """Our cached steps against their uncached pass."""
    theirs, folder = saved(name, attention="eager")
    ours = load(folder)
    their_batch, our_batch = batch(name)
    with torch.no_grad():
        if name == "marian":
            memory, _ = ours.encode(our_batch["source"], our_batch["source_lengths"])
            target, lengths = our_batch["target"], our_batch["source_lengths"]

            def step(tokens, caches):
                return ours.decode(tokens, memory, lengths, caches=caches).logits
        else:
            target = our_batch["tokens"]
            their_batch = {"input_ids": target}

            def step(tokens, caches):
                return ours(tokens, caches=caches).logits

        expected = theirs(**their_batch).logits
        caches = ours.new_caches()
        assert all(isinstance(c, KeyValueCache) for c in caches)
        steps = [step(target[:, :3], caches)]
        steps += [step(target[:, t : t + 1], caches) for t in range(3, target.shape[1])]
    assert_same(torch.cat(steps, dim=1), expected, ours, "logits")


def test_marians_positions_are_ours_rounded():
    """The formula, and the order of its numbers, to the last digit of float32."""
    from tfcourse.models.transformer import SinusoidalHalves

    table = make("marian").model.encoder.embed_positions.weight
    ours = SinusoidalHalves(table.shape[1]).table(torch.arange(len(table)))
    assert torch.equal(ours, table)
