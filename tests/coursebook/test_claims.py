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
        "claim": "self-scale", "verdict": word, "limit": limit, "figure": "grows as d^0.50: twice"
    }  # fmt: skip


def test_a_claim_may_stay_unsettled_if_it_says_what_would_settle_it(capsys):
    claims.verdict("model-encdec", holds=None, figure="2.65 to 2.70", settle="five seeds, at size")
    assert claims.parse(capsys.readouterr().out) == {
        "claim": "model-encdec", "verdict": "not settled here", "limit": "five seeds, at size",
        "figure": "2.65 to 2.70",
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
        "claim": "self-order", "verdict": "true by algebra, checked", "figure": "0",
        "limit": "a mask (causal) has an order",
    }  # fmt: skip


def test_other_text_is_no_verdict():
    assert claims.parse("claim self-scale: perhaps\nmeasured: 3") is None
    assert claims.parse("claim self-scale: holds") is None


def test_a_verdict_needs_a_figure_in_one_line():
    with pytest.raises(ValueError, match="figure must be one line"):
        claims.verdict("self-scale", holds=True, figure="")
    with pytest.raises(ValueError, match="limit or settle must be one line"):
        claims.verdict("self-scale", holds=True, figure="1", limit="a\nb")
