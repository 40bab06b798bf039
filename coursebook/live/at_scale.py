"""The live figures of part IV: fast attention and training at scale."""

from __future__ import annotations

from coursebook.live.figure import Figure
from coursebook.live.self_attention import SENTENCE

FIGURES = (
    Figure(
        "online-softmax",
        "How can a softmax be computed without seeing all scores first?",
        "The scores of note are read from the last word to the first, a block at a time. Only "
        "the largest score m, the sum l and the weighted sum acc are kept. If a larger score "
        "comes, both sums shrink by the same factor.",
        "13-fast-attention",
        data={
            "sentence": SENTENCE,
            "scores": [0, 4, 4, 3, 0, 1, 2, 0],
            "values": [
                [0, 0, 0],
                [2, 0, 0],
                [2, 0, 0],
                [1, 0, 1],
                [0, 0, 0],
                [0, 0, 1],
                [0, 0, 2],
                [1, 1, 0],
            ],
            "names": ["music", "message", "mood"],
            "block": 2,
            "start": 1,
        },
    ),
    Figure(
        "tile-walk",
        "What does the tile size change?",
        "One head of width 64 reads 1,024 tokens in 32-bit numbers. Only one tile of scores "
        "exists at a time. With larger tiles, the keys and values are read less often, but more "
        "fast memory is needed.",
        "13-fast-attention",
        data={
            "n": 1024,
            "width": 64,
            "size": 4,
            "tiles": [32, 64, 128, 256, 512, 1024],
            "tile": 64,
            "step": 40,
            "fast": 192 * 1024,
        },
    ),
    Figure(
        "number-formats",
        "What do 16 bits lose?",
        "A value as sign, exponent and mantissa in three formats, and the gradients of a small "
        "GPT. A gradient that is too small for float16 becomes 0. A larger batch makes each "
        "gradient smaller. Multiplying the loss makes it larger.",
        "14-training-at-scale",
        data={
            "formats": [["float32", 8, 23], ["bfloat16", 8, 7], ["float16", 5, 10]],
            "start": -1,
            "tokens": 20,
            "scale": 0,
        },
        stored=("underflow",),
    ),
    Figure(
        "sharding",
        "What must each worker store?",
        "A model of 7 billion weights, trained with Adam in 32-bit numbers. Choose what is "
        "sharded over the workers, and go through one training step. Activations are not "
        "counted: they depend on the batch.",
        "14-training-at-scale",
        data={
            "parameters": 7_000_000_000,
            "layers": 32,
            "counts": [1, 2, 4, 8, 16, 32, 64],
            "workers": 4,
            "stage": 0,
            "moment": 2,
            "room": 80_000_000_000,
        },
    ),
)
