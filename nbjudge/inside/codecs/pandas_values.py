"""Values of pandas in a message: the arrays in them are NumPy's, with numbers in the blob.

They are written as::

    ["pF", index, labels, columns]     data frame    ["pT", time, zone]       Timestamp
    ["pS", index, name, array]         series        ["pD", duration]         Timedelta
    ["pI", name, array, frequency]     index         ["pP", number, frequency]  Period
    ["pR", name, start, stop, step]    range index   ["pV", left, right, closed]  Interval
    ["pM", names, levels, codes]       multi-index   ["pN", "NA" or "NaT"]    missing values
    ["pE", kind, …]  an array of a type of pandas' own, see :mod:`.pandas_arrays`
    ["pd", array]    such a type, as an empty array of it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray, ExtensionDtype

from nbjudge.inside.codecs import Blobs, Inner, WireError, pandas_arrays, parts

TABLES = (pd.DataFrame, pd.Series)
INDEXES = (
    *(pd.Index, pd.RangeIndex, pd.MultiIndex, pd.DatetimeIndex, pd.TimedeltaIndex),
    *(pd.PeriodIndex, pd.IntervalIndex, pd.CategoricalIndex),
)
SCALARS = (pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval, type(pd.NaT), type(pd.NA))


def handles(value: Any) -> bool:
    """Whether it is a table, an index, an array, a scalar or a type of pandas itself."""
    return type(value) in (*TABLES, *INDEXES, *SCALARS) or isinstance(
        value, ExtensionArray | ExtensionDtype
    )


def copied(value: Any) -> Any:
    """A copy of what can be changed; anything else as it is."""
    return value.copy() if isinstance(value, (*TABLES, ExtensionArray)) else value


def alike(one: Any, other: Any, near: float, tiny: float) -> bool:
    """Whether labels, types and values are the same but for rounding."""
    tests: dict[type, Callable] = {
        pd.DataFrame: pd.testing.assert_frame_equal,
        pd.Series: pd.testing.assert_series_equal,
        ExtensionArray: pd.testing.assert_extension_array_equal,
        pd.Index: pd.testing.assert_index_equal,
    }
    for kind, test in tests.items():
        if isinstance(one, kind):
            try:
                test(one, other, rtol=near, atol=tiny, check_exact=not near)
            except AssertionError:
                return False
            return True
    return one is other or bool(one == other)


# -- writing ---------------------------------------------------------------------------------------


def write(value: Any, blobs: Blobs, inner: Inner) -> list:
    """The tree for a value."""
    if type(value) is pd.DataFrame:
        columns = [_plain(value.iloc[:, place].array) for place in range(value.shape[1])]
        return ["pF", inner(value.index), inner(value.columns), inner(columns)]
    if type(value) is pd.Series:
        return ["pS", inner(value.index), inner(value.name), inner(_plain(value.array))]
    if isinstance(value, pd.Index):
        return _write_index(value, inner)
    if isinstance(value, ExtensionDtype):
        return ["pd", inner(pd.array([], dtype=value))]
    if isinstance(value, ExtensionArray):
        plain = _plain(value)
        return pandas_arrays.write(value, inner) if plain is value else inner(plain)
    return _write_scalar(value, inner)


def _plain(array: ExtensionArray) -> Any:
    """NumPy's array, if that is what it is."""
    numpys = type(array) is pd.arrays.NumpyExtensionArray or isinstance(array.dtype, np.dtype)
    return array.to_numpy() if numpys else array


def _write_index(value: pd.Index, inner: Inner) -> list:
    if isinstance(value, pd.RangeIndex):
        return ["pR", inner(value.name), value.start, value.stop, value.step]
    if isinstance(value, pd.MultiIndex):
        codes = [np.asarray(code, dtype=np.int64) for code in value.codes]
        return ["pM", inner(list(value.names)), inner(list(value.levels)), inner(codes)]
    freqstr = getattr(value, "freqstr", None) if isinstance(value, pd.DatetimeIndex) else None
    frequency = freqstr if freqstr and pandas_arrays.FREQUENCY.fullmatch(freqstr) else None
    return ["pI", inner(value.name), inner(_plain(value.array)), frequency]


def _write_scalar(value: Any, inner: Inner) -> list:
    if value is pd.NaT or value is pd.NA:
        return ["pN", "NaT" if value is pd.NaT else "NA"]
    if isinstance(value, pd.Timestamp):
        plain = value if value.tzinfo is None else value.tz_convert("UTC").tz_localize(None)
        return ["pT", inner(plain.to_datetime64()), pandas_arrays.zone_name(value.tzinfo)]
    if isinstance(value, pd.Timedelta):
        return ["pD", inner(value.to_timedelta64())]
    if isinstance(value, pd.Period):
        return ["pP", value.ordinal, value.freqstr]
    return ["pV", inner(value.left), inner(value.right), value.closed]


# -- reading ---------------------------------------------------------------------------------------


def read(tag: str, rest: list, take: Callable[[int], bytearray], inner: Inner) -> Any:
    """The value; ``take`` returns the blob's next bytes."""
    if tag == "pE":
        return pandas_arrays.read(rest, inner)
    if tag == "pd":
        return _array(inner(*parts(rest, list)), 0).dtype
    return {**_READS_TABLES, **_READS_INDEXES, **_READS_SCALARS}[tag](rest, inner)


def _array(array: Any, length: int | None = None) -> Any:
    """Check a column: an array with one axis, and of this length."""
    if not isinstance(array, np.ndarray | ExtensionArray) or array.ndim != 1:
        raise WireError("not a column")
    if length is not None and len(array) != length:
        raise WireError("a column that is longer than its index, or shorter")
    return array


def _index(index: Any) -> pd.Index:
    if not isinstance(index, pd.Index):
        raise WireError("not an index")
    return index


def _series(array: Any, length: int) -> pd.Series:
    # With its type, or pandas would look for a better one.
    return pd.Series(_array(array, length), dtype=array.dtype, copy=False)


def _frame(rest: list, inner: Inner) -> pd.DataFrame:
    index, labels, columns = map(inner, parts(rest, list, list, list))
    if type(columns) is not list or len(columns) != len(_index(labels)):
        raise WireError("columns without labels, or labels without columns")
    every = {place: _series(array, len(_index(index))) for place, array in enumerate(columns)}
    frame = pd.DataFrame(every, index=pd.RangeIndex(len(index)))
    frame.index, frame.columns = index, labels
    return frame


def _one_column(rest: list, inner: Inner) -> pd.Series:
    index, name, array = map(inner, parts(rest, list, object, list))
    series = _series(array, len(_index(index)))
    series.index, series.name = index, name
    return series


def _read_index(rest: list, inner: Inner) -> pd.Index:
    name, array, frequency = parts(rest, object, list, object)
    held = _array(inner(array))
    index = pd.Index(held, dtype=held.dtype, name=inner(name))
    if frequency is None:
        return index
    known = type(frequency) is str and pandas_arrays.FREQUENCY.fullmatch(frequency)
    if not known or not isinstance(index, pd.DatetimeIndex):
        raise WireError("not times of a frequency")
    return pd.DatetimeIndex(index, freq=frequency)


def _read_range(rest: list, inner: Inner) -> pd.RangeIndex:
    name, start, stop, step = parts(rest, object, int, int, int)
    return pd.RangeIndex(start, stop, step, name=inner(name))


def _read_multi(rest: list, inner: Inner) -> pd.MultiIndex:
    names, levels, codes = map(inner, parts(rest, list, list, list))
    if not all(type(each) is list for each in (names, levels, codes)):
        raise WireError("not lists")
    levels, codes = [*map(_index, levels)], [*map(_array, codes)]
    return pd.MultiIndex(levels=levels, codes=codes, names=names, verify_integrity=True)


def _read_timestamp(rest: list, inner: Inner) -> pd.Timestamp:
    tree, zone = parts(rest, list, object)
    value = inner(tree)
    if type(value) is not np.datetime64:
        raise WireError("not a time")
    time = pd.Timestamp(value)
    if zone is None:
        return time
    return time.tz_localize("UTC").tz_convert(pandas_arrays.zone(zone))


def _read_timedelta(rest: list, inner: Inner) -> pd.Timedelta:
    value = inner(*parts(rest, list))
    if type(value) is not np.timedelta64:
        raise WireError("not a duration")
    return pd.Timedelta(value)


def _read_period(rest: list, inner: Inner) -> pd.Period:
    number, frequency = parts(rest, int, str)
    return pandas_arrays.periods(np.array([number]), frequency)[0]


def _read_interval(rest: list, inner: Inner) -> pd.Interval:
    left, right, closed = parts(rest, object, object, str)
    return pd.Interval(inner(left), inner(right), pandas_arrays.side(closed))


def _read_missing(rest: list, inner: Inner) -> Any:
    return {"NA": pd.NA, "NaT": pd.NaT}[parts(rest, str)[0]]


_Reads = dict[str, Callable[[list, Inner], Any]]
_READS_TABLES: _Reads = {"pF": _frame, "pS": _one_column}
_READS_INDEXES: _Reads = {"pI": _read_index, "pR": _read_range, "pM": _read_multi}
_READS_SCALARS: _Reads = {
    "pT": _read_timestamp,
    "pD": _read_timedelta,
    "pP": _read_period,
    "pV": _read_interval,
    "pN": _read_missing,
}
