"""What a chapter prints for a claim is what the ledger reads."""

import pytest

from coursebook import claims


@pytest.mark.parametrize(
    ("holds", "limit", "word"),
    [
        (True, "", "holds"),
        (True, "at small width (below 16) only", "holds, with a limit"),
        (False, "", "does not hold as stated"),
    ],
)
def test_round_trip(holds, limit, word, capsys):
    claims.verdict("self-scale", holds=holds, figure="grows as d^0.50: twice", limit=limit)
    assert claims.parse("before\n" + capsys.readouterr().out) == {
        "claim": "self-scale", "verdict": word, "hardly": "", "limit": limit,
        "figure": "grows as d^0.50: twice",
    }  # fmt: skip


@pytest.mark.parametrize("limit", ["", "at small width (below 16; no more) only"])
def test_a_claim_that_holds_and_could_hardly_fail_is_shown_not_tested(limit, capsys):
    why = "the read-out is linear (see above; by algebra)"
    claims.verdict("self-scale", holds=True, figure="0.50", limit=limit, hardly=why)
    printed = capsys.readouterr().out
    assert printed.startswith(f"claim self-scale: shown, not tested ({why}")
    assert claims.parse(printed) == {
        "claim": "self-scale", "verdict": "shown, not tested", "hardly": why, "limit": limit,
        "figure": "0.50",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "word", "said"),
    [
        ({"holds": False}, "does not hold as stated", ""),
        ({"holds": False, "limit": "by 0.2"}, "does not hold as stated", "by 0.2"),
        ({"holds": None, "settle": "five seeds"}, "not settled here", "five seeds"),
    ],
)
def test_what_could_hardly_fail_and_does_is_refuted_like_any_other(outcome, word, said, capsys):
    claims.verdict("self-scale", figure="0.50", hardly="the read-out is linear", **outcome)
    assert claims.parse(capsys.readouterr().out) == {
        "claim": "self-scale", "verdict": word, "hardly": "", "limit": said, "figure": "0.50"
    }  # fmt: skip


def test_what_is_shown_grants_less_than_what_holds_and_more_than_what_is_not_settled():
    strength = {look: claims.STRENGTH.get(word) for look, word in claims.VERDICTS.items()}
    assert strength.pop("algebra") is None
    assert strength["fails"] == strength["unsettled"] < strength["shown"] < strength["limit"]
    assert strength["limit"] < strength["holds"]


def test_a_claim_may_stay_unsettled_if_it_says_what_would_settle_it(capsys):
    claims.verdict("model-encdec", holds=None, figure="2.65 to 2.70", settle="five seeds, at size")
    assert claims.parse(capsys.readouterr().out) == {
        "claim": "model-encdec", "verdict": "not settled here", "hardly": "",
        "limit": "five seeds, at size", "figure": "2.65 to 2.70",
    }  # fmt: skip
    for holds, settle in ((None, ""), (True, "five seeds")):
        with pytest.raises(ValueError, match="settle is for a claim that is not settled"):
            claims.verdict("model-encdec", holds=holds, figure="2.65", settle=settle)


def test_an_identity_is_checked_and_a_broken_one_stops_the_notebook(capsys):
    claims.identity("self-matrix", agrees=True, figure="largest difference 1e-15")
    assert claims.parse(capsys.readouterr().out)["verdict"] == "true by algebra, checked"
    with pytest.raises(AssertionError, match="self-matrix should be true by algebra"):
        claims.identity("self-matrix", agrees=False, figure="largest difference 0.3")


def test_an_identity_may_be_true_within_a_limit(capsys):
    claims.identity("self-order", agrees=True, figure="0", limit="a mask (causal) has an order")
    assert claims.parse(capsys.readouterr().out) == {
        "claim": "self-order", "verdict": "true by algebra, checked", "hardly": "",
        "limit": "a mask (causal) has an order", "figure": "0",
    }  # fmt: skip


def test_other_text_is_no_verdict():
    assert claims.parse("claim self-scale: perhaps\nmeasured: 3") is None
    assert claims.parse("claim self-scale: holds") is None


def test_a_verdict_needs_a_figure_in_one_line():
    with pytest.raises(ValueError, match="figure must be one line"):
        claims.verdict("self-scale", holds=True, figure="")
    for texts in ({"limit": "a\nb"}, {"hardly": "a\nb"}, {"hardly": "a", "limit": "a\nb"}):
        with pytest.raises(ValueError, match="limit, settle or hardly must be one line"):
            claims.verdict("self-scale", holds=True, figure="1", **texts)


def test_the_reason_and_the_limit_can_be_told_apart():
    with pytest.raises(ValueError, match="give the limit as limit"):
        claims.verdict("self-scale", holds=True, figure="1", hardly="why; limit: small width")
