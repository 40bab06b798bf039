"""BLEU and chrF: by hand, and as sacrebleu's command line computes them."""

import logging
import math
import subprocess
import sys

import pytest
import sacrebleu

from tfcourse.evaluation import Score, bleu, chrf

HYPOTHESES = ["The cat sat on the mat.", "A dog, of course!", "It rained all day long."]
REFERENCES = ["The cat is on the mat.", "A dog, of course!", "All day long it rained."]


def test_bleu_by_hand():
    """One sentence, words as they stand: 1-grams 5/6, 2-grams 3/5, 3-grams 2/4, 4-grams 1/3."""
    score = bleu(["a b c d x f"], ["a b c d e f"], tokenize="none")
    assert score.value == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25, rel=1e-9)
    # Shorter than the reference by one word of six: the brevity penalty alone.
    score = bleu(["a b c d e"], ["a b c d e f"], tokenize="none")
    assert score.value == pytest.approx(100 * math.exp(1 - 6 / 5), rel=1e-9)
    assert bleu(["same words as there"], ["same words as there"]).value == pytest.approx(100)


def test_chrf_by_hand():
    """One character, one of the two of the reference: P = 1, R = 1/2, so 5 PR / (4P + R)."""
    # Only 1-grams exist in the translation; sacrebleu takes the orders that both have.
    assert chrf(["a"], ["ab"]).value == pytest.approx(100 * 5 * 0.5 / (4 + 0.5), rel=1e-6)
    assert chrf(["same"], ["same"]).value == pytest.approx(100)
    assert chrf(["same"], ["SAME"], lowercase=True).value == pytest.approx(100)


@pytest.mark.parametrize(("metric", "choices", "ours"), [
    ("bleu", [], lambda h, r: bleu(h, r)),
    ("bleu", ["-lc", "--tokenize", "intl"],
     lambda h, r: bleu(h, r, lowercase=True, tokenize="intl")),
    ("chrf", [], lambda h, r: chrf(h, r)),
    ("chrf", ["--chrf-word-order", "2"], lambda h, r: chrf(h, r, words=2)),
])  # fmt: skip
def test_same_as_sacrebleus_command(tmp_path, metric, choices, ours):
    (tmp_path / "h.txt").write_text("\n".join(HYPOTHESES) + "\n")
    (tmp_path / "r.txt").write_text("\n".join(REFERENCES) + "\n")
    command = [
        sys.executable, "-m", "sacrebleu", str(tmp_path / "r.txt"), "-i", str(tmp_path / "h.txt"),
        "-m", metric, "-w", "9", "-f", "text", *choices,
    ]  # fmt: skip
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    score = ours(HYPOTHESES, REFERENCES)
    assert f"|{score.signature} = {score.value:.9f}" in told.replace("BLEU|", "|").replace(
        "chrF2++|", "|"
    ).replace("chrF2|", "|")


def test_several_references_help():
    one = bleu(HYPOTHESES, REFERENCES)
    other = ["The cat sat there.", "A dog!", "It rained all day long."]
    two = bleu(HYPOTHESES, list(zip(REFERENCES, other, strict=True)))
    assert two.value > one.value
    assert one.signature.startswith("nrefs:1|")
    assert two.signature.startswith("nrefs:2|")
    expected = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES, other]).score
    assert two.value == pytest.approx(expected, rel=1e-12)


def test_a_score_shows_its_signature():
    score = bleu(HYPOTHESES, REFERENCES)
    assert isinstance(score, Score)
    assert str(score) == f"{score.value:.2f} ({score.signature})"
    assert f"version:{sacrebleu.__version__}" in score.signature


def test_nothing_is_printed_or_logged(capfd, caplog):
    with caplog.at_level(logging.DEBUG):
        bleu(["tokenised ."] * 200, ["tokenised ."] * 200)
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


@pytest.mark.parametrize("score", [bleu, chrf])
@pytest.mark.parametrize(("hypotheses", "references", "told"), [
    ([], [], "hypotheses must have at least one text, got none"),
    (["a", "b"], ["a"], "references must be 2, one for each of hypotheses, got 1"),
    (["a", "b"], [["a"], ["b"], ["c"]], "references must be 2, one for each of hypotheses, got 3"),
    (["a", "b"], [["a", "c"], ["b"]], "references must be equally many .* got 1 to 2"),
    (["a", "b"], [[], []], "references must be equally many .* got 0 to 0"),
    (["a", "b"], ["a", ["b"]], "references must be all texts, or all lists of texts, got both"),
    ("a", ["a"], "hypotheses must be several texts, got one str"),
    (["a"], "a", "references must be several texts, got one str"),
    (["a", 3], ["a", "b"], "hypotheses must be texts, got int at index 1"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(score, hypotheses, references, told):
    with pytest.raises(ValueError, match=told):
        score(hypotheses, references)


def test_unknown_choices_are_refused():
    with pytest.raises(ValueError, match=r"tokenize must be one of \[.*'13a'.*got 'moses'"):
        bleu(["a"], ["a"], tokenize="moses")
    with pytest.raises(ValueError, match="words must be at least 0, got -1"):
        chrf(["a"], ["a"], words=-1)
