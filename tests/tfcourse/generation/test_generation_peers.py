"""The same text as transformers generates with the same weights, greedily and by beam search."""

import os

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", HF_HUB_DISABLE_TELEMETRY="1")

import pytest  # noqa: E402
import torch  # noqa: E402
import transformers as hf  # noqa: E402
from writers import frequent  # noqa: E402

from tfcourse import pretrained  # noqa: E402
from tfcourse.generation import beam_search, greedy  # noqa: E402

hf.utils.logging.disable_progress_bar()
V, PAD, END = 23, 0, 1
GPT2 = {
    "vocab_size": V, "n_positions": 24, "n_embd": 16, "n_layer": 2, "n_head": 4,
    "bos_token_id": 2, "eos_token_id": END, "pad_token_id": PAD,
}  # fmt: skip
MARIAN = {
    "vocab_size": V, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20, "max_position_embeddings": 32, "scale_embedding": True,
    "pad_token_id": PAD, "eos_token_id": END, "decoder_start_token_id": PAD,
    "forced_eos_token_id": None, "activation_function": "relu",
}  # fmt: skip
N, B, S = 12, 5, 8


def both(kind, tmp_path, seed):
    """Their model and ours, in float64, with weights large enough for texts that differ."""
    torch.manual_seed(seed)
    if kind == "gpt2":
        theirs = hf.GPT2LMHeadModel(hf.GPT2Config(**GPT2))
    else:
        theirs = hf.MarianMTModel(hf.MarianConfig(**MARIAN))
    with torch.no_grad():
        for p in theirs.parameters():
            if p.requires_grad and p.dim() > 1:
                p.normal_(std=0.4)
    theirs = theirs.double().eval()
    theirs.generation_config.bad_words_ids = None
    theirs.save_pretrained(tmp_path)
    if kind == "marian":  # theirs keeps the table of positions in float32, and ours must too
        theirs = hf.MarianMTModel.from_pretrained(tmp_path, dtype=torch.float64).eval()
    return theirs, pretrained.load(tmp_path, dtype=torch.float64)


def asked(kind, seed):
    generator = torch.Generator().manual_seed(seed)
    if kind == "gpt2":
        prompt = torch.randint(2, V, (B, 3), generator=generator)
        return {"input_ids": prompt, "attention_mask": torch.ones_like(prompt)}, {"prompt": prompt}
    source = torch.randint(2, V, (B, S), generator=generator)
    lengths = torch.randint(2, S + 1, (B,), generator=generator)
    attended = (torch.arange(S) < lengths[:, None]).long()
    theirs = {"input_ids": source, "attention_mask": attended}
    return theirs, {"prompt": PAD, "source": source, "source_lengths": lengths}


def cut(row, end=END):
    """A text up to and with its end."""
    return row[: row.index(end) + 1] if end in row else row


@pytest.mark.parametrize("kind", ["gpt2", "marian"])
@pytest.mark.parametrize("beams", [1, 2, 5])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equal_ids(kind, beams, seed, tmp_path):
    theirs, ours = both(kind, tmp_path, seed)
    for_theirs, for_ours = asked(kind, seed)
    settings = {"max_new_tokens": N, "do_sample": False, "num_beams": beams}
    if beams > 1:
        settings |= {"early_stopping": True, "length_penalty": 0.0}
    expected = theirs.generate(**for_theirs, **settings)
    begin = 1 if kind == "marian" else 3
    expected = [cut(row[begin:]) for row in expected.tolist()]
    if beams == 1:
        got = greedy(ours, **for_ours, max_new_tokens=N, eos_id=END)
    else:
        got = beam_search(
            ours,
            **for_ours,
            max_new_tokens=N,
            eos_id=END,
            num_beams=beams,
            early_stopping=True,
            length_penalty=0.0,
        )
    mine = [row[:n] for row, n in zip(got.tokens.tolist(), got.lengths.tolist(), strict=True)]
    assert mine == expected
    assert len({tuple(row) for row in mine}) > 1  # a text that is always the same shows little


@pytest.mark.thorough("comparison of long texts")
@pytest.mark.parametrize("kind", ["gpt2", "marian"])
@pytest.mark.parametrize(
    ("early_stopping", "length_penalty", "ends"),
    [
        *(("never", power, True) for power in (-0.7, 0.0, 0.7, 1.0, 2.0)),
        *((False, power, True) for power in (-0.7, 1.0)),
        (True, 0.7, True), ("never", 1.0, False),
    ],
)  # fmt: skip
def test_equal_lists_with_their_options(kind, length_penalty, early_stopping, ends, tmp_path):
    K = 4
    for seed in range(3):
        theirs, ours = both(kind, tmp_path / str(seed), seed)
        for_theirs, for_ours = asked(kind, seed)
        end = frequent(ours, for_ours, N, K, least=2) if ends else None
        theirs.generation_config.eos_token_id = end
        expected = theirs.generate(
            **for_theirs, max_new_tokens=N, do_sample=False, num_beams=K, num_return_sequences=K,
            early_stopping=early_stopping, length_penalty=length_penalty,
            return_dict_in_generate=True, output_scores=True,
        )  # fmt: skip
        begin = 1 if kind == "marian" else 3
        got = beam_search(ours, **for_ours, max_new_tokens=N, eos_id=end, num_beams=K,
                          num_return_sequences=K, length_penalty=length_penalty,
                          early_stopping=early_stopping)  # fmt: skip
        mine = [row[:n] for row, n in zip(got.tokens.tolist(), got.lengths.tolist(), strict=True)]
        rows = [row[begin:] for row in expected.sequences.tolist()]
        assert mine == [cut(row, end) for row in rows]
        torch.testing.assert_close(got.scores.float(), expected.sequences_scores, rtol=0, atol=2e-5)
