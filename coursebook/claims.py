"""A claim's verdict, printed by the chapter that tested it and read by the ledger page."""

from __future__ import annotations

#: What a test of a claim can come to, and how the ledger words it.
VERDICTS = {
    "holds": "holds",
    "limit": "holds, with a limit",
    "fails": "does not hold as stated",
}

#: First words of the line that :func:`verdict` prints; the ledger looks for it.
PREFIX = "claim "


def verdict(claim: str, holds: bool, figure: str, limit: str = "") -> None:
    """Print what was measured for one claim and what follows, in the form the ledger page reads.

    Parameters
    ----------
    claim:
        The claim's id in ``book/claims.yml``, such as ``"self-scale"``.
    holds:
        What the experiment found: computed from the measurement, never written by hand.
    figure:
        The measured figure, in one line.
    limit:
        Where the claim holds only within a limit: which one, in one line.

    Prints
    ------
    Two lines: ``claim self-scale: holds, with a limit (which)`` and ``measured: figure``.
    """
    for name, text in (("claim", claim), ("figure", figure), ("limit", limit)):
        if "\n" in text or (name != "limit" and not text):
            raise ValueError(f"{name} must be one line of text, got {text!r}")
    word = VERDICTS["fails" if not holds else "limit" if limit else "holds"]
    print(f"{PREFIX}{claim}: {word}" + (f" ({limit})" if limit else ""))
    print(f"measured: {figure}")


def parse(text: str) -> dict[str, str] | None:
    """Read back what :func:`verdict` printed: ``claim``, ``verdict``, ``limit``, ``figure``.

    ``None`` where the text holds no verdict.
    """
    lines = text.strip().splitlines()
    for line, following in zip(lines, lines[1:], strict=False):
        if not (line.startswith(PREFIX) and following.startswith("measured: ")):
            continue
        claim, _, said = line.removeprefix(PREFIX).partition(": ")
        for word in sorted(VERDICTS.values(), key=len, reverse=True):
            if said.startswith(word):
                limit = said.removeprefix(word).strip().removeprefix("(").removesuffix(")")
                return {
                    "claim": claim,
                    "verdict": word,
                    "limit": limit,
                    "figure": following.removeprefix("measured: "),
                }
    return None
