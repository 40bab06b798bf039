"""A claim's verdict, printed by the chapter that tested it and read by the ledger page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coursebook import course
from coursebook.yaml_files import read_yaml

#: The possible verdicts on a claim, with the ledger's wording of each.
VERDICTS = {
    "holds": "holds",
    "limit": "holds, with a limit",
    "shown": "shown, not tested",
    "fails": "does not hold as stated",
    "unsettled": "not settled here",
    "algebra": "true by algebra, checked",
}

#: How much a verdict grants to a claim. A condition that was added after a result was known may
#: only weaken a verdict.
STRENGTH = {
    VERDICTS["fails"]: 0,
    VERDICTS["unsettled"]: 0,
    VERDICTS["shown"]: 1,
    VERDICTS["limit"]: 2,
    VERDICTS["holds"]: 3,
}

#: The start of the line that :func:`verdict` prints and that the ledger looks for.
PREFIX = "claim "

#: What stands in the brackets between the reason why a claim could hardly fail and its limit.
WITHIN = "; limit: "


def additions(entry: dict[str, Any]) -> list[str]:
    """What was asked for after a result was known, in the order in which it was added."""
    later = entry.get("later", [])
    return [later] if isinstance(later, str) else later


def conditions(entry: dict[str, Any]) -> list[str]:
    """What would refute a claim, given its entry: as it was first, and after each addition."""
    texts = [entry["refuted"], *additions(entry)]
    return [" ".join(texts[:count]) for count in range(1, len(texts) + 1)]


def condition(entry: dict[str, Any]) -> str:
    """What would refute a claim, given its entry, with what was added later."""
    return conditions(entry)[-1]


def read_claims(root: Path) -> dict[str, dict]:
    """Every claim by its id, as its lesson's ``claims.yml`` has it, with the lesson's name.

    Raises
    ------
    ValueError
        If a file is not YAML.
    """
    return {
        name: {**entry, "chapter": lesson.name}
        for lesson in course.lessons(root)
        if lesson.claims.is_file()
        for name, entry in read_yaml(lesson.claims).items()
    }


def verdict(
    claim: str,
    holds: bool | None,
    figure: str,
    limit: str = "",
    settle: str = "",
    hardly: str = "",
) -> None:
    """Print the verdict on one claim and the measured figure, in the form the ledger page reads.

    Parameters
    ----------
    claim:
        The claim's id in the lesson's ``claims.yml``, such as ``"self-scale"``.
    holds:
        The experiment's outcome, computed from the measurement and never written by hand. ``None``
        if the experiment cannot decide; then ``settle`` says what would.
    figure:
        The measured figure, in one line.
    limit:
        The limit within which the claim holds, or how far it fails, in one line.
    settle:
        If ``holds`` is ``None``: the experiment that would decide, in one line.
    hardly:
        If the whole condition could hardly have failed: why, in one line. A claim that holds is
        then shown, not tested. If it does not hold, or is not settled, this says nothing.

    Prints
    ------
    Two lines: ``claim self-scale: holds, with a limit (which)`` and ``measured: figure``. The
    brackets of a claim that is shown, not tested have ``hardly`` first: ``(why; limit: which)``.

    Raises
    ------
    ValueError
        If a text is missing or has more than one line, or if ``settle`` does not fit ``holds``.
    """
    if (holds is None) != bool(settle):
        raise ValueError("settle is for a claim that is not settled: give holds=None and settle")
    if limit and settle:
        raise ValueError("a claim that is not settled has no limit: leave limit out")
    if WITHIN in hardly:
        raise ValueError(f"hardly must not contain {WITHIN!r}: give the limit as limit")
    said = limit or settle
    if holds and hardly:
        word, said = "shown", WITHIN.join(filter(None, (hardly, limit)))
    else:
        word = "unsettled" if settle else "fails" if not holds else "limit" if limit else "holds"
    _tell(claim, VERDICTS[word], said, figure)


def identity(claim: str, agrees: bool, figure: str, limit: str = "") -> None:
    """Print that a claim is true by algebra and was checked, in the form the ledger page reads.

    Such a claim can fail only through a mistake in the code, so checking it is not an experiment.

    Parameters
    ----------
    claim:
        The claim's id in the lesson's ``claims.yml``, such as ``"self-matrix"``.
    agrees:
        Whether the two sides were found equal.
    figure:
        What was compared and how far apart the two sides were, in one line.
    limit:
        The limit within which the claim is true, in one line.

    Raises
    ------
    AssertionError
        If the two sides differ: the code is wrong, or the claim is not an identity.
    ValueError
        If a text is missing or has more than one line.
    """
    if not agrees:
        raise AssertionError(
            f"{claim} should be true by algebra, but the two sides differ: {figure}"
        )
    _tell(claim, VERDICTS["algebra"], limit, figure)


def _tell(claim: str, word: str, within: str, figure: str) -> None:
    texts = {"claim": claim, "figure": figure, "limit, settle or hardly": within}
    for name, text in texts.items():
        if "\n" in text or (name in ("claim", "figure") and not text):
            raise ValueError(f"{name} must be one line of text, got {text!r}")
    print(f"{PREFIX}{claim}: {word}" + (f" ({within})" if within else ""))
    print(f"measured: {figure}")


def parse(text: str) -> dict[str, str] | None:
    """Read back what :func:`verdict` or :func:`identity` printed.

    Returns
    -------
    parsed
        ``claim``, ``verdict``, ``hardly``, ``limit`` (for an unsettled claim, what would settle
        it) and ``figure``; ``None`` if the text holds no verdict.
    """
    lines = text.strip().splitlines()
    for line, following in zip(lines, lines[1:], strict=False):
        if not (line.startswith(PREFIX) and following.startswith("measured: ")):
            continue
        claim, _, said = line.removeprefix(PREFIX).partition(": ")
        for word in sorted(VERDICTS.values(), key=len, reverse=True):
            if said.startswith(word):
                limit = said.removeprefix(word).strip().removeprefix("(").removesuffix(")")
                hardly = ""
                if word == VERDICTS["shown"]:
                    hardly, _, limit = limit.partition(WITHIN)
                return {
                    "claim": claim,
                    "verdict": word,
                    "hardly": hardly,
                    "limit": limit,
                    "figure": following.removeprefix("measured: "),
                }
    return None
