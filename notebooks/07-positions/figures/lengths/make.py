"""Copy the data of the figure *train short, test long* from its record to ``book/figures``.

Nothing is trained: the losses are those of ``records/positions-lengths.json``, of the schemes in
the order of the figure. After a new record::

    python notebooks/07-positions/figures/lengths/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

from typing import Any

from coursebook import live, records

#: The schemes shown; two others would coincide with the added codes.
SHOWN = (
    "none", "learned", "sinusoidal", "rotary", "rotary, stretched", "Shaw", "ALiBi",
)  # fmt: skip


def shown() -> dict[str, Any]:
    """The figure's data: lengths in words, and each scheme's losses, one per seed."""
    results = records.load("positions-lengths")["results"]
    lengths = results["settings"]["test_lengths"]
    return {
        "trained": results["settings"]["train_length"],
        "lengths": lengths,
        "losses": {
            name: [results["schemes"][name]["losses"][str(length)] for length in lengths]
            for name in SHOWN
        },
    }


if __name__ == "__main__":
    live.store("lengths", shown())
