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


def test_other_text_is_no_verdict():
    assert claims.parse("claim self-scale: perhaps\nmeasured: 3") is None
    assert claims.parse("claim self-scale: holds") is None


def test_a_verdict_needs_a_figure_in_one_line():
    with pytest.raises(ValueError, match="figure must be one line"):
        claims.verdict("self-scale", holds=True, figure="")
    with pytest.raises(ValueError, match="limit must be one line"):
        claims.verdict("self-scale", holds=True, figure="1", limit="a\nb")
