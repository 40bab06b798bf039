"""Values of pandas in a message: what is sent comes back, and nothing else is read as one."""

import random

import msgpack
import numpy as np
import pytest
from mutations import odd_bytes

from nbjudge.inside import codecs, wire
from nbjudge.inside.wire import WireError, dumps, loads, undumps

pd = pytest.importorskip("pandas", reason="pandas is not installed")

TIMES = pd.date_range("2026-01-01", periods=3)

#: A column of each type that pandas has.
COLUMNS = {
    "whole": [1, 2, 3],
    "text": ["a", "ü", None],
    "real": [1.5, np.nan, -np.inf],
    "truth": [True, False, True],
    "objects": pd.Series([1, "a", None], dtype=object),
    "times": TIMES,
    "durations": TIMES - TIMES[0],
    "zone": pd.date_range("2026-03-28", periods=3, tz="Europe/Berlin"),
    "offset": pd.to_datetime(["2026-01-01 00:00+02:00"] * 3),
    "categories": pd.Categorical(["p", "q", None], ["q", "p"], ordered=True),
    "bins": pd.cut([1, 2, 3], 2),
    "months": pd.period_range("2026-01", periods=3, freq="M"),
    "missing": pd.array([1, None, 3], dtype="Int16"),
    "missing-real": pd.array([1.5, None, 3], dtype="Float32"),
    "missing-truth": pd.array([True, None, False], dtype="boolean"),
    "string": pd.array(["a", pd.NA, "b"], dtype="string"),
}

VALUES = {
    **{name: pd.Series(values, name=name) for name, values in COLUMNS.items()},
    "frame": pd.DataFrame(COLUMNS),
    "labels twice": pd.DataFrame([[1, "a"], [2, "b"]], columns=["x", "x"], index=["r", "r"]),
    "grouped": pd.DataFrame({"k": [1, 1, 2], "v": [1, 2, 3]}).groupby("k").agg(["mean", "sum"]),
    "empty": pd.DataFrame(),
    "no rows": pd.DataFrame(columns=["a", "b"]),
    "counted": pd.Series(["a", "b", "a"]).value_counts(),
    "types": pd.DataFrame({"a": [1], "b": ["x"], "c": pd.Categorical(["a"])}).dtypes,
    "index": pd.Index(["a", "b"], name="n"),
    "range": pd.RangeIndex(2, 9, 3, name=("a", 1)),
    "weeks": pd.date_range("2026-01-01", periods=3, freq="W"),
    "product": pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=["n", None]),
    "timestamp": pd.Timestamp("2026-11-28 10:00"),
    "timestamp in a zone": pd.Timestamp("2026-11-28 10:00", tz="Europe/Berlin"),
    "timedelta": pd.Timedelta("1D 2h"),
    "period": pd.Period("2026-11"),
    "interval": pd.Interval(0, 1.5, closed="both"),
    "not a time": pd.NaT,
    "not available": pd.NA,
    "array": pd.Categorical(["a", "b"]),
    "type": pd.CategoricalDtype(["a", "b"]),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_sent_comes_back(name):
    value = VALUES[name]
    back = undumps(dumps([value]))[0]
    assert type(back) is type(value)
    assert codecs.of(value).alike(value, back, 0.0, 0.0)
    assert dumps(back) == dumps(value)


def test_two_values_are_alike_only_if_labels_types_and_numbers_are():
    frame = VALUES["frame"]
    alike = codecs.of(frame).alike
    assert alike(frame, frame.copy(), 0.0, 0.0)
    changed = frame.assign(real=[1.5 + 1e-9, np.nan, -np.inf])
    assert alike(frame, changed, 1e-6, 0.0) and not alike(frame, changed, 0.0, 0.0)
    for other in (
        frame.rename(columns={"real": "other"}),
        frame.astype({"whole": "int32"}),
        frame.iloc[::-1],
    ):
        assert not alike(frame, other, 1e-6, 0.0)
    assert not alike(pd.Timestamp("2026"), pd.Timestamp("2027"), 1e-6, 0.0)


def test_a_copy_can_be_changed():
    frame = pd.DataFrame({"a": [1, 2]})
    copy = codecs.copied(frame)
    copy.loc[0, "a"] = 7
    assert frame.a.tolist() == [1, 2]


class Subclass(pd.DataFrame):
    """A data frame of a learner's own type."""


@pytest.mark.parametrize(
    "value",
    [
        Subclass({"a": [1]}),
        pd.DataFrame({"a": [1]}).groupby("a"),
        pd.Series([object()]),
        pd.Series([{1, 2}]),
        pd.Series(pd.arrays.SparseArray([0, 1])),
        pd.Series(["\ud800"], dtype=object),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_sent_is_refused(value):
    with pytest.raises(WireError):
        dumps(value)


def packed(tree) -> bytes:
    return msgpack.packb(tree, use_bin_type=True)


RANGE = ["pR", None, 0, 1, 1]
ONE = ["A", "int8", [1]]
LONG = ["A", "int64", [1]]


@pytest.mark.parametrize(
    ("tree", "blob"),
    [
        (["pF", RANGE, RANGE, ["l"]], b""),
        (["pF", RANGE, RANGE, ["l", 1]], b""),
        (["pF", RANGE, RANGE, ["l", ["A", "int8", [2]]]], b"\0\0"),
        (["pF", RANGE, RANGE, ["l", ["A", "int8", [1, 1]]]], b"\0"),
        (["pF", ["l"], RANGE, ["l", ONE]], b"\0"),
        (["pS", RANGE, ["l"], ONE], b"\0"),  # a name that cannot be looked up
        (["pS", RANGE, None, RANGE], b""),
        (["pI", None, ONE, "D"], b"\0"),
        (["pI", None, ["Am", "datetime64[ns]", [1]], "../../etc/passwd"], b"\0" * 8),
        (["pR", None, 0, 1, 0], b""),
        (["pM", ["l", None], ["l", RANGE], ["l", LONG]], b"\5" + b"\0" * 7),  # of no level
        (["pM", ["l", None], ["l", ONE], ["l", LONG]], b"\0" * 9),
        (["pT", ["N", ["A", "int8", []]], None], b"\0"),
        (["pT", ["N", ["Am", "datetime64[s]", []]], "/etc/localtime"], b"\0" * 8),
        (["pT", ["N", ["Am", "datetime64[s]", []]], "../../../etc/passwd"], b"\0" * 8),
        (["pT", ["N", ["Am", "datetime64[s]", []]], 10**9], b"\0" * 8),
        (["pT", ["N", ["Am", "datetime64[s]", []]], "dateutil//etc/passwd"], b"\0" * 8),
        (["pD", ["N", ["Am", "datetime64[s]", []]]], b"\0" * 8),
        (["pP", 1, "no frequency"], b""),
        (["pP", 2**63, "D"], b""),
        (["pV", 1, 0, "left"], b""),
        (["pV", 0, 1, "inside"], b""),
        (["pN", "None"], b""),
        (["pd", ONE], b"\0"),
        (["pE"], b""),
        (["pE", "pickle", ONE], b"\0"),
        (["pE", "categories", RANGE, LONG, True], b"\1" + b"\0" * 7),  # of one category
        (["pE", "categories", RANGE, ["A", "float64", [1]], True], b"\0" * 8),
        (["pE", "text", "python", "nan", LONG, ["A", "uint8", [0]]], b"\0" * 8),
        (["pE", "text", "disk", "NA", LONG, ["A", "uint8", [0]]], b"\0" * 8),
        (["pE", "masked", ONE, ["A", "bool", [2]]], b"\0" * 3),
        (["pE", "masked", ONE, ONE], b"\0" * 2),
        (["pE", "times", ONE, "UTC"], b"\0"),
        (["pE", "periods", LONG, "D; import os"], b"\0" * 8),
        (["pE", "intervals", RANGE, RANGE, "inside"], b""),
        (["pE", "intervals", RANGE, ONE, "left"], b"\0"),
    ],
)
def test_what_is_no_value_is_refused(tree, blob):
    with pytest.raises(WireError):
        loads(packed(tree), blob)


def test_mutated_messages_are_read_or_refused():
    draw = random.Random(0)
    messages = [dumps({"id": 1, "value": value}) for value in VALUES.values()]
    read = 0
    for _ in range(1000):
        message = draw.choice(messages)
        tree, blob = wire.HEADER.unpack_from(message)
        start = wire.HEADER.size
        try:
            loads(odd_bytes(draw, message[start : start + tree]), message[start + tree :])
        except WireError:
            continue
        read += 1
    assert 10 < read < 900
