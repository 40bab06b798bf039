"""Whether a real encoder finds the sentence that answers a question, which chapter 10 shows.

The encoder is all-MiniLM-L6-v2, which lies where ``real_encoder.py`` of chapter 6 says. Each of its
sentences with *note* becomes one vector, the mean of its states, and so does each question. The
questions were written before the model had read any of them, each to one sentence, and share no
telling word with it. The control takes the states from before the first block. The vectors are kept
rotated into the space that they span, where all their dot products are as they were. Seconds on one
thread.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from coursebook import course
from coursebook.measuring import keep_record

sys.path.insert(0, str(course.Lesson(course.root(), "06-multi-head").measure))
import real_encoder  # noqa: E402

#: A question, and the sentence that answers it: a message, a tone, a mood; then the others.
PAIRS = {
    "Who fell behind with payments for the flat?":
        "He wrote a short note to his landlord about the rent",
    "What mistake was made at the keyboard?": "He played a wrong note on the piano",
    "Did the lawyers expect to win in court?": "The trial opened on an optimistic note",
    "Where do we tell the dairy how many bottles to bring?":
        "Please leave a note for the milkman on the doorstep",
    "Which instrument accompanied the service on Sunday?":
        "A low note from the organ filled the church",
    "Will business grow next year?": "Her report had a note of optimism about the economy",
    "Has anyone brought mail to me?": "There is a note for you in the letterbox",
    "Where will they live from now on?": "We sent her a note with our new address",
}  # fmt: skip


@torch.no_grad()
def vectors(encoder: real_encoder.Encoder, texts: list[str]) -> Tensor:
    """The mean state of each text, of length 1, before the first block and after the last.

    Shape (2, text, width).
    """
    rows, before = [], []
    kept = encoder.model.embedding_norm.register_forward_hook(
        lambda *call: before.append(call[2][0].mean(0))
    )
    for text in texts:
        ids = encoder.tokenizer.encode(text, start=True, end=True)
        rows.append(encoder.model.encode(torch.tensor([ids]))[0][0].mean(0))
    kept.remove()
    return normalize(torch.stack([torch.stack(before), torch.stack(rows)]), dim=-1)


def measured(quick: bool) -> dict[str, Any]:
    """The vectors of all questions and sentences, and how many questions find their own."""
    torch.set_num_threads(1)
    encoder = real_encoder.Encoder(real_encoder.folder())
    sentences = [row[0] for sense in real_encoder.SAYS["note"]
                 for part in real_encoder.PARTS for row in sense[part]]  # fmt: skip
    own = torch.tensor([sentences.index(sentence) for sentence in PAIRS.values()])
    asked, there = vectors(encoder, list(PAIRS)), vectors(encoder, sentences)
    cosines = asked @ there.mT  # (2, question, sentence)
    found = (cosines.argmax(-1) == own).sum(-1).tolist()
    left, sizes, _ = torch.linalg.svd(torch.cat([asked[1], there[1]]), full_matrices=False)
    kept = left * sizes  # (text, dimension): 38 numbers instead of 384
    assert torch.allclose(kept[: len(own)] @ kept[len(own) :].mT, cosines[1], atol=1e-4)
    return {
        "model": real_encoder.MODEL, "sentences": sentences,
        "questions": [{"question": question, "own": place}
                      for question, place in zip(PAIRS, own.tolist(), strict=True)],
        "found": {"before the first block": found[0], "after the last": found[1]},
        "vectors": {
            name: [[round(v, 4) for v in row] for row in part.tolist()]
            for name, part in {"questions": kept[: len(own)], "sentences": kept[len(own) :]}.items()
        },
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("real-search", __doc__, measured, seed=0)
