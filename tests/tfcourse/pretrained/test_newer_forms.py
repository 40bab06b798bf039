"""Newer forms of checkpoints, and inputs that only some models take.

Scaled rotary positions, ViT's names in transformers 5; padding before the prompt, hidden states on
request.
"""

import pytest
import torch
import transformers as hf
from pretrained_peers import LENGTHS, LLAMA, batch, make
from rounding import assert_same
from safetensors.torch import load_file, save_file

from tfcourse.attention import KeyValueCache
from tfcourse.pretrained import load, save

SCALINGS = {
    "linear": {"rope_type": "linear", "factor": 2.5},
    "dynamic": {"rope_type": "dynamic", "factor": 2.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8},
}


def scaled(kind, saved, **settings):
    rope = {"rope_theta": 100.0, **SCALINGS[kind]}
    theirs, folder = saved("llama", rope_parameters=rope, head_dim=8, **settings)
    return theirs, folder, load(folder)


def tokens(*shape):
    return torch.randint(LLAMA["vocab_size"], shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", SCALINGS)
@torch.no_grad()
def test_scaled_rotary_positions_short_and_long(kind, saved, tmp_path):
    theirs, _, ours = scaled(kind, saved)
    for length in (7, 12, 13, 30):  # the config's number of positions is 12
        x = tokens(2, length)
        expected = theirs(x).logits
        assert_same(ours(x).logits, expected, ours)
    plain = load(
        saved("llama", head_dim=8, rope_parameters={"rope_theta": 100.0, "rope_type": "default"})[1]
    )
    assert (plain(x).logits - expected).abs().max() > 0.01  # without scaling it is another model
    save(ours, tmp_path / "again")
    again = hf.LlamaForCausalLM.from_pretrained(tmp_path / "again").eval()
    assert_same(again(x).logits, expected, ours)


@pytest.mark.parametrize("kind", SCALINGS)
@torch.no_grad()
def test_scaled_rotary_positions_token_by_token(kind, saved):
    theirs, _, ours = scaled(kind, saved)
    x, caches, past = tokens(2, 20), ours.new_caches(20), None
    for first, last in [(0, 9), *((t, t + 1) for t in range(9, 20))]:
        output = theirs(x[:, first:last], past_key_values=past, use_cache=True)
        past = output.past_key_values
        got = ours(x[:, first:last], caches=caches).logits
        assert_same(got, output.logits, ours)


def test_choices_of_yarn_that_are_not_ours_are_refused(saved):
    for choice in ({"beta_fast": 16}, {"attention_factor": 1.0}):
        rope = {"rope_theta": 100.0, **SCALINGS["yarn"], **choice}
        with pytest.raises(ValueError, match=f"{next(iter(choice))} in config.json must be"):
            load(saved("llama", rope_parameters=rope)[1])


@torch.no_grad()
def test_vit_under_the_names_of_its_modules(saved, tmp_path):
    theirs, folder = saved("vit")
    renamed = {name: p.contiguous() for name, p in theirs.state_dict().items()}
    assert set(renamed) != set(load_file(folder / "model.safetensors"))  # files have older names
    save_file(renamed, folder / "model.safetensors", metadata={"format": "pt"})
    their_batch, our_batch = batch("vit")
    ours = load(folder)
    assert_same(ours(**our_batch).logits, theirs(**their_batch).logits, ours)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
@torch.no_grad()
def test_padding_before_the_prompt(name, saved):
    theirs, folder = saved(name)
    ours, x = load(folder), tokens(3, 9)
    real = torch.arange(9) >= 9 - LENGTHS[:, None]
    places = (real.cumsum(1) - 1).clamp(min=0)
    expected = theirs(x, attention_mask=real.long(), position_ids=places).logits
    for maps in (False, True):
        got = ours(x, mask=real, position_ids=places, return_weights=maps).logits
        assert_same(got[real], expected[real], ours)
    for row, n in enumerate(LENGTHS):  # as each prompt alone
        alone = ours(x[row : row + 1, 9 - n :]).logits[0]
        assert_same(got[row, 9 - n :], alone, ours)
    caches = [KeyValueCache(9) for _ in ours.blocks]
    for t in range(9):
        step = ours(x[:, t : t + 1], caches=caches, mask=real[:, : t + 1],
                    position_ids=places[:, t : t + 1])  # fmt: skip
    assert_same(step.logits[:, 0], got[:, -1], ours)


def same_states(model, ours, theirs, norm=None):
    assert len(ours) == len(theirs)
    for n, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        last = norm is not None and n + 1 == len(ours)  # theirs are then after the last norm
        assert_same(norm(a) if last else a, b, model)


@torch.no_grad()
def test_hidden_states(saved):
    for name in ("gpt2", "llama", "bert-words", "vit"):
        theirs, folder = saved(name)
        ours = load(folder)
        their_batch, our_batch = batch(name)
        if "lengths" in our_batch:
            del our_batch["lengths"], their_batch["attention_mask"]
        expected = theirs(**their_batch, output_hidden_states=True).hidden_states
        output = ours(**our_batch, return_states=True)
        norm = ours.norm if name in ("gpt2", "llama") else None
        real = their_batch.pop("attention_mask", None)
        got = output.states["self"]
        if real is not None:
            norm_last = norm
            got = [x[real.bool()] for x in got]
            expected = [x[real.bool()] for x in expected]
            norm = norm_last
        same_states(ours, got, expected, norm)
        assert ours(**our_batch).states is None and output.maps is None


@torch.no_grad()
def test_hidden_states_of_both_stacks(saved):
    theirs, folder = saved("marian")
    ours = load(folder)
    their_batch, our_batch = batch("marian")
    del their_batch["attention_mask"], our_batch["source_lengths"]
    expected = theirs(**their_batch, output_hidden_states=True)
    states = ours(**our_batch, return_states=True).states
    same_states(ours, states["encoder"], expected.encoder_hidden_states)
    same_states(ours, states["decoder"], expected.decoder_hidden_states)
    assert make("marian").config.num_hidden_layers + 1 == len(states["encoder"])
