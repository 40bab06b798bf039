"""A published encoder, where its file is: our states and weights against transformers' own."""

import os
from pathlib import Path

import pytest
import torch

from tfcourse.pretrained import load
from tfcourse.tokenizers import Tokenizer

#: As far apart as the states, of size about 1, may be in single precision.
NEAR = 1e-4
SENTENCES = [
    "The guitar strings hummed one last melancholic note",
    "The cat was scared because it didn't recognize me in my mask.",
    "Été à Zürich: 東京, ΣΑΣ & 1999!",
]


@pytest.fixture(scope="module")
def folder():
    found = Path(os.environ.get("TFCOURSE_DATA", "")) / "all-MiniLM-L6-v2"
    if not (found / "model.safetensors").is_file():
        pytest.skip("needs all-MiniLM-L6-v2, unpacked in TFCOURSE_DATA, which is not here")
    return found


def test_states_and_weights_are_those_of_transformers(folder):
    from transformers import AutoModel, AutoTokenizer

    theirs = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    split = AutoTokenizer.from_pretrained(folder)
    ours, tokenizer = load(folder), Tokenizer.load(folder / "tokenizer.json")
    states = []
    for part in (ours.embedding_norm, *ours.blocks):
        part.register_forward_hook(lambda *call: states.append(call[2]))
    for sentence in SENTENCES:
        ids = tokenizer.encode(sentence, start=True, end=True)
        asked = split(sentence, return_tensors="pt")
        assert ids == asked["input_ids"][0].tolist()
        states.clear()
        with torch.no_grad():
            expected = theirs(**asked, output_hidden_states=True, output_attentions=True)
            last, maps = ours.encode(torch.tensor([ids]), return_weights=True)
        found = [x if isinstance(x, torch.Tensor) else x[0] for x in states]
        assert len(found) == len(expected.hidden_states) == 7
        for x, other in zip(found, expected.hidden_states, strict=True):
            torch.testing.assert_close(x, other, rtol=0, atol=NEAR)
        torch.testing.assert_close(last, expected.last_hidden_state, rtol=0, atol=NEAR)
        for weights, other in zip(maps, expected.attentions, strict=True):
            torch.testing.assert_close(weights, other, rtol=0, atol=NEAR)
